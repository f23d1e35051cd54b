"""Gold tables out of a corpus: tables whose rows cite one work each, and lists of results.

A list of results gives a table for each task: its papers, and their best scores.

Source: arXiv2Table, section 4, and arxivDIGESTables, whose filters these resemble.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vivavoce.corpus import Corpus
from vivavoce.corpus.boards import BoardWithin, boards_within
from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.records import Paper, Window
from vivavoce.rounds.family import Exclusion
from vivavoce.tasks.tables.items.cited_tables import (
    Made,
    make_table,
    read_references,
    read_sources,
)
from vivavoce.tasks.tables.items.cited_works import (
    Given,
    GivenTables,
    merge_works,
    papers_with_text,
    read_given,
    work_of_paper,
)
from vivavoce.tasks.tables.items.table_headers import distinct_names, find_duplicates
from vivavoce.tasks.tables.items.table_items import TASK, GoldRow, GoldTable, TablesOptions, Work
from vivavoce.text.dates import inside

_MIN_RESULTS = 3
"""Papers of a table of results, at least: what two papers score is no table of a task."""
_SHARED_BY = 2
"""Papers that a column has a score of: one score compares nothing."""
_ENOUGH_COLUMNS = 4
"""About the mean of arXiv2Table's tables, 3.56."""
_Scores = dict[str, dict[str, str]]
"""The score of each paper by board."""


class _Least(NamedTuple):
    papers: int
    columns: int


@dataclass(frozen=True, slots=True)
class ResultsTables:
    """The tables that the boards of a corpus make."""

    tables: tuple[GoldTable, ...]
    """Sorted by id."""
    excluded: tuple[Exclusion, ...]
    kin: dict[str, frozenset[str]]
    """By table all papers with a score for its task; those that are no row are no distractors."""


def read_results_tables(
    corpus: Corpus,
    window: Window,
    texts: Collection[str],
    options: TablesOptions,
) -> ResultsTables:
    """A table for each task of a window: a row for each paper, a column for each board.

    Papers without a text are left out, and boards with a score of one paper unless there would be
    no table without them. Of boards with the same scores, since lists name them differently, the
    fullest stays. While more than half of the cells are empty, a row or column goes.
    """
    least = _Least(max(_MIN_RESULTS, options.min_papers), options.min_columns)
    tasks: dict[str, list[BoardWithin]] = defaultdict(list)
    for within in boards_within(corpus, window)[0]:
        tasks[within.board.id.partition("/")[0]].append(within)
    papers = {paper.paper_id: paper for paper in corpus.papers}
    tables: list[GoldTable] = []
    excluded: list[Exclusion] = []
    kin: dict[str, frozenset[str]] = {}
    for task, boards in sorted(tasks.items()):
        name = f"results/{task}"
        kin[name] = frozenset(paper for within in boards for paper in within.board.papers)
        scores = _choose(boards, texts, least)
        if why := _why_not(scores, least):
            excluded.append(Exclusion(TASK, name, *why))
            continue
        table = _table(name, boards, scores, papers)
        if table.published is None or not inside(table.published, window):
            excluded.append(Exclusion(TASK, name, "outside_window", table.published or ""))
        else:
            tables.append(table)
    return ResultsTables(tuple(tables), tuple(excluded), kin)


def _choose(boards: Sequence[BoardWithin], texts: Collection[str], least: _Least) -> _Scores:
    """The scores of a table; boards with a score of one paper only where it takes them."""
    scores: _Scores = {}
    for shared_by in (_SHARED_BY, 1):
        found = _distinct(_scores(boards, texts, shared_by))
        scores = _dense(found, least, shared_by)
        if _why_not(scores, least) is None:
            break
    return scores


def _scores(boards: Sequence[BoardWithin], texts: Collection[str], shared_by: int) -> _Scores:
    scores: _Scores = {}
    for within in boards:
        best = {
            entry.paper_id: entry.score_text
            for entry in within.board.best_by_paper()
            if entry.paper_id is not None and entry.paper_id in texts
        }
        if len(best) >= shared_by:
            scores[within.board.id] = best
    return scores


def _distinct(scores: _Scores) -> _Scores:
    """Scores without boards that say of most papers what a fuller one says."""
    kept: _Scores = {}
    for board in sorted(scores, key=lambda name: (-len(scores[name]), name)):
        if not any(_agree(scores[board], other) for other in kept.values()):
            kept[board] = scores[board]
    return {board: kept[board] for board in scores if board in kept}


def _agree(scores: dict[str, str], others: dict[str, str]) -> bool:
    common = scores.keys() & others.keys()
    same = sum(cell_key(scores[paper]) == cell_key(others[paper]) for paper in common)
    return same >= _SHARED_BY and 3 * same >= 2 * len(common)


def _dense(scores: _Scores, least: _Least, shared_by: int) -> _Scores:
    """Scores without the papers and boards that leave over half of the cells empty.

    Papers or boards may go first, or whichever of the emptiest two is emptier: the way that keeps
    most papers and columns is taken; columns beyond `_ENOUGH_COLUMNS` do not make up for papers.
    """
    ways = [_thin_out(scores, least, shared_by, weight) for weight in (1.0, 0.0, math.inf)]
    return max(ways, key=_worth)


def _worth(scores: _Scores) -> tuple[bool, int, int]:
    columns = min(len(scores), _ENOUGH_COLUMNS)
    return _is_dense(scores), len(_papers_in(scores)) * columns, _filled(scores)


def _thin_out(scores: _Scores, least: _Least, shared_by: int, prefer_papers: float) -> _Scores:
    scores = {board: dict(of_papers) for board, of_papers in scores.items()}
    while not _is_dense(scores):
        counts = Counter(paper for of_papers in scores.values() for paper in of_papers)
        paper = min(counts, key=lambda name: (counts[name], name))
        board = min(scores, key=lambda name: (len(scores[name]), name))
        # Shares of what is filled: the smaller one leaves the more cells empty.
        of_paper, of_board = counts[paper] * len(counts), len(scores[board]) * len(scores)
        goes = of_paper < of_board * prefer_papers or len(scores) <= least.columns
        if goes and len(counts) > least.papers:
            for of_papers in scores.values():
                of_papers.pop(paper, None)
        elif len(scores) > least.columns:
            del scores[board]
        else:
            break
        scores = {name: some for name, some in scores.items() if len(some) >= shared_by}
    return scores


def _filled(scores: _Scores) -> int:
    return sum(map(len, scores.values()))


def _papers_in(scores: _Scores) -> set[str]:
    return {paper for of_papers in scores.values() for paper in of_papers}


def _is_dense(scores: _Scores) -> bool:
    return 2 * _filled(scores) >= len(_papers_in(scores)) * len(scores)


def _why_not(scores: _Scores, least: _Least) -> tuple[str, str] | None:
    papers = len(_papers_in(scores))
    if len(scores) < least.columns:
        return "few_columns", f"{len(scores)} boards with scores of papers with text"
    if papers < least.papers:
        return "few_papers", f"{papers} papers with text"
    if not _is_dense(scores):
        places = papers * len(scores)
        return "sparse", f"{places - _filled(scores)} of {places} cells are empty"
    return None


def _table(
    name: str, boards: Sequence[BoardWithin], scores: _Scores, papers: dict[str, Paper]
) -> GoldTable:
    kept = [within.board for within in boards if within.board.id in scores]
    ids = sorted(_papers_in(scores))
    task = min(Counter(board.task for board in kept).items(), key=lambda one: (-one[1], one[0]))[0]
    return GoldTable(
        id=name,
        source_paper=None,
        kind="results",
        caption=f"Published results on {task}.",
        columns=distinct_names([f"{board.dataset} – {board.metric}" for board in kept]),
        rows=tuple(
            GoldRow(ordinal, paper, "", tuple(scores[board.id].get(paper) for board in kept))
            for ordinal, paper in enumerate(ids)
        ),
        published=max(papers[paper].first_public or "" for paper in ids) or None,
    )


@dataclass(frozen=True, slots=True)
class GoldTables:
    """The gold tables of a window, and the exclusions."""

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


def read_gold_tables(corpus: Corpus, window: Window, options: TablesOptions) -> GoldTables:
    """The gold tables of the papers of a window.

    A line that cites exactly one work is a row about it. Lines that cite several works or none are
    dropped, and so are those whose work has no title.
    """
    papers = {paper.paper_id: paper for paper in corpus.papers}
    sources, excluded = read_sources(corpus, papers, window, undated=options.undated)
    texts = papers_with_text(corpus)
    given = read_given(corpus, papers, texts)
    read_references(corpus, sources, given)
    works = [
        work
        for source in sources.values()
        for work in (work_of_paper(source.paper, texts), *source.works.values())
    ]
    known = merge_works(works, papers, texts)
    found: dict[str, Made] = {}
    for source in sources.values():
        for row in source.tables:
            made = make_table(source, row, known, options)
            if isinstance(made, Exclusion):
                excluded.append(made)
            else:
                found[made.table.id] = made
    if "results" in options.kinds:
        results = read_results_tables(corpus, window, texts, options)
        found |= {table.id: Made(table, results.kin[table.id]) for table in results.tables}
        excluded += results.excluded
        shown = {paper for table in results.tables for paper in table.papers}
        works += [work_of_paper(papers[paper], texts) for paper in shown]
    works += given.works.values()
    return _without_duplicates(found, excluded, merge_works(works, papers, texts), given)


def _without_duplicates(
    found: Mapping[str, Made],
    excluded: list[Exclusion],
    works: Mapping[str, Work],
    given: GivenTables,
) -> GoldTables:
    tables = [found[name].table for name in sorted(found)]
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
        dropped.update(found[table.id].dropped)
    return GoldTables(
        tables=kept,
        excluded=tuple(sorted(excluded, key=lambda one: one.paper_id)),
        works={name: work for name, work in works.items() if name in wanted},
        kin={table.id: found[table.id].kin for table in kept},
        given=came,
        dropped=dict(sorted(dropped.items())),
    )
