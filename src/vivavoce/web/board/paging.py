"""How many rows of a board fit on one page of less than 300 kB."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vivavoce.results.groups import CONTESTANT
from vivavoce.store import Row
from vivavoce.web.board.sections import MOST_COLUMNS

ROOM = 215_000
"""Bytes for rows on one page; the rest is its head, its charts and its words."""
_ROW = 640
_METRIC = 150
_FURTHER = 75
_PLOT = 190
_TEXTS = ("method", "model", "decoding", "judge")
_SHOWN = 160
_SPELLED = 12
"""Bytes of a character that draws nothing and is spelled out."""
LONG = 60
"""A table with more rows draws its plots for the first metric alone."""


def rows_a_page(rows: Sequence[Row], metrics: int) -> int:
    """How many contestants stand on each page of a board."""
    contestants = {tuple(str(row[key]) for key in CONTESTANT): row for row in rows}
    if not contestants:
        return 1
    texts = math.fsum(map(_text_bytes, contestants.values())) / len(contestants)
    columns = min(metrics, MOST_COLUMNS)
    fixed = _ROW + columns * _METRIC + (metrics - columns) * _FURTHER + texts
    with_plots = fixed + columns * _PLOT
    is_short = len(contestants) <= LONG and len(contestants) * with_plots <= ROOM
    return LONG if is_short else max(1, int(ROOM / (fixed + _PLOT)))


def parts_of(rows: Sequence[Row], metrics: int) -> int:
    """On how many pages a board stands."""
    contestants = {tuple(str(row[key]) for key in CONTESTANT) for row in rows}
    return max(1, math.ceil(len(contestants) / rows_a_page(rows, metrics)))


def _text_bytes(row: Row) -> float:
    return math.fsum(_bytes_of(str(row[name])) for name in _TEXTS)


def _bytes_of(text: str) -> int:
    shown = text[:_SHOWN]
    is_plain = shown.isascii() and shown.isprintable() and not set(shown) & set("<>&\"'")
    return len(shown) * (1 if is_plain else _SPELLED)
