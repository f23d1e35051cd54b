"""Porter's stems of words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


@cache
def porter() -> Callable[[str], str]:
    """NLTK's variant of Porter's stemmer, loaded when first asked for."""
    # NLTK takes seconds to import, and only stemming needs it.
    from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem
