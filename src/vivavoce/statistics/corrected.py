"""A judge's mean score, corrected with human labels for some of the items.

More items do not cure a lenient judge: its bias stays. Human labels for a random sample of clusters
show that bias. The judge's verdicts on all other items still narrow the interval; the more the
judge agrees with people, the more they count. A judge that guesses has weight 0. This weight must
be estimated from the same labels. If there are few labels, only the labels count, with Wilson's
interval, which has a width even if all labels are equal.

Source: Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference,
arXiv 2311.01453, with clustered variances; Satterthwaite, Biometrics Bulletin 2(6), 1946. Wilson,
JASA 22(158), 1927, with Student's quantile and the effective number of labels.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_LEVEL, Floats, quotient

LEAST = 20
"""Number of labels needed on each side of their mean before the judge counts: with fewer, the
corrected interval covers the truth too seldom."""
Values = npt.ArrayLike | Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean that people would give over all items, estimated from the items they labelled."""

    value: float | None
    """The mean; None if no labelled item has a value from the judge."""
    low: float | None
    high: float | None
    """Ends of the interval; None if fewer than two clusters have labels."""
    raw: float | None
    """The mean of the judge's own values; None if the judge gave none."""
    weight: float
    """Weight of the judge's values for unlabelled items, from 0 to 1."""
    labels: int
    """Number of labelled items used."""
    lacking: int = 0
    """Labels still needed on the rarer side of the mean before the judge counts; 0 if it does."""


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over clusters: of items, of two columns, and of their products within each cluster.

    Each sum is one number, or an array with one number per cluster that is left out.
    """

    clusters: Floats
    items: Floats
    one: Floats
    two: Floats
    items_items: Floats
    items_one: Floats
    items_two: Floats
    one_two: Floats
    two_two: Floats
    one_one: Floats

    def covariances(self) -> tuple[Floats, Floats]:
        """Clustered covariance of the two columns' means, and variance of the second mean."""
        one, two = self.one / self.items, self.two / self.items
        factor = self.clusters / (self.clusters - 1) / self.items**2
        both = self.one_two - one * self.items_two - two * self.items_one
        alone = self.two_two - 2 * two * self.items_two + two**2 * self.items_items
        return factor * (both + one * two * self.items_items), factor * alone


def _sums(codes: npt.NDArray[np.int64], one: Floats, two: Floats) -> tuple[_Sums, _Sums]:
    """Sums over all clusters, and sums with each cluster left out in turn."""
    _, places = np.unique(codes, return_inverse=True)
    n, a, b = (np.bincount(places, column) for column in (np.ones(len(codes)), one, two))
    parts = (np.ones(len(n)), n, a, b, n * n, n * a, n * b, a * b, b * b, a * a)
    return _Sums(*(p.sum() for p in parts)), _Sums(*(p.sum() - p for p in parts))


def corrected_mean(
    judged: Values,
    clusters: Sequence[Hashable],
    labelled: Sequence[int],
    human: Values,
    *,
    bounds: tuple[float, float] | None = None,
    least: int = LEAST,
    level: float = DEFAULT_LEVEL,
) -> Estimate:
    """Estimate the mean human value over all items, from a judge's values and some human labels.

    It is mean(human - w judged) on the labelled items + w mean(judged) on the others, with the w of
    least variance. The interval comes from a jackknife over the labelled clusters, with a new w
    each time, and from the variance of the judge's values on the other items. Unlabelled items of a
    labelled cluster are left out; so are undefined values.

    Args:
        judged: The judge's value for each item; None or NaN if undefined.
        clusters: The label of each item's cluster.
        labelled: Positions of the items that people labelled, in a random sample of clusters. An
            item listed twice counts with the mean of its values.
        human: The human values for these items, in the same order.
        bounds: The lowest and highest possible value; by default those that occur.
        least: Labels needed on each side of their mean; with fewer, only human labels count.
        level: Confidence level of the interval.

    Raises:
        InputError: The arguments do not fit each other, or a position is outside the items.
    """
    values, of_people = _checked(judged, clusters, labelled, human, level)
    numbers = {label: place for place, label in enumerate(dict.fromkeys(clusters))}
    codes = np.array([numbers[label] for label in clusters], dtype=np.int64)
    raw = float(np.nanmean(values)) if not np.isnan(values).all() else None
    is_labelled = ~np.isnan(of_people + values)
    is_other = ~np.isnan(values) & ~np.isin(codes, codes[~np.isnan(of_people)])
    labels = int(is_labelled.sum())
    if not labels:
        return Estimate(None, None, None, raw, 0.0, 0)
    near, without = _sums(codes[is_labelled], of_people[is_labelled], values[is_labelled])
    far, _ = _sums(codes[is_other], values[is_other], values[is_other])
    alone = float(near.one / near.items)
    given = of_people[is_labelled]
    lacking = max(0, least - min(int((given > alone).sum()), int((given < alone).sum())))
    if near.clusters < 2:
        return Estimate(alone, None, None, raw, 0.0, labels, lacking)
    seen = np.concatenate([values[~np.isnan(values)], given])
    low, high = bounds or (float(seen.min()), float(seen.max()))
    if lacking:
        ends = _wilson(near, alone, low, high, level)
        return Estimate(alone, *ends, raw, 0.0, labels, lacking)
    uses_judge = near.clusters > 2 and far.clusters > 1
    mean = float(far.two / far.items) if uses_judge else 0.0
    spread = float(far.covariances()[1]) if uses_judge else 0.0

    def estimated(sums: _Sums) -> tuple[Floats, Floats]:
        weight = np.zeros_like(sums.items)
        if uses_judge:  # the weight of least variance
            both, unaided = sums.covariances()
            total = np.where(unaided + spread > 0, unaided + spread, np.inf)
            weight = np.asarray(np.clip(both / total, 0.0, 1.0), dtype=np.float64)
        return sums.one / sums.items + weight * (mean - sums.two / sums.items), weight

    value, weight = (float(number) for number in estimated(near))
    again = estimated(without)[0]
    variance = float(((again - again.mean()) ** 2).sum() * (near.clusters - 1) / near.clusters)
    degrees = float(near.clusters) - 1
    if weight > 0:  # the weight is estimated from these clusters too
        variance, degrees = variance * degrees / (degrees - 1), degrees - 1
        # With few labels, the next one may contradict the judge completely.
        variance += (weight * (high - low) / labels) ** 2
    parts = (variance, degrees), (weight**2 * spread, float(far.clusters - 1))
    reach = _reach(parts, level)
    return Estimate(value, value - reach, value + reach, raw, weight, labels)


def _wilson(
    sums: _Sums, mean: float, low: float, high: float, level: float
) -> tuple[float | None, float | None]:
    """Wilson interval for the mean of values between two bounds; None if the bounds are equal."""
    from scipy.stats import t

    if low == high:
        return None, None
    squares = sums.one_one - 2 * mean * sums.items_one + mean**2 * sums.items_items
    variance = float(sums.clusters / (sums.clusters - 1) * squares / sums.items**2)
    share = (mean - low) / (high - low)
    spread = share * (1 - share) * (high - low) ** 2
    worth = min(float(sums.items), spread / variance) if variance > 0 else float(sums.clusters)
    reach = float(t.ppf((1 + level) / 2, float(sums.clusters) - 1)) ** 2 / worth
    middle = (share + reach / 2) / (1 + reach)
    half = math.sqrt(reach * share * (1 - share) + reach**2 / 4) / (1 + reach)
    ends = (max(0.0, middle - half), min(1.0, middle + half))
    return low + ends[0] * (high - low), low + ends[1] * (high - low)


def _reach(parts: Sequence[tuple[float, float]], level: float) -> float:
    """Half-width of the interval for a sum of means, from their variances, degrees of freedom."""
    from scipy.stats import t

    variance = math.fsum(part for part, _ in parts)
    if variance <= 0:
        return 0.0
    degrees = variance**2 / math.fsum(part**2 / free for part, free in parts if free > 0)
    return float(t.ppf((1 + level) / 2, degrees)) * math.sqrt(variance)


def _checked(
    judged: Values,
    clusters: Sequence[Hashable],
    labelled: Sequence[int],
    human: Values,
    level: float,
) -> tuple[Floats, Floats]:
    """Check the arguments; return the judge's and the human value of every item, NaN for none."""
    values = np.asarray(judged, dtype=np.float64)
    given = np.asarray(human, dtype=np.float64)
    places = np.asarray(labelled, dtype=np.int64)
    if values.ndim != 1 or len(values) != len(clusters):
        raise InputError(f"{values.shape} judged values do not fit {len(clusters)} clusters.")
    if given.shape != places.shape or given.ndim != 1:
        raise InputError(f"{given.shape} values of people do not fit {places.shape} positions.")
    if np.isinf(values).any() or np.isinf(given).any():
        raise InputError("values contain an infinite number. Use NaN for an undefined value.")
    if ((places < 0) | (places >= len(values))).any():
        raise InputError(f"labelled contains a position outside of the {len(values)} items.")
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} is not between 0 and 1. For 95% use 0.95.")
    known = ~np.isnan(given)
    counts = np.bincount(places[known], minlength=len(values))
    sums = np.bincount(places[known], given[known], minlength=len(values))
    return values, quotient(sums, counts)
