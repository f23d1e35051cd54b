"""Downloads of the site's numbers: CSV, JSON, Parquet and LaTeX.

CSV is for spreadsheets, so formulas are made harmless. JSON and Parquet hold the rows unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from vivavoce.results.board.columns import COLUMNS, BoardColumn, shown_value
from vivavoce.results.board.groups import by_contestant, table_of
from vivavoce.results.logs.records import NOT_RECOMPUTED
from vivavoce.store import Row, dumps_fast, parquet_of
from vivavoce.text.printing import guard_formula, visible
from vivavoce.web.board.entries import kind_of, label, rank_bounds, rank_of
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.page import Page, file_of

if TYPE_CHECKING:
    import pyarrow as pa


MAX_METRICS = 6
_MAX_NAME = 80
_CACHED = 8192
_HEAD = r"% Needs \usepackage{booktabs}; names may hold letters beyond ASCII (XeLaTeX, LuaLaTeX)."
_NAMED = {
    "\\": "backslash",
    "~": "asciitilde",
    "^": "asciicircum",
    "<": "less",
    ">": "greater",
    "|": "bar",
    '"': "quotedbl",
    "`": "asciigrave",
    "'": "quotesingle",
}
_SPECIAL = str.maketrans(
    {sign: f"\\{sign}" for sign in "{}$&#%_"}
    | {sign: rf"\text{name}{{}}" for sign, name in _NAMED.items()}
)
_OPENERS = {"*": "{*}", "[": "{[}"}
"""Characters that LaTeX would take for an argument of the line break before them."""
_JOINED = (("--", "-{}-"), (",,", ",{},"))
"""Pairs that fonts print as one glyph."""


@lru_cache(maxsize=_CACHED)
def escaped(text: object) -> str:
    """Escape text for LaTeX and cut it after `_MAX_NAME` characters."""
    latex = visible(text, _MAX_NAME).translate(_SPECIAL)
    for pair, parted in _JOINED:
        # Twice: a single replacement skips every second pair in a long run.
        latex = latex.replace(pair, parted).replace(pair, parted)
    return _OPENERS.get(latex[:1], latex[:1]) + latex[1:]


def latex_table(board: BoardOf) -> str:
    """LaTeX table of a board: rank, contestant and the first metrics with intervals."""
    metrics = board.group.metrics[:MAX_METRICS]
    contestants = by_contestant(row for row in board.group.rows if row["metric"] in metrics)
    sign = -1 if board.higher_is_better else 1
    order = sorted(
        contestants, key=lambda key: (*_place(contestants[key].get(metrics[0]), sign), key)
    )
    last = [column.latex for column in COLUMNS if column.latex]
    head = ["Rank", "Contestant", *map(escaped, metrics), *last]
    place = ", ".join(escaped(part) for part in (board.round, board.setting))
    remark = " (n: not recomputed)" if any(map(_mark, board.group.rows)) else ""
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{escaped(board.task)} {escaped(board.version)}: {place}{remark}. Small",
            r"figures are 95\% intervals; ranks in brackets are plausible ranges.}",
            rf"\begin{{tabular}}{{rl{'r' * (len(head) - 2)}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *(" & ".join(_line(contestants[key], metrics)) + r" \\" for key in order),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _place(row: Row | None, sign: int) -> tuple[bool, float]:
    if row is None or row["value"] is None:
        return (True, 0.0)
    return (kind_of(row) == "ceiling", sign * row["value"])


def _line(rows: dict[str, Row], metrics: Sequence[str]) -> list[str]:
    first = rows.get(metrics[0]) or next(iter(rows.values()))
    cells = [_rank(rows.get(metrics[0])), escaped(label(first)) + _mark(first)]
    cells += [_cell(rows.get(name)) for name in metrics]
    return cells + [_last_cell(column, first) for column in COLUMNS if column.latex]


def _rank(row: Row | None) -> str:
    """The rank with its plausible range."""
    rank = rank_of(row)
    if row is None or rank is None:
        return ""
    low, high = rank_bounds(row)
    return str(rank) if low == high else f"{rank} ({low}--{high})"


def _mark(row: Row) -> str:
    """Mark for a row that the board's maker did not recompute."""
    return r"\textsuperscript{n}" if row["trust"] == NOT_RECOMPUTED else ""


def _last_cell(column: BoardColumn, row: Row) -> str:
    value = shown_value(column, row)
    if value is None:
        return "--"
    return f"{value:z.3f}" if isinstance(value, float) else escaped(value)


def _cell(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return "--"
    value = f"${row['value']:z.3f}$"
    if row["ci"] is None:
        return value
    low, high = row["ci"]
    return rf"{value} {{\scriptsize $[{low:z.3f}, {high:z.3f}]$}}"


SCHEMA_VERSION = 1
"""Version of board.json, raised when a field changes its meaning."""

LINKS = (
    ("CSV", "board.csv"),
    ("JSON", "board.json"),
    ("Parquet", "board.parquet"),
    ("LaTeX", "board.tex"),
)
"""Labels and paths of the download files."""
_ODD = r"^ *[=+@-]|[^ -~]"
"""Matches cells that may need a guard: formulas, and characters beyond printable ASCII."""


def files(site: Site) -> list[Page]:
    """The downloads of a site, not rendered yet."""
    about: dict[str, Any] = {
        "headlines": dict(site.whole.headlines),
        "metrics": {name: list(of) for name, of in site.whole.metrics.items()},
        "notes": site.whole.notes,
        "rounds": site.whole.rounds,
    }

    def tex() -> bytes:
        return "\n".join([_HEAD, *map(latex_table, site.boards)]).encode()

    table = cache(lambda: table_of(site.rows))
    inputs = [about, [board.group.key for board in site.boards]]
    return [
        file_of("board.csv", inputs, lambda: csv_of(table())),
        file_of("board.json", inputs, lambda: json_of(site.rows, about)),
        file_of("board.parquet", inputs, lambda: parquet_of(table())),
        file_of("board.tex", inputs, tex),
    ]


def csv_of(table: pa.Table) -> bytes:
    """Write a table as CSV for spreadsheets: text that looks like a formula gets an apostrophe."""
    import pyarrow as pa
    from pyarrow import csv

    guarded = [_guarded(column) for column in table.columns]
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.Table.from_arrays(guarded, names=table.column_names), sink)
    return bytes(sink.getvalue().to_pybytes())


def _guarded(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Guard every cell of a column; repeated values are checked once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_text = column.type == pa.string()
    if not is_text or not pc.any(pc.match_substring_regex(column, _ODD)).as_py():
        return column
    coded = column.combine_chunks().dictionary_encode()
    cells = [guard_formula(visible(cell, limit=None)) for cell in coded.dictionary.to_pylist()]
    safe = pa.array(cells, pa.string())
    return pa.DictionaryArray.from_arrays(coded.indices, safe).cast(pa.string())


def json_of(rows: Iterable[Row], about: Mapping[str, Any]) -> bytes:
    """Write one JSON document, one row per line, in ASCII so that no character is invisible."""
    head = json.dumps({"schema_version": SCHEMA_VERSION, **about}, sort_keys=True, allow_nan=False)
    lines = b",\n".join(map(dumps_fast, rows))
    return b'%b, "rows": [\n%b\n]}\n' % (head[:-1].encode("ascii"), lines)
