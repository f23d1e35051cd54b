"""Leaderboards from a corpus' results: one per task, dataset and metric.

The table `results` gives each result its board, its direction, and the reason if it is set aside.
Names are as printed. Source: LEGOBench §3.

A round uses what was known before its window ends. A board belongs to a window if one of its papers
is dated, in the corpus, and first appeared inside the window. Scores of later papers are removed.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from vivavoce.corpus.reading import Corpus
from vivavoce.errors import InputError
from vivavoce.readers.board_keys import board_names, most_frequent
from vivavoce.readers.terms import name_key
from vivavoce.records import Window
from vivavoce.store import Row
from vivavoce.text.dates import inside, period


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """One score on a board."""

    method: str
    """Method name as printed; empty if the list has none."""
    score: float
    score_text: str
    paper_id: str | None
    paper_url: str | None
    date: str | None


_OF_ENTRY = tuple(field.name for field in fields(BoardEntry))


@dataclass(frozen=True, slots=True)
class CorpusBoard:
    """All scores for one task, dataset and metric."""

    id: str
    """The three keys, such as `parsing/penn_treebank/f1`."""
    task: str
    dataset: str
    metric: str
    """The three names, each in its most frequent spelling."""
    higher_is_better: bool | None
    """Direction of the metric; None if unknown, and entries are then ordered as for True."""
    direction_from: tuple[str, ...]
    area: str | None
    entries: tuple[BoardEntry, ...]
    """Best first; ties by method, then by paper."""
    modality: str | None = None
    """Modality of the dataset, such as `Texts`."""
    names: tuple[tuple[str, str, str], ...] = ()
    """All (task, dataset, metric) names found in lists, as printed, sorted."""
    published: str = ""
    """In a window: date of the newest paper that is in the corpus and inside the window."""
    undated: int = 0
    """In a window: number of undated entries of works outside the corpus."""

    @property
    def is_test(self) -> bool:
        """True for a test board, where the SHA-256 of the id is odd; others are for tuning."""
        return hashlib.sha256(self.id.encode()).digest()[-1] % 2 == 1

    @property
    def papers(self) -> tuple[str, ...]:
        """The board's papers that are in the corpus, sorted."""
        return tuple(sorted({e.paper_id for e in self.entries if e.paper_id is not None}))

    def best_by_paper(self) -> tuple[BoardEntry, ...]:
        """The best entry of each paper in the corpus, best first."""
        best: dict[str, BoardEntry] = {}
        for entry in self.entries:
            if entry.paper_id is not None:
                best.setdefault(entry.paper_id, entry)
        return tuple(best.values())


def make_boards(results: Iterable[Row]) -> tuple[CorpusBoard, ...]:
    """Group rows of the table `results` into boards; the order of rows does not matter.

    Rows that were set aside are left out.
    """
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in results:
        if row["set_aside"] is None:
            groups[row["board"]].append(row)
    return tuple(_make_board(name, groups[name]) for name in sorted(groups))


def _make_board(name: str, rows: Sequence[Row]) -> CorpusBoard:
    named = [board_names(row["task"], row["dataset"]) for row in rows]
    groups: dict[tuple[str, float], dict[tuple[str, ...], list[Row]]] = {}
    for row in sorted(rows, key=_completeness):
        work = row["paper_id"] or row["paper_url"] or name_key(row["method"])
        source = (row["listed_in"] or "", row["task"], row["dataset"], row["metric"])
        groups.setdefault((work, row["score"]), {}).setdefault(source, []).append(row)
    entries: dict[tuple[str, float, str], BoardEntry] = {}
    for (_, score), sources in groups.items():
        for row in max(sources.values(), key=len):
            key = (name_key(row["method"]), score, row["paper_id"] or row["paper_url"] or "")
            entries.setdefault(key, BoardEntry(**{name: row[name] for name in _OF_ENTRY}))
    sign = 1 if rows[0]["higher_is_better"] is False else -1
    order = sorted(entries.items(), key=lambda item: (sign * item[1].score, item[0]))
    return CorpusBoard(
        id=name,
        task=most_frequent(names.task for names in named),
        dataset=most_frequent(names.dataset for names in named),
        metric=most_frequent(row["metric"] for row in rows),
        higher_is_better=rows[0]["higher_is_better"],
        direction_from=tuple(rows[0]["direction_from"]),
        area=most_frequent(row["area"] for row in rows if row["area"]) or None,
        entries=tuple(entry for _, entry in order),
        modality=most_frequent(row["modality"] for row in rows if row["modality"]) or None,
        names=tuple(sorted({(row["task"], row["dataset"], row["metric"]) for row in rows})),
    )


def _completeness(row: Row) -> tuple[bool, bool, str, str, str]:
    return (
        not row["method"],
        row["date"] is None,
        row["method"],
        row["score_text"],
        row["paper_url"] or "",
    )


FEW_PAPERS = 3
"""Minimum number of papers for a board to rank anything."""
NOT_GIVEN = "not given"


def count_boards(results: Iterable[Row]) -> dict[str, Any]:
    """Count the boards formed by rows of the table `results`.

    Both for `all` results and for `mapped` ones (from papers in the corpus): `results` (rows read),
    `datasets`, `tasks`, `metrics`, `entries`, `tuples` (of task, dataset, metric and named method),
    `boards`, `boards_of_3_papers`, `largest_board` (entries), `datasets_by_modality` and
    `tasks_by_area`. Then `several_names`: boards with several names; `directions`: boards by the
    best evidence for their direction; and `quarantined`: results set aside, by reason.
    """
    rows = list(results)
    boards = make_boards(rows)
    mapped = sum(row["paper_id"] is not None for row in rows)
    return {
        "all": {"results": len(rows), **_count(boards, mapped=False)},
        "mapped": {"results": mapped, **_count(boards, mapped=True)},
        "several_names": sum(len(board.names) > 1 for board in boards),
        "directions": most_first(
            Counter(next(iter(board.direction_from), "unknown") for board in boards)
        ),
        "quarantined": most_first(Counter(reason for row in rows if (reason := row["set_aside"]))),
    }


def _count(boards: Iterable[CorpusBoard], *, mapped: bool) -> dict[str, Any]:
    sizes: list[int] = []
    with_few = 0
    tuples: set[tuple[str, str]] = set()
    keys: list[set[str]] = [set(), set(), set()]
    modalities: dict[str, set[str]] = defaultdict(set)
    areas: dict[str, set[str]] = defaultdict(set)
    for board in boards:
        entries = [e for e in board.entries if not mapped or e.paper_id is not None]
        if not entries:
            continue
        sizes.append(len(entries))
        with_few += len({e.paper_id or e.paper_url for e in entries} - {None}) >= FEW_PAPERS
        tuples |= {(board.id, name_key(entry.method)) for entry in entries if entry.method}
        task, dataset, metric = board.id.split("/")
        for distinct, key in zip(keys, (dataset, task, metric), strict=True):
            distinct.add(key)
        modalities[dataset].update(_listed(board.modality))
        areas[task].update(_listed(board.area))
    return {
        "datasets": len(keys[0]),
        "tasks": len(keys[1]),
        "metrics": len(keys[2]),
        "entries": sum(sizes),
        "tuples": len(tuples),
        "boards": len(sizes),
        "boards_of_3_papers": with_few,
        "largest_board": max(sizes, default=0),
        "datasets_by_modality": _frequencies(modalities),
        "tasks_by_area": _frequencies(areas),
    }


def _listed(text: str | None) -> list[str]:
    """The names in a field, separated by semicolons."""
    return [name.strip() for name in (text or "").split(";") if name.strip()]


def _frequencies(named: dict[str, set[str]]) -> dict[str, int]:
    """Counts of datasets or tasks by name; an item with several names counts under each."""
    return most_first(Counter(name for names in named.values() for name in names or {NOT_GIVEN}))


def most_first(counts: Counter[str]) -> dict[str, int]:
    """Counts by name, highest first, ties by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True, slots=True)
class Omission:
    """A board that is not in a window, with the reason."""

    board: str
    reason: str
    detail: str = ""


def boards_within(
    corpus: Corpus, window: Window, *, keep_undated: bool = False
) -> tuple[list[CorpusBoard], list[Omission]]:
    """Find the boards that belong to a window, sorted by id, and those left out.

    An entry stays if its work, in the corpus or not, was first public before the window ends. With
    `keep_undated`, undated entries of works outside the corpus also stay.
    """
    dates = {p.paper_id: p.first_public for p in corpus.papers}
    end = window.end.isoformat()
    kept: list[CorpusBoard] = []
    left_out: list[Omission] = []
    for board in make_boards(corpus.rows("results")):
        # The date of an entry's paper, else the date in the table.
        dated = [(entry, dates.get(entry.paper_id or "", entry.date)) for entry in board.entries]
        bare = [entry for entry, date in dated if date is None and entry.paper_id not in dates]
        entries = tuple(
            entry
            for entry, date in dated
            if (date is not None and _after(date) <= end) or (keep_undated and entry in bare)
        )
        public = {dates.get(entry.paper_id) for entry in entries if entry.paper_id is not None}
        newest = max((date for date in public if date and inside(date, window)), default=None)
        if board.higher_is_better is None:
            left_out.append(Omission(board.id, "no_direction", "no evidence for its better end"))
        elif newest is None:
            days = sorted({dates[paper] or "undated" for paper in board.papers if paper in dates})
            outside = "outside_window", f"papers of {', '.join(days[:5])}"
            unknown = "no_paper", "no paper of the corpus is on it"
            left_out.append(Omission(board.id, *(outside if days else unknown)))
        else:
            kept.append(replace(board, entries=entries, published=newest, undated=len(bare)))
    return kept, left_out


def _after(text: str) -> str:
    """Day after the last possible day of a date; for an invalid date, the latest day there is."""
    try:
        return period(text)[1].isoformat()
    except InputError:
        return "9999"
