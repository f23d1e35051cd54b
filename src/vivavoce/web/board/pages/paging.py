"""How many rows of a board fit on one page of less than 300 kB."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from vivavoce.store import Row
from vivavoce.web.board.pages.sections import MOST_COLUMNS, MOST_PLOTTED

ROOM = 215_000
"""Bytes for rows on one page; the rest is its head, its charts and its words."""
_ROW = 640
_METRIC = 150
_FURTHER = 75
_PLOT = 190
_TEXTS = ("method", "model", "decoding", "judge")
_SHOWN = 160
_CACHED = 8192
_SPELLED = 12
"""Bytes of a character that draws nothing and is spelled out."""


def rows_a_page(leads: Sequence[Row], metrics: int) -> int:
    """How many contestants stand on each page of a board; `leads` holds a row of each."""
    if not leads:
        return 1
    texts = math.fsum(_bytes_of(str(row[name])) for row in leads for name in _TEXTS) / len(leads)
    columns = min(metrics, MOST_COLUMNS)
    fixed = _ROW + columns * _METRIC + (metrics - columns) * _FURTHER + texts
    plots = columns if len(leads) <= MOST_PLOTTED else 1
    return max(1, int(ROOM / (fixed + plots * _PLOT)))


def parts_of(leads: Sequence[Row], metrics: int) -> int:
    """On how many pages a board stands."""
    return max(1, math.ceil(len(leads) / rows_a_page(leads, metrics)))


@lru_cache(maxsize=_CACHED)
def _bytes_of(text: str) -> int:
    shown = text[:_SHOWN]
    is_plain = shown.isascii() and shown.isprintable() and not set(shown) & set("<>&\"'")
    return len(shown) * (1 if is_plain else _SPELLED)
