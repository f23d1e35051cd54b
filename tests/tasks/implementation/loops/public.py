"""The public formulas a second time: plain loops over each instrument's rows, without pandas.

Every loop takes a table as a list of dictionaries and gives {(datetime, instrument): value}.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

Row = dict[str, Any]
Values = dict[tuple[Any, str], float]

NAN = math.nan


def histories(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Each instrument's rows from the earliest to the latest."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["datetime"]):
        found[row["instrument"]].append(row)
    return found


def key(row: Row) -> tuple[Any, str]:
    return row["datetime"], row["instrument"]


def alpha053(rows: list[Row], lag: int) -> Values:
    def ratio(row: Row) -> float:
        high, low, close = row["$high"], row["$low"], row["$close"]
        return NAN if close == low else ((close - low) - (high - close)) / (close - low)

    values: Values = {}
    for history in histories(rows).values():
        for place, row in enumerate(history):
            earlier = ratio(history[place - lag]) if place >= lag else NAN
            values[key(row)] = -(ratio(row) - earlier)
    return values


def price_difference(rows: list[Row], lag: int) -> Values:
    values: Values = {}
    for history in histories(rows).values():
        for place, row in enumerate(history):
            values[key(row)] = NAN
            if place >= lag:
                before = history[place - lag]
                close, opened = row["$close"] - before["$close"], row["$open"] - before["$open"]
                values[key(row)] = (close - opened) / (row["$high"] - row["$low"] + 0.001)
    return values


def price_difference_by_growth(rows: list[Row], lag: int) -> Values:
    values: Values = {}
    for history in histories(rows).values():
        for place, row in enumerate(history):
            values[key(row)] = NAN
            if place >= max(lag, 10):
                before, ten = history[place - lag], history[place - 10]
                close, opened = row["$close"] - before["$close"], row["$open"] - before["$open"]
                high, low = row["$high"] / ten["$high"] - 1, row["$low"] / ten["$low"] - 1
                divisor = high - low + 0.001
                values[key(row)] = (close - opened) / divisor if divisor else NAN
    return values


def places(rows: list[Row], column: str) -> Values:
    """A row's place in its day: those below it, and the middle of those equal to it."""
    days: dict[Any, list[float]] = defaultdict(list)
    for row in rows:
        if not math.isnan(row[column]):
            days[row["datetime"]].append(row[column])
    values: Values = {}
    for row in rows:
        others, own = days[row["datetime"]], row[column]
        below, equal = sum(other < own for other in others), sum(other == own for other in others)
        values[key(row)] = NAN if math.isnan(own) else below + (equal + 1) / 2
    return values


def rank_difference(rows: list[Row], divisor: int) -> Values:
    cheap, profitable = places(rows, "B/P"), places(rows, "ROE")
    return {row: cheap[row] / divisor - profitable[row] for row in cheap}


def direction(rows: list[Row], figure: Values, lag: int) -> Values:
    values: Values = {}
    for history in histories(rows).values():
        for place, row in enumerate(history):
            values[key(row)] = 0.0
            if place >= lag:
                now, before = figure[key(row)], figure[key(history[place - lag])]
                if now > before:
                    values[key(row)] = 1.0
                elif now < before:
                    values[key(row)] = -1.0
    return values


def roe_movement(rows: list[Row], lag: int) -> Values:
    return direction(rows, {key(row): row["ROE"] for row in rows}, lag)


def pb_roe_movement(rows: list[Row], lag: int) -> Values:
    return direction(rows, rank_difference(rows, 1), lag)


def mid_price(row: Row, divisor: int) -> float:
    return float(row["bid"] + row["ask"]) / divisor


def mid_price_with_sizes(row: Row) -> float:
    return float((row["bid"] + row["ask"]) / 2 + (row["bidV"] + row["askV"]) / 2)


def imbalance(row: Row, scale: int) -> float:
    total = row["bidV"] + row["askV"]
    return NAN if total == 0 else (row["bidV"] - row["askV"]) / (scale * total)


def micro_price(row: Row, scale: int) -> float:
    total = row["bidV"] + row["askV"]
    weighted = row["bid"] * row["askV"] + row["ask"] * row["bidV"]
    return NAN if total == 0 else weighted / (scale * total)


def variation(rows: list[Row], figure: Callable[[Row], float]) -> Values:
    """Sample deviation / mean of a minute figure in each day, with sums that lose nothing."""
    days: dict[tuple[Any, str], list[float]] = defaultdict(list)
    for row in rows:
        minutes = days[row["datetime"].normalize(), row["instrument"]]
        if not math.isnan(value := figure(row)):
            minutes.append(value)
    values: Values = {}
    for day, minutes in days.items():
        values[day] = NAN
        if len(minutes) > 1 and (mean := math.fsum(minutes) / len(minutes)) != 0:
            squares = math.fsum((value - mean) ** 2 for value in minutes)
            values[day] = math.sqrt(squares / (len(minutes) - 1)) / mean
    return values


LOOPS: dict[str, Callable[[list[Row]], Values]] = {
    "alpha053": partial(alpha053, lag=9),
    "alpha053_5": partial(alpha053, lag=5),
    "alpha053_15": partial(alpha053, lag=15),
    "alpha_pv_diff": partial(price_difference, lag=10),
    "alpha_pv_diff_15": partial(price_difference, lag=15),
    "alpha_pv_diff_20": partial(price_difference, lag=20),
    "alpha_pv_diff_pct": partial(price_difference_by_growth, lag=10),
    "alpha_pv_diff_pct_15": partial(price_difference_by_growth, lag=15),
    "alpha_pv_diff_pct_20": partial(price_difference_by_growth, lag=20),
    "PB_ROE": partial(rank_difference, divisor=1),
    "PB_ROE_2": partial(rank_difference, divisor=2),
    "PB_ROE_3": partial(rank_difference, divisor=3),
    "ROE_movement": partial(roe_movement, lag=5),
    "ROE_movement_10": partial(roe_movement, lag=10),
    "ROE_movement_20": partial(roe_movement, lag=20),
    "PB_ROE_movement": partial(pb_roe_movement, lag=5),
    "PB_ROE_movement_10": partial(pb_roe_movement, lag=10),
    "PB_ROE_movement_20": partial(pb_roe_movement, lag=20),
    "mid_price": partial(variation, figure=partial(mid_price, divisor=2)),
    "mid_price_2": partial(variation, figure=mid_price_with_sizes),
    "mid_price_3": partial(variation, figure=partial(mid_price, divisor=3)),
    "liquidity_imbalance": partial(variation, figure=partial(imbalance, scale=1)),
    "liquidity_imbalance_2": partial(variation, figure=partial(imbalance, scale=2)),
    "liquidity_imbalance_3": partial(variation, figure=partial(imbalance, scale=3)),
    "micro_price": partial(variation, figure=partial(micro_price, scale=1)),
    "micro_price_2": partial(variation, figure=partial(micro_price, scale=2)),
    "micro_price_3": partial(variation, figure=partial(micro_price, scale=3)),
}
