"""Handling very many rows without looking for cycles among them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS, _ROUNDS = 200_000, 20


@contextmanager
def many_rows() -> Iterator[None]:
    """While rows are loaded and written, collect garbage a hundred times less often.

    Rows are dictionaries that stay and point at nothing but values: the collector would spend more
    time on walking through them than it takes to read them.
    """
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, _ROUNDS, _ROUNDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
