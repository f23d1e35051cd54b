"""The table `results`, from the shards of papers and from works outside the corpus.

Results of works outside the corpus have no `paper_id`, only the work's address. All results of a
board are judged together, for the direction of the metric and for impossible scores.

Two boards with the same dataset and metric are merged if a work has the same score on both, or if
no work is on both and one task's words are among the other's. Boards with different names are
merged if at least three works have the same scores on both, and no more works than these differ.
So tagging and parsing on one treebank stay separate.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.columns import with_columns
from vivavoce.corpus.build.identity import Identity
from vivavoce.corpus.build.partitioning import read_rows
from vivavoce.corpus.build.parts import RESULTS
from vivavoce.corpus.dating import date_entry
from vivavoce.corpus.schema import JUDGED, KEYS, TABLES, sort_rows
from vivavoce.readers.board_keys import board_id, is_named, is_of_training, most_frequent
from vivavoce.readers.metric_values import direction_of, impossible, is_resource, off_scale
from vivavoce.readers.terms import metric_key
from vivavoce.store import Row

_SCHEMA = TABLES["results"]
_DATED_BY = ("paper_url", "method", "date")
_JUDGED_BY = (
    *("task", "dataset", "metric", "score", "date", "listed_in", "position"),
    *("paper_id", "paper_url"),
)


def collect_results(
    folder: Path, markers: dict[str, Row], identity: Identity
) -> tuple[pa.Table, Counter[str]]:
    """Collect and judge all results, sorted; also count those from outside the corpus by source."""
    files = [f"{RESULTS}/{name}.parquet" for name in markers]
    tables = [
        pq.read_table(folder / file)
        for file, marker in zip(files, markers.values(), strict=True)
        if file in marker["files"]
    ]
    counts: Counter[str] = Counter()
    numbers, rows = (identity.outside[name].to_numpy() for name in ("file", "row"))
    for number in np.unique(numbers).tolist():
        file = identity.files[number]
        wanted = np.sort(rows[numbers == number]).astype(np.int64)
        for batch in read_rows(file.path, wanted, ["results"]):
            if batch.num_columns:
                # Results that documents list, as rows without a paper id.
                flat = batch.column(0).flatten()
                columns = {field.name: flat.field(number) for number, field in enumerate(flat.type)}
                if "date" in columns:
                    dates = zip(*(columns[name].to_pylist() for name in _DATED_BY), strict=True)
                    columns["date"] = pa.array([date_entry(*one) for one in dates], pa.string())
                absent = pa.nulls(len(flat))
                names = _SCHEMA.names
                tables.append(
                    pa.table([columns.get(name, absent) for name in names], names).cast(_SCHEMA)
                )
                counts[file.batch.kind] += tables[-1].num_rows
    results = sort_rows(pa.concat_tables([_SCHEMA.empty_table(), *tables]), KEYS["results"])
    # These columns are filled in per board.
    judgements = judge_results(results.select([*_JUDGED_BY, "higher_is_better"]).to_pylist())
    names = ("higher_is_better", *(field.name for field in JUDGED))
    judged = {name: [judgement[name] for judgement in judgements] for name in names}
    return with_columns(results, judged), counts


OF_ANOTHER_SCALE = "of another scale"
NO_NAME = "no name"
TRAINING = "of training data"
RESOURCE = "a resource"


def judge_results(rows: Sequence[Row]) -> list[Row]:
    """Judge results; return columns of the table `results` in the order of the rows.

    `board` is the id of the board. `higher_is_better` is None without evidence. `direction_from`
    names the evidence for it, the surest first: `source`, `name`, `order`. `set_aside` is the
    reason why a result is on no board.

    Args:
        rows: Rows with `task`, `dataset`, `metric`, `score`, `date`, `higher_is_better` as given
            by the list, `listed_in`, `position`, `paper_id` and `paper_url`.
    """
    boards: dict[str, list[int]] = defaultdict(list)
    for number, board in enumerate(find_boards(rows)):
        boards[board].append(number)
    by_row: dict[int, Row] = {}
    for board, numbers in boards.items():
        judged = _judge_board(board, [rows[number] for number in numbers])
        by_row.update(zip(numbers, judged, strict=True))
    return [by_row[number] for number in range(len(rows))]


def _judge_board(board: str, rows: Sequence[Row]) -> list[Row]:
    metric = most_frequent(row["metric"] for row in rows)
    reasons = [_reason(row) if is_named(board) else NO_NAME for row in rows]
    sound = [row for row, reason in zip(rows, reasons, strict=True) if reason is None]
    off = iter(off_scale(metric_key(metric), [row["score"] for row in sound]))
    reasons = [reason or (OF_ANOTHER_SCALE if next(off) else None) for reason in reasons]
    kept = [row for row, reason in zip(rows, reasons, strict=True) if reason is None]
    lists: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in kept:
        if row["listed_in"] is not None and row["position"] is not None:
            lists[row["listed_in"]].append((row["position"], row["score"]))
    direction = direction_of(
        sorted({row["metric"] for row in kept}),
        [row["higher_is_better"] for row in kept],
        [[score for _, score in sorted(scores)] for _, scores in sorted(lists.items())],
    )
    judgement = {
        "board": board,
        "higher_is_better": direction.higher_is_better,
        "direction_from": list(direction.sources),
    }
    return [{**judgement, "set_aside": reason} for reason in reasons]


def _reason(row: Row) -> str | None:
    if is_resource(metric_key(row["metric"])):
        return RESOURCE
    if is_of_training(row["dataset"], row["metric"]):
        return TRAINING
    return impossible(row["metric"], row["score"])


_SHARED = 3
"""Minimum works with equal scores, and minimum distinct such scores, to merge two boards."""
_MAX_BOARDS = 20
"""A work's score that occurs on more boards than this is no evidence for merging."""

Scores = set[tuple[str, float]]
"""The scores on a board, each with its work."""


def find_boards(rows: Sequence[Row]) -> list[str]:
    """Find the board id of each row; merged boards take the id that has the most rows.

    Args:
        rows: Rows with `task`, `dataset`, `metric`, `score`, `paper_id` and `paper_url`.
    """
    name_of = cache(board_id)
    names = [name_of(row["task"], row["dataset"], row["metric"]) for row in rows]
    scores: dict[str, Scores] = {name: set() for name in names}
    for name, row in zip(names, rows, strict=True):
        work = row["paper_id"] or row["paper_url"]
        if work and row["score"] is not None:
            scores[name].add((work, row["score"]))
    counts = Counter(names)
    board_of = {name: name for name in scores}
    for one, other in _same(scores):
        ends = board_of[one], board_of[other]
        kept = min(ends, key=lambda name: (-counts[name], name))
        board_of.update({name: kept for name, end in board_of.items() if end in ends})
    return [board_of[name] for name in names]


def _same(scores: dict[str, Scores]) -> Iterator[tuple[str, str]]:
    """Pairs of boards to merge."""
    named: dict[str, list[str]] = defaultdict(list)
    holding: dict[tuple[str, float], list[str]] = defaultdict(list)
    for name in sorted(scores):
        named[name.partition("/")[2]].append(name)
        for score in scores[name]:
            holding[score].append(name)
    for names in named.values():
        for one, other in combinations(names, 2):
            if scores[one] & scores[other] or (
                _is_kind_of(one, other) and not _works(scores[one]) & _works(scores[other])
            ):
                yield one, other
    pairs = {
        pair
        for names in holding.values()
        if len(names) <= _MAX_BOARDS
        for pair in combinations(names, 2)
    }
    for one, other in sorted(pairs):
        shared = scores[one] & scores[other]
        works = _works(shared)
        if min(len(works), len({score for _, score in shared})) >= _SHARED and 2 * len(
            works
        ) >= len(_works(scores[one]) & _works(scores[other])):
            yield one, other


def _works(scores: Scores) -> set[str]:
    return {work for work, _ in scores}


def _is_kind_of(one: str, other: str) -> bool:
    """True if all words of one board's task are in the other's."""
    words, others = (set(name.partition("/")[0].split("_")) for name in (one, other))
    return words <= others or others <= words
