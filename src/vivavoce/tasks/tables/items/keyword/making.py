"""The whole table: papers near the demand, columns that most can fill, cells by patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from vivavoce.metrics.cell_matching import cell_key
from vivavoce.metrics.literature_tables import LiteratureTable, TableRow
from vivavoce.metrics.table_schema import column_key
from vivavoce.retrieval.sparse import TfidfRetriever, words
from vivavoce.tasks.tables.items.demands.leaks import is_telling, stem_of
from vivavoce.tasks.tables.items.keyword.facets import FACETS, find_topics
from vivavoce.tasks.tables.items.keyword.papers import PoolText, cut_pool
from vivavoce.tasks.tables.items.keyword.scores import JOINT, results_of
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


MOST_COLUMNS, MOST_RESULTS, MOST_TOPICS = 6, 4, 2
_COVERED = 0.5
"""Share of the rows in which a column has a value; one that the demand asks for needs less."""
_COVERED_IF_ASKED = 0.2

Column = dict[str, str]
"""The values of a column by label of the paper."""


def make_table(demand: str, papers: Sequence[PoolText]) -> LiteratureTable:
    """A table out of a pool, without a model.

    Papers that are not near the demand are left out. Columns are results on boards that the papers
    share, and properties that papers of most fields have, first those that the demand has a word
    for, then those that most papers tell and that tell them apart. What nothing tells is N/A.

    Args:
        demand: What is asked for.
        papers: The pool; of very long texts, and of many, a part is read.
    """
    chosen = choose_papers(demand, cut_pool(papers))
    columns = _columns(demand, chosen)
    return LiteratureTable(
        papers=tuple(paper.label for paper in chosen),
        columns=tuple(columns),
        rows=tuple(
            TableRow(paper.label, tuple(values.get(paper.label) for values in columns.values()))
            for paper in chosen
        ),
    )


def _columns(demand: str, papers: Sequence[PoolText]) -> dict[str, Column]:
    results = results_of(papers, MOST_RESULTS)
    columns = {JOINT.join(board): scores for board, scores in results.items()}
    columns |= _facets(demand, papers, MOST_COLUMNS - len(columns))
    room = min(MOST_TOPICS, MOST_COLUMNS - len(columns))
    taken = set(map(column_key, columns))
    topics = find_topics(demand, papers, room + len(taken))
    new = [(name, values) for name, values in topics.items() if column_key(name) not in taken]
    return columns | dict(new[:room])


def _facets(demand: str, papers: Sequence[PoolText], most: int) -> dict[str, Column]:
    found: list[tuple[tuple[bool, float], str, Column]] = []
    for facet in FACETS:
        values = {paper.label: cell for paper in papers if (cell := facet.cell(paper))}
        is_asked = facet.is_asked(demand)
        least = _COVERED_IF_ASKED if is_asked else _COVERED
        if values and len(values) >= least * len(papers) and (is_asked or _differs(values, papers)):
            found.append(((not is_asked, -len(values) / len(papers)), facet.name, values))
    best = sorted(found, key=lambda one: one[0])[:most]
    names = {name for _, name, _ in best}
    return {name: values for _, name, values in found if name in names}


def _differs(values: Mapping[str, str], papers: Sequence[PoolText]) -> bool:
    """Whether a column tells papers apart."""
    return len(papers) < 2 or len({cell_key(value) for value in values.values()}) > 1
