"""Live boards: a configuration, a ledger, and steps that are each done once per period.

Here are the periods, computed in days without reading a clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import takewhile
from typing import Literal

from pydantic import Field, model_validator

from vivavoce.rounds.spec import Options

_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3}


@dataclass(frozen=True, slots=True)
class Period:
    """Span of days whose papers one round asks about: start inclusive, end exclusive."""

    start: date
    end: date

    @property
    def name(self) -> str:
        """Name of the period in the ledger and the status: its end."""
        return self.end.isoformat()


class Schedule(Options):
    """The `[schedule]` table: consecutive periods that begin on a first day."""

    start: date
    """First day of the first round's papers."""
    first: date | None = None
    """End of the first period; None for one step after the start."""
    every: Literal["day", "week", "month", "quarter"] = "month"
    wait_days: int = Field(default=0, ge=0, le=365)
    """Days between a period's end and the day it is due, since papers are announced late."""

    @model_validator(mode="after")
    def _check_days(self) -> Schedule:
        days = {self.start.day if self.first is None else self.first.day, self.start.day}
        if self.every in _MONTHS and max(days) > 28:
            raise ValueError("let periods of months begin on a day from 1 to 28")
        if self.first_end <= self.start:
            raise ValueError(f"first, {self.first_end}, is not after {self.start}")
        return self

    @property
    def first_end(self) -> date:
        """End of the first period."""
        return self.first or self._after(self.start)

    def periods(self) -> Iterator[Period]:
        """All periods, as an endless iterator."""
        start, end = self.start, self.first_end
        while True:
            yield Period(start, end)
            start, end = end, self._after(end)

    def due_on(self, period: Period) -> date:
        """First day on which a period is due."""
        return period.end + timedelta(days=self.wait_days)

    def due(self, until: date) -> list[Period]:
        """Periods that are due by a day, oldest first."""
        return list(takewhile(lambda period: self.due_on(period) <= until, self.periods()))

    def next_due(self, period: Period | None) -> date:
        """Day on which the period after this one is due; for None, the first period's day."""
        coming = (one for one in self.periods() if period is None or one.end > period.end)
        return self.due_on(next(coming))

    def _after(self, end: date) -> date:
        if self.every in _DAYS:
            return end + timedelta(days=_DAYS[self.every])
        months = end.year * 12 + end.month - 1 + _MONTHS[self.every]
        return end.replace(year=months // 12, month=months % 12 + 1)
