"""Likeness of two headers or cells that no rule decides: a weighted sum of traits of the pair.

The weights of `likeness.toml` were fitted by `benchmarks/table_pairs.py` to labelled pairs and to
pairs of different columns and cells of one table, which are never the same. Lengths are no trait:
they say more of who wrote the pairs than of the meaning of the texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from vivavoce.metrics.tables.wording import (
    are_contrasted,
    content_words,
    own_terms,
    raw_words,
    terms_in_order,
    terms_of,
)
from vivavoce.text.data import read_data

Vector = Callable[[str], npt.NDArray[np.float64]]
"""Text -> vector of length 1."""

LONG = 5
"""Words from which a cell is a sentence, of which word order is a part."""
_WEIGHTS: dict[str, dict[str, float]] = read_data(__file__, "likeness.toml")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = 6


def are_like(one: str, other: str, header: str | None, vector: Vector | None) -> bool:
    """True if two clean texts more probably mean the same than not.

    Args:
        one: A header or cell.
        other: The other one.
        header: Name of the column; None where the texts are headers.
        vector: An embedding; other weights hold without one.
    """
    weights = _WEIGHTS["forms" if vector is None else "embedding"]
    traits = traits_of(one, other, header, vector)
    # Rounded, so that the last bit of an embedding decides nothing.
    found = weights["bias"] + sum(weights[name] * value for name, value in traits.items())
    return round(found, _DIGITS) >= 0


def traits_of(
    one: str, other: str, header: str | None, vector: Vector | None = None
) -> dict[str, float]:
    """Traits of a pair of clean texts by name, the same in either order."""
    is_header = header is None
    terms, others = (set(terms_of(text, is_header=is_header)) for text in (one, other))
    own, their = (set(own_terms(text, header or "")) for text in (one, other))
    steps = [terms_in_order(text) for text in (one, other)]
    words = raw_words(one), raw_words(other)
    names, other_names = _names(one), _names(other)
    overlap = _share(terms, others)
    is_long = float(max(map(len, words)) >= LONG)
    traits = {
        "overlap": overlap,
        "overlap_long": overlap * is_long,
        "contained": len(terms & others) / max(min(len(terms), len(others)), 1),
        "nothing_left": float(terms <= others or others <= terms),
        "own": _share(own, their),
        "swapped": overlap - LCSseq.normalized_similarity(*steps),
        "contrasted": float(are_contrasted(*words)),
        "other_names": float(bool(names - other_names) and bool(other_names - names)),
        "long": is_long,
    }
    return traits if vector is None else traits | _by_embedding(one, other, is_long, vector)


def _by_embedding(one: str, other: str, is_long: float, vector: Vector) -> dict[str, float]:
    nearness = float(vector(one) @ vector(other))
    words, others = content_words(one), content_words(other)
    left = [word for word in words if word not in others]
    right = [word for word in others if word not in words]
    rest = vector(" ".join(left)) @ vector(" ".join(right)) if left and right else nearness
    return {
        "near": nearness,
        "near_long": nearness * is_long,
        "rest_near": float(rest),
        "words_near": (_nearest(left, others, vector) + _nearest(right, words, vector)) / 2,
    }


def _nearest(words: list[str], others: list[str], vector: Vector) -> float:
    """Mean nearness of words to the nearest word of the other text; 1 for no words."""
    if not (words and others):
        return float(not words)
    table = np.array([vector(word) for word in words]) @ np.array([vector(w) for w in others]).T
    return float(table.max(axis=1).mean())


def _share(ones: set[str], others: set[str]) -> float:
    return len(ones & others) / max(len(ones | others), 1)


def _names(text: str) -> set[str]:
    """Words with a capital inside or a digit: names of data sets, models, tools."""
    words = _WORD.findall(text)
    return {w.casefold() for w in words if any(c.isupper() or c.isdigit() for c in w[1:])}
