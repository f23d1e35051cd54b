"""Text as the terms it holds, which all-terms retrieval compares.

A term is a word of `normalise_title`: NFKC, case folded, cut at punctuation, symbols and spaces,
not stemmed. So a term never holds white space, whatever the text.
"""

from __future__ import annotations

import hashlib
import unicodedata
from functools import lru_cache

from vivavoce.text.data import read_data
from vivavoce.text.normalise import normalise_title

MAX_TERM = 64
"""Characters; a longer word stands as a hash, so that it equals itself and nothing else."""

_WORDS = read_data(__file__, "terms.toml")
STOP_WORDS = frozenset(_WORDS["stop_words"])
"""English words that say nothing of a topic."""

_LONG_PIECE = 200
_MAX_MARKS = 30
_JOINER = "\u034f"


def terms_of(text: str) -> list[str]:
    """The distinct terms of a text; the same text gives the same order."""
    if text.isascii():
        words = normalise_title(text).split()
    else:
        # White space parts what normalisation may join, and most pieces of a paper are ASCII.
        pieces = list(dict.fromkeys(text.split()))
        plain = " ".join(piece for piece in pieces if piece.isascii())
        other = " ".join(_bounded(piece) for piece in pieces if not piece.isascii())
        words = f"{normalise_title(plain)} {normalise_title(other)}".split()
    distinct = list(dict.fromkeys(words))
    if max(map(len, distinct), default=0) > MAX_TERM:
        return [word if len(word) <= MAX_TERM else _hashed(word) for word in distinct]
    return distinct


def query_terms(query: str, *, drop_stop_words: bool = False) -> list[str]:
    """The distinct terms of a query."""
    return [term for term in terms_of(query) if not drop_stop_words or term not in STOP_WORDS]


def _hashed(word: str) -> str:
    """A stand-in for a long word; no word has a number sign."""
    return "#" + hashlib.sha256(word.encode()).hexdigest()


def _bounded(piece: str) -> str:
    """Long runs of combining marks parted: the time to normalise one grows with its square."""
    if len(piece) <= _LONG_PIECE:
        return piece
    parted = []
    run = 0
    for character in piece:
        run = run + 1 if _moves(character) else 0
        if run > _MAX_MARKS:
            parted.append(_JOINER)
            run = 1
        parted.append(character)
    return "".join(parted)


@lru_cache(maxsize=4096)
def _moves(character: str) -> bool:
    """Check whether normalisation may move a character, or remove it from among those it moves."""
    last = unicodedata.normalize("NFKD", character)[-1]
    return unicodedata.combining(last) != 0 or unicodedata.category(character) == "Cf"
