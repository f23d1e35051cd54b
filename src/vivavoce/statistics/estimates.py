"""Numbers of an audit, each with n and a 95% interval from the cluster bootstrap.

A number that is not a mean is a function of sums over items, such as a slope or a coefficient of
agreement: it is computed from the sums of every draw.

Coefficients of agreement of two annotators are functions of the table of counts (n_kl: the first
rater chose k, the second l; N units in all). With n_k. and n_.l the counts of each rater:

- pairwise = sum_k n_kk / N;
- Cohen's kappa = (pairwise - e) / (1 - e), e = sum_k n_k. n_.k / N²;
- Fleiss' kappa = (pairwise - e) / (1 - e), e = sum_k p_k², p_k = (n_k. + n_.k) / 2N;
- Krippendorff's alpha = 1 - (2N - 1) 2 sum_{k != l} n_kl / (4N² - sum_k (n_k. + n_.k)²), nominal;
- Gwet's AC1 = (pairwise - e) / (1 - e), e = sum_k p_k (1 - p_k) / (labels - 1).

`pairwise_agreement` also takes more raters: of the pairs of raters of one unit, the share that
agrees.

Source: Cohen 1960, "A coefficient of agreement for nominal scales". Fleiss 1971, "Measuring nominal
scale agreement among many raters". Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high agreement".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.statistics.comparison import paired_difference
from vivavoce.statistics.intervals import Floats, Resample, percentile_interval, resample
from vivavoce.store import Row


def pairwise_agreement(units: Sequence[Sequence[Hashable]]) -> float | None:
    """Share of the pairs of raters of one unit that chose the same label; None without a pair."""
    counts = [Counter(unit) for unit in units]
    pairs = sum(_pairs(count.total()) for count in counts)
    agreeing = sum(_pairs(number) for count in counts for number in count.values())
    return agreeing / pairs if pairs else None


def _pairs(number: int) -> int:
    return number * (number - 1)


def pair_cells(pairs: Sequence[tuple[Hashable, Hashable]], labels: Sequence[Hashable]) -> Floats:
    """One row a pair, one column a cell of the table of counts: 1 in the cell of the pair.

    `labels` are all there are, in the order of the rows and columns of the table.

    Returns:
        Shape (pairs, labels²). Sums of rows, reshaped to (..., labels, labels), are the counts that
        the functions below take.
    """
    size = len(labels)
    places = {label: place for place, label in enumerate(labels)}
    cells = np.zeros((len(pairs), size * size))
    for row, (first, second) in enumerate(pairs):
        cells[row, places[first] * size + places[second]] = 1.0
    return cells


def pairwise_of_counts(counts: Floats) -> Floats:
    """Pairwise agreement of tables of counts, shape (tables, labels, labels): one value a table."""
    found: Floats = np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2))
    return found


def cohen_of_counts(counts: Floats) -> Floats:
    """Cohen's kappa of tables of counts; NaN where both raters only ever used one label."""
    total = counts.sum(axis=(1, 2))
    chance = (counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1) / total**2
    return _ratio(pairwise_of_counts(counts) - chance, 1 - chance)


def fleiss_of_counts(counts: Floats) -> Floats:
    """Fleiss' kappa of tables of counts; NaN where only one label was used."""
    chance = (_label_shares(counts) ** 2).sum(axis=1)
    return _ratio(pairwise_of_counts(counts) - chance, 1 - chance)


def alpha_of_counts(counts: Floats) -> Floats:
    """Krippendorff's nominal alpha of tables of counts; NaN where only one label was used."""
    total = counts.sum(axis=(1, 2))
    labels = counts.sum(axis=1) + counts.sum(axis=2)
    mixed = 2 * (total - np.trace(counts, axis1=1, axis2=2))
    return 1 - _ratio((2 * total - 1) * mixed, 4 * total**2 - (labels**2).sum(axis=1))


def ac1_of_counts(counts: Floats, possible: int) -> Floats:
    """Gwet's AC1 of tables of counts, with `possible` labels to choose from; NaN for one."""
    if possible < 2:
        return np.full(len(counts), np.nan)
    shares = _label_shares(counts)
    chance = (shares * (1 - shares)).sum(axis=1) / (possible - 1)
    return _ratio(pairwise_of_counts(counts) - chance, 1 - chance)


def _label_shares(counts: Floats) -> Floats:
    """Share of each label among those of both raters."""
    labels = counts.sum(axis=1) + counts.sum(axis=2)
    found: Floats = labels / (2 * counts.sum(axis=(1, 2))[:, None])
    return found


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where the denominator is 0."""
    found = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=found, where=np.abs(denominator) > 1e-12)
    return found


FromSums = Callable[[Floats], Floats]
"""Takes sums of shape (draws, columns) and gives one value a draw; NaN where undefined."""
COEFFICIENTS: Mapping[str, FromSums] = {
    "agreement": pairwise_of_counts,
    "kappa": cohen_of_counts,
    "alpha": alpha_of_counts,
}
"""Pairwise agreement, Cohen's kappa and Krippendorff's alpha."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Settings of the bootstrap."""

    resamples: int = 10_000
    seed: int = 0

    def of(self, clusters: Sequence[str]) -> Resample:
        """The draws of items whose clusters are given in order."""
        return resample(clusters, resamples=self.resamples, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its 95% interval, and how many cases are behind it."""

    value: float | None
    interval: tuple[float, float] | None
    n: int

    def fields(self) -> Row:
        """Fields as the columns of a row."""
        return {
            "value": self.value,
            "ci": list(self.interval) if self.interval else None,
            "n": self.n,
        }


def mean_estimate(values: Sequence[float], clusters: Sequence[str], draws: Draws) -> Estimate:
    """The mean of the values that are not NaN."""
    column = np.asarray(values, dtype=np.float64)
    kept = ~np.isnan(column)
    if not kept.any():
        return Estimate(None, None, 0)
    drawn = draws.of([label for label, keep in zip(clusters, kept, strict=True) if keep])
    return Estimate(drawn.mean(column[kept])[0], drawn.intervals(column[kept])[0], int(kept.sum()))


def estimate_from_sums(
    table: npt.ArrayLike, clusters: Sequence[str], from_sums: FromSums, draws: Draws
) -> Estimate:
    """A function of the column sums of a table with one row a case."""
    rows = np.asarray(table, dtype=np.float64)
    if not len(rows):
        return Estimate(None, None, 0)
    drawn = draws.of(clusters)
    sums, _ = drawn.by_cluster(rows)
    value = float(from_sums(sums.sum(axis=0, keepdims=True))[0])
    if math.isnan(value) or not drawn.gives_intervals:
        return Estimate(None if math.isnan(value) else value, None, len(rows))
    found = []
    for indices in drawn.indices():
        counts = np.stack([np.bincount(row, minlength=drawn.clusters) for row in indices])
        found.append(from_sums(counts.astype(np.float64) @ sums))
    return Estimate(value, percentile_interval(np.concatenate(found)), len(rows))


def agreement_estimates(
    pairs: Sequence[tuple[Hashable, Hashable]],
    clusters: Sequence[str],
    draws: Draws,
    coefficients: Mapping[str, FromSums] = COEFFICIENTS,
) -> dict[str, Estimate]:
    """Coefficients of agreement of the two labels of each case, from tables of counts."""
    labels = sorted({label for pair in pairs for label in pair}, key=repr)
    cells = pair_cells(pairs, labels)

    def estimated(coefficient: FromSums) -> Estimate:
        def from_sums(sums: Floats) -> Floats:
            return coefficient(sums.reshape(-1, len(labels), len(labels)))

        return estimate_from_sums(cells, clusters, from_sums, draws)

    return {name: estimated(coefficient) for name, coefficient in coefficients.items()}


def paired_row(
    a: Mapping[str, float],
    b: Mapping[str, float],
    clusters: Mapping[str, str],
    draws: Draws,
    span: float = 0.0,
) -> Row:
    """(b - a) over the items where both have a value: means, difference, interval, n, undecided.

    `span` is the range that values may have.
    """
    shared = [item for item in sorted(a.keys() & b.keys()) if not math.isnan(a[item] + b[item])]
    if not shared:
        return {"a": None, "b": None, "difference": None, "ci": None, "n": 0, "undecided": None}
    drawn = draws.of([clusters[item] for item in shared])
    first = np.array([a[item] for item in shared])
    second = np.array([b[item] for item in shared])
    found = paired_difference(second, first, drawn, span=span)
    interval = None if found.low is None or found.high is None else [found.low, found.high]
    return {
        "a": drawn.mean(first)[0],
        "b": drawn.mean(second)[0],
        "difference": found.value,
        "ci": interval,
        "n": len(shared),
        "undecided": found.undecided,
    }


_BATCH_CELLS = 500_000
"""Cells of the squares that are held at once."""


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's rho of each row of two arrays; NaN for a NaN, one value or a side of ties."""
    return _in_batches(_spearman, first, second)


def kendall(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b of each row of two arrays; NaN for a NaN, one value or a side of ties."""
    return _in_batches(_kendall, first, second)


def _in_batches(
    coefficient: Callable[[Floats, Floats], Floats], first: Floats, second: Floats
) -> Floats:
    """Rows a few at a time: each needs a square of its length."""
    size = max(1, _BATCH_CELLS // max(1, first.shape[1] ** 2))
    found = [
        coefficient(first[start : start + size], second[start : start + size])
        for start in range(0, len(first), size)
    ]
    return np.concatenate(found)


def _spearman(first: Floats, second: Floats) -> Floats:
    from scipy.stats import rankdata  # boards need no ranks, and loading takes half a second

    one, other = (rankdata(side, axis=1) for side in (first, second))
    middle = (first.shape[1] + 1) / 2
    return _cosine(one - middle, other - middle)


def _kendall(first: Floats, second: Floats) -> Floats:
    signs = [np.sign(side[:, :, None] - side[:, None, :]) for side in (first, second)]
    one, other = (sign.reshape(len(sign), -1) for sign in signs)
    return _cosine(one, other)


def _cosine(one: Floats, other: Floats) -> Floats:
    products = (one * other).sum(axis=1)
    lengths = (one**2).sum(axis=1) * (other**2).sum(axis=1)
    found = np.full(len(products), np.nan)
    np.divide(products, np.sqrt(lengths), out=found, where=lengths > 0)
    clipped: Floats = np.clip(found, -1.0, 1.0)
    return clipped
