"""Words and numbers of demands and tables in the forms that the leak check compares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from vivavoce.metrics.cell_matching import MAX_CELL, cell_key, is_unit, read_number
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise
from vivavoce.text.stems import porter
from vivavoce.text.terms import STOP_WORDS

_SILENT = STOP_WORDS | {"yes", "true", "false", "none", "na", "etc", "eg", "ie", "vs", "et"}
_LONGEST_WORD = 40
_SHORTEST_ROOT, _LONGEST_ENDING = 5, 4

_WORD = re.compile(r"[^\W_]+")
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:[-+./\u2010\u2011][^\W_]+)+")
_MARKED = re.compile(r"[a-z][A-Z]|[A-Z]{2}|[^\W\d_]\d|\d[^\W\d_]")
_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)(\d[\d,]{0,30}(?:\.\d{1,20})?)(?:(%|[A-Za-zµ]{1,12})|\s([A-Za-zµ%]{1,12}))?"
)
_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split(),
        start=2,
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000"}


def read_words(text: str) -> list[str]:
    """The words of a text as printed, NFKC, without markup and without what stands beyond 2,000."""
    return _WORD.findall(normalise("NFKC", plain_words(text[:MAX_CELL])))


def is_telling(word: str) -> bool:
    """Whether a word says anything by itself: no stop word, no single Latin letter."""
    return word.casefold() not in _SILENT and not (len(word) == 1 and word.isascii())


def telling_words(text: str) -> list[str]:
    """The words of a text that say something, as printed."""
    return [word for word in read_words(text) if is_telling(word)]


def names_in(text: str) -> list[str]:
    """Words whose letters mark them as names: `ImageNet`, `COCO`, `F1`, `3D`, `ResNet50`.

    `GPT-4` gives `GPT4` and `GPT`.
    """
    plain = normalise("NFKC", plain_words(text[:MAX_CELL]))
    compounds = ("".join(_WORD.findall(compound)) for compound in _COMPOUND.findall(plain))
    words = (*compounds, *_WORD.findall(plain))
    return [word for word in words if is_telling(word) and _MARKED.search(word)]


def stem_of(word: str) -> str:
    """A word without its inflection, British and American spelling alike."""
    return _stem(word[:_LONGEST_WORD].casefold())


def stems_of(words: Sequence[str]) -> list[str]:
    """The stem of each word."""
    return [stem_of(word) for word in words]


def root_of(stem: str) -> str:
    """What all words that may be kin of a stem begin with."""
    return stem[:_SHORTEST_ROOT]


def are_kin(first: str, second: str) -> bool:
    """Whether two stems are of one family: equal, or one goes on where the other ends.

    Porter's rules leave `accuraci` and `accur`, or `classif` and `classifi`, apart.
    """
    shorter, longer = sorted((first, second), key=len)
    if first == second or len(shorter) < _SHORTEST_ROOT:
        return first == second
    return longer.startswith(shorter) and len(longer) - len(shorter) <= _LONGEST_ENDING


def number_keys(text: str) -> Iterator[tuple[str, str]]:
    """(number as printed, key) for every form of each number of a text.

    `5 min` is 300 s and also 5; `88.5%` is 0.885 and also 88.5; `three` is 3. A digit inside a name
    such as `GPT-4` is none.
    """
    plain = normalise("NFKC", plain_words(text[:MAX_CELL]))
    for found in _NUMBER.finditer(plain):
        digits, joined, apart = found[1].rstrip(","), found[2] or "", found[3] or ""
        unit = (joined or apart).lower()
        if joined and (unit == "d" or not is_unit(unit)):
            continue  # the letters make it a name, such as 3D
        yield digits, cell_key(digits)
        if unit and is_unit(unit):
            yield found[0], cell_key(f"{digits} {unit}")
        value = read_number(digits)
        if unit == "%" and value is not None:
            yield found[0], cell_key(f"{value / 100:.10g}")
    for word in _WORD.findall(plain):
        if digits := _NUMBER_WORDS.get(word.casefold(), ""):
            yield word, cell_key(digits)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if word.isdigit():
        return word
    if len(word) > _SHORTEST_ROOT:
        word = word.replace("our", "or")
    return porter()(word.replace("yz", "ys").replace("iz", "is"))
