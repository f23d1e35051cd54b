"""The paper's 11 factors as plain loops, written apart from the reference implementations.

Tables are lists of rows (dictionaries); a result maps (day, instrument) to a float, NaN included.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Row = dict[str, Any]
Values = dict[tuple[Any, str], float]
NAN = math.nan


def histories(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Every instrument's own rows, oldest first."""
    found = defaultdict(list)
    for row in rows:
        found[row["instrument"]].append(row)
    for own in found.values():
        own.sort(key=lambda row: row["datetime"])
    return dict(found)


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    if len(first) == 0 or any(math.isnan(value) for value in [*first, *second]):
        return NAN
    if min(first) == max(first) or min(second) == max(second):
        return NAN
    a, b = mean(first), mean(second)
    product = math.fsum((x - a) * (y - b) for x, y in zip(first, second, strict=True))
    squares = math.fsum((x - a) ** 2 for x in first), math.fsum((y - b) ** 2 for y in second)
    return product / math.sqrt(squares[0] * squares[1])


def last(values: Sequence[float], at: int, window: int) -> Sequence[float] | None:
    """The window that ends at a position; None when it is not full."""
    part = values[at - window + 1 : at + 1] if at + 1 >= window else []
    return part if part and not any(math.isnan(value) for value in part) else None


def over_windows(
    values: Sequence[float], window: int, statistic: Callable[[Sequence[float]], float]
) -> list[float]:
    parts = [last(values, at, window) for at in range(len(values))]
    return [NAN if part is None else statistic(part) for part in parts]


def by_history(rows: list[Row], series: Callable[[list[Row]], Sequence[float]]) -> Values:
    """A series of each instrument's history, put together."""
    found = {}
    for instrument, own in histories(rows).items():
        for row, value in zip(own, series(own), strict=True):
            found[row["datetime"], instrument] = value
    return found


def simple_returns(own: list[Row]) -> list[float]:
    found = [NAN]
    for before, now in itertools.pairwise(own):
        found.append(now["$close"] / before["$close"] - 1)
    return found


def fraction_ranked(value: float, among: Sequence[float]) -> float:
    """Ascending rank with ties averaged, over the number ranked."""
    below = sum(other < value for other in among)
    same = sum(other == value for other in among)
    return (below + (same + 1) / 2) / len(among)


def peg(daily_f: list[Row]) -> Values:
    found = {}
    for row in daily_f:
        growth = row["net_profit_growth"]
        value = NAN if growth == 0 else row["PE"] / (growth * 100)
        found[row["datetime"], row["instrument"]] = value
    return found


def turnover_std_1m(daily_f: list[Row], window: int) -> Values:
    return by_history(
        daily_f, lambda own: over_windows([row["turnover"] for row in own], window, deviation)
    )


def turnover_correlation_with_price(daily_f: list[Row], daily_pv: list[Row], window: int) -> Values:
    closes = {(row["datetime"], row["instrument"]): row["$close"] for row in daily_pv}

    def series(own: list[Row]) -> list[float]:
        found = []
        for at in range(len(own)):
            part = own[at - window + 1 : at + 1] if at + 1 >= window else []
            prices = [closes.get((row["datetime"], row["instrument"]), NAN) for row in part]
            found.append(pearson([row["turnover"] for row in part], prices))
        return found

    return by_history(daily_f, series)


def liquidity_factor(daily_pv: list[Row], window: int, scale: float) -> Values:
    def series(own: list[Row]) -> list[float]:
        impact = [
            abs(change) / row["$money"] if row["$money"] > 0 else NAN
            for change, row in zip(simple_returns(own), own, strict=True)
        ]
        return [scale * value for value in over_windows(impact, window, mean)]

    return by_history(daily_pv, series)


def one_month_volatility(daily_pv: list[Row], window: int) -> Values:
    return by_history(daily_pv, lambda own: over_windows(simple_returns(own), window, deviation))


def vol20(daily_pv: list[Row], window: int) -> Values:
    return by_history(
        daily_pv,
        lambda own: over_windows(
            [(row["$high"] - row["$low"]) / row["$close"] for row in own], window, mean
        ),
    )


def alpha070(
    daily_pv: list[Row], lag: int, adv_window: int, corr_window: int, rank_window: int
) -> Values:
    closes = defaultdict(list)
    for row in daily_pv:
        closes[row["datetime"], row["industry"]].append(row["$close"])

    def powers(own: list[Row]) -> list[float]:
        neutral = [row["$close"] - mean(closes[row["datetime"], row["industry"]]) for row in own]
        adv = over_windows([row["$money"] for row in own], adv_window, mean)
        ties = []
        for at in range(len(own)):
            first, second = last(neutral, at, corr_window), last(adv, at, corr_window)
            full = first is not None and second is not None
            ties.append(pearson(first, second) if full else NAN)
        return over_windows(ties, rank_window, lambda part: fraction_ranked(part[-1], part))

    def deltas(own: list[Row]) -> list[float]:
        return [
            own[at]["$vwap"] - own[at - lag]["$vwap"] if at >= lag else NAN
            for at in range(len(own))
        ]

    power, delta = by_history(daily_pv, powers), by_history(daily_pv, deltas)
    of_day = defaultdict(list)
    for (day, _), value in delta.items():
        if not math.isnan(value):
            of_day[day].append(value)
    found = {}
    for (day, instrument), value in delta.items():
        exponent = power[day, instrument]
        undefined = math.isnan(value) or math.isnan(exponent)
        found[day, instrument] = (
            NAN if undefined else -(fraction_ranked(value, of_day[day]) ** exponent)
        )
    return found


def minutes_of_days(high_freq: list[Row]) -> dict[tuple[Any, str], list[Row]]:
    found = defaultdict(list)
    for instrument, own in histories(high_freq).items():
        for row in own:
            found[row["datetime"].normalize(), instrument].append(row)
    return found


def log_returns(minutes: list[Row]) -> list[float]:
    changes = [
        math.log(now["close"]) - math.log(before["close"])
        for before, now in itertools.pairwise(minutes)
    ]
    return [change for change in changes if not math.isnan(change)]


def demeaned(values: Values) -> Values:
    of_day = defaultdict(list)
    for (day, _), value in values.items():
        if not math.isnan(value):
            of_day[day].append(value)
    return {
        key: NAN if math.isnan(value) else value - mean(of_day[key[0]])
        for key, value in values.items()
    }


def daily_rdvar(high_freq: list[Row]) -> Values:
    found = {}
    for key, minutes in minutes_of_days(high_freq).items():
        changes = log_returns(minutes)
        down = math.fsum(change**2 for change in changes if change < 0)
        found[key] = down if changes else NAN
    return found


def adj_rdvar(high_freq: list[Row]) -> Values:
    return demeaned(daily_rdvar(high_freq))


def adj_rdskew(high_freq: list[Row]) -> Values:
    found = {}
    for key, minutes in minutes_of_days(high_freq).items():
        changes = log_returns(minutes)
        squares = math.fsum(change**2 for change in changes)
        cubes = math.fsum(change**3 for change in changes if change < 0)
        found[key] = math.sqrt(len(changes)) * cubes / squares**1.5 if squares > 0 else NAN
    return demeaned(found)


def minute_pv_corr(high_freq: list[Row]) -> Values:
    found = {}
    for key, minutes in minutes_of_days(high_freq).items():
        pairs = [(row["close"], row["volume"]) for row in minutes]
        whole = [pair for pair in pairs if not any(math.isnan(value) for value in pair)]
        found[key] = pearson([price for price, _ in whole], [volume for _, volume in whole])
    return found


LOOPS: dict[str, Callable[..., Values]] = {
    "PEG": peg,
    "Turnover_STD_1M": turnover_std_1m,
    "turnover_correlation_with_price": turnover_correlation_with_price,
    "Liquidity_Factor": liquidity_factor,
    "One_Month_Volatility": one_month_volatility,
    "Vol20": vol20,
    "Alpha#70": alpha070,
    "DailyRDvar": daily_rdvar,
    "AdjRDvar": adj_rdvar,
    "AdjRDskew": adj_rdskew,
    "minute_pv_corr": minute_pv_corr,
}
