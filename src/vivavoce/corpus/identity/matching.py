"""Titles, names and years made comparable across sources, for merging papers and resolving.

Every comparison of evidence answers True (agrees), False (contradicts) or None (not known).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from vivavoce.text.data import read_data
from vivavoce.text.normalise import normalise_title

YEAR_SLACK = 2
"""A preprint and its proceedings may be dated this many years apart."""
MIN_TELLING_WORDS = 3
"""A title of fewer words may be shared by unrelated papers."""
_WORDS = read_data(__file__, "matching.toml")
_GENERIC, _SUFFIXES = (frozenset(_WORDS[name]) for name in ("generic_titles", "name_suffixes"))
_FIRST_IDEOGRAPH = "\u2e80"
_SOFT_HYPHEN = 0x00AD
_COMBINING = re.compile("[\u0300-\u036f]")
_PLAIN, _DRAWN_ALIKE = (str.maketrans(_WORDS[name]) for name in ("plain", "drawn_alike"))
_NAME_WORD = re.compile(r"[^\W\d_]+")
_MAX_INITIALS = 3
_MIN_MISSPELT = 5


def fold(text: str) -> str:
    """NFKC, case folded, without accents: characters and punctuation stay where they are."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", folded)).translate(_PLAIN)
    return unicodedata.normalize("NFKC", plain)


def title_words(title: str) -> list[str]:
    """The words of a title, folded; soft hyphens and other invisible characters are dropped."""
    return normalise_title(fold(title)).split()


@lru_cache(maxsize=1 << 14)  # a title is compared with many
def title_key(title: str) -> str:
    """Key that equal titles share, however they are spaced, hyphenated, accented or cased.

    Invisible characters count, except the soft hyphen: a title that hides some equals only one
    that hides the same. Empty where the title holds neither letters nor digits.
    """
    key = "".join(title_words(title))
    return key + _hidden(title) if key and not title.isascii() else key


def skeleton(title: str) -> str:
    """Shape of a title: letters of other scripts as the Latin ones they are drawn like.

    Two titles of one skeleton and different keys pass for each other on sight.
    """
    if title.isascii():
        return title_key(title)
    drawn = unicodedata.normalize("NFKC", title).translate(_DRAWN_ALIKE)
    return "".join(title_words(drawn))


def is_telling(title: str) -> bool:
    """Return whether a title alone may join two documents: long enough, and no standing heading."""
    return count_words(title) >= MIN_TELLING_WORDS and " ".join(title_words(title)) not in _GENERIC


def count_words(title: str) -> int:
    """Words of a title; where a script writes them together, two characters count as one."""
    return sum(
        (len(word) + 1) // 2 if word[0] >= _FIRST_IDEOGRAPH else 1 for word in title_words(title)
    )


def years_agree(one: Collection[int], other: Collection[int]) -> bool | None:
    """Return whether some year of each lies within `YEAR_SLACK` of the other."""
    if not one or not other:
        return None
    return any(abs(a - b) <= YEAR_SLACK for a in one for b in other)


def names_agree(one: str, other: str) -> bool | None:
    """Return whether two spellings may name one person: one surname, no contradicting initial.

    `J. Müller`, `Muller, Jane` and `Muller` agree; `Jane Muller` and `K. Muller` do not. None when
    either holds no name.
    """
    mine, theirs = _words_of_name(one), _words_of_name(other)
    if not mine or not theirs:
        return None
    return any(
        _initials_agree(_without(mine, surname), _without(theirs, match))
        for surname in _surnames(one)
        for match in theirs
        if _same_word(surname, match)
    ) or any(
        _initials_agree(_without(mine, match), _without(theirs, surname))
        for surname in _surnames(other)
        for match in mine
        if _same_word(surname, match)
    )


def surname(name: str) -> str:
    """A person's surname, folded; empty when there is none."""
    return next(iter(_surnames(name)), "")


@lru_cache(maxsize=1 << 14)
def _surnames(name: str) -> tuple[str, ...]:
    """The likely surname of a name, the likeliest first: `Smith JA` may be either word."""
    before_comma, comma, _ = name.partition(",")
    if comma and (words := _words_of_name(before_comma)):
        return tuple(word for word in words if len(word) > 1)[-1:]
    written = _NAME_WORD.findall(_composed(name))
    words = [word for word in written if fold(word) not in _SUFFIXES and len(word) > 1]
    found = [fold(word) for word in words[-1:]]
    if len(words) > 1 and words[-1].isupper() and len(words[-1]) <= _MAX_INITIALS:
        found.insert(0, fold(words[-2]))
    return tuple(found)


def _words_of_name(name: str) -> list[str]:
    words = (fold(word) for word in _NAME_WORD.findall(_composed(name)))
    return [word for word in words if word not in _SUFFIXES]


def _composed(name: str) -> str:
    """A name with its accents inside its letters, so that they do not end a word."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _same_word(one: str, other: str) -> bool:
    """Return whether two words of names are one, or one misspelt in one letter."""
    if one == other:
        return True
    if min(len(one), len(other)) < _MIN_MISSPELT or one[0] != other[0]:
        return False
    return Levenshtein.distance(one, other, score_cutoff=1) <= 1


def _without(words: list[str], word: str) -> set[str]:
    rest = list(words)
    rest.remove(word)
    return {word[0] for word in rest}


def _initials_agree(one: set[str], other: set[str]) -> bool:
    return not one or not other or bool(one & other)


def _hidden(title: str) -> str:
    return "".join(c for c in title if unicodedata.category(c) == "Cf" and ord(c) != _SOFT_HYPHEN)
