"""Dates of papers: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`, and the days they may mean."""

import calendar
import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import Window

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{2,18} ?(?:Z|[+-][0-9:]{2,8})?")
_PRECISIONS = {4: "year", 7: "month", 10: "day"}

_NAMES = "january february march april may june july august september october november december"
MONTHS = {
    form: number for number, name in enumerate(_NAMES.split(), start=1) for form in (name, name[:3])
} | {"sept": 9}
_WORD = re.compile(r"[a-z]+")
_MONTH_NUMBERS = re.compile(r"([0-9]{1,2})(?:\s?[-–—/]{1,3}\s?([0-9]{1,2}))?")
_MAX_MONTH = 100
_DAY_IN_WORDS = re.compile(r"\b(\d{1,2}) ([A-Z][a-z]{2,8})\.? (\d{4})\b")


def parse_date(value: Any) -> tuple[str, str] | None:
    """Turn a text, a year or a `datetime` into ISO text and precision: `day`, `month` or `year`.

    Times are converted to UTC. Anything else, such as 30 February, gives None.
    """
    if isinstance(value, str):
        return _parse_text(value.strip()) if len(value) <= _MAX_MONTH else None
    if isinstance(value, datetime):
        return _day_of(value)
    if isinstance(value, date):
        return value.isoformat(), "day"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    is_year = date.min.year <= value <= date.max.year and value == int(value)
    return (f"{int(value):04d}", "year") if is_year else None


def date_in(value: Any) -> str | None:
    """The ISO text of a date, as `parse_date` reads it."""
    parsed = parse_date(value)
    return parsed[0] if parsed else None


def parse_month(value: Any) -> int | None:
    """Read a month, 1 to 12, from a number or an English text: `May 31--2 June` is 5."""
    if isinstance(value, str):
        return _parse_month_text(value) if len(value) <= _MAX_MONTH else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 1 <= value <= 12 and value == int(value) else None


def find_day(text: str) -> str | None:
    """Find the first day in a text that has the format `6 Dec 2017`, as arXiv's stamp has it."""
    match = _DAY_IN_WORDS.search(text)
    month = parse_month(match[2]) if match else None
    return date_in(f"{match[3]}-{month:02d}-{match[1]:0>2}") if match and month else None


@lru_cache(maxsize=65536)
def period(published: str) -> tuple[date, date]:
    """The first day that a date can mean, and the day after the last; `InputError` if invalid."""
    parsed = parse_date(published)
    if parsed is None:
        raise InputError(f"{published!r} is not a date: write YYYY-MM-DD, YYYY-MM or YYYY.")
    text, precision = parsed
    year = int(text[:4])
    first_month, last_month = (1, 12) if precision == "year" else (int(text[5:7]),) * 2
    first = date(year, first_month, int(text[8:]) if precision == "day" else 1)
    last = (
        first
        if precision == "day"
        else date(year, last_month, calendar.monthrange(year, last_month)[1])
    )
    # The calendar of `date` ends with the year 9999.
    return first, last + timedelta(days=1) if last < date.max else last


NEVER = date.max.toordinal() + 1
"""Ordinal of a day later than all dates."""


def day_after(published: str | None, undated: int = NEVER) -> int:
    """Ordinal of the day after the last day that a date can mean; `undated` if there is no date."""
    return undated if published is None else period(published)[1].toordinal()


def is_over(published: str | None, day: date) -> bool:
    """Check whether there is a date, and every day that it can mean is before `day`."""
    return published is not None and period(published)[1] <= day


def inside(published: str, window: Window) -> bool:
    """Check whether every day that a date can mean lies in a window."""
    first, after = period(published)
    return window.start <= first and after <= window.end


def earlier(a: str, b: str) -> bool:
    """Check whether `a` is before `b`, whichever days the two dates mean."""
    return period(a)[1] <= period(b)[0]


@lru_cache(maxsize=65536)
def _parse_text(text: str) -> tuple[str, str] | None:
    match = _DATE.fullmatch(text)
    try:
        if match is None:
            is_moment = _TIMESTAMP.fullmatch(text) is not None
            return _day_of(datetime.fromisoformat(text)) if is_moment else None
        date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return None
    return text, _PRECISIONS[len(text)]


def _day_of(moment: datetime) -> tuple[str, str] | None:
    if moment.tzinfo is not None:
        try:
            moment = moment.astimezone(UTC)
        except OverflowError:
            return None
    return moment.date().isoformat(), "day"


@lru_cache(maxsize=4096)
def _parse_month_text(text: str) -> int | None:
    numbers = _MONTH_NUMBERS.fullmatch(text.strip())
    if numbers is not None:
        months = [int(number) for number in numbers.groups() if number]
        return months[0] if all(1 <= month <= 12 for month in months) else None
    words = _WORD.findall(text.lower())
    return next((MONTHS[word] for word in words if word in MONTHS), None)
