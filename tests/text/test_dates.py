"""What a date means, and what it does not tell."""

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.records import Window
from vivavoce.text.dates import earlier, inside, parse_date, parse_month, period

DAYS = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))
WRITTEN = st.builds(lambda day, length: day.isoformat()[:length], DAYS, st.sampled_from([4, 7, 10]))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2014-10-05", ("2014-10-05", "day")),
        (" 2014-10 ", ("2014-10", "month")),
        (2014, ("2014", "year")),
        (datetime(2014, 10, 5, 23, 59, tzinfo=UTC), ("2014-10-05", "day")),
        ("2014-10-05T00:00:00Z", ("2014-10-05", "day")),
        # 23:30 five hours west of Greenwich is 04:30 UTC on the next day.
        ("2014-10-05T23:30:00-05:00", ("2014-10-06", "day")),
        ("2016-02-29", ("2016-02-29", "day")),
    ],
)
def test_a_date_is_read_with_its_precision(value: object, expected: tuple[str, str]) -> None:
    assert parse_date(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "2014-02-30",
        "0000",
        "٢٠١٤",
        "2014" * 1000,
        True,
        float("nan"),
        10**400,
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
    ],
)
def test_what_no_calendar_has_is_no_date(value: object) -> None:
    assert parse_date(value) is None


@given(DAYS)
def test_every_day_survives(day: date) -> None:
    assert parse_date(day.isoformat()) == parse_date(day) == (day.isoformat(), "day")


@given(st.text() | st.binary() | st.floats() | st.integers() | st.none())
def test_any_value_gets_an_answer(value: object) -> None:
    parsed = parse_date(value)
    assert parsed is None or parse_date(parsed[0]) == parsed
    month = parse_month(value)
    assert month is None or 1 <= month <= 12


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (6, 6),
        ("6-7", 6),
        ("Sept", 9),
        ("September 28 - October 2", 9),
        ("Aug 23–Aug 27", 8),
        (0, None),
        (13, None),
        (6.5, None),
        (True, None),
        ("Marching", None),
        (None, None),
    ],
)
def test_a_month_is_read_from_numbers_and_names(value: object, expected: int | None) -> None:
    assert parse_month(value) == expected


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2014-12-31", date(2014, 12, 31), date(2015, 1, 1)),
        ("2016-02", date(2016, 2, 1), date(2016, 3, 1)),
        ("2014-12", date(2014, 12, 1), date(2015, 1, 1)),
        ("2014", date(2014, 1, 1), date(2015, 1, 1)),
        ("9999-12-31", date(9999, 12, 31), date(9999, 12, 31)),
    ],
)
def test_a_coarse_date_stands_for_all_its_days(text: str, first: date, after: date) -> None:
    assert period(text) == (first, after)


def test_text_that_is_no_date_has_no_period() -> None:
    with pytest.raises(InputError, match="'soon' is not a date"):
        period("soon")


def test_only_a_whole_period_is_inside_a_window() -> None:
    window = Window(date(2014, 1, 1), date(2014, 7, 1))
    assert inside("2014-01-01", window)
    assert inside("2014-06-30", window)
    assert not inside("2014-07-01", window)
    assert inside("2014-06", window)
    assert not inside("2014", window)
    assert inside("2014", Window(date(2014, 1, 1), date(2015, 1, 1)))


def test_earlier_needs_the_end_of_one_before_the_start_of_the_other() -> None:
    assert earlier("2013", "2014")
    assert earlier("2014-01", "2014-02-01")
    assert not earlier("2014-02", "2014-02-15")
    assert not earlier("2014", "2014-12")
    assert not earlier("2014-01-01", "2014-01-01")


@given(WRITTEN, WRITTEN)
def test_of_two_dates_at_most_one_is_earlier(a: str, b: str) -> None:
    assert not (earlier(a, b) and earlier(b, a))
    assert not earlier(a, a)


@given(WRITTEN, DAYS, DAYS)
def test_inside_agrees_with_looking_at_every_day(text: str, start: date, end: date) -> None:
    first, after = period(text)
    days = [first + timedelta(days=offset) for offset in range((after - first).days)]
    assert all(day.isoformat().startswith(text) for day in days)
    assert inside(text, Window(start, end)) == all(start <= day < end for day in days)


@pytest.mark.data
def test_every_month_of_the_anthology_is_read(data_dir: Path) -> None:
    import pyarrow.parquet as pq

    column = pq.read_table(data_dir / "acl" / "acl_upto2022.parquet", columns=["month"])["month"]
    months = {month for month in column.to_pylist() if month}
    assert len(months) > 70
    assert sorted(month for month in months if parse_month(month) is None) == []
