"""Boards of a round as rankings of papers by their best scores."""

import html
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from vivavoce.columns import lists, texts
from vivavoce.corpus import Corpus
from vivavoce.corpus.boards import BoardEntry, CorpusBoard, Omission, boards_within
from vivavoce.metrics.titles_list import find_titles, title_key
from vivavoce.records import Paper, Window
from vivavoce.store import Row

FAMILY = "ranking"
_TAG = re.compile(r"</?[a-z][^<>\n]{0,200}>", re.IGNORECASE)


RankedPaper = tuple[Paper, str, float]
"""A paper on a board, its title in the form of `plain_title`, and its best score."""


Name = Literal["task", "dataset", "metric"]
NAMES: tuple[Name, ...] = ("task", "dataset", "metric")
"""Names of a board whose words must occur in candidates."""


def words_of(board: Mapping[str, Any], names: Sequence[Name] = NAMES) -> str:
    """Some of the names of a board as one text, for searching its candidates."""
    return " ".join(board[name] for name in NAMES if name in names)


class RankedBoards(NamedTuple):
    """The usable boards of a window, and the exclusions."""

    rows: list[Row]
    """Items of the boards, in the setting `base`; ties are in the order of titles."""
    left_out: list[Omission]
    dropped: list[Row]
    """Papers on boards that are not in their rankings, with the reason."""


def ranked_boards(corpus: Corpus, window: Window, min_papers: int, seed: int) -> RankedBoards:
    """Boards of a window with enough papers and different scores, with lists shuffled by a seed.

    Each paper has its best score. Of papers with the same title, the best one is kept.
    """
    within, left_out = boards_within(corpus, window)
    papers = {p.paper_id: p for p in corpus.papers}
    rows: list[Row] = []
    dropped: list[Row] = []
    for one in within:
        ranked, gone = _rank(one.id, one.best_by_paper(), papers)
        if reason := _why_not(one, ranked, min_papers):
            left_out.append(Omission(one.id, *reason))
            continue
        rows.append(_item(one, ranked, seed))
        dropped += gone
    left_out.sort(key=lambda one: one.board)
    return RankedBoards(rows, left_out, dropped)


def plain_title(title: str) -> str:
    """A title on one line without HTML tags and entities, as answers are read."""
    return " ".join(html.unescape(_TAG.sub("", title)).split())


def _rank(
    board: str, entries: Sequence[BoardEntry], papers: Mapping[str, Paper]
) -> tuple[list[RankedPaper], list[Row]]:
    """Rank the papers of a board; also return those without a unique title."""
    kept: dict[str, RankedPaper] = {}
    dropped: list[Row] = []
    levels: dict[float, int] = {}
    for entry in entries:
        levels.setdefault(entry.score, len(levels))

    def title_of(entry: BoardEntry) -> str:
        paper = papers.get(entry.paper_id or "")
        return plain_title(paper.title or "") if paper else ""

    def place(entry: BoardEntry) -> tuple[int, str, str]:
        return levels[entry.score], title_key(title_of(entry)), entry.paper_id or ""

    for entry in sorted(entries, key=place):
        paper, title = papers.get(entry.paper_id or ""), title_of(entry)
        first = kept.get(title_key(title))
        if paper is not None and title and first is None:
            kept[title_key(title)] = paper, title, entry.score
            continue
        reason = "same_title" if title else "no_title" if paper else "not_a_paper"
        detail = first[0].paper_id if title and first else ""
        row = {"board": board, "paper_id": entry.paper_id or "", "reason": reason, "detail": detail}
        dropped.append(row)
    return list(kept.values()), dropped


def _why_not(
    board: CorpusBoard, ranked: Sequence[RankedPaper], min_papers: int
) -> tuple[str, str] | None:
    if not all(name.strip() for name in (board.task, board.dataset, board.metric)):
        return "no_name", "its task, dataset or metric has no name"
    if len(ranked) < min_papers:
        return "few_papers", f"{len(ranked)} of {min_papers}"
    if len({score for _, _, score in ranked}) < 2:
        return "equal_scores", f"all {len(ranked)} papers have one score"
    titles = [title for _, title, _ in ranked]
    if list(find_titles("\n".join(titles), titles).order) != list(range(len(titles))):
        return "unreadable_titles", "a list of its titles is not read as such"
    return None


ITEM = pa.schema(
    [
        *texts("id", "cluster", "split", "published", "task", "dataset", "metric"),
        ("higher_is_better", pa.bool_()),
        *texts("area"),
        *lists("papers", "titles"),
        ("scores", pa.list_(pa.float64())),
        *lists("dates"),
        ("shown", pa.list_(pa.int32())),
        *lists("settings"),
    ]
)
"""Columns of an item; all lists are best first, and `shown` has indices into them."""


def _item(board: CorpusBoard, ranked: Sequence[RankedPaper], seed: int) -> Row:
    ids = [paper.paper_id for paper, _, _ in ranked]
    return {
        "id": board.id,
        # Boards that differ only in metric belong together.
        "cluster": board.id.rpartition("/")[0],
        "split": "test" if board.is_test else "dev",
        "published": board.published,
        **{name: " ".join(getattr(board, name).split()) for name in NAMES},
        "higher_is_better": board.higher_is_better,
        "area": board.area,
        "papers": ids,
        "titles": [title for _, title, _ in ranked],
        "scores": [score for _, _, score in ranked],
        "dates": [paper.first_public or "" for paper, _, _ in ranked],
        "shown": shown_order(ids, seed, board.id),
        "settings": ["base"],
    }


def shown_order(papers: Sequence[str], seed: int, board: str) -> list[int]:
    """Indices of papers in the order of the list, shuffled by seed and board.

    The order does not depend on scores.
    """
    places = sorted(range(len(papers)), key=papers.__getitem__)
    Random(f"ranking/{seed}/{board}").shuffle(places)
    return places
