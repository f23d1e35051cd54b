"""Items of a test: how hard each is, and whether it tells contestants apart as the others do.

With a dozen contestants no model of several parameters an item can be fitted. They carry the mean,
the correlation with the rest of the items, and a list of items that say nothing.

Source: Lord and Novick, Statistical Theories of Mental Test Scores (1968), sections 15.2 and 15.4
(item difficulty, item-rest correlation); Fisher's z for the interval of a correlation.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_LEVEL, Floats

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ItemTable:
    """Statistics of every item, NaN where one cannot be had."""

    contestants: npt.NDArray[np.int64]
    """Contestants with a value."""
    mean: Floats
    """Over contestants: of a metric where more is better, the lower the harder."""
    low: Floats
    high: Floats
    """The 95% interval over contestants; from two on."""
    rest: Floats
    """Correlation over contestants with their means on all other items; from three on."""
    rest_low: Floats
    rest_high: Floats
    """Its 95% interval; from four contestants on."""
    is_alike: npt.NDArray[np.bool_]
    """True where two contestants or more all have the same value."""


def item_statistics(values: npt.ArrayLike) -> ItemTable:
    """Statistics of items from a table of shape (items, contestants), NaN for undefined.

    Raises:
        InputError: The values are no table, or one is infinite.
    """
    from scipy.stats import t

    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise InputError(f"values of shape {table.shape} are no table of finite values or NaN.")
    known = ~np.isnan(table)
    count = known.sum(axis=1)
    filled = np.where(known, table, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=1) / count
        apart = _apart(filled, known)
        squares = (apart**2).sum(axis=1)
        size = np.abs(filled).max(axis=1, initial=0.0)
        is_even = squares <= (_ROUNDING * size) ** 2 * np.maximum(count, 1)
        error = np.sqrt(np.where(is_even, 0.0, squares) / (count - 1) / count)
        reach = t.ppf((1 + DEFAULT_LEVEL) / 2, np.maximum(count - 1, 1)) * error
        reach[count < 2] = np.nan
        rest, shared = _with_the_rest(filled, known)
        rest[is_even] = np.nan
        rest[shared < 3] = np.nan
        z = NormalDist().inv_cdf((1 + DEFAULT_LEVEL) / 2) / np.sqrt(np.maximum(shared - 3, 0))
        center = np.arctanh(np.clip(rest, -1 + 1e-9, 1 - 1e-9))
        low, high = (np.where(shared > 3, np.tanh(center + sign * z), np.nan) for sign in (-1, 1))
    is_alike = is_even & (count > 1)
    return ItemTable(count, mean, mean - reach, mean + reach, rest, low, high, is_alike)


def _with_the_rest(
    filled: Floats, known: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Correlation of each item with its contestants' means on other items, and their number."""
    others = known.sum(axis=0) - known
    both = known & (others > 0)
    rest = np.where(both, (filled.sum(axis=0) - filled) / others, 0.0)
    own = _apart(np.where(both, filled, 0.0), both)
    away = _apart(rest, both)
    spread, kept = ((away**2).sum(axis=1), (own**2).sum(axis=1))
    scale = np.sqrt(np.where(spread > _ROUNDING**2, spread * kept, 0.0))
    found = np.full(len(filled), np.nan)
    np.divide((own * away).sum(axis=1), scale, out=found, where=scale > 0)
    return found, both.sum(axis=1)


def _apart(values: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Deviations of known values from their means by row, 0 for the others."""
    middle = values.sum(axis=1) / known.sum(axis=1)
    return np.where(known, values - middle[:, None], 0.0)
