"""Words of texts for comparison: terms for retrieval, and stems.

A term is a word from `normalise_title`: NFKC, case-folded, split at punctuation, symbols and
spaces, not stemmed. So a term never contains white space. Stems follow Porter's rules (1980) with
NLTK's changes, as ROUGE is defined by that variant. NLTK itself takes two seconds to import.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache

from vivavoce.text import read_data
from vivavoce.text.normalise import normalise_title

MAX_TERM = 64
"""Maximum characters; a longer word is replaced by a hash, so that it equals only itself."""

_WORDS = read_data(__file__, "terms.toml")
STOP_WORDS = frozenset(_WORDS["stop_words"])
"""English function words."""


def terms_of(text: str) -> list[str]:
    """The distinct terms in a text, in order of first occurrence."""
    if text.isascii():
        words = normalise_title(text).split()
    else:
        # Normalisation joins nothing across white space, and most words of a paper are ASCII.
        pieces = list(dict.fromkeys(text.split()))
        plain = " ".join(piece for piece in pieces if piece.isascii())
        other = " ".join(piece for piece in pieces if not piece.isascii())
        words = f"{normalise_title(plain)} {normalise_title(other)}".split()
    distinct = list(dict.fromkeys(words))
    if max(map(len, distinct), default=0) > MAX_TERM:
        return [word if len(word) <= MAX_TERM else _hashed(word) for word in distinct]
    return distinct


def query_terms(query: str, *, drop_stop_words: bool = False) -> list[str]:
    """The distinct terms in a query."""
    return [term for term in terms_of(query) if not drop_stop_words or term not in STOP_WORDS]


def _hashed(word: str) -> str:
    """Substitute for a long word; no other term contains a number sign."""
    return "#" + hashlib.sha256(word.encode()).hexdigest()


_RULES: dict[str, dict[str, str]] = read_data(__file__, "stems.toml")
_MAX_CACHED = 64
"""Maximum characters of a cached word; longer words hardly occur twice."""


def porter_stem(word: str) -> str:
    """Stem of a word, in lower case."""
    return _stem(word) if len(word) <= _MAX_CACHED else _stem.__wrapped__(word)


@lru_cache(maxsize=1 << 17)
def _stem(word: str) -> str:
    lower = word.lower()
    if lower in _RULES["irregular"]:
        return _RULES["irregular"][lower]
    if len(word) <= 2:
        return lower
    is_short = lower.endswith("ies") and len(lower) == 4
    singular = lower[:-1] if is_short else _replaced(lower, _RULES["plural"], -1)
    stem = _without_y(_without_past(singular))
    stem = _without_double(stem)
    stem = _replaced(stem, _RULES["single"], 0)
    return _without_e(_without_last(stem))


def _without_past(word: str) -> str:
    """Cut `ed` and `ing`, and repair the stem: `hopping` is `hop`, `filing` is `file`."""
    if word.endswith("ied"):
        return word[: -1 if len(word) == 4 else -2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((ending for ending in ("ed", "ing") if word.endswith(ending)), "")
    stem = word.removesuffix(ending)
    if not ending or "v" not in _shape(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-2:-1] == stem[-1] and _shape(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem


def _without_y(word: str) -> str:
    is_ending = word.endswith("y") and len(word) > 2 and _shape(word)[-2] == "c"
    return word[:-1] + "i" if is_ending else word


def _without_double(word: str) -> str:
    """Reduce a double ending to a single one: `relational` gets the ending of `relate`."""
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _without_double(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _RULES["double"], 0)


def _without_last(word: str) -> str:
    if word.endswith("ion"):
        return word[:-3] if word[-4:-3] in ("s", "t") and _measure(word[:-3]) > 1 else word
    return _replaced(word, _RULES["last"], 1)


def _without_e(word: str) -> str:
    """Cut a final `e`, then one `l` of a final `ll`."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        word = word[:-1] if measure > 1 or (measure == 1 and not _is_short(word[:-1])) else word
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _replaced(word: str, rules: Mapping[str, str], above: int) -> str:
    """Replace the first ending that matches, if the measure of the stem exceeds `above`."""
    for ending, other in rules.items():
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            return stem + other if _measure(stem) > above else word
    return word


def _shape(word: str) -> str:
    """Pattern of a word: `c` for a consonant, `v` for a vowel or a `y` after a consonant."""
    shape, before = [], ""
    for letter in word:
        before = "v" if letter in "aeiou" or (letter == "y" and before == "c") else "c"
        shape.append(before)
    return "".join(shape)


def _measure(word: str) -> int:
    """Porter's measure: the number of times that a consonant follows a vowel."""
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Check whether a word ends like `hop`, or is like `up`."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")
