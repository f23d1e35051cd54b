"""Gold tables out of a corpus: tables whose rows cite one work each, and lists of results.

Source: arXiv2Table, section 4, and arxivDIGESTables, whose filters these resemble.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from vivavoce.corpus import Corpus
from vivavoce.records import Window
from vivavoce.rounds.family import Exclusion
from vivavoce.tasks.tables.items.gold.cited_tables import (
    make_table,
    read_mentions,
    read_references,
    read_sources,
)
from vivavoce.tasks.tables.items.gold.filters import Limits, find_duplicates
from vivavoce.tasks.tables.items.gold.given import Given, GivenTables, read_given
from vivavoce.tasks.tables.items.gold.results_tables import read_results_tables
from vivavoce.tasks.tables.items.gold.works import Works, work_of_paper
from vivavoce.tasks.tables.items.table_items import TASK, GoldTable, Work


@dataclass(frozen=True, slots=True)
class GoldOptions:
    """Which tables become items, and which rows they have."""

    limits: Limits = field(default_factory=Limits)
    own_row: bool = False
    """The last line, where it cites nothing, is about the source paper itself."""
    undated: bool = False
    """Tables of papers without a date are in every window."""
    results: bool = True
    """Lists of results make tables too."""
    results_papers: int = 3
    """Papers with a text in such a table, at least."""


@dataclass(frozen=True, slots=True)
class GoldTables:
    """The gold tables of a window, and what was left out."""

    tables: tuple[GoldTable, ...]
    """Sorted by id."""
    excluded: tuple[Exclusion, ...]
    """By id: printed tables of which some row cites exactly one work, and tasks with results."""
    works: Mapping[str, Work]
    """Every work of a row and every distractor that came with a table, by id, sorted."""
    kin: Mapping[str, frozenset[str]]
    """By table the works that are no distractors of it: what any table of its source paper cites;
    for results every paper with a score for the task."""
    given: Mapping[str, Given]
    """By table the demand and the distractors that came with it, if any."""
    dropped: Mapping[str, int]
    """Lines of printed tables that are no rows of the gold ones, by reason."""


def read_gold_tables(
    corpus: Corpus, window: Window, options: GoldOptions | None = None
) -> GoldTables:
    """The gold tables of the papers of a window.

    A line that cites exactly one work is a row about it. Lines that cite several works or none are
    dropped, and so are those whose work has no title.
    """
    options = options or GoldOptions()
    papers = {paper.paper_id: paper for paper in corpus.papers}
    sources, excluded = read_sources(corpus, papers, window, undated=options.undated)
    texts = read_mentions(corpus, sources)
    given = read_given(corpus, papers, texts)
    read_references(corpus, sources, given)
    works = Works(papers, texts)
    for source in sources.values():
        works.add_all([work_of_paper(source.paper, texts), *source.works.values()])
    known = works.by_id()
    found: dict[str, tuple[GoldTable, frozenset[str], Mapping[str, int]]] = {}
    for source in sources.values():
        for row in source.tables:
            made = make_table(source, row, known, options.limits, own_row=options.own_row)
            if isinstance(made, Exclusion):
                excluded.append(made)
            else:
                found[made.table.id] = (made.table, source.kin, made.dropped)
    if options.results:
        results = read_results_tables(
            corpus,
            window,
            texts,
            min_papers=options.results_papers,
            min_columns=options.limits.columns,
        )
        found |= {table.id: (table, results.kin[table.id], {}) for table in results.tables}
        excluded += results.excluded
        works.add_all(
            work_of_paper(papers[paper], texts)
            for table in results.tables
            for paper in table.papers
        )
    works.add_all(given.works.values())
    return _without_duplicates(found, excluded, works.by_id(), given)


def _without_duplicates(
    found: Mapping[str, tuple[GoldTable, frozenset[str], Mapping[str, int]]],
    excluded: list[Exclusion],
    works: Mapping[str, Work],
    given: GivenTables,
) -> GoldTables:
    tables = [found[name][0] for name in sorted(found)]
    duplicates = find_duplicates(tables)
    excluded = excluded + [
        Exclusion(TASK, name, "duplicate", first) for name, first in duplicates.items()
    ]
    kept = tuple(table for table in tables if table.id not in duplicates)
    came = {
        table.id: one
        for table in kept
        if (one := given.by_paper.get(table.source_paper or "")) is not None
    }
    wanted = {paper for table in kept for paper in table.papers}
    wanted.update(paper for one in came.values() for paper in one.distractors or ())
    dropped: Counter[str] = Counter()
    for table in kept:
        dropped.update(found[table.id][2])
    return GoldTables(
        tables=kept,
        excluded=tuple(sorted(excluded, key=lambda one: one.paper_id)),
        works={name: work for name, work in works.items() if name in wanted},
        kin={table.id: found[table.id][1] for table in kept},
        given=came,
        dropped=dict(sorted(dropped.items())),
    )
