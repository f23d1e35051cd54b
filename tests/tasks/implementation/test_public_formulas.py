"""Fixed formulas on a part of the market and as programs; the public ones by hand."""

import itertools
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from vivavoce.tasks.implementation.items import formulas as reference
from vivavoce.tasks.implementation.items.formula import RESULT, Formula, list_formulas
from vivavoce.tasks.implementation.items.formulas import every_row
from vivavoce.tasks.implementation.items.market import TABLES, generate, to_parquet

FORMULAS = list_formulas()
LAGGED = sorted(name for name, formula in FORMULAS.items() if formula.naive_program)
MAIN_NAMES = {name: formula.alias_of or name for name, formula in FORMULAS.items()}
RUN_ALL = "import os, runpy, sys\nfor f in sys.argv[1:]: os.chdir(f); runpy.run_path('program.py')"

Tables = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def market() -> Tables:
    """Daily rows of two late, two suspended and two once limited instruments; two days' minutes."""
    whole = generate(7)
    prices = whole["daily_pv"]
    rarest_first = prices["instrument"].value_counts().sort_index().sort_values(kind="stable")
    locked = prices[prices["$high"] == prices["$low"]]["instrument"].drop_duplicates().sort_values()
    some = [*rarest_first.index[[0, 1, 3, 4]], *locked.iloc[:2]]
    minutes = whole["high_freq"]
    days = minutes["datetime"].dt.normalize()
    recent = days.drop_duplicates().sort_values().iloc[-2:]
    first = minutes["instrument"].drop_duplicates().sort_values().iloc[:4]
    return {
        "daily_pv": prices[prices["instrument"].isin(some)],
        "daily_f": whole["daily_f"][whole["daily_f"]["instrument"].isin(some)],
        "high_freq": minutes[days.isin(recent) & minutes["instrument"].isin(first)],
    }


@pytest.fixture(scope="module")
def computed(market: Tables) -> dict[str, pd.Series]:
    return {name: compute(formula, market) for name, formula in FORMULAS.items()}


def compute(formula: Formula, tables: Mapping[str, pd.DataFrame]) -> pd.Series:
    series: pd.Series = formula.compute(
        *(tables[table] for table in formula.tables), **formula.parameters
    )
    return series


def naive(formula: Formula, tables: Mapping[str, pd.DataFrame]) -> pd.Series:
    series: pd.Series = formula.compute(
        *(tables[table] for table in formula.tables), own=every_row, **formula.parameters
    )
    return series


def rows(text: str) -> pd.DataFrame:
    """A table as it is written: column names, then rows; `-` is missing."""
    header, *lines = [line.split() for line in text.strip().splitlines()]
    frame = pd.DataFrame(lines, columns=header)
    times = pd.to_datetime(frame["datetime"], format="ISO8601")
    numbers = frame[header[2:]].replace("-", "nan").astype(float)
    return pd.concat([times, frame["instrument"], numbers], axis=1)


def listed(series: pd.Series) -> list[tuple[str, str, float]]:
    return [(f"{day:%m-%d}", name, value) for (day, name), value in series.items()]


def near(*expected: tuple[str, str, float]) -> Any:
    return [(day, name, pytest.approx(value, nan_ok=True)) for day, name, value in expected]


@pytest.mark.parametrize("name", LAGGED)
def test_forgetting_the_instrument_gives_other_values(
    name: str, market: Tables, computed: dict[str, pd.Series]
) -> None:
    forgetful = naive(FORMULAS[name], market)
    assert forgetful.index.equals(computed[name].index)
    assert not np.allclose(forgetful, computed[name], rtol=1e-9, equal_nan=True)


@pytest.mark.parametrize("name", FORMULAS)
def test_every_row_has_a_value_or_nan_whatever_the_order_of_rows(
    name: str, market: Tables, computed: dict[str, pd.Series]
) -> None:
    first = market[FORMULAS[name].tables[0]]
    keys = pd.MultiIndex.from_arrays([first["datetime"].dt.normalize(), first["instrument"]])
    series = computed[name]
    assert series.index.tolist() == keys.unique().sort_values().tolist()
    again = compute(FORMULAS[name], {table: rows[::-1] for table, rows in market.items()})
    pd.testing.assert_series_equal(series, again, rtol=1e-12)


def test_two_formulas_differ_unless_one_is_a_named_alias(computed: dict[str, pd.Series]) -> None:
    assert MAIN_NAMES["mid_price_3"] == "mid_price"
    for one, other in itertools.combinations(sorted(FORMULAS), 2):
        first, second = computed[one], computed[other]
        same = first.index.equals(second.index) and np.allclose(
            first, second, rtol=1e-9, atol=0, equal_nan=True
        )
        assert same == (MAIN_NAMES[one] == MAIN_NAMES[other]), (one, other)


def test_the_programs_run_alone_and_leave_the_same_values(
    market: Tables, computed: dict[str, pd.Series], tmp_path: Path
) -> None:
    for table in TABLES:
        (tmp_path / f"{table}.parquet").write_bytes(to_parquet(market[table]))
    expected = {name: (formula.program, computed[name]) for name, formula in FORMULAS.items()}
    for name in LAGGED:
        program = FORMULAS[name].naive_program
        assert program is not None
        expected[f"naive {name}"] = (program, naive(FORMULAS[name], market))
    for name, (program, _) in expected.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "program.py").write_text(program, encoding="utf-8")
        for table in TABLES:
            (folder / f"{table}.parquet").symlink_to(tmp_path / f"{table}.parquet")
    # one interpreter for all of them: importing pandas takes longer than every program together
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(
        [sys.executable, "-c", RUN_ALL, *(tmp_path / name for name in expected)],
        check=True,
        env=environment,
        timeout=120,
    )
    for name, (_, series) in expected.items():
        result = pd.read_parquet(tmp_path / name / RESULT)
        assert result.columns.to_list() == ["value"]
        pd.testing.assert_series_equal(result["value"], series, check_index_type=False)


def test_alpha053_by_hand() -> None:
    table = rows("""
        datetime    instrument  $high  $low  $close
        2024-01-03  A           12     10    11
        2024-01-01  A           12     8     10
        2024-01-02  A           9      9     9
        2024-01-02  B           20     10    15
        2024-01-01  B           20     10    18
    """)
    # A: r = (2 - 2) / 2 = 0; then close = low, so none; then (1 - 1) / 1 = 0
    # B: r = (8 - 2) / 8 = 0.75; then (5 - 5) / 5 = 0, so -(0 - 0.75)
    assert listed(reference.alpha053(table, lag=1)) == near(
        ("01-01", "A", math.nan),
        ("01-01", "B", math.nan),
        ("01-02", "A", math.nan),
        ("01-02", "B", 0.75),
        ("01-03", "A", math.nan),
    )
    # two rows back, across A's day without a ratio: -(0 - 0)
    assert reference.alpha053(table, lag=2).dropna().to_list() == [0.0]


def test_alpha_pv_diff_by_hand() -> None:
    table = rows("""
        datetime    instrument  $open  $close  $high  $low
        2024-01-01  A           10     10.5    11     9
        2024-01-01  B           50     50      50     50
        2024-01-02  A           11     10      12     10
        2024-01-03  A           10     12      13     9.001
        2024-01-03  B           54     55      55.999 53
    """)
    # A, 2nd: ((10 - 10.5) - (11 - 10)) / (12 - 10 + 0.001) = -1.5 / 2.001
    # A, 3rd: ((12 - 10) - (10 - 11)) / (13 - 9.001 + 0.001) = 3 / 4
    # B, 3rd, whose row before is the 1st: ((55 - 50) - (54 - 50)) / (2.999 + 0.001) = 1 / 3
    assert listed(reference.alpha_pv_diff(table, lag=1)) == near(
        ("01-01", "A", math.nan),
        ("01-01", "B", math.nan),
        ("01-02", "A", -1.5 / 2.001),
        ("01-03", "A", 0.75),
        ("01-03", "B", 1 / 3),
    )


def test_alpha_pv_diff_pct_by_hand() -> None:
    table = rows("""
        datetime    instrument  $open  $close  $high  $low
        2024-01-01  A           10     10      10     8
        2024-01-01  B           30     30      30     30
        2024-01-02  A           10     11      12     10
        2024-01-02  B           33     33      33     33
        2024-01-03  A           12     11      15     12
    """)
    # A, 2nd: close less open: (11 - 10) - (10 - 10) = 1; high 12/10 - 1 = 0.2, low 10/8 - 1 = 0.25,
    # so 1 / (0.2 - 0.25 + 0.001) = 1 / -0.049
    # B, 2nd: (33 - 30) - (33 - 30) = 0 above the line, 0.1 - 0.1 + 0.001 below
    # A, 3rd: (11 - 11) - (12 - 10) = -2; high 15/12 - 1 = 0.25, low 12/10 - 1 = 0.2: -2 / 0.051
    assert listed(reference.alpha_pv_diff_pct(table, lag=1, growth_lag=1)) == near(
        ("01-01", "A", math.nan),
        ("01-01", "B", math.nan),
        ("01-02", "A", 1 / -0.049),
        ("01-02", "B", 0.0),
        ("01-03", "A", -2 / 0.051),
    )
    # with lag 2: (11 - 10) - (12 - 10) = -1, over the same 0.051
    last = reference.alpha_pv_diff_pct(table, lag=2, growth_lag=1).dropna()
    assert last.to_list() == [pytest.approx(-1 / 0.051)]


def test_pb_roe_by_hand() -> None:
    table = rows("""
        datetime    instrument  B/P   ROE
        2024-01-01  C           0.5   0.2
        2024-01-01  A           0.5   0.1
        2024-01-01  B           0.9   -
        2024-01-01  D           0.2   0.3
        2024-01-02  A           0.1   0.1
    """)
    # places by B/P: D 1, A and C share 2 and 3, B 4; by ROE: A 1, C 2, D 3, B none
    assert listed(reference.pb_roe(table, divisor=1)) == near(
        ("01-01", "A", 2.5 - 1),
        ("01-01", "B", math.nan),
        ("01-01", "C", 2.5 - 2),
        ("01-01", "D", 1 - 3),
        ("01-02", "A", 1 - 1),
    )
    # half the place by B/P: A 1.25 - 1, C 1.25 - 2, D 0.5 - 3; the second day 0.5 - 1
    assert reference.pb_roe(table, divisor=2).dropna().to_list() == [0.25, -0.75, -2.5, -0.5]


def test_roe_movement_by_hand() -> None:
    table = rows("""
        datetime    instrument  ROE
        2024-01-03  A           0.1
        2024-01-02  A           0.2
        2024-01-01  A           0.1
        2024-01-01  B           -
        2024-01-02  B           0.3
    """)
    # A: up from 0.1 to 0.2, then down again; B has nothing to compare with
    assert listed(reference.roe_movement(table, lag=1)) == [
        ("01-01", "A", 0.0),
        ("01-01", "B", 0.0),
        ("01-02", "A", 1.0),
        ("01-02", "B", 0.0),
        ("01-03", "A", -1.0),
    ]


def test_pb_roe_movement_by_hand() -> None:
    table = rows("""
        datetime    instrument  B/P   ROE
        2024-01-01  A           0.5   0.1
        2024-01-01  B           0.4   0.2
        2024-01-02  A           0.5   0.3
        2024-01-02  B           0.6   0.2
        2024-01-02  C           0.1   0.1
    """)
    # first day: A 2 - 1 = 1, B 1 - 2 = -1; second day: A 2 - 3 = -1, B 3 - 2 = 1, C new
    assert listed(reference.pb_roe_movement(table, lag=1)) == [
        ("01-01", "A", 0.0),
        ("01-01", "B", 0.0),
        ("01-02", "A", -1.0),
        ("01-02", "B", 1.0),
        ("01-02", "C", 0.0),
    ]


QUOTES = """
    datetime             instrument  bid  ask  bidV  askV
    2024-01-01T09:32:00  A           11   13   200   200
    2024-01-01T09:31:00  A           9    11   300   100
    2024-01-01T09:33:00  A           13   15   0     0
    2024-01-02T09:31:00  A           9    11   100   300
    2024-01-01T09:31:00  B           20   22   0     0
"""


def test_mid_price_by_hand() -> None:
    # A, first day: 10, 12, 14: mean 12, deviation sqrt((4 + 0 + 4) / 2) = 2; else one minute only
    assert listed(reference.mid_price(rows(QUOTES), divisor=2)) == near(
        ("01-01", "A", 2 / 12), ("01-01", "B", math.nan), ("01-02", "A", math.nan)
    )
    # with sizes: 10 + 200, 12 + 200, 14 + 0: mean 436/3 = 145.333, distances 64.667, 66.667,
    # -131.333: their squares sum to (194^2 + 200^2 + 394^2) / 9 = 232872 / 9
    with_sizes = reference.mid_price_with_sizes(rows(QUOTES)).dropna()
    assert with_sizes.to_list() == [pytest.approx(math.sqrt(232872 / 9 / 2) / (436 / 3))]


def test_liquidity_imbalance_by_hand() -> None:
    # A, first day: 200/400 = 0.5 and 0/400 = 0, the third minute has no sizes: mean 0.25,
    # deviation sqrt(0.25^2 + 0.25^2) = 0.25 * sqrt(2); else fewer than two minutes
    for scale in (1, 2, 3):
        assert listed(reference.liquidity_imbalance(rows(QUOTES), scale=scale)) == near(
            ("01-01", "A", math.sqrt(2)), ("01-01", "B", math.nan), ("01-02", "A", math.nan)
        )


def test_an_imbalance_without_a_mean_has_no_value() -> None:
    table = rows("""
        datetime             instrument  bidV  askV
        2024-01-01T09:31:00  A           300   100
        2024-01-01T09:32:00  A           100   300
    """)
    # 0.5 and -0.5: the mean is 0
    assert listed(reference.liquidity_imbalance(table, scale=1)) == near(("01-01", "A", math.nan))


def test_micro_price_by_hand() -> None:
    # A, first day: (9 * 100 + 11 * 300) / 400 = 10.5 and (11 * 200 + 13 * 200) / 400 = 12, the
    # third minute has no sizes: mean 11.25, deviation sqrt(0.75^2 + 0.75^2) = 0.75 * sqrt(2)
    for scale in (1, 2, 3):
        assert listed(reference.micro_price(rows(QUOTES), scale=scale)) == near(
            ("01-01", "A", 0.75 * math.sqrt(2) / 11.25),
            ("01-01", "B", math.nan),
            ("01-02", "A", math.nan),
        )
