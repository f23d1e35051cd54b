"""Who trades when in the synthetic market: instruments, trading days, what happens to whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
"""The largest daily move: a price that reaches it stays there all day."""
_FIRST_DAY = "2023-01-03"
_HOLIDAYS = (
    ("2023-01-23", "2023-01-28"),
    ("2023-05-01", "2023-05-04"),
    ("2023-10-02", "2023-10-07"),
    ("2024-02-12", "2024-02-17"),
)

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Times = npt.NDArray[np.datetime64]


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """What happens to whom; each matrix is days x instruments."""

    listed: Flags
    """The instrument trades that day and has a row."""
    limit: Integers
    """1 on a day locked at the upper limit, -1 at the lower, else 0."""


def trading_days() -> Times:
    """Weekdays without the holidays, as midnights; shape (DAYS,)."""
    holidays = np.concatenate([np.arange(*span, dtype="datetime64[D]") for span in _HOLIDAYS])
    first = np.datetime64(_FIRST_DAY, "D")
    days = np.busday_offset(first, np.arange(DAYS), roll="forward", holidays=holidays)
    return days.astype("datetime64[ns]")


def minute_offsets() -> npt.NDArray[np.timedelta64]:
    """The ends of a day's trading minutes since midnight: 09:31 to 11:30, 13:01 to 15:00.

    Shape (MINUTES,).
    """
    half = np.arange(1, MINUTES // 2 + 1)
    return np.concatenate([9 * 60 + 30 + half, 13 * 60 + half]).astype("timedelta64[m]")


def draw_order(rng: np.random.Generator, count: int) -> Integers:
    """A permutation of the numbers below `count` out of uniform draws."""
    return np.argsort(rng.random(count), kind="stable")


def draw_events(rng: np.random.Generator) -> Events:
    """Late listings, suspensions and limit days, each for other instruments.

    All lie before the days that have minutes, so that the minute table is complete.
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
    return Events(listed, limit)
