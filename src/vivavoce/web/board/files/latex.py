"""Boards as LaTeX tables in the style of booktabs, with every name escaped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from vivavoce.results.board.columns import Column, columns, shown_value
from vivavoce.results.board.groups import by_contestant
from vivavoce.store import Row
from vivavoce.web.board.entries import rank_of
from vivavoce.web.board.model import BoardOf, ModelOf
from vivavoce.web.board.names import kind_of, label
from vivavoce.web.printing import visible

MAX_METRICS = 6
_MAX_NAME = 80
_CACHED = 8192
_HEAD = r"% Needs \usepackage{booktabs}; names may hold letters beyond ASCII (XeLaTeX, LuaLaTeX)."
_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "'": r"\textquotesingle{}",
    }
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


def table_of(board: BoardOf, most_metrics: int = MAX_METRICS) -> str:
    """One board: rank, contestant and its first metrics with their intervals."""
    metrics = board.metrics[:most_metrics]
    rows = board.rows if most_metrics > 1 else board.headline_rows
    found = by_contestant(row for row in rows if row["metric"] in metrics)
    sign = -1 if board.higher_is_better else 1
    order = sorted(found, key=lambda key: (*_place(found[key].get(metrics[0]), sign), key))
    lines = [_line(found[key], metrics) for key in order]
    last = [column.latex for column in columns() if column.latex]
    place = ", ".join(escaped(part) for part in (board.round, board.setting))
    return _tabular(
        f"{escaped(board.task)} {escaped(board.version)}: {place}",
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
    return "\n".join([_HEAD, *(table_of(board, most_metrics) for board in boards)]).encode("utf-8")


def _place(row: Row | None, sign: int) -> tuple[bool, float]:
    if row is None or row["value"] is None:
        return (True, 0.0)
    return (kind_of(row) == "ceiling", sign * row["value"])


def _line(rows: dict[str, Row], metrics: Sequence[str]) -> list[str]:
    first = rows.get(metrics[0]) or next(iter(rows.values()))
    cells = [_rank(rows.get(metrics[0])), escaped(label(first))]
    cells += [_cell(rows.get(name)) for name in metrics]
    return cells + [_last_cell(column, first) for column in columns() if column.latex]


def _rank(row: Row | None) -> str:
    """The rank with the ranks that the data allow."""
    rank = rank_of(row)
    if row is None or rank is None:
        return ""
    low, high = row["rank_interval"] or (rank, rank)
    return str(rank) if low == high else f"{rank} ({low}--{high})"


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
    """One contestant: its first metric on every board it stands on."""
    heads = ["Round", "Task", "Setting", "Method", "Metric", "Value", "Rank"]
    lines = [
        [
            *(escaped(part) for part in (board.round, board.title, board.setting)),
            escaped(row["method"]),
            escaped(board.headline),
            _cell(row),
            _rank(row),
        ]
        for board, row in found
    ]
    table = _tabular(escaped(one.name), "lllllrr", [heads, *lines])
    return f"{_HEAD}\n{table}".encode()
