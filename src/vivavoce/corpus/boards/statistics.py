"""What the boards of a corpus hold, counted as LEGOBench counts its leaderboards (Tables 1, 6, 7).

Everything is counted twice: over all results, and over those of papers of the corpus.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from vivavoce.corpus.boards import CorpusBoard, make_boards
from vivavoce.corpus.reading import Corpus
from vivavoce.readers.board_names import name_key
from vivavoce.store import Row

FEW_PAPERS = 3
"""Papers from which on a board ranks something."""
NOT_GIVEN = "not given"


def board_statistics(corpus: Corpus) -> dict[str, Any]:
    """Count the boards of a corpus."""
    return count_boards(corpus.rows("results"))


def count_boards(results: Iterable[Row]) -> dict[str, Any]:
    """Count the boards that rows of the table `results` make.

    Of `all` and of `mapped`, those of papers of the corpus: `results` (rows read), `datasets`,
    `tasks`, `metrics`, `entries`, `tuples` (of task, dataset, metric and named method), `boards`,
    `boards_of_3_papers`, `largest_board` (entries), `datasets_by_modality` and `tasks_by_area`.
    Then `quarantined` by reason, and `disagreements`: methods of one work of which two scores of
    a board differ.
    """
    rows = list(results)
    found = make_boards(rows)
    mapped = sum(row["paper_id"] is not None for row in rows)
    return {
        "all": {"results": len(rows), **_count(found.boards, mapped=False)},
        "mapped": {"results": mapped, **_count(found.boards, mapped=True)},
        "quarantined": _ordered(Counter(one.reason for one in found.quarantined)),
        "disagreements": sum(len(board.disagreements()) for board in found.boards),
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
        for held, key in zip(keys, (dataset, task, metric), strict=True):
            held.add(key)
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
    """What a field names, several parted by semicolons."""
    return [name.strip() for name in (text or "").split(";") if name.strip()]


def _frequencies(named: dict[str, set[str]]) -> dict[str, int]:
    """How many bear each name; one of several names counts for each."""
    return _ordered(Counter(name for names in named.values() for name in names or {NOT_GIVEN}))


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
