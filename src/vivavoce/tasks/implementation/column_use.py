"""Columns that a program's result depends on, found by running it on shuffled ones.

A column is used if the result changes once its values are shuffled among the rows, however the
program reads it: by name, by place or within an expression. Only answers with wrong values are
probed; right values were computed from the right columns.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.metrics.factor import KEYS, FactorFrame
from vivavoce.rounds import load_round
from vivavoce.tasks.implementation.items.formula import RESULT
from vivavoce.tasks.implementation.items.gold import market_files
from vivavoce.tasks.implementation.items.market_dictionary import DICTIONARY
from vivavoce.tasks.programs.program import run_program
from vivavoce.tasks.programs.result_files import read_factor
from vivavoce.tasks.scoring.marks import FaultyAnswer

_GROUPS = KEYS | {"industry"}
"""Columns that say which rows belong together: no values that a formula is about."""


def score_use(gold: Iterable[str], used: Iterable[str]) -> float:
    """F1 of the columns that a result depends on, `industry` aside; 1 where none is needed."""
    needed, found = ({name for name in names if _is_value(name)} for names in (gold, used))
    total = len(needed) + len(found)
    return 2 * len(needed & found) / total if total else 1.0


async def columns_used(
    program: str, round_folder: str, gold: Iterable[str], result: FactorFrame, timeout: int
) -> list[str]:
    """Columns that a program's result depends on, as `table.column`, sorted.

    Those of the gold are tried, and those whose table and name the program spells out.

    Args:
        program: One that left `result` on the market as it is.
        round_folder: Folder of the round with the market.
        gold: Columns that the formula needs.
        result: The program's own values.
        timeout: Seconds that each run may take.
    """
    spelt = {
        f"{table}.{column}"
        for table, described in DICTIONARY.items()
        for column in described.columns
        if table in program and column in program
    }
    used = []
    for name in sorted(filter(_is_value, spelt | set(gold))):
        outcome = await run_program(program, _shuffled(round_folder, name), timeout)
        if outcome.failure or not await _is_left_again(result, timeout):
            used.append(name)
    return used


def _is_value(column: str) -> bool:
    return column.partition(".")[2] not in _GROUPS


async def _is_left_again(result: FactorFrame, timeout: int) -> bool:
    """Check whether the program that ran last left the same values."""
    try:
        again = await read_factor(RESULT, max_rows=2 * len(result), timeout=timeout)
    except FaultyAnswer:
        return False
    return again is not None and np.array_equal(again.values, result.values, equal_nan=True)


@lru_cache(maxsize=64)
def _shuffled(round_folder: str, name: str) -> Mapping[str, bytes]:
    """The market's files, with the values of one column in other rows."""
    table, _, column = name.partition(".")
    files = market_files(load_round(round_folder))
    rows = pq.read_table(io.BytesIO(files[f"{table}.parquet"]))
    order = np.random.default_rng([0, *name.encode()]).permutation(len(rows))
    place = rows.column_names.index(column)
    moved = rows.set_column(place, rows.schema.field(place), rows[column].take(pa.array(order)))
    sink = io.BytesIO()
    pq.write_table(moved, sink)
    return {**files, f"{table}.parquet": sink.getvalue()}
