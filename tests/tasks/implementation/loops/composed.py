"""Operators of composed formulas by plain loops over rows, in no hurry and without pandas."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from vivavoce.tasks.implementation.items.composed_grammar import Node

Key = tuple[datetime, str]
Values = dict[Key, float]
NAN = math.nan


def compute(tree: Node, tables: dict[str, dict[str, dict[Key, Any]]]) -> Values:
    """Values of a tree; tables by name and column."""
    if tree.is_leaf:
        table, _, column = tree.name.partition(".")
        return tables[table][column]
    args = [compute(arg, tables) for arg in tree.args]
    if tree.name == "neutral":
        return by_group(args[0], tables["daily_pv"]["industry"])
    if tree.name in WINDOWS:
        return over_windows(args, tree.number, WINDOWS[tree.name])
    if tree.name in DAYS:
        return over_minutes(args, DAYS[tree.name])
    if tree.name in ACROSS:
        return across(args[0], ACROSS[tree.name])
    if tree.name in BEFORE:
        return since_before(args[0], BEFORE[tree.name])
    keys = set.intersection(*(set(arg) for arg in args))
    return {key: VALUES[tree.name](*(arg[key] for arg in args)) for key in keys}


def known(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def divide(a: float, b: float) -> float:
    return NAN if b == 0 or math.isnan(b) else a / b


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    if len(a) < 2 or min(a) == max(a) or min(b) == max(b):
        return NAN
    return statistics.correlation(a, b)


def places(value: float, values: Sequence[float]) -> float:
    """Ascending place among values, ties sharing the mean, as a share of their number."""
    below = sum(other < value for other in values)
    alike = sum(other == value for other in values)
    return (below + (alike + 1) / 2) / len(values)


def above(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(a > b for a, b in pairs) / len(pairs) if pairs else NAN


def decayed(x: Sequence[float]) -> float:
    weights = range(1, len(x) + 1)
    return sum(w * v for w, v in zip(weights, x, strict=True)) / sum(weights)


# Full windows of one or two values, oldest first; no NaN among them.
WINDOWS: dict[str, Callable[..., float]] = {
    "mean": lambda x: sum(x) / len(x),
    "decay": decayed,
    "deviation": lambda x: statistics.stdev(x),
    "highest": max,
    "lowest": min,
    "time_rank": lambda x: places(x[-1], x),
    "correlation": pearson,
    "share_above": lambda x, y: above(list(zip(x, y, strict=True))),
    "lag": lambda x: x[0],
    "change": lambda x: x[-1] - x[0],
    "growth": lambda x: divide(x[-1], x[0]) - 1,
}
_ENDS = {"lag": 1, "change": 1, "growth": 1}
"""Operators of which the window's ends alone matter; it is one longer than its number."""


def over_windows(args: list[Values], number: int, how: Callable[..., float]) -> Values:
    keys = set.intersection(*(set(arg) for arg in args))
    days: dict[str, list[datetime]] = defaultdict(list)
    for day, stock in sorted(keys):
        days[stock].append(day)
    name = next(name for name, function in WINDOWS.items() if function is how)
    length = number + _ENDS.get(name, 0)
    out: Values = {}
    for stock, own in days.items():
        for place, day in enumerate(own):
            window = own[max(0, place - length + 1) : place + 1]
            values = [[arg[each, stock] for each in window] for arg in args]
            if name in _ENDS:
                values = [[x[0], x[-1]] for x in values]
            if name == "lag":
                values = [[x[0]] for x in values]
            is_full = len(window) == length and all(len(known(x)) == len(x) for x in values)
            out[day, stock] = how(*values) if is_full else NAN
    return out


# Of the minutes of a stock's day: rows of one, two or three values, in order.
DAYS: dict[str, Callable[[list[tuple[float, ...]]], float]] = {
    "day_mean": lambda rows: mean_or_nan([x for (x,) in rows]),
    "day_sum": lambda rows: (
        sum(known([x for (x,) in rows])) if known([x for (x,) in rows]) else NAN
    ),
    "day_deviation": lambda rows: spread(known([x for (x,) in rows])),
    "day_highest": lambda rows: max(known([x for (x,) in rows]), default=NAN),
    "day_lowest": lambda rows: min(known([x for (x,) in rows]), default=NAN),
    "day_last": lambda rows: ([NAN, *known([x for (x,) in rows])])[-1],
    "day_correlation": lambda rows: pearson(*both(rows)),
    "day_share_above": lambda rows: above(list(zip(*both(rows), strict=True))),
    "day_mean_above": lambda rows: mean_or_nan([a for a, b, c in rows if b > c]),
}


def total(values: Sequence[float]) -> float:
    return sum(values) if values else NAN


def spread(values: Sequence[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else NAN


def both(rows: list[tuple[float, ...]]) -> tuple[list[float], list[float]]:
    complete = [row for row in rows if len(known(row)) == len(row)]
    return [row[0] for row in complete], [row[1] for row in complete]


def mean_or_nan(values: Sequence[float]) -> float:
    defined = known(values)
    return math.fsum(defined) / len(defined) if defined else NAN


def over_minutes(args: list[Values], how: Callable[..., float]) -> Values:
    rows: dict[Key, list[tuple[float, ...]]] = defaultdict(list)
    for stamp, stock in sorted(args[0]):
        day = stamp.replace(hour=0, minute=0)
        rows[day, stock].append(tuple(arg[stamp, stock] for arg in args))
    return {key: how(own) for key, own in rows.items()}


# Among the stocks of a day.
ACROSS: dict[str, Callable[[float, Sequence[float]], float]] = {
    "rank": places,
    "demean": lambda value, values: value - math.fsum(values) / len(values),
    "standardised": lambda value, values: (
        divide(value - math.fsum(values) / len(values), statistics.stdev(values))
        if len(values) > 1
        else NAN
    ),
}


def across(x: Values, how: Callable[[float, Sequence[float]], float]) -> Values:
    days: dict[datetime, list[float]] = defaultdict(list)
    for (day, _), value in x.items():
        days[day].extend(known([value]))
    return {key: NAN if math.isnan(value) else how(value, days[key[0]]) for key, value in x.items()}


def by_group(x: Values, industry: dict[Key, str]) -> Values:
    groups: dict[tuple[datetime, str], list[float]] = defaultdict(list)
    for key, value in x.items():
        groups[key[0], industry[key]].extend(known([value]))
    return {
        key: NAN if math.isnan(value) else value - mean_or_nan(groups[key[0], industry[key]])
        for key, value in x.items()
    }


# Of a minute and the one before.
BEFORE: dict[str, Callable[[float, float], float]] = {
    "minute_return": lambda now, old: math.log(now) - math.log(old) if min(now, old) > 0 else NAN,
    "minute_change": lambda now, old: now - old,
}


def since_before(x: Values, how: Callable[[float, float], float]) -> Values:
    out: Values = {}
    last: dict[str, tuple[datetime, float]] = {}
    for (stamp, stock), value in sorted(x.items(), key=lambda item: item[0]):
        old = last.get(stock)
        same_day = old is not None and old[0].date() == stamp.date()
        out[stamp, stock] = how(value, old[1]) if same_day and old else NAN
        last[stock] = stamp, value
    return out


def either(a: float, b: float, how: Callable[[float, float], float]) -> float:
    return NAN if math.isnan(a) or math.isnan(b) else how(a, b)


# Value by value.
VALUES: dict[str, Callable[..., float]] = {
    "size": abs,
    "minute_size": abs,
    "logarithm": lambda x: math.log(x) if x > 0 else NAN,
    "direction": lambda x: x if math.isnan(x) else float((x > 0) - (x < 0)),
    "excess": lambda a, b: a - b,
    "average": lambda a, b: (a + b) / 2,
    "ratio": divide,
    "product": lambda a, b: a * b,
    "larger": lambda a, b: either(a, b, max),
    "smaller": lambda a, b: either(a, b, min),
    "choice": lambda a, b, c, d: NAN if math.isnan(c) or math.isnan(d) else (a if c > d else b),
    "minute_excess": lambda a, b: a - b,
    "minute_sum": lambda a, b: a + b,
    "minute_ratio": divide,
    "minute_product": lambda a, b: a * b,
}
