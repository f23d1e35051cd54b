"""Which papers of a pool a demand is about: those that resemble it, and one another.

Papers and demand are compared by the TF-IDF cosine of word stems and of runs of four letters. As
the demand has few words, what it finds is spread: a paper is near when papers like it are near.
With r the similarities to the demand and W those between papers, divided by the square roots of
both papers' sums, s = 0.7 W s + 0.3 r, in 30 steps from s = r. The papers are then cut off where s
falls most in proportion, but the first third is always kept. How many are right is not known.

Source: Zhou et al. 2004, Ranking on data manifolds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vivavoce.retrieval.sparse import TfidfRetriever, words
from vivavoce.tasks.tables.demands.word_forms import is_telling, stem_of
from vivavoce.tasks.tables.keyword.papers import PoolText
from vivavoce.text.terms import STOP_WORDS

_SPREAD, _STEPS = 0.7, 30
_LETTERS = 4
_KEPT_SHARE = 3
_MOST_SPREAD = 200
"""Papers of a pool whose likeness to one another is looked at; it takes the square of them."""
_LONGEST_DEMAND = 2_000
_WORD = re.compile(r"[\w-]+")
_ASKING = frozenset(
    {
        *("apart", "build", "chart", "choose", "compare", "compares", "comparing", "comparison"),
        *("compile", "create", "decide", "differ", "effort", "efforts", "existing", "explain"),
        *("find", "gaps", "generate", "give", "help", "helps", "identify", "interested", "know"),
        *("like", "literature", "looking", "make", "need", "newcomer", "one", "order", "overview"),
        *("paper", "papers", "please", "prepare", "project", "publication", "publications"),
        *("question", "reader", "reading", "relevant", "research", "review", "reviews", "see"),
        *("set", "share", "show", "shows", "side", "studies", "study", "summarise", "summarize"),
        *("summary", "survey", "table", "tell", "trends", "understand", "want", "work", "works"),
    }
)
"""Words of asking for a table, which say nothing of its topic."""

Floats = NDArray[np.float64]


def topic_words(demand: str) -> list[str]:
    """The words of a demand that may say what it is about, as written."""
    found = _WORD.findall(demand[:_LONGEST_DEMAND])
    return [word for word in found if is_telling(word) and word.casefold() not in _ASKING]


def choose_papers(demand: str, papers: Sequence[PoolText]) -> list[PoolText]:
    """The papers that a demand is about, in the order of the pool; never none of some."""
    scores = nearness(demand, papers)
    order = np.argsort(-scores, kind="stable")[: count_kept(scores)]
    return [papers[place] for place in sorted(map(int, order))]


def nearness(demand: str, papers: Sequence[PoolText]) -> Floats:
    """How near each paper is to a demand; only the proportions mean something."""
    texts = [paper.lead for paper in papers]
    found = TfidfRetriever(texts, _features)
    asked = np.asarray(found.scores(" ".join(topic_words(demand))), dtype=np.float64)
    if not 1 < len(papers) <= _MOST_SPREAD:
        return asked
    alike = np.stack([found.scores(text) for text in texts])
    np.fill_diagonal(alike, 0.0)
    sums = np.sqrt(np.maximum(alike.sum(axis=1), 1e-9))
    alike /= np.outer(sums, sums)
    scores = asked
    for _ in range(_STEPS):
        scores = _SPREAD * (alike @ scores) + (1 - _SPREAD) * asked
    return np.round(scores, 9)


def count_kept(scores: Floats) -> int:
    """How many of the best scores, one a paper in any order, stand before the steepest fall."""
    ordered = np.sort(scores)[::-1] + 1e-6
    size = len(ordered)
    least = max(1, -(-size // _KEPT_SHARE))
    if size <= least:
        return size
    falls = ordered[least - 1 : -1] / ordered[least:]
    # Where nothing falls, nothing tells the papers apart, and all stay.
    return size if falls.max() <= 1.0 else least + int(np.argmax(falls))


def _features(text: str) -> list[str]:
    """Stems and runs of letters; a run begins with a mark that no word has."""
    telling = [stem_of(word) for word in words(text) if word not in STOP_WORDS]
    runs = [
        f"#{framed[start : start + _LETTERS]}"
        for framed in (f"_{word[:40]}_" for word in telling)
        for start in range(len(framed) - _LETTERS + 1)
    ]
    return [*telling, *runs]
