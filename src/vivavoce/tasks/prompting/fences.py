"""Tags around texts of strangers that no such text can close."""

from __future__ import annotations

from collections.abc import Iterable

from vivavoce.store import hash_of

_REPLACED = "□"


def fence_mark(texts: Iterable[str]) -> str:
    """An ending for tags that occurs in none of the texts; the same texts give the same one.

    It depends on all texts together, so that the writer of one of them cannot foresee it.
    """
    texts = list(texts)
    count = 0
    while any((mark := hash_of([*texts, count])[:12]) in text for text in texts):
        count += 1
    return mark


def without_mark(text: str, mark: str) -> str:
    """A text that a model wrote after it saw the mark, which it may have been told to repeat."""
    return text.replace(mark, _REPLACED)
