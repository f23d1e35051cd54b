"""The records of DIGESTables and arXiv2Table files, told apart by their fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import InputError
from vivavoce.sources import Piece
from vivavoce.sources.json_records import Fields, is_lines, raw_json, read_values
from vivavoce.text.normalise import clean_text

TABLE, PAPER, TEXT, BENCHMARK = "table", "paper", "text", "benchmark"

_LARGEST_FILE = 128 << 20
_FILE_OF = {
    TABLE: "tables.jsonl",
    PAPER: "papers.jsonl",
    TEXT: "full_texts.jsonl",
    BENCHMARK: "arxiv2table.jsonl",
}
_KEYED_FILE_OF = {TABLE: "tables_by_id.jsonl", PAPER: "papers_by_id.jsonl"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One record, where it stands, and the id it is listed by where that is outside of it."""

    sort: str
    """`table`, `paper`, `text` or `benchmark`."""
    fields: Fields
    file: str
    row: int
    """Number of its line or element, from 1."""
    listed_as: str | None = None

    @property
    def where(self) -> str:
        """File and row, for messages."""
        return f"{self.file}:{self.row}"


def read_entries(piece: Piece, file: str) -> Iterator[Entry | tuple[str, str]]:
    """The records of a piece, or (where, why not) for one that cannot be read."""
    has_lines = is_lines(piece.path)
    for where, value in read_values(piece, _LARGEST_FILE):
        if isinstance(value, str):
            yield where.replace(piece.path.name, file, 1), value
            continue
        row = int(where.rpartition(":")[2]) if has_lines else 1
        elements = value if isinstance(value, list) else [value]
        for place, element in enumerate(elements):
            yield from _entries_of(element, file, row + place)


def held_record(entry: Entry) -> dict[str, Any]:
    """A record as the export needs it: whole, with its place and the file it belongs to."""
    if entry.listed_as is None:
        name, record = _FILE_OF[entry.sort], entry.fields
    else:
        name, record = _KEYED_FILE_OF[entry.sort], {entry.listed_as: entry.fields}
    plain_file = entry.file.rpartition("/")[2]
    return {"as": name, "file": plain_file, "line": entry.row, "record": record}


def raw_of(entry: Entry) -> str:
    """The text of one held record alone."""
    return raw_json([held_record(entry)])


def _entries_of(element: Any, file: str, row: int) -> Iterator[Entry | tuple[str, str]]:
    where = f"{file}:{row}"
    if not isinstance(element, dict):
        yield where, "not a JSON object"
        return
    sort = _sort_of(element)
    if sort is not None:
        yield Entry(sort, element, file, row)
        return
    is_by_id = bool(element) and all(isinstance(value, dict) for value in element.values())
    if not is_by_id or _is_prediction(element):
        yield where, _strange(element)
        return
    for place, (key, value) in enumerate(element.items()):
        sort = _sort_of(value) or _sort_of({**value, "corpus_id": key})
        if sort in _KEYED_FILE_OF:
            yield Entry(sort, value, file, row + place, key)
        else:
            yield f"{file}:{row + place}", _strange(value)


def _sort_of(fields: Fields) -> str | None:
    if _is_prediction(fields):
        return None
    if "row_bib_map" in fields:
        return TABLE
    if "input_references_id" in fields or "table_query_id" in fields:
        return BENCHMARK
    if "content" in fields and ("metadata" in fields or "corpusid" in fields):
        return TEXT
    if "tabids" in fields or ("corpus_id" in fields and "title" in fields):
        return PAPER
    return None


def _is_prediction(fields: Fields) -> bool:
    return "scores" in fields or ("metadata" in fields and "table" in fields)


def _strange(fields: Fields) -> str:
    if _is_prediction(fields):
        return "a table that a system made: predictions are not read"
    return "neither a table with its row_bib_map, a paper, a full text nor a benchmark entry"


def check_id(value: Any, name: str) -> str:
    """An id as text; empty where it is absent or -1, which stands for unknown.

    `InputError` names a value that is neither a number nor a text.
    """
    if value is None or value == -1:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{name!r} is a {type(value).__name__}, not an id")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = " ".join(clean_text(str(value)).split())
    return "" if text == "-1" else text
