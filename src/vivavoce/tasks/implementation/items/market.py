"""A synthetic stock market from a seed: daily prices, daily fundamentals and minute quotes.

It has the traits of real tables that break careless programs. Rows are unordered, instruments are
listed late or suspended for weeks, and days are locked at the price limit. Reports are missing or
show losses, and minutes have no orders or no row. Returns have heavy tails and persistent
volatility, in days and minutes; volumes are persistent too, and both are higher at the open and
close. Only uniform draws, the four operations, roots and rounding are used, which IEEE 754 rounds
correctly. So a seed gives the same values on every machine.
"""

import io
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.errors import InputError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def draw_order(rng: np.random.Generator, count: int) -> Integers:
    """A permutation of the numbers below `count`, from uniform draws."""
    return np.argsort(rng.random(count), kind="stable")


def garch(rng: np.random.Generator, steps: int, *shape: int) -> tuple[Floats, Floats]:
    """GARCH(1,1) shocks with standard deviation 1, and their volatility, each (steps, *shape).

    A shock is a draw over the root of a mean of four squares: Student's t with 4 degrees of
    freedom, except for the bounds of `bell`.
    """
    level: Floats = np.ones(shape)
    shocks, levels = np.empty((steps, *shape)), np.empty((steps, *shape))
    for step in range(steps):
        squares = np.full(shape, 0.02)
        for _ in range(4):
            draw = bell(rng, *shape)
            squares += 0.25 * draw * draw
        levels[step] = np.sqrt(level)
        shocks[step] = levels[step] * 0.77 * bell(rng, *shape) / np.sqrt(squares)
        level = 0.05 + 0.22 * np.minimum(shocks[step] * shocks[step], 30.0) + 0.73 * level
    return shocks, levels


def lasting(rng: np.random.Generator, steps: int, *shape: int) -> Floats:
    """Positive values with mean 1 and an autocorrelation of 0.9."""
    value: Floats = np.ones(shape)
    values = np.empty((steps, *shape))
    for step in range(steps):
        draws = rng.random(shape)
        value = 0.9 * value + 0.3 * draws * draws
        values[step] = value
    return values


def bell(rng: np.random.Generator, *shape: int) -> Floats:
    """Sums of four uniform draws: mean 0, standard deviation 1, at most 3.5 in size."""
    draws = rng.random((4, *shape))
    added: Floats = (draws[0] + draws[1] + draws[2] + draws[3] - 2.0) * 1.75
    return added


def between(rng: np.random.Generator, low: float, high: float, *shape: int) -> Floats:
    """Uniform draws between two numbers."""
    return low + (high - low) * rng.random(shape)


INSTRUMENTS = (
    *(f"SH{600001 + number}" for number in range(30)),
    *(f"SZ{number + 1:06d}" for number in range(20)),
)
INDUSTRIES = (
    "banking",
    "chemicals",
    "electronics",
    "food",
    "machinery",
    "pharmaceuticals",
    "real estate",
    "transport",
)
DAYS = 300
MINUTE_DAYS = 10
MINUTE_INSTRUMENTS = 20
MINUTES = 240
LATE = 3
SUSPENDED = 3
LIMITED = 6
LIMIT = 0.1
"""Price limit: a price that moves this much stays there all day."""
_FIRST_DAY = "2023-01-03"
_HOLIDAYS = (
    ("2023-01-23", "2023-01-28"),
    ("2023-05-01", "2023-05-04"),
    ("2023-10-02", "2023-10-07"),
    ("2024-02-12", "2024-02-17"),
)

Flags = npt.NDArray[np.bool_]
Times = npt.NDArray[np.datetime64]


def draw_events(rng: np.random.Generator) -> tuple[Flags, Integers]:
    """Draw the days with a row, and those locked at the upper (1) or lower (-1) limit.

    Late listings, suspensions and locks affect different instruments.

    All are before the days with minutes, so every stock has all of those.
    """
    shape = (DAYS, len(INSTRUMENTS))
    order = draw_order(rng, len(INSTRUMENTS))
    late, suspended, limited = np.split(order, np.cumsum([LATE, SUSPENDED, LIMITED]))[:3]
    listed = np.ones(shape, dtype=np.bool_)
    for instrument in late:
        listed[: rng.integers(40, 200), instrument] = False
    for instrument in suspended:
        start, length = rng.integers(60, 240), rng.integers(5, 40)
        listed[start : start + length, instrument] = False
    limit = np.zeros(shape, dtype=np.int64)
    for number, instrument in enumerate(limited):
        start = rng.integers(30, 280)
        limit[start : start + 2, instrument] = 1 if number % 2 == 0 else -1
    return listed, limit


_QUARTER = 60
_REPORTS = 6
_YEAR = 4
_MISSING_REPORTS = 12
_FLAT_PROFITS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Daily:
    """Daily values; each matrix is days x instruments, prices are adjusted."""

    open: Floats
    high: Floats
    low: Floats
    close: Floats
    vwap: Floats
    factor: Floats
    volume: Floats
    shares: Floats

    def paid(self, prices: Floats) -> Floats:
        """Prices as they were paid, from adjusted ones."""
        return np.round(prices / self.factor, 2)


def simulate_daily(rng: np.random.Generator, groups: Integers, limit: Integers) -> Daily:
    """Simulate prices and volumes; `groups` has the industries, `limit` the locked days."""
    count, locked = len(groups), limit != 0
    common, _ = garch(rng, DAYS, 1)
    shared, _ = garch(rng, DAYS, len(INDUSTRIES))
    own, unrest = garch(rng, DAYS, count)
    scale = between(rng, 0.007, 0.018, count)
    moves = 0.004 * common + 0.003 * shared[:, groups] + scale * own
    free = np.clip(moves, 0.005 - LIMIT, LIMIT - 0.005)
    returns: Floats = np.where(locked, LIMIT * limit, free)
    path: Floats = between(rng, 6.0, 60.0, count) * np.cumprod(1.0 + returns, axis=0)
    before = path / (1.0 + returns)
    reach = np.minimum(scale * unrest, 0.05)
    gap = 1.0 + 0.3 * reach * bell(rng, DAYS, count)
    opened: Floats = np.where(locked, path, before * gap)
    reach = np.where(locked, 0.0, reach)
    high = np.maximum(opened, path) * (1.0 + reach * rng.random((DAYS, count)))
    low = np.minimum(opened, path) * (1.0 - reach * rng.random((DAYS, count)))
    vwap = low + (high - low) * between(rng, 0.3, 0.7, DAYS, count)
    # A third of the instruments issue more shares on one day.
    base, issued = between(rng, 2.0e7, 8.0e8, count), rng.integers(50, 280, count)
    grows: Flags = (rng.random(count) < 1 / 3) & (np.arange(DAYS)[:, np.newaxis] >= issued)
    shares = np.round(base * np.where(grows, 1.0 + 0.3 * rng.random(count), 1.0), 0)
    activity = lasting(rng, DAYS, count) * (0.5 + 0.5 * unrest + 8.0 * np.abs(returns))
    activity *= between(rng, 0.7, 1.3, DAYS, count)
    activity = np.where(locked, 0.1 * activity, activity)
    volume = np.round(shares * between(rng, 0.002, 0.012, count) * activity, 0) + 1.0
    # Cumulated dividends: 1 at first, then two steps up, per instrument.
    day = np.arange(DAYS)[:, np.newaxis]
    first, second = rng.integers(60, 140, count), rng.integers(180, 280, count)
    step = between(rng, 0.005, 0.04, 2, count)
    return Daily(
        open=np.round(opened, 2),
        high=np.round(high, 2),
        low=np.round(low, 2),
        close=np.round(path, 2),
        vwap=np.round(vwap, 2),
        factor=np.round((1.0 + step[0] * (day >= first)) * (1.0 + step[1] * (day >= second)), 4),
        volume=volume,
        shares=shares,
    )


def simulate_fundamentals(rng: np.random.Generator, daily: Daily) -> dict[str, Floats]:
    """Simulate ratios of reports, which change every 60 days, on different days per instrument."""
    count = daily.close.shape[1]
    report = (np.arange(DAYS)[:, np.newaxis] + rng.integers(1, _QUARTER, count)) // _QUARTER
    column = np.arange(count)
    price = daily.paid(daily.close)
    books, earnings = _simulate_reports(rng, price[0])
    missing = np.ones((_REPORTS, count))
    cells = draw_order(rng, (_REPORTS - 2) * count)[:_MISSING_REPORTS]
    missing[1 + cells // count, cells % count] = np.nan
    before, now = earnings[:_REPORTS], earnings[_YEAR:]
    base = np.where(before > 0.0, before, np.nan)
    growth = np.round((now - before) / base, 4)
    returned = np.round(now / books[_YEAR:], 3)
    per_share = np.where(np.abs(now) < 0.005, np.nan, now)
    book = books[_YEAR:]
    shares = daily.shares.copy()
    shares[100:160, draw_order(rng, count)[:2]] = np.nan
    known = missing[report, column]
    return {
        "B/P": np.round(book[report, column] / price, 4) * known,
        "PE": np.round(price / per_share[report, column], 2) * known,
        "ROE": returned[report, column] * known,
        "net_profit_growth": growth[report, column] * known,
        "turnover": np.round(daily.volume / shares, 6),
        "free_float_shares": shares,
        "free_float_cap": np.round(price * shares, 2),
    }


def simulate_minutes(rng: np.random.Generator, daily: Daily) -> tuple[dict[str, Floats], Flags]:
    """Simulate unadjusted quotes and trades, and flags of minutes with a row.

    The last close is the day's close, and volumes sum to the day's volume. A missing minute has no
    trades.
    """
    shape = (MINUTE_DAYS, MINUTE_INSTRUMENTS, MINUTES)

    def recent(values: Floats) -> Floats:
        return values[-MINUTE_DAYS:, :MINUTE_INSTRUMENTS, np.newaxis]

    first, last = recent(daily.paid(daily.open)), recent(daily.paid(daily.close))
    low, high = recent(daily.paid(daily.low)), recent(daily.paid(daily.high))
    elapsed = (np.arange(MINUTES) + 1.0) / MINUTES
    ends = 0.5 + 6.0 * (elapsed - 0.5) * (elapsed - 0.5)
    steps, unrest = (np.moveaxis(given, 0, 2) for given in garch(rng, MINUTES, *shape[:2]))
    walk = np.cumsum(ends * steps, axis=2)
    bridge = (walk - elapsed * walk[..., -1:]) * 0.05 * (high - low)
    close = np.round(np.clip(first + (last - first) * elapsed + bridge, low, high), 2)
    spread = np.floor(rng.random((2, *shape)) * 3.0) / 100.0 + 0.01
    sizes = np.floor(rng.random((2, *shape)) * 200.0) * 100.0
    sizes[:, rng.random(shape) < 0.005] = 0.0
    sizes[:, rng.integers(MINUTE_DAYS), rng.integers(MINUTE_INSTRUMENTS)] = 0.0
    # Single minutes and halts have no row, but the last minute always has one.
    start, length = rng.integers(20, 200, shape[:2]), rng.integers(5, 30, shape[:2])
    length = np.where(rng.random(shape[:2]) < 0.1, length, 0)
    since = np.arange(MINUTES) - start[..., np.newaxis]
    halted = (since >= 0) & (since < length[..., np.newaxis])
    kept: Flags = ~halted & (rng.random(shape) >= 0.01)
    kept[..., -1] = True
    lively = np.moveaxis(lasting(rng, MINUTES, *shape[:2]), 0, 2)
    weights = ends * lively * unrest * (0.4 + rng.random(shape))
    weights = np.where(kept & (rng.random(shape) >= 0.02), weights, 0.0)
    quotes = {
        "bid": np.round(close - spread[0], 2),
        "ask": np.round(close + spread[1], 2),
        "bidV": sizes[0],
        "askV": sizes[1],
        "close": close,
        "volume": _split(recent(daily.volume), weights),
    }
    return quotes, kept


def _simulate_reports(rng: np.random.Generator, price: Floats) -> tuple[Floats, Floats]:
    """Simulate book value and yearly earnings per share, shape (reports, instruments).

    Reports begin a year before the first day. Some instruments have losses, some constant earnings.
    """
    count, reports = len(price), _REPORTS + _YEAR
    growing = np.cumprod(1.0 + 0.02 * rng.random((reports, count)), axis=0)
    books: Floats = price * between(rng, 0.15, 1.2, count) * growing
    books = np.round(books, 2)
    quality = between(rng, -0.02, 0.2, count)
    earnings = np.round(books * (quality + 0.012 * bell(rng, reports, count)), 3)
    flat = np.argsort(rng.random(count) + (quality < 0.08), kind="stable")[:_FLAT_PROFITS]
    earnings[_YEAR : 2 * _YEAR, flat] = earnings[:_YEAR, flat]
    return books, earnings


def _split(whole: Floats, weights: Floats) -> Floats:
    """Split whole shares by weight; the last minute gets the remainder."""
    parts: Floats = np.floor(weights * whole / np.cumsum(weights, axis=2)[..., -1:])
    parts[..., -1:] += whole - np.cumsum(parts, axis=2)[..., -1:]
    return parts


TableName = Literal["daily_pv", "daily_f", "high_freq"]
TABLES: tuple[TableName, ...] = get_args(TableName)
"""The tables of a market: daily prices, ratios from reports, minute quotes."""


def generate(seed: int) -> dict[str, pd.DataFrame]:
    """Generate the market of a seed, as flat tables by name with unordered rows.

    The values depend only on the seed.
    """
    if seed < 0:
        raise InputError(f"The market's seed is {seed}; it must be 0 or more.")
    rng = np.random.Generator(np.random.PCG64(seed))
    groups = draw_order(rng, len(INSTRUMENTS)) % len(INDUSTRIES)
    rows, limit = draw_events(rng)
    daily = simulate_daily(rng, groups, limit)
    fundamentals = simulate_fundamentals(rng, daily)
    minutes, kept = simulate_minutes(rng, daily)
    # Weekdays without the holidays, as midnights.
    holidays = np.concatenate([np.arange(*span, dtype="datetime64[D]") for span in _HOLIDAYS])
    first = np.datetime64(_FIRST_DAY, "D")
    open_days = np.busday_offset(first, np.arange(DAYS), roll="forward", holidays=holidays)
    days = open_days.astype("datetime64[ns]")
    day, instrument = np.nonzero(rows)
    keys = {"datetime": days[day], "instrument": np.array(INSTRUMENTS)[instrument]}
    columns: dict[str, Any] = {
        "$open": daily.open,
        "$close": daily.close,
        "$high": daily.high,
        "$low": daily.low,
        "$vwap": daily.vwap,
        "$volume": daily.volume,
        "$money": np.round(daily.vwap / daily.factor * daily.volume, 2),
        "$factor": daily.factor,
    }
    prices = {name: values[rows] for name, values in columns.items()}
    prices["industry"] = np.array(INDUSTRIES)[groups[instrument]]
    ratios = {name: values[rows] for name, values in fundamentals.items()}
    quotes = {name: values[kept] for name, values in minutes.items()}
    # Sorted by day, instrument and existing minutes, as in `simulate_minutes`.
    half = np.arange(1, MINUTES // 2 + 1)
    # The ends of the trading minutes: 09:31 to 11:30, 13:01 to 15:00.
    ends = np.concatenate([9 * 60 + 30 + half, 13 * 60 + half]).astype("timedelta64[m]")
    stamps = days[-MINUTE_DAYS:, np.newaxis] + ends
    names = np.array(INSTRUMENTS[:MINUTE_INSTRUMENTS])
    day, name, minute = np.nonzero(kept)
    minute_keys = {"datetime": stamps[day, minute], "instrument": names[name]}
    frames: dict[str, pd.DataFrame] = {}
    tables = (keys | prices, keys | ratios, minute_keys | quotes)
    for table_name, table in zip(TABLES, tables, strict=True):
        order = draw_order(rng, len(table["datetime"]))
        frames[table_name] = pd.DataFrame({name: values[order] for name, values in table.items()})
    return frames


def to_parquet(frame: pd.DataFrame) -> bytes:
    """Write a table as Parquet: the same bytes for the same values and pyarrow version."""
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()
