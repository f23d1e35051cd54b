"""Schema recall of DIGESTables: how many gold columns some produced column resembles.

recall = |{gold columns g : max over produced columns p of s(g, p) >= threshold}| / |gold columns|

One produced column may serve several gold ones and there is no precision, so more columns never
hurt: read it beside `schema_p`. Undefined for a gold table without columns. The similarity s is
`exact` (names equal but for case), `jaccard` (shared word stems, stop words left out; the exact
comparison where a side has nothing else) or any function of two lists of texts, such as the
cosine of sentence embeddings, for which the paper recommends a threshold of 0.7. A text is the
column's name, alone or with its values.

Source: Newman et al. 2024, arXivDIGESTables, section 4 (schema alignment).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from vivavoce.metrics import Metric
from vivavoce.text.terms import porter

Similarity = Callable[[Sequence[str], Sequence[str]], npt.ArrayLike]
"""Texts of gold columns and of produced ones -> a matrix, one row a gold column."""

METRICS = (
    Metric(
        "schema_recall",
        "gold columns that some produced column resembles",
        "tables",
        0.0,
        1.0,
        "Newman et al. 2024, section 4",
    ),
)

DEFAULT_THRESHOLD = 0.7
_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    {
        *("a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by"),
        *("can", "do", "does", "each", "for", "from", "had", "has", "have", "how", "if", "in"),
        *("into", "is", "it", "its", "more", "most", "no", "nor", "not", "of", "on", "only", "or"),
        *("other", "our", "out", "own", "same", "should", "so", "some", "such", "than", "that"),
        *("the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too"),
        *("very", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "why"),
        *("will", "with", "you", "your"),
    }
)


def schema_recall(
    gold: Sequence[str],
    produced: Sequence[str],
    similarity: Similarity,
    *,
    threshold: float = DEFAULT_THRESHOLD,
) -> float | None:
    """Share of gold columns that some produced column resembles."""
    if not gold:
        return None
    if not produced:
        return 0.0
    scores = np.asarray(similarity(gold, produced))
    return float((scores.max(axis=1) >= threshold).mean())


def exact(gold: Sequence[str], produced: Sequence[str]) -> npt.NDArray[np.float64]:
    """1 for texts that are equal but for case and the space around them, else 0."""
    own = [text.strip().casefold() for text in produced]
    return np.array([[float(text.strip().casefold() == other) for other in own] for text in gold])


def jaccard(gold: Sequence[str], produced: Sequence[str]) -> npt.NDArray[np.float64]:
    """Shared stems over all stems of two texts."""
    scores = exact(gold, produced)
    own = [_stems(text) for text in produced]
    for row, text in enumerate(gold):
        stems = _stems(text)
        for column, other in enumerate(own):
            if stems and other:
                scores[row, column] = len(stems & other) / len(stems | other)
    return scores


def _stems(text: str) -> frozenset[str]:
    words = _WORD.findall(text.casefold())
    return frozenset(_stem(word) for word in words if word not in _STOP_WORDS)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return porter()(word)
