"""A factor computed from a formula in a paper: does it run, is it in form, are the values right?

A factor has one value per day and instrument. With G and P the sets of (day, instrument) of the
gold and the produced factor:

- `exe` = 1 when there is a readable result; `form` = 1 when it has exactly one value column and the
  same rows as the gold, G = P, without duplicates on either side.
- `acc` = the share of G ∪ P with equal values: both rows exist, and |difference| < 1e-6 or both
  are NaN, or the same infinity. A row on one side only is wrong, even if its value is NaN.
- `corr` = the mean over days of Pearson's correlation across the instruments whose values are
  finite on both sides. A day is undefined if it has fewer than two of them, or no variance on one
  side; the mean is undefined if every day is. Days are those of either side.
- `corr_pooled` = Pearson's correlation over all such pairs of values of all days at once.
- `rows` = the smaller number of rows / the larger, `index` = |G ∩ P| / |G ∪ P|.

Without a readable result everything is 0 and the correlations undefined; several value columns
leave nothing to compare, so `acc` is 0. If a row is duplicated, the first counts.

Source: RD2Bench, section 3.1 (executability, format, correlation, value accuracy); the tolerance is
that of its code. `acc` counts two NaNs as equal; with its code, a NaN rules out 1.

`skill`: 1e-6 is negligible for a price and a hundredth of a daily variance. So the tolerance of a
gold number g depends on its factor's scale s, the median of |g| over numbers other than 0:

    near = the share of G ∪ P with |difference| <= 1e-5 (|g| + s), or equal as in `acc`

Some formulas are mostly one value, such as the sign of a change that is mostly 0: a table of zeros
then has much in common with the gold. Let c be the share of rows that are right for free: those
that are NaN in the gold, and the larger of two parts of the others. One part is the rows that the
best constant gets right within the same tolerance. The other is the numbers so near 0 that an error
of 0.1% is within that tolerance (|g| < s / 98). Then

    skill = max(0, (near - c) / (1 - c))

so that every constant scores 0, even with NaN in the right places, and so do values that are 0.1%
off or more. The right values score 1, and rounding to single precision costs nothing. Undefined
if the gold holds only one distinct number and NaN.

Source: ours; the form is that of skill scores in forecasting.

A report's central claim is recomputed. With C the set of columns that its method needs and D the
set that an answer names,

    data = 2 |C ∩ D| / (|C| + |D|)
    claim = 1 when |number - gold| <= 1e-6 |gold| + 1e-12, else 0

A column is named `table.column`; case and surrounding spaces do not count, nor do the keys
`datetime` and `instrument`, which every table has.

Source: RD2Bench, section 2 (all steps from a report to numbers), with stages of our own.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError

FACTOR_METRICS = ("exe", "form", "corr", "corr_pooled", "acc")

TOLERANCE = 1e-6
_RELATIVE = 1e-5
"""Share of a value and its factor's scale: above single-precision rounding, below real errors."""
_OFF = 0.99e-3
"""Relative error from which a value earns nothing: 0.1%, less a margin for rounding."""
_NO_DATE = frozenset({"", "NaT", "None", "nan"})
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FactorFrame:
    """A factor's rows, as columns of equal length."""

    day: npt.NDArray[np.datetime64]
    """Type datetime64[D]."""
    instrument: npt.NDArray[np.str_]
    values: tuple[Floats, ...]
    """The value columns; a factor in form has one."""

    def __len__(self) -> int:
        return len(self.day)


def frame_from_columns(columns: Mapping[str, npt.ArrayLike]) -> FactorFrame:
    """Make a frame from named columns, such as those of a Parquet file.

    `datetime` holds dates, time stamps (of which only the day counts) or ISO texts. `InputError`
    names a missing column, or one with content of the wrong type.
    """
    missing = [name for name in ("datetime", "instrument") if name not in columns]
    if missing:
        raise InputError(f"A factor needs the columns datetime and instrument; no {missing[0]}.")
    names = [
        name
        for name in columns
        if name not in ("datetime", "instrument") and not _UNNAMED_INDEX.fullmatch(name)
    ]
    frame = FactorFrame(
        day=_as_days(columns["datetime"]),
        instrument=np.asarray(columns["instrument"]).astype(np.str_),
        values=tuple(_as_floats(name, columns[name]) for name in names),
    )
    lengths = {len(frame.day), len(frame.instrument), *map(len, frame.values)}
    if len(lengths) > 1:
        raise InputError(f"The columns of a factor differ in length: {sorted(lengths)}.")
    return frame


def score_factor(
    gold: FactorFrame, produced: FactorFrame | None, *, is_readable: bool = True
) -> dict[str, float | None]:
    """Compare a produced factor with the gold one: `FACTOR_METRICS` by name, and what is beside.

    `near` is `acc` with a tolerance based on the factor's scale, from which `skill` is computed;
    `rows` and `index` compare the rows, `days` counts the days on either side, `undefined_days`
    those without a correlation. None is undefined.

    `produced` is None if there are no rows to compare: the result is unreadable or, if it
    `is_readable`, lacks the index columns. `InputError` if the gold is not in form.
    """
    if len(gold.values) != 1:
        raise InputError(f"The gold factor has {len(gold.values)} value columns instead of one.")
    if produced is None or not is_readable:
        days = len(np.unique(gold.day))
        nothing = dict.fromkeys((*FACTOR_METRICS, "near", "rows", "index"), 0.0)
        undefined = {"corr": None, "corr_pooled": None, "days": days, "undefined_days": days}
        return {**nothing, "exe": float(is_readable), **undefined}
    pairing = _pair(gold, produced)
    values, defined_days = _compare(gold, produced, pairing)
    shared, larger = len(pairing.gold), max(len(gold), len(produced))
    has_duplicates = len(gold) + len(produced) - shared != pairing.union
    in_form = len(produced.values) == 1 and not has_duplicates and shared == pairing.union
    return {
        "exe": 1.0,
        "form": float(in_form),
        **values,
        "rows": min(len(gold), len(produced)) / larger if larger else None,
        "index": shared / pairing.union if pairing.union else None,
        "days": pairing.days,
        "undefined_days": pairing.days - defined_days,
    }


@dataclass(frozen=True, slots=True)
class _Pairing:
    """The rows that both frames have."""

    gold: Integers
    """Positions of the rows in the gold frame."""
    produced: Integers
    day: Integers
    """Index of each row's day."""
    union: int
    """Number of distinct rows on either side."""
    days: int


def _pair(gold: FactorFrame, produced: FactorFrame) -> _Pairing:
    days, day = _numbered(gold.day.astype(np.int64), produced.day.astype(np.int64))
    names, name = _numbered(gold.instrument, produced.instrument)
    keys = day * max(1, names) + name
    here, first_here = np.unique(keys[: len(gold)], return_index=True)
    there, first_there = np.unique(keys[len(gold) :], return_index=True)
    both, in_here, in_there = np.intersect1d(here, there, assume_unique=True, return_indices=True)
    return _Pairing(
        gold=first_here[in_here],
        produced=first_there[in_there],
        day=both // max(1, names),
        union=len(here) + len(there) - len(both),
        days=days,
    )


def _numbered(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[int, Integers]:
    """The number of distinct values, and the index of each value in order."""
    distinct, numbers = np.unique(np.concatenate([one, other]), return_inverse=True)
    return len(distinct), numbers.astype(np.int64)


def _compare(
    gold: FactorFrame, produced: FactorFrame, pairing: _Pairing
) -> tuple[dict[str, float | None], int]:
    """Compute the values that compare numbers, and the number of days with a correlation."""
    if pairing.union == 0 or len(produced.values) != 1:
        right = 0.0 if pairing.union else None
        return {"corr": None, "corr_pooled": None, "acc": right, "near": right}, 0
    truth, given = gold.values[0][pairing.gold], produced.values[0][pairing.produced]
    usable = np.isfinite(truth) & np.isfinite(given)
    day, truth_there, given_there = pairing.day[usable], truth[usable], given[usable]
    daily = _correlations(day, truth_there, given_there)
    pooled = _correlations(np.zeros_like(day), truth_there, given_there)
    values = {
        "acc": float(_equal(truth, given, TOLERANCE).sum() / pairing.union),
        "near": float(_equal(truth, given, _margins(truth, gold)).sum() / pairing.union),
        "corr": float(daily.mean()) if len(daily) else None,
        "corr_pooled": float(pooled[0]) if len(pooled) else None,
    }
    return values, len(daily)


def _margins(values: Floats, gold: FactorFrame) -> Floats:
    """The tolerance of each value, based on the scale of all gold values."""
    (known,) = gold.values
    sizes = np.abs(known[np.isfinite(known) & (known != 0)])
    scale = float(np.median(sizes)) if len(sizes) else 0.0
    return np.asarray(_RELATIVE * (np.abs(np.nan_to_num(values, posinf=0, neginf=0)) + scale))


def _equal(one: Floats, other: Floats, margin: Floats | float) -> npt.NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):  # infinity - infinity
        near = np.abs(one - other) < margin
    return np.asarray(near | (one == other) | (np.isnan(one) & np.isnan(other)))


def _correlations(group: Integers, one: Floats, other: Floats) -> Floats:
    """Pearson's correlation within each group that has one; `group` is sorted."""
    if not len(group):
        return np.empty(0)
    starts = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    sizes = np.diff(starts, append=len(group))
    first, second = (_standardise(values, starts, sizes) for values in (one, other))
    varied = np.add.reduceat(first**2, starts) * np.add.reduceat(second**2, starts) > 0
    return np.asarray(np.clip(np.add.reduceat(first * second, starts)[varied], -1.0, 1.0))


def _standardise(values: Floats, starts: Integers, sizes: Integers) -> Floats:
    """Values minus their group's mean, scaled to unit length; zeros for a group of equal values.

    Each group is first scaled to at most 1, so that neither huge nor tiny values are lost.
    """
    low = np.minimum.reduceat(values, starts)
    high = np.maximum.reduceat(values, starts)
    scale = np.where(low == high, 1.0, np.maximum(np.abs(low), np.abs(high)))
    scaled = values / np.repeat(scale, sizes)
    centred = scaled - np.repeat(np.add.reduceat(scaled, starts) / sizes, sizes)
    spread = np.repeat(np.maximum.reduceat(np.abs(centred), starts), sizes)
    centred = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    length = np.sqrt(np.repeat(np.add.reduceat(centred**2, starts), sizes))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    unit[np.repeat(low == high, sizes)] = 0.0
    return np.asarray(unit)


def _as_days(values: npt.ArrayLike) -> npt.NDArray[np.datetime64]:
    array = np.asarray(values)
    try:
        if array.dtype.kind != "M":
            texts = [str(value) for value in array.tolist()]
            array = np.array(["NaT" if text in _NO_DATE else _iso(text) for text in texts], "M8[D]")
        return array.astype("datetime64[D]")
    except ValueError as error:
        raise InputError(f"The column datetime of a factor holds no dates: {error}") from error


def _iso(text: str) -> str:
    """The day of a time stamp's text; `20240131` is a date too."""
    if len(text) == 8 and text.isdigit():
        return f"{text[:4]}-{text[4:6]}-{text[6:]}"
    return text[:10]


def _as_floats(name: str, values: npt.ArrayLike) -> Floats:
    try:
        return np.asarray(values).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"The column {name} of a factor holds no numbers: {error}") from error


def free_share(gold: FactorFrame) -> float:
    """Share c of rows that are right for free; 0 without rows."""
    (values,) = gold.values
    if not len(values):
        return 0.0
    numbers = values[~np.isnan(values)]
    margins = _margins(numbers, gold)
    lows, highs = np.sort(numbers - margins), np.sort(numbers + margins)
    # Number of ranges that are open where the range of each value begins.
    open_there = np.searchsorted(lows, lows, side="right") - np.searchsorted(highs, lows)
    off = int((_OFF * np.abs(numbers) <= margins).sum())
    most = max(int(open_there.max()), off) if len(numbers) else 0
    return (most + int(np.isnan(values).sum())) / len(values)


def score_skill(near: float, free: float) -> float:
    """Skill of a share of right values beyond the share that is right for free.

    NaN if all rows are right for free.
    """
    if free >= 1:
        return float("nan")
    return max(0.0, (near - free) / (1 - free))


_SMALLEST = 1e-12
KEYS = frozenset({"datetime", "instrument"})


def score_columns(gold: Iterable[str], chosen: Iterable[str]) -> float:
    """F1 of the columns chosen; 0 if none is chosen."""
    needed, named = _columns(gold), _columns(chosen)
    if not needed or not named:
        return 0.0
    return 2 * len(needed & named) / (len(needed) + len(named))


def score_claim(gold: float, number: float | None) -> float:
    """1 for the right number, else 0; None and NaN are never right."""
    if number is None or not math.isfinite(number):
        return 0.0
    return float(abs(number - gold) <= TOLERANCE * abs(gold) + _SMALLEST)


def _columns(names: Iterable[str]) -> set[str]:
    spelt = {name.strip().casefold() for name in names}
    return {name for name in spelt if name and name.rpartition(".")[2] not in KEYS}
