"""Factors compared by hand and against pandas; skill, columns chosen and numbers claimed."""

import datetime
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.metrics.factor import (
    FACTOR_METRICS,
    FactorFrame,
    frame_from_columns,
    free_share,
    score_claim,
    score_columns,
    score_factor,
    score_skill,
)
from vivavoce.tasks.implementation.items.composed_formulas import compose
from vivavoce.tasks.implementation.items.formula import list_formulas
from vivavoce.tasks.implementation.items.market import generate

NAN = math.nan
DAYS = ("2024-01-02", "2024-01-03", "2024-01-04")


def frame(*rows: tuple[str, str, float]) -> FactorFrame:
    days, instruments, values = zip(*rows, strict=True) if rows else ((), (), ())
    return frame_from_columns(
        {
            "datetime": np.array(days, "M8[ns]"),
            "instrument": np.array(instruments, str),
            "value": np.array(values, float),
        }
    )


GOLD = frame(
    *[(DAYS[0], name, value) for name, value in zip("abc", (1.0, 2.0, 3.0), strict=True)],
    *[(DAYS[1], name, value) for name, value in zip("abc", (5.0, 5.0, NAN), strict=True)],
)
rows_of = st.lists(
    st.tuples(
        st.sampled_from(DAYS),
        st.sampled_from("abcd"),
        st.sampled_from([0.0, 1.0, 1.0 + 1e-7, 2.0, -3.5, NAN, math.inf]),
    ),
    max_size=12,
    unique_by=lambda row: row[:2],
)


def metrics(score: dict[str, float | None]) -> dict[str, float | None]:
    return {name: score[name] for name in FACTOR_METRICS}


def test_the_gold_factor_itself_is_the_maximum_with_its_nan() -> None:
    score = score_factor(GOLD, GOLD)
    # The second day has no variance, so only the first has a correlation.
    assert metrics(score) == {"exe": 1, "form": 1, "corr": 1.0, "corr_pooled": 1.0, "acc": 1.0}
    assert (score["rows"], score["index"], score["days"], score["undefined_days"]) == (
        1.0,
        1.0,
        2,
        1,
    )


def test_a_factor_compared_by_hand() -> None:
    produced = frame(
        (DAYS[0], "a", 3.0),
        (DAYS[0], "b", 2.0),
        (DAYS[0], "c", 1.0),
        (DAYS[1], "a", 5.0 + 9e-7),
        (DAYS[1], "b", NAN),
        (DAYS[2], "a", NAN),
    )
    score = score_factor(GOLD, produced)
    # Union of 7 rows. Equal: b on day 1, a on day 2. Day 2 lacks c; the NaN of day 3 is no match.
    assert score["acc"] == pytest.approx(2 / 7)
    assert (score["form"], score["rows"], score["index"]) == (0.0, 1.0, 5 / 7)
    assert (score["corr"], score["days"], score["undefined_days"]) == (-1.0, 3, 2)
    # Pairs (1,3) (2,2) (3,1) (5,5): means 2.75 and 2.75, products 4.75, squares 8.75
    assert score["corr_pooled"] == pytest.approx(4.75 / 8.75)


def test_a_result_that_cannot_be_read_or_compared() -> None:
    unreadable = score_factor(GOLD, None, is_readable=False)
    assert list(metrics(unreadable).values()) == [0.0, 0.0, None, None, 0.0]
    shapeless = score_factor(GOLD, None)
    assert list(metrics(shapeless).values()) == [1.0, 0.0, None, None, 0.0]
    two_columns = FactorFrame(GOLD.day, GOLD.instrument, GOLD.values * 2)
    assert list(metrics(score_factor(GOLD, two_columns)).values()) == [1.0, 0.0, None, None, 0.0]
    assert score_factor(GOLD, two_columns)["index"] == 1.0
    assert score_factor(GOLD, frame())["acc"] == 0.0


def test_a_duplicated_row_is_out_of_form_and_its_first_value_counts() -> None:
    produced = frame((DAYS[0], "a", 1.0), (DAYS[0], "a", 9.0))
    score = score_factor(frame((DAYS[0], "a", 1.0)), produced)
    assert (score["form"], score["acc"], score["index"], score["rows"]) == (0.0, 1.0, 1.0, 0.5)


def test_time_stamps_dates_and_texts_are_the_same_day() -> None:
    texts = list(DAYS)
    spellings = [
        np.array([f"{day}T15:00" for day in texts], "M8[us]"),
        [datetime.date.fromisoformat(day) for day in texts],
        [datetime.datetime.fromisoformat(f"{day}T09:30") for day in texts],
        [f"{day} 00:00:00" for day in texts],
        [int(day.replace("-", "")) for day in texts],
        pd.to_datetime(texts),
    ]
    for days in spellings:
        columns = {"datetime": days, "instrument": ["a", "b", "c"], "any name": [1, 2, 3]}
        assert frame_from_columns(columns).day.tolist() == [
            datetime.date.fromisoformat(day) for day in texts
        ]


def test_a_parquet_index_may_be_unnamed_or_named() -> None:
    table = pa.table(
        {
            "datetime": [datetime.date(2024, 1, 2)],
            "instrument": ["a"],
            "value": [1.5],
            "__index_level_0__": [0],
        }
    )
    arrays = {name: table[name].to_numpy() for name in table.column_names}
    read = frame_from_columns(arrays)
    assert [values.tolist() for values in read.values] == [[1.5]]


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ({"instrument": ["a"]}, "no datetime"),
        ({"datetime": ["2024-01-02"]}, "no instrument"),
        ({"datetime": ["soon"], "instrument": ["a"]}, "holds no dates"),
        ({"datetime": ["2024-01-02"], "instrument": ["a"], "v": ["x"]}, "v of a factor"),
        ({"datetime": ["2024-01-02"], "instrument": ["a", "b"]}, "differ in length"),
    ],
)
def test_a_frame_that_is_none_is_refused(columns: dict[str, list[str]], what: str) -> None:
    with pytest.raises(InputError, match=what):
        frame_from_columns(columns)


def test_a_gold_factor_without_one_value_column_is_refused() -> None:
    with pytest.raises(InputError, match="gold factor has 0 value columns"):
        score_factor(FactorFrame(GOLD.day, GOLD.instrument, ()), GOLD)


@given(rows_of, rows_of)
def test_values_against_pandas(gold_rows, produced_rows) -> None:
    score = score_factor(frame(*gold_rows), frame(*produced_rows))
    gold = pd.Series({row[:2]: row[2] for row in gold_rows}, dtype=float)
    produced = pd.Series({row[:2]: row[2] for row in produced_rows}, dtype=float)
    union = sorted(set(gold.index) | set(produced.index))
    if not union:
        assert score["acc"] is None
        return
    equal = [
        key in gold.index
        and key in produced.index
        and bool(np.isclose(gold[key], produced[key], rtol=0, atol=1e-6, equal_nan=True))
        for key in union
    ]
    assert score["acc"] == pytest.approx(sum(equal) / len(union))
    common = [key for key in union if key in gold.index and key in produced.index]
    both = pd.DataFrame({"day": [key[0] for key in common]})
    both["gold"] = np.array([gold[key] for key in common], float)
    both["produced"] = np.array([produced[key] for key in common], float)
    both = both[np.isfinite(both["gold"]) & np.isfinite(both["produced"])]
    daily = [pearson(group) for _, group in both.groupby("day")]
    daily = [value for value in daily if value is not None]
    assert score["corr"] == (pytest.approx(np.mean(daily)) if daily else None)
    assert score["undefined_days"] == len({key[0] for key in union}) - len(daily)
    pooled = pearson(both)
    assert score["corr_pooled"] == (None if pooled is None else pytest.approx(pooled))


def pearson(pairs: pd.DataFrame) -> float | None:
    if pairs["gold"].nunique() < 2 or pairs["produced"].nunique() < 2:
        return None
    return float(pairs["gold"].corr(pairs["produced"]))


def test_scale_and_shift_leave_the_correlation_alone() -> None:
    chance = np.random.default_rng(0)
    gold, noise = chance.normal(size=(2, 500))
    days = np.repeat(np.array(DAYS[:2], "M8[D]"), 250)
    names = np.array([f"s{index}" for index in range(250)] * 2)

    def made(values: np.ndarray) -> FactorFrame:
        return FactorFrame(days, names, (values,))

    plain = score_factor(made(gold), made(gold + noise))["corr"]
    for scaled in (1e200 * (gold + noise), 1e-200 * (gold + noise), 7 + (gold + noise)):
        assert score_factor(made(gold), made(scaled))["corr"] == pytest.approx(plain)
    assert score_factor(made(gold), made(np.full(500, 0.1)))["corr"] is None


def frame_of(values: list[float]) -> FactorFrame:
    return frame_from_columns(
        {
            "datetime": np.full(len(values), np.datetime64("2024-01-01")),
            "instrument": [f"S{i}" for i in range(len(values))],
            "value": np.array(values, dtype=float),
        }
    )


def test_the_free_share_is_the_commonest_value() -> None:
    assert free_share(frame_of([0, 0, 0, 1, -1])) == 3 / 5
    # A number in the right rows is one thing, to leave the other rows empty another.
    assert free_share(frame_of([math.nan, math.nan, 1, 2, 2.5])) == 3 / 5
    assert free_share(frame_of([])) == 0


def test_values_within_the_tolerance_count_together() -> None:
    # The scale is the median of 1, 1.00002 and 3: a constant between the first two is within
    # 1e-5 (1 + 1.00002) of both.
    assert free_share(frame_of([1, 1.00002, 3, 0])) == 2 / 4
    assert free_share(frame_of([1, 1.0001, 3, 0])) == 1 / 4


@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1, 1e6])
def test_the_scale_of_a_factor_does_not_matter(scale: float) -> None:
    truth = np.random.default_rng(1).lognormal(size=200) * scale
    gold = frame_of(list(truth))

    def skill(values: np.ndarray) -> float:
        near = score_factor(gold, frame_of(list(values)))["near"]
        assert near is not None
        return score_skill(near, free_share(gold))

    assert skill(truth) == 1
    assert skill(truth.astype(np.float32).astype(float)) == 1
    assert skill(truth * 1.001) == 0
    assert skill(truth * 0.99) == 0
    assert skill(np.zeros(200)) == 0
    if scale == 1e-8:  # the published measure takes anything for right that is so small
        assert score_factor(gold, frame_of(list(truth * 1.01)))["acc"] == 1


def test_numbers_near_zero_come_for_nothing() -> None:
    # The scale is 100: 1 and -0.5 are 0.1% off within 1e-5 (|g| + 100), and 2 is not.
    assert free_share(frame_of([100, 200, 300, 2, 1, -0.5, 0, 100])) == 3 / 8


def test_skill_by_hand() -> None:
    assert score_skill(0.9, 0.6) == pytest.approx(0.75)  # 0.3 / 0.4
    assert score_skill(0.6, 0.6) == 0
    assert score_skill(0.1, 0.6) == 0
    assert score_skill(1, 0.6) == 1
    assert math.isnan(score_skill(1, 1))


@given(st.lists(st.sampled_from([0.0, 1.0, -1.0, 1e-7, 0.5, math.nan]), min_size=1, max_size=12))
def test_no_constant_has_skill(values: list[float]) -> None:
    gold = frame_of(values)
    constant = free_share(gold)
    for guess in {*values, 0.0, 5e-7}:
        everywhere = [guess] * len(values)
        for table in (everywhere, [math.nan if math.isnan(v) else guess for v in values]):
            near = score_factor(gold, frame_of(table))["near"]
            assert near is not None
            assert near <= constant
            assert constant == 1 or score_skill(near, constant) == 0


@pytest.mark.slow
def test_values_a_thousandth_off_have_no_skill_on_any_formula() -> None:
    tables = generate(5)
    made = [each.values(tables) for each in list_formulas().values()]
    made += [values for _, values in compose(5, 8, tables)]
    for values in made:
        truth = values.to_numpy(float)
        gold = frame_of(list(truth))
        for wrong in (truth * 1.001, truth * 0.99, truth * 2):
            near = score_factor(gold, frame_of(list(wrong)))["near"]
            assert near is not None
            assert score_skill(near, free_share(gold)) == 0


def test_columns_are_compared_as_sets() -> None:
    gold = ["daily_pv.$close", "daily_f.turnover"]

    assert score_columns(gold, gold) == 1.0
    # one of two found, one of two named is right: 2 * 1 / (2 + 2)
    assert score_columns(gold, ["daily_pv.$close", "daily_pv.$open"]) == 0.5
    # both found among four named: 2 * 2 / (2 + 4)
    extra = ["daily_pv.$open", "daily_pv.$high"]
    assert score_columns(gold, [*gold, *extra]) == pytest.approx(2 / 3)


def test_keys_case_and_repeats_cost_nothing() -> None:
    named = [" Daily_PV.$Close ", "daily_pv.$close", "daily_pv.datetime", "instrument", ""]

    assert score_columns(["daily_pv.$close"], named) == 1.0


@pytest.mark.parametrize("chosen", [[], ["datetime"], ["", " "]])
def test_nothing_chosen_is_zero(chosen: list[str]) -> None:
    assert score_columns(["daily_pv.$close"], chosen) == 0.0


@pytest.mark.parametrize(
    ("gold", "number", "value"),
    [
        (0.25, 0.25, 1.0),
        (0.25, 0.2500002, 1.0),  # 2e-7 off, of 2.5e-7 allowed
        (0.25, 0.250001, 0.0),
        (0.0, 1e-13, 1.0),
        (2e6, 2e6 + 1.0, 1.0),  # 5e-7 of the number
        (2e6, 2e6 + 3.0, 0.0),
        (0.25, None, 0.0),
        (0.25, math.nan, 0.0),
        (0.25, math.inf, 0.0),
    ],
)
def test_a_number_may_be_a_millionth_off(gold: float, number: float | None, value: float) -> None:
    assert score_claim(gold, number) == value
