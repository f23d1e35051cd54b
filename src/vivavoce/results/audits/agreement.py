"""Agreement of two raters on the same cases, with an interval on every coefficient.

From the counts of the pairs of labels (n_kl: the first chose k, the second l; N of them in all):

- agreement = sum_k n_kk / N;
- Cohen's kappa = (agreement - e) / (1 - e), e = sum_k n_k. n_.k / N², by each rater's own labels;
- Krippendorff's alpha = 1 - (2N - 1) 2 sum_{k != l} n_kl / (4N² - sum_k m_k²), m_k = n_k. + n_.k,
  nominal: chance by the labels of both together.

Where only one label was ever used the last two are undefined.

Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Krippendorff 2011, "Computing
Krippendorff's alpha-reliability".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vivavoce.statistics.estimates import Draws, Estimate, estimate_from_sums
from vivavoce.statistics.intervals import Floats


def agreement_estimates(
    pairs: Sequence[tuple[str, str]], clusters: Sequence[str], draws: Draws
) -> dict[str, Estimate]:
    """Agreement, kappa and alpha of the two labels of each case."""
    labels = sorted({label for pair in pairs for label in pair})
    size = len(labels)
    cells = np.zeros((len(pairs), size * size))
    for row, (first, second) in enumerate(pairs):
        cells[row, labels.index(first) * size + labels.index(second)] = 1.0

    def table(sums: Floats) -> Floats:
        return sums.reshape(-1, size, size)

    coefficients = {
        "agreement": lambda sums: _agreement(table(sums)),
        "kappa": lambda sums: _kappa(table(sums)),
        "alpha": lambda sums: _alpha(table(sums)),
    }
    return {
        name: estimate_from_sums(cells, clusters, coefficient, draws)
        for name, coefficient in coefficients.items()
    }


def _agreement(counts: Floats) -> Floats:
    found: Floats = np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2))
    return found


def _kappa(counts: Floats) -> Floats:
    total = counts.sum(axis=(1, 2))
    chance = (counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1) / total**2
    return _ratio(_agreement(counts) - chance, 1 - chance)


def _alpha(counts: Floats) -> Floats:
    total = counts.sum(axis=(1, 2))
    labels = counts.sum(axis=1) + counts.sum(axis=2)
    mixed = 2 * (total - np.trace(counts, axis1=1, axis2=2))
    return 1 - _ratio((2 * total - 1) * mixed, 4 * total**2 - (labels**2).sum(axis=1))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where the denominator is 0."""
    found = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=found, where=np.abs(denominator) > 1e-12)
    return found
