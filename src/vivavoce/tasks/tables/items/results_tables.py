"""Tables of results: one for each task of a list, with its papers and their best scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from vivavoce.corpus import Corpus
from vivavoce.corpus.boards import CorpusBoard, boards_within
from vivavoce.records import Paper, Window
from vivavoce.rounds.family import Exclusion
from vivavoce.tasks.tables.items.grid import distinct_names
from vivavoce.tasks.tables.items.item import TASK, GoldRow, GoldTable, TablesOptions
from vivavoce.text.dates import inside

_MIN_PAPERS = 3
"""Papers of a table, at least: what two papers score is no table of a task."""
_Scores = dict[str, dict[str, str]]
"""The score of each paper by board."""


def read_results(
    corpus: Corpus, window: Window, texts: Collection[str], options: TablesOptions
) -> tuple[list[tuple[GoldTable, frozenset[str]]], list[Exclusion]]:
    """A table for each task of a window: a row for each paper, a column for each board.

    Papers without a text are left out, and boards with a score of one paper unless there would be
    no table without them. Of boards with the same scores, since lists name them differently, the
    fullest stays. While more than half of the cells are empty, the board with the fewest scores
    goes, and where no other board may go, the paper with the fewest.

    Returns: Each table with all papers that have a score for its task, and the exclusions.
    """
    tasks: dict[str, list[CorpusBoard]] = defaultdict(list)
    for within in boards_within(corpus, window)[0]:
        tasks[within.board.id.partition("/")[0]].append(within.board)
    papers = {paper.paper_id: paper for paper in corpus.papers}
    tables: list[tuple[GoldTable, frozenset[str]]] = []
    excluded: list[Exclusion] = []
    for task, boards in sorted(tasks.items()):
        name = f"results/{task}"
        distinct = _scores_of(boards, texts)
        for shared_by in (2, 1):
            kept = {board: some for board, some in distinct.items() if len(some) >= shared_by}
            scores = _thin_out(kept, options)
            if (why := _why_not(scores, options)) is None:
                break
        if why:
            excluded.append(Exclusion(TASK, name, *why))
            continue
        table = _table(name, [board for board in boards if board.id in scores], scores, papers)
        if table.published is None or not inside(table.published, window):
            excluded.append(Exclusion(TASK, name, "outside_window", table.published or ""))
        else:
            tables.append((table, frozenset(paper for board in boards for paper in board.papers)))
    return tables, excluded


def _scores_of(boards: Sequence[CorpusBoard], texts: Collection[str]) -> _Scores:
    """The best scores of papers with a text, by board."""
    return {
        board.id: {
            entry.paper_id: entry.score_text
            for entry in board.best_by_paper()
            if entry.paper_id is not None and entry.paper_id in texts
        }
        for board in boards
    }


def _thin_out(scores: _Scores, options: TablesOptions) -> _Scores:
    """Scores that fill half of their table, as far as the limits allow."""
    scores = {board: dict(some) for board, some in scores.items()}
    while _is_sparse(scores):
        counts = Counter(paper for some in scores.values() for paper in some)
        if len(scores) > options.min_columns:
            del scores[min(scores, key=lambda name: (len(scores[name]), name))]
        elif len(counts) > max(_MIN_PAPERS, options.min_papers):
            paper = min(counts, key=lambda name: (counts[name], name))
            for some in scores.values():
                some.pop(paper, None)
        else:
            break
    return {board: some for board, some in scores.items() if some}


def _papers_in(scores: _Scores) -> list[str]:
    return sorted({paper for some in scores.values() for paper in some})


def _is_sparse(scores: _Scores) -> bool:
    return 2 * sum(map(len, scores.values())) < len(_papers_in(scores)) * len(scores)


def _why_not(scores: _Scores, options: TablesOptions) -> tuple[str, str] | None:
    papers = len(_papers_in(scores))
    if len(scores) < options.min_columns:
        return "few_columns", f"{len(scores)} boards with scores of papers with text"
    if papers < max(_MIN_PAPERS, options.min_papers):
        return "few_papers", f"{papers} papers with text"
    if _is_sparse(scores):
        places = papers * len(scores)
        return "sparse", f"{places - sum(map(len, scores.values()))} of {places} cells are empty"
    return None


def _table(
    name: str, boards: Sequence[CorpusBoard], scores: _Scores, papers: Mapping[str, Paper]
) -> GoldTable:
    ids = _papers_in(scores)
    task = min(Counter(board.task for board in boards).items(), key=lambda one: (-one[1], one[0]))
    return GoldTable(
        id=name,
        source_paper=None,
        kind="results",
        caption=f"Published results on {task[0]}.",
        columns=distinct_names([f"{board.dataset} – {board.metric}" for board in boards]),
        rows=tuple(
            GoldRow(ordinal, paper, "", tuple(scores[board.id].get(paper) for board in boards))
            for ordinal, paper in enumerate(ids)
        ),
        published=max(papers[paper].first_public or "" for paper in ids) or None,
    )
