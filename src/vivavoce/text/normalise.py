"""Normalisation of text for comparison and for safe storage."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from vivavoce.text import read_data

# Control characters that end a line or a page become line breaks, so that words stay apart.
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_POWER = re.compile(r"(?=.)(?:[+\-−–]?\d+)?(?P<charge>[+\-−–]?)")
_LONG_RUN = re.compile(r"[^\w\s\x00-\x7f]{32,}")
_MAX_MARKS = 30
"""Maximum marks on one letter; more have no meaning, and ordering them takes quadratic time."""

PLAIN_MARKS = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑‒", "-"),
        **dict.fromkeys("≈∼≃", "~"),
        **dict.fromkeys("‘’ʼ′`", "'"),
        **dict.fromkeys('"“”„«»', None),
    }
)
"""Translation table that unifies dashes, tildes and apostrophes, and drops quotation marks."""
_ASCII_TITLE = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}


class _TitleTable(dict[int, str | None]):
    """Replacement for each character in a title, computed on first use."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        category = unicodedata.category(character)
        replacement: str | None = character
        if category == "Cf":  # soft hyphens and joiners occur inside words
            replacement = None
        elif category[0] in "PSZC":
            replacement = " "
        self[code] = replacement
        return replacement


_TITLE = _TitleTable()


def is_power(before: str, raised: str) -> bool:
    """Check whether raised text would make another number in line: 10^6, Fe^3+, SO4^2-."""
    number = _POWER.fullmatch(raised.strip())
    is_charge = number is not None and number["charge"] != "" and before[-1:].isalpha()
    return is_charge or (number is not None and before[-1:].isdigit())


def normalise(form: Literal["NFC", "NFKC"], text: str) -> str:
    """Normalise Unicode in linear time: marks on a letter beyond the first 30 are dropped.

    Source: Unicode Standard Annex 15, section 13 (stream-safe text).
    """
    return unicodedata.normalize(form, _LONG_RUN.sub(_thin, text))


def _thin(run: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in run[0]:
        # A character may decompose into marks.
        last = unicodedata.normalize("NFKD", character)[-1]
        marks = marks + 1 if unicodedata.combining(last) else 0
        if marks <= _MAX_MARKS:
            kept.append(character)
    return "".join(kept)


@lru_cache(maxsize=2048)
def normalise_title(text: str) -> str:
    """Normalise a title for comparison: NFKC, case-folded, spaces for punctuation; may be empty."""
    if text.isascii():
        return " ".join(text.translate(_ASCII_TITLE).split())
    folded = normalise("NFKC", text).casefold()
    spaced = normalise("NFKC", folded).translate(_TITLE)
    return " ".join(normalise("NFKC", spaced).split())


def clean_text(text: str) -> str:
    """Convert text to NFC and valid UTF-8, without control characters except newline and tab."""
    if text.isascii() and text.isprintable():
        return text
    if _UNSAFE.search(text) is not None:
        text = _CONTROL.sub("", _LINE_END.sub("\n", text))
        text = _SURROGATE.sub("\ufffd", text)
    return text if text.isascii() else normalise("NFC", text)


def clean_line(text: str) -> str:
    """Clean a text and put it on one line with single spaces."""
    return " ".join(clean_text(text).split())


_WORD = re.compile(r"[^\W_]+|[+@#%]")
SUBSCRIPT = re.compile(r"(?<=\b[^\W\d_])[_^]\{?(?=\d)|(?<=\b[^\W\d_]{2})[_^]\{?(?=\d)")
"""Mark of a raised or lowered number that belongs to a symbol: `F_1`, `AP_{50}`, `R^2`."""
_MAX_NAME = 300
_AMERICAN = read_data(__file__, "american.toml")
"""British spellings that differ from American ones in more than the ending."""
_DOUBLED = re.compile(r"(\w{0,20}[aeiou]\w{1,20}[aei])ll(ing|ings|ed|er|ers)")
"""`modelling`, `labelled`: American spelling has one `l`, unlike in `spelling`, `controlled`."""
_WITH_S = re.compile(
    r"(\w{0,40}\w(?:al|an|ar|at|el|en|er|et|gn|il|im|in|nt|on|or|ym))"
    r"is(e|ed|er|ers|es|ing|ation|ations)"
)
"""`normalise`, `tokenised`, `summarisation`: stems with this ending, unlike `noise`."""


def words_of(name: str) -> list[str]:
    """The words of a name, normalised for comparison with other names."""
    text = unicodedata.normalize("NFKD", SUBSCRIPT.sub("", name[:_MAX_NAME])).casefold()
    plain = "".join(c for c in text if not unicodedata.combining(c))
    return [_american(word) for word in _WORD.findall(plain)]


def _american(word: str) -> str:
    if word in _AMERICAN:
        return str(_AMERICAN[word])
    if match := _WITH_S.fullmatch(word):
        return f"{match[1]}iz{match[2]}"
    if match := _DOUBLED.fullmatch(word):
        return f"{match[1]}l{match[2]}"
    return word
