"""The numbers of the site and of each page as files: CSV, JSON, Parquet and LaTeX.

CSV is made for spreadsheets: no cell of it is a formula. JSON and Parquet hold the rows as they
are. Every file has the rows of its page and nothing that the page would not show.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from vivavoce.store import Row, canonical_json, hash_of, parquet_of
from vivavoce.web.board.latex import contestant_document, document
from vivavoce.web.board.model import BoardOf, ModelOf, Site
from vivavoce.web.board.page import Page, file_of
from vivavoce.web.board.rows import FIELDS
from vivavoce.web.printing import guard_formula, visible

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
"""Of board.json; raised when a field changes its meaning."""

NEWER = ("family", "answers", "partial", "detectable")
"""Fields that boards of older versions lack."""
_PAIRS = {"ci": ("ci_low", "ci_high"), "rank_interval": ("rank_low", "rank_high")}
_EXPOSURE = ("cutoff", "seen", "clean", "gap", "n_seen", "n_clean")
"""Out of a row's `exposure`."""
_FLOATS = frozenset(
    "value value_valid ci_low ci_high valid cost seconds detectable seen clean gap".split()
)
_INTS = frozenset(
    "n missing undefined rank rank_low rank_high tokens answers n_seen n_clean".split()
)
_NUMBERS = _FLOATS | _INTS | {"partial"}
_KINDS = (("CSV", "csv"), ("JSON", "json"), ("Parquet", "parquet"), ("LaTeX", "tex"))
_DECIDING = (*FIELDS, *NEWER, "exposure")
_PLAIN = (str, int, float, bool)
"""What stands in a cell as it is; everything else stands there as JSON."""
_CACHED = 8192
Cells = dict[str, list[Any]]
"""Cells by column."""
_MOST_ROWS = 60_000
"""In the files of the whole site; of a larger one they hold each board's first metric alone."""


def files(site: Site) -> list[Page]:
    """Every download of a site; none of them is made yet."""
    made = _all_rows(site)
    for board in site.boards:
        made += _of_board(board)
    for one in site.contestants:
        made += _of_contestant(site, one)
    return made


def links(path: str) -> list[tuple[str, str]]:
    """Labels and paths of the downloads of the page at `path`."""
    stem = "board" if path == "index.html" else path.removesuffix(".html")
    return [(label, f"{stem}.{suffix}") for label, suffix in _KINDS]


def _all_rows(site: Site) -> list[Page]:
    inputs = [site.key, dict(site.headlines), {name: list(of) for name, of in site.metrics.items()}]
    about = {
        "headlines": dict(site.headlines),
        "metrics": site.metrics,
        "notes": site.notes,
        "rounds": site.rounds,
    }
    size = sum(len(board.group.leads) * len(board.metrics) for board in site.boards)
    if size <= _MOST_ROWS:
        return _files("board", inputs, site, about, lambda: document(site.boards))
    about["rows_are"] = "the headline metric's alone; those of all metrics are beside each page"
    first = _Shown([row for board in site.boards for row in board.group.leads])
    return _files("board", inputs, first, about, lambda: document(site.boards, most_metrics=1))


def _of_board(board: BoardOf) -> list[Page]:
    stem = board.path.removesuffix(".html")
    about = {"headline": board.headline, "metrics": board.metrics}
    inputs = [board.key, board.metrics]
    return _files(stem, inputs, board, about, lambda: document([board]))


def _of_contestant(site: Site, one: ModelOf) -> list[Page]:
    found = site.appearances.get(one.identity, [])
    rows = [row for _, row in found]
    return _files(
        one.path.removesuffix(".html"),
        [one.name, hash_of([[row.get(name) for name in _DECIDING] for row in rows])],
        _Shown(rows),
        {"contestant": one.name},
        lambda: contestant_document(one, found),
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    rows: Sequence[Row]


class _Source(Protocol):
    """What has rows, which may be loaded only when they are asked for."""

    @property
    def rows(self) -> Iterable[Row]: ...


def _files(
    stem: str,
    inputs: Sequence[Any],
    source: _Source,
    about: Mapping[str, Any],
    tex: Callable[[], bytes],
) -> list[Page]:
    key = hash_of(inputs)
    # The CSV and the Parquet file are made one after the other, of the same columns.
    return [
        file_of(f"{stem}.csv", key, lambda: _csv(_LAST.cells(stem, source))),
        file_of(f"{stem}.parquet", key, lambda: parquet_of(_table(_LAST.cells(stem, source)))),
        file_of(f"{stem}.json", key, lambda: json_of(source.rows, about)),
        file_of(f"{stem}.tex", key, tex),
    ]


class _LastColumns:
    """The columns that were asked for last."""

    def __init__(self) -> None:
        self._asked: tuple[str, _Source] | None = None
        self._cells: Cells = {}

    def cells(self, stem: str, source: _Source) -> Cells:
        if self._asked is None or self._asked[0] != stem or self._asked[1] is not source:
            self._cells = _by_column(source.rows)
            self._asked = stem, source
        return self._cells


_LAST = _LastColumns()


@cache
def columns() -> tuple[str, ...]:
    """The columns of the CSV and Parquet files, in their order."""
    plain = [name for field in FIELDS for name in _PAIRS.get(field, (field,))]
    return (*plain, *NEWER, *_EXPOSURE)


def csv_of(rows: Iterable[Row]) -> bytes:
    """The rows for a spreadsheet: text that it would run as a formula starts with an apostrophe."""
    return _csv(_by_column(rows))


def _csv(found: Cells) -> bytes:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(columns())
    writer.writerows(
        zip(
            *(
                cells if name in _NUMBERS else [_guarded(cell) for cell in cells]
                for name, cells in found.items()
            ),
            strict=True,
        )
    )
    # Lone halves of surrogate pairs are spelled out by then.
    return sink.getvalue().encode("utf-8")


@lru_cache(maxsize=_CACHED)
def _guarded(cell: str | bool | None) -> str | bool | None:
    if not isinstance(cell, str):
        return cell
    is_plain = cell.isascii() and cell.isprintable()
    return guard_formula(cell if is_plain else visible(cell, limit=None))


def json_of(rows: Iterable[Row], about: Mapping[str, Any]) -> bytes:
    """One JSON document, a row a line; in ASCII, so that no invisible character hides in it."""
    head = json.dumps({"schema_version": SCHEMA_VERSION, **about}, sort_keys=True, allow_nan=False)
    encoder = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))
    lines = ",\n".join(map(encoder.encode, rows))
    return f'{head[:-1]}, "rows": [\n{lines}\n]}}\n'.encode("ascii")


def table_of(rows: Iterable[Row]) -> pa.Table:
    """The rows as a table of typed columns; text as it is."""
    return _table(_by_column(rows))


def _table(found: Cells) -> pa.Table:
    import pyarrow as pa

    arrays = []
    for name, values in found.items():
        if name in _FLOATS:
            arrays.append(pa.array(values, pa.float64()))
        elif name in _INTS:
            arrays.append(pa.array(values, pa.int64()))
        elif name == "partial":
            arrays.append(pa.array(values, pa.bool_()))
        else:
            arrays.append(pa.array([_storable(value) for value in values], pa.string()))
    return pa.Table.from_arrays(arrays, names=list(columns()))


def _storable(value: Any) -> str | None:
    """Parquet has no place for half a surrogate pair."""
    if value is None:
        return None
    text = value if isinstance(value, str) else str(value)
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _by_column(rows: Iterable[Row]) -> Cells:
    """The cells of each of `columns`."""
    kept = rows if isinstance(rows, Sequence) else list(rows)
    found: Cells = {}
    for name in FIELDS:
        values = [row[name] for row in kept]
        if name in _PAIRS:
            for end, column in enumerate(_PAIRS[name]):
                found[column] = [span[end] if span else None for span in values]
        elif name in _NUMBERS:
            found[name] = values
        else:
            found[name] = [
                value if value is None or type(value) in _PLAIN else canonical_json(value)
                for value in values
            ]
    found |= {name: [row.get(name) for row in kept] for name in NEWER}
    exposures = [row.get("exposure") or {} for row in kept]
    return found | {name: [told.get(name) for told in exposures] for name in _EXPOSURE}
