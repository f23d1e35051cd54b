"""The numbers of the site and of each page as files: CSV, JSON, Parquet and LaTeX.

CSV is made for spreadsheets: no cell of it is a formula. JSON and Parquet hold the rows as they
are. Every file has the rows of its page and nothing that the page would not show.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from vivavoce.results.board.columns import Column, columns, shown_value
from vivavoce.results.board.groups import by_contestant
from vivavoce.results.board.tables import table_of
from vivavoce.results.logs.records import NOT_RECOMPUTED
from vivavoce.store import Row, dumps_fast, hash_of, parquet_of
from vivavoce.web.board.entries import rank_bounds, rank_of
from vivavoce.web.board.model import BoardOf, ModelOf, Site
from vivavoce.web.board.names import kind_of, label, slug
from vivavoce.web.board.page import Page, file_of
from vivavoce.web.printing import guard_formula, visible

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
"""At the start of a line these would belong to the line break before it."""
_JOINED = (("--", "-{}-"), (",,", ",{},"))
"""Pairs that fonts print as one sign."""


def escaped(text: object, limit: int = _MAX_NAME) -> str:
    """Text that LaTeX prints as it is and never runs, cut after `limit` characters."""
    return _escaped(visible(text, limit))


@lru_cache(maxsize=_CACHED)
def _escaped(text: str) -> str:
    found = text.translate(_SPECIAL)
    for pair, parted in _JOINED:
        # Twice, since one replacement leaves every second pair of a long run.
        found = found.replace(pair, parted).replace(pair, parted)
    return _OPENERS.get(found[:1], found[:1]) + found[1:]


def latex_table(board: BoardOf, most_metrics: int = MAX_METRICS) -> str:
    """One board: rank, contestant and its first metrics with their intervals."""
    metrics = board.metrics[:most_metrics]
    rows = board.rows if most_metrics > 1 else board.headline_rows
    found = by_contestant(row for row in rows if row["metric"] in metrics)
    sign = -1 if board.higher_is_better else 1
    order = sorted(found, key=lambda key: (*_place(found[key].get(metrics[0]), sign), key))
    lines = [_line(found[key], metrics) for key in order]
    last = [column.latex for column in columns() if column.latex]
    place = ", ".join(escaped(part) for part in (board.round, board.setting))
    told = " (n: not recomputed)" if any(map(_mark, rows)) else ""
    return _tabular(
        f"{escaped(board.task)} {escaped(board.version)}: {place}{told}",
        "rl" + "r" * (len(metrics) + len(last)),
        [["Rank", "Contestant", *(escaped(name) for name in metrics), *last], *lines],
    )


def _tabular(caption: str, layout: str, lines: Sequence[Sequence[str]]) -> str:
    """A table of cells that are LaTeX already, its head first."""
    head, *rows = [" & ".join(cells) + r" \\" for cells in lines]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{caption}. Small figures are 95\% intervals,",
            r"and ranks in brackets those that the data allow.}",
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def document(boards: Sequence[BoardOf], *, most_metrics: int = MAX_METRICS) -> bytes:
    """The tables of several boards, one after the other."""
    return "\n".join([_HEAD, *(latex_table(board, most_metrics) for board in boards)]).encode(
        "utf-8"
    )


def _place(row: Row | None, sign: int) -> tuple[bool, float]:
    if row is None or row["value"] is None:
        return (True, 0.0)
    return (kind_of(row) == "ceiling", sign * row["value"])


def _line(rows: dict[str, Row], metrics: Sequence[str]) -> list[str]:
    first = rows.get(metrics[0]) or next(iter(rows.values()))
    cells = [_rank(rows.get(metrics[0])), escaped(label(first)) + _mark(first)]
    cells += [_cell(rows.get(name)) for name in metrics]
    return cells + [_last_cell(column, first) for column in columns() if column.latex]


def _rank(row: Row | None) -> str:
    """The rank with the ranks that the data allow."""
    rank = rank_of(row)
    if row is None or rank is None:
        return ""
    low, high = rank_bounds(row)
    return str(rank) if low == high else f"{rank} ({low}--{high})"


def _mark(row: Row) -> str:
    """The mark of a row that the maker of the board did not recompute."""
    return r"\textsuperscript{n}" if row.get("trust") == NOT_RECOMPUTED else ""


def _last_cell(column: Column, row: Row) -> str:
    value = shown_value(column, row)
    if value is None:
        return "--"
    return f"{value:.3f}" if isinstance(value, float) else escaped(value)


def _cell(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return "--"
    value = f"${row['value']:.3f}$"
    if row["ci"] is None:
        return value
    low, high = row["ci"]
    return rf"{value} {{\scriptsize $[{low:.3f}, {high:.3f}]$}}"


def contestant_document(one: ModelOf, found: Sequence[tuple[BoardOf, Row]]) -> bytes:
    """One contestant: its first metric on every board that has it."""
    heads = ["Round", "Task", "Setting", "Method", "Metric", "Value", "Rank"]
    lines = [
        [
            *(escaped(part) for part in (board.round, board.title, board.setting)),
            escaped(row["method"]) + _mark(row),
            escaped(board.headline),
            _cell(row),
            _rank(row),
        ]
        for board, row in found
    ]
    table = _tabular(escaped(one.name), "lllllrr", [heads, *lines])
    return f"{_HEAD}\n{table}".encode()


SCHEMA_VERSION = 1
"""Of board.json; raised when a field changes its meaning."""

_KINDS = (("CSV", "csv"), ("JSON", "json"), ("Parquet", "parquet"), ("LaTeX", "tex"))
_ODD = r"^ *[=+@-]|[^ -~]"
"""Finds every cell that could need a guard: a formula, or a character beyond printable ASCII."""
_MAX_ROWS = 60_000
"""In the files of the whole site; of a larger one they hold a round's headline metrics."""
_ELSEWHERE = "other rounds are in rounds/, all metrics beside each page"


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


def links_of_rounds(site: Site) -> list[tuple[str, list[tuple[str, str]]]]:
    """Earlier rounds of a large site, the newest first, each with labels and paths."""
    if not _is_large(site):
        return []
    stems = [(name, _stem(site, name)) for name in reversed(site.round_names[:-1])]
    return [
        (name, [(label, f"{stem}.{suffix}") for label, suffix in _KINDS]) for name, stem in stems
    ]


def _is_large(site: Site) -> bool:
    return sum(len(board.group.leads) * len(board.metrics) for board in site.boards) > _MAX_ROWS


def _stem(site: Site, name: str) -> str:
    """Stem of the files of a large site's round: the newest one's are those of a small site."""
    return "board" if name == site.round_names[-1] else f"rounds/{slug(name)}"


def _all_rows(site: Site) -> list[Page]:
    about = {
        "headlines": dict(site.headlines),
        "metrics": {name: list(of) for name, of in site.metrics.items()},
        "notes": site.notes,
        "rounds": site.rounds,
    }
    if not _is_large(site):
        inputs = [site.key, about["headlines"], about["metrics"]]
        return _files("board", inputs, lambda: site.rows, about, lambda: document(site.boards))
    return [page for name in site.round_names for page in _of_round(site, name, about)]


def _of_round(site: Site, name: str, about: Mapping[str, Any]) -> list[Page]:
    """A round of a large site, by headline metrics."""
    boards = [board for board in site.boards if board.round == name]
    told = {**about, "rows_are": f"those of round {name} by the headline metric; {_ELSEWHERE}"}
    return _files(
        _stem(site, name),
        [told, [board.key for board in boards]],
        lambda: [row for board in boards for row in board.group.leads],
        told,
        lambda: document(boards, most_metrics=1),
    )


def _of_board(board: BoardOf) -> list[Page]:
    stem = board.path.removesuffix(".html")
    about = {"headline": board.headline, "metrics": board.metrics}
    inputs = [board.key, board.metrics]
    return _files(stem, inputs, lambda: board.rows, about, lambda: document([board]))


def _of_contestant(site: Site, one: ModelOf) -> list[Page]:
    """Rows that its page shows of its newest round; the files of the site have all rounds."""
    found = site.newest_of(one)
    return _files(
        one.path.removesuffix(".html"),
        [one.name, [mark for _, _, mark in found]],
        lambda: [row for _, row, _ in found],
        {"contestant": one.name},
        lambda: contestant_document(one, [(board, row) for board, row, _ in found]),
    )


def _files(
    stem: str,
    inputs: Sequence[Any],
    rows: Callable[[], Iterable[Row]],
    about: Mapping[str, Any],
    tex: Callable[[], bytes],
) -> list[Page]:
    """The four files of one page; its rows may be loaded only when they are asked for."""
    key = hash_of(inputs)
    return [
        file_of(f"{stem}.csv", key, lambda: csv_of(_last_table(rows))),
        file_of(
            f"{stem}.parquet", key, lambda: parquet_of(_last_table(rows), compression="snappy")
        ),
        file_of(f"{stem}.json", key, lambda: json_of(rows(), about)),
        file_of(f"{stem}.tex", key, tex),
    ]


@lru_cache(maxsize=1)  # the CSV and the Parquet file are made one after the other
def _last_table(rows: Callable[[], Iterable[Row]]) -> pa.Table:
    return table_of(rows())


def csv_of(table: pa.Table) -> bytes:
    """A table for a spreadsheet: text that it would run as a formula starts with an apostrophe."""
    import pyarrow as pa
    from pyarrow import csv

    guarded = [_guarded(column) for column in table.columns]
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.Table.from_arrays(guarded, names=table.column_names), sink)
    return bytes(sink.getvalue().to_pybytes())


def _guarded(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Every cell as a spreadsheet may have it; a value of many cells is looked at once."""
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
    """One JSON document, a row a line; in ASCII, so that no invisible character hides in it."""
    head = json.dumps({"schema_version": SCHEMA_VERSION, **about}, sort_keys=True, allow_nan=False)
    lines = b",\n".join(map(dumps_fast, rows))
    return b'%b, "rows": [\n%b\n]}\n' % (head[:-1].encode("ascii"), lines)
