"""Agreement between two annotators: pairwise, Cohen's and Fleiss' kappa, alpha and Gwet's AC1.

The coefficients are functions of the table of counts (n_kl: the first rater chose k, the second l;
N units in all), so that a bootstrap can compute them for every draw. With n_k. and n_.l the counts
of each rater:

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

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


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
