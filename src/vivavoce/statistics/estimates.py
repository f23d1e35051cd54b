"""Figures for an audit, each with n and a 95% interval from the cluster bootstrap.

A figure that is not a mean, such as a slope or a coefficient of agreement, is a function of sums
over items. It is computed from the sums in every draw.

Coefficients of agreement between two annotators are functions of the table of counts (n_kl: the
first rater chose k, the second l; N units in all). Let n_k. and n_.l be the counts of each rater:

- pairwise = sum_k n_kk / N;
- Cohen's kappa = (pairwise - e) / (1 - e), e = sum_k n_k. n_.k / N²;
- Fleiss' kappa = (pairwise - e) / (1 - e), e = sum_k p_k², p_k = (n_k. + n_.k) / 2N;
- Krippendorff's alpha = 1 - (2N - 1) 2 sum_{k != l} n_kl / (4N² - sum_k (n_k. + n_.k)²), nominal;
- Gwet's AC1 = (pairwise - e) / (1 - e), e = sum_k p_k (1 - p_k) / (labels - 1).

`pairwise_agreement` also takes more raters: it is the share of rater pairs, within units, that
agree.

Source: Cohen 1960, "A coefficient of agreement for nominal scales". Fleiss 1971, "Measuring nominal
scale agreement among many raters". Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high agreement".
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.statistics.comparison import paired_difference
from vivavoce.statistics.intervals import (
    Floats,
    Interval,
    Resample,
    percentile_interval,
    quotient,
    resample,
)
from vivavoce.store import Row


def pairwise_agreement(units: Sequence[Sequence[Hashable]]) -> float | None:
    """Share of rater pairs, within units, that chose the same label; None without a pair."""
    counts = [Counter(unit) for unit in units]
    pairs = sum(math.comb(count.total(), 2) for count in counts)
    agreeing = sum(math.comb(number, 2) for count in counts for number in count.values())
    return agreeing / pairs if pairs else None


def pair_cells(pairs: Sequence[tuple[Hashable, Hashable]], labels: Sequence[Hashable]) -> Floats:
    """Turn pairs of labels into indicator rows: 1 for the pair's cell in the table of counts.

    Sums of these rows, of shape (pairs, labels²), reshaped to (..., labels, labels), are the tables
    of counts that the functions below take; `labels` gives the order of their rows and columns.
    """
    size = len(labels)
    places = {label: place for place, label in enumerate(labels)}
    cells = np.zeros((len(pairs), size * size))
    for row, (first, second) in enumerate(pairs):
        cells[row, places[first] * size + places[second]] = 1.0
    return cells


def pairwise_of_counts(counts: Floats) -> Floats:
    """Pairwise agreement for tables of counts, shape (tables, labels, labels), one value each."""
    agreement: Floats = np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2))
    return agreement


def cohen_of_counts(counts: Floats) -> Floats:
    """Cohen's kappa for tables of counts; NaN if both raters used only one and the same label."""
    total = counts.sum(axis=(1, 2))
    chance = (counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1) / total**2
    return quotient(pairwise_of_counts(counts) - chance, 1 - chance)


def fleiss_of_counts(counts: Floats) -> Floats:
    """Fleiss' kappa for tables of counts; NaN if only one label was used."""
    chance = (_label_shares(counts) ** 2).sum(axis=1)
    return quotient(pairwise_of_counts(counts) - chance, 1 - chance)


def alpha_of_counts(counts: Floats) -> Floats:
    """Krippendorff's nominal alpha for tables of counts; NaN if only one label was used."""
    total = counts.sum(axis=(1, 2))
    labels = counts.sum(axis=1) + counts.sum(axis=2)
    mixed = 2 * (total - np.trace(counts, axis1=1, axis2=2))
    return 1 - quotient((2 * total - 1) * mixed, 4 * total**2 - (labels**2).sum(axis=1))


def ac1_of_counts(counts: Floats, possible: int) -> Floats:
    """Gwet's AC1 for tables of counts; NaN with fewer than two `possible` labels to choose from."""
    if possible < 2:
        return np.full(len(counts), np.nan)
    shares = _label_shares(counts)
    chance = (shares * (1 - shares)).sum(axis=1) / (possible - 1)
    return quotient(pairwise_of_counts(counts) - chance, 1 - chance)


def _label_shares(counts: Floats) -> Floats:
    """Share of each label among the labels of both raters."""
    labels = counts.sum(axis=1) + counts.sum(axis=2)
    shares: Floats = labels / (2 * counts.sum(axis=(1, 2))[:, None])
    return shares


FromSums = Callable[[Floats], Floats]
"""Function from sums of shape (draws, columns) to one value per draw; NaN if undefined."""
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
        """Make the bootstrap draws of items, given each item's cluster in order."""
        return resample(clusters, resamples=self.resamples, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, its 95% interval, and the number of cases behind it."""

    value: float | None
    ci: Interval | None
    n: int

    def fields(self) -> Row:
        """The fields as columns of a row."""
        return {"value": self.value, "ci": self.ci, "n": self.n}


def mean_estimate(
    values: Sequence[float | None], clusters: Sequence[str], draws: Draws
) -> Estimate:
    """Mean of the values that are neither None nor NaN."""
    column = np.asarray(values, dtype=np.float64)
    kept = ~np.isnan(column)
    if not kept.any():
        return Estimate(None, None, 0)
    drawn = draws.of([label for label, keep in zip(clusters, kept, strict=True) if keep])
    return Estimate(drawn.mean(column[kept])[0], drawn.intervals(column[kept])[0], int(kept.sum()))


def estimate_from_sums(
    table: npt.ArrayLike, clusters: Sequence[str], from_sums: FromSums, draws: Draws
) -> Estimate:
    """Estimate a function of the column sums of a table that has one row per case."""
    rows = np.asarray(table, dtype=np.float64)
    if not len(rows):
        return Estimate(None, None, 0)
    drawn = draws.of(clusters)
    sums, _ = drawn.by_cluster(rows)
    value = float(from_sums(sums.sum(axis=0, keepdims=True))[0])
    if math.isnan(value) or not drawn.gives_intervals:
        return Estimate(None if math.isnan(value) else value, None, len(rows))
    drawn_values = [from_sums(counts.astype(np.float64) @ sums) for counts in drawn.counts()]
    return Estimate(value, percentile_interval(np.concatenate(drawn_values)), len(rows))


def agreement_estimates(
    pairs: Sequence[tuple[Hashable, Hashable]],
    clusters: Sequence[str],
    draws: Draws,
    coefficients: Mapping[str, FromSums] = COEFFICIENTS,
) -> dict[str, Estimate]:
    """Coefficients of agreement between the two labels of each case."""
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
    """Compare b with a on items with both values: means, difference b - a, interval, n, undecided.

    `span` is the range of possible values.
    """
    shared = [item for item in sorted(a.keys() & b.keys()) if not math.isnan(a[item] + b[item])]
    if not shared:
        return {"a": None, "b": None, "difference": None, "ci": None, "n": 0, "undecided": None}
    drawn = draws.of([clusters[item] for item in shared])
    first = np.array([a[item] for item in shared])
    second = np.array([b[item] for item in shared])
    paired = paired_difference(second, first, drawn, span=span)
    return {
        "a": drawn.mean(first)[0],
        "b": drawn.mean(second)[0],
        "difference": paired.value,
        "ci": paired.interval,
        "n": len(shared),
        "undecided": paired.undecided,
    }


_BATCH_CELLS = 500_000
"""Maximum number of cells of square matrices in memory at once."""


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's rho of each row of two arrays; NaN if a row has a NaN, one value or only ties."""
    from scipy.stats import rankdata  # boards need no ranks, and this import takes 0.5 s

    def centred(rows: Floats) -> Floats:
        return np.asarray(rankdata(rows, axis=1) - (rows.shape[1] + 1) / 2)

    return _cosines(centred, first, second)


def kendall(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b of each row of two arrays; NaN if a row has a NaN, one value or only ties."""

    def signs(rows: Floats) -> Floats:
        return np.sign(rows[:, :, None] - rows[:, None, :]).reshape(len(rows), -1)

    return _cosines(signs, first, second)


def _cosines(vectors_of: Callable[[Floats], Floats], first: Floats, second: Floats) -> Floats:
    """Cosines of the rows' vectors, a few rows at a time: a row of length m may need m² cells."""
    size = max(1, _BATCH_CELLS // max(1, first.shape[1] ** 2))
    batches = [np.zeros(0)]
    for start in range(0, len(first), size):
        one, other = (vectors_of(side[start : start + size]) for side in (first, second))
        lengths = (one**2).sum(axis=1) * (other**2).sum(axis=1)
        batches.append(quotient((one * other).sum(axis=1), np.sqrt(lengths)))
    return np.concatenate(batches)
