"""The whole table: papers near the demand, columns that most can fill, cells by patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vivavoce.metrics.cell_matching import cell_key
from vivavoce.metrics.literature_tables import LiteratureTable, TableRow
from vivavoce.metrics.table_schema import column_key
from vivavoce.tasks.tables.keyword.choosing import choose_papers
from vivavoce.tasks.tables.keyword.facets import FACETS
from vivavoce.tasks.tables.keyword.papers import PoolText, cut_pool
from vivavoce.tasks.tables.keyword.scores import JOINT, results_of
from vivavoce.tasks.tables.keyword.topics import find_topics

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
