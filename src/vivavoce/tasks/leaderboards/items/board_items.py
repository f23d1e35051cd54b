"""The columns of a leaderboard item, and the gold as the table that a model is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from vivavoce.metrics.leaderboards import TOLERANCE, Entry, method_key
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.store import Row

FAMILY, TASK = "leaderboards", "leaderboard"
SETTINGS = ("base", "corpus")
"""Chunks of the papers on the board, or of every paper of the round."""
SPLITS = ("test", "dev")
DEVELOPMENT = "development.parquet"
"""Items of boards that methods are tuned on; scores on them are not reported."""
REPORT = "boards.json"
"""Entries of each board that tell no date."""
PAPERS = "papers.parquet"
"""The library of the round: `tasks.library`."""

HEADER = ("Method", "Score")

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_ENTRY = pa.struct(
    [
        ("method", _TEXT),
        ("score", pa.float64()),
        ("score_text", _TEXT),
        ("paper_id", _TEXT),
        ("date", _TEXT),
    ]
)
ITEM = pa.schema(
    [
        ("id", _TEXT),
        ("cluster", _TEXT),
        ("split", _TEXT),
        ("published", _TEXT),
        ("task", _TEXT),
        ("dataset", _TEXT),
        ("metric", _TEXT),
        ("higher_is_better", pa.bool_()),
        ("area", _TEXT),
        ("entries", pa.list_(_ENTRY)),
        ("papers", _TEXTS),
        ("settings", _TEXTS),
    ]
)
"""Columns of an item; `entries` are the gold, best first, with the first public dates of their
works, `papers` those of the board with text."""


def gold_entries(row: Row) -> list[Entry]:
    """The gold of an item."""
    return [Entry(entry["method"], entry["score"]) for entry in row["entries"]]


def gold_table(row: Row) -> str:
    """The gold as a markdown table, each method once; a score as printed where it reads as such."""
    first: dict[str, Row] = {}
    for entry in row["entries"]:
        first.setdefault(method_key(entry["method"]), entry)
    return table_text([(entry["method"], _printed(entry)) for entry in first.values()])


def table_text(rows: Sequence[tuple[str, str]]) -> str:
    """Methods and scores as a markdown table."""
    lines = [_line(HEADER), "|---|---|", *map(_line, rows)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    """A cell on one line; what would end it is escaped."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")


def _printed(entry: Row) -> str:
    score: float = entry["score"]
    number = read_number(entry["score_text"])
    if number is not None and abs(number - score) <= TOLERANCE * max(abs(number), abs(score)):
        return str(entry["score_text"])
    return f"{score:.10g}"
