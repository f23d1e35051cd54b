"""A synthetic stock market from a seed: daily prices, daily fundamentals and minute quotes.

It has on purpose what real tables have and careless programs trip over: rows in no order,
instruments listed late or suspended for weeks, days locked at the price limit, missing reports,
losses, minutes without orders.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.items.market import simulate
from vivavoce.tasks.implementation.items.market.simulate import (
    INDUSTRIES,
    INSTRUMENTS,
    Flags,
    Times,
)

TABLES = ("daily_pv", "daily_f", "high_freq")
"""The tables of a market: prices of days, ratios of reports, quotes of minutes."""


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """The market's tables: flat columns, rows in no order."""

    daily_pv: pd.DataFrame
    daily_f: pd.DataFrame
    high_freq: pd.DataFrame

    def table(self, name: str) -> pd.DataFrame:
        """One of `TABLES` by name; `InputError` for another name."""
        if name not in TABLES:
            raise InputError(f"There is no market table {name!r}; there are {', '.join(TABLES)}.")
        frame: pd.DataFrame = getattr(self, name)
        return frame


def generate(seed: int) -> Market:
    """The market of a seed: the same values for the same seed, others for another.

    Raises:
        InputError: The seed is below 0.
    """
    if seed < 0:
        raise InputError(f"The market's seed is {seed}; it must be 0 or more.")
    rng = np.random.Generator(np.random.PCG64(seed))
    groups = simulate.draw_order(rng, len(INSTRUMENTS)) % len(INDUSTRIES)
    events = simulate.draw_events(rng)
    daily = simulate.simulate_daily(rng, groups, events.limit)
    fundamentals = simulate.simulate_fundamentals(rng, daily)
    minutes = simulate.simulate_minutes(rng, daily)
    days, rows = simulate.trading_days(), events.listed
    keys = _daily_keys(days, rows)
    prices = {name: values[rows] for name, values in _price_columns(daily).items()}
    prices["industry"] = np.array(INDUSTRIES)[groups[np.nonzero(rows)[1]]]
    ratios = {name: values[rows] for name, values in fundamentals.items()}
    quotes = {name: values.ravel() for name, values in minutes.items()}
    return Market(
        daily_pv=_shuffled(rng, keys | prices),
        daily_f=_shuffled(rng, keys | ratios),
        high_freq=_shuffled(rng, _minute_keys(days) | quotes),
    )


def to_parquet(frame: pd.DataFrame) -> bytes:
    """A table as a Parquet file: the same bytes for the same values and pyarrow version."""
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


def _price_columns(daily: simulate.Daily) -> dict[str, Any]:
    return {
        "$open": daily.open,
        "$close": daily.close,
        "$high": daily.high,
        "$low": daily.low,
        "$vwap": daily.vwap,
        "$volume": daily.volume,
        "$money": np.round(daily.vwap / daily.factor * daily.volume, 2),
        "$factor": daily.factor,
    }


def _daily_keys(days: Times, listed: Flags) -> dict[str, Any]:
    day, instrument = np.nonzero(listed)
    return {"datetime": days[day], "instrument": np.array(INSTRUMENTS)[instrument]}


def _minute_keys(days: Times) -> dict[str, Any]:
    """Days, then instruments, then minutes: the order of `simulate_minutes`."""
    stamps = days[-simulate.MINUTE_DAYS :, np.newaxis] + simulate.minute_offsets()
    names = np.array(INSTRUMENTS[: simulate.MINUTE_INSTRUMENTS])
    shape = (simulate.MINUTE_DAYS, simulate.MINUTE_INSTRUMENTS, simulate.MINUTES)
    return {
        "datetime": np.broadcast_to(stamps[:, np.newaxis, :], shape).ravel(),
        "instrument": np.broadcast_to(names[np.newaxis, :, np.newaxis], shape).ravel(),
    }


def _shuffled(rng: np.random.Generator, columns: dict[str, Any]) -> pd.DataFrame:
    order = simulate.draw_order(rng, len(columns["datetime"]))
    return pd.DataFrame({name: values[order] for name, values in columns.items()})
