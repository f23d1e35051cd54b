"""Text made comparable, and text made safe to store."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from vivavoce.text.data import read_data

# Controls that end a line or a page become a line break, so that no two words grow together.
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_LONG_RUN = re.compile(r"[^\w\s\x00-\x7f]{32,}")
_MAX_MARKS = 30
"""Marks on one letter; more have no meaning, and putting them in order takes quadratic time."""

PLAIN_MARKS = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑‒", "-"),
        **dict.fromkeys("≈∼≃", "~"),
        **dict.fromkeys("‘’ʼ′`", "'"),
        **dict.fromkeys('"“”„«»', None),
    }
)
"""One kind of dash, of tilde and of apostrophe, and no quotation marks."""
_ASCII_TITLE = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}


class _TitleTable(dict[int, str | None]):
    """Replacement of each character of a title, worked out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        category = unicodedata.category(character)
        replacement: str | None = character
        if category == "Cf":  # soft hyphens and joiners stand inside words
            replacement = None
        elif category[0] in "PSZC":
            replacement = " "
        self[code] = replacement
        return replacement


_TITLE = _TitleTable()


def normalise(form: Literal["NFC", "NFKC"], text: str) -> str:
    """A normal form of Unicode in linear time: of over 30 marks on a letter the rest is dropped.

    Source: Unicode Standard Annex 15, section 13 (stream-safe text).
    """
    return unicodedata.normalize(form, _LONG_RUN.sub(_thin, text))


def _thin(run: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in run[0]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def normalise_title(text: str) -> str:
    """A title for comparison: NFKC, case folded, punctuation and symbols as spaces, spaces single.

    Empty where the text holds neither letters nor digits.
    """
    if text.isascii():
        return " ".join(text.translate(_ASCII_TITLE).split())
    folded = normalise("NFKC", text).casefold()
    spaced = normalise("NFKC", folded).translate(_TITLE)
    return " ".join(normalise("NFKC", spaced).split())


def clean_text(text: str) -> str:
    """NFC text without control characters except newline and tab, always valid UTF-8.

    Lone surrogates become U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    if _UNSAFE.search(text) is not None:
        text = _CONTROL.sub("", _LINE_END.sub("\n", text))
        text = _SURROGATE.sub("\ufffd", text)
    return text if text.isascii() else normalise("NFC", text)


def clean_line(text: str) -> str:
    """Text in one line with single spaces, safe to store."""
    return " ".join(clean_text(text).split())


_WORD = re.compile(r"[^\W_]+|[+@#%]")
_MAX_NAME = 300
_AMERICAN = read_data(__file__, "american.toml")
"""Words of which British spelling is no matter of their ending."""
_DOUBLED = re.compile(r"(\w{0,20}[aeiou]\w{1,20}[aei])ll(ing|ings|ed|er|ers)")
"""`modelling`, `labelled`: one letter in American, other than in `spelling` and `controlled`."""
_WITH_S = re.compile(
    r"(\w{0,40}\w(?:al|an|ar|at|el|en|er|et|gn|il|im|in|nt|on|or|ym))"
    r"is(e|ed|er|ers|es|ing|ation|ations)"
)
"""`normalise`, `tokenised`, `summarisation`: stems that take the ending, as `noise` does not."""


def words_of(name: str) -> list[str]:
    """The words of a name as names are compared by them."""
    text = unicodedata.normalize("NFKD", name[:_MAX_NAME]).casefold()
    plain = "".join(c for c in text if not unicodedata.combining(c))
    return [_american(word) for word in _WORD.findall(plain)]


def _american(word: str) -> str:
    if word in _AMERICAN:
        return str(_AMERICAN[word])
    if found := _WITH_S.fullmatch(word):
        return f"{found[1]}iz{found[2]}"
    if found := _DOUBLED.fullmatch(word):
        return f"{found[1]}l{found[2]}"
    return word
