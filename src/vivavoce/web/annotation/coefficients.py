"""Agreement of the first pairs, field by field, with intervals from the cluster bootstrap.

Two labels an item. With n_kl the items whose first person chose k and whose second chose l, N of
them, and p_k = (n_k. + n_.k) / 2N, the coefficients of `metrics.agreement` are functions of the
counts, and so can be worked out anew for every draw:

- pairwise = sum_k n_kk / N;
- Fleiss' kappa = (pairwise - e) / (1 - e), e = sum_k p_k²;
- Krippendorff's alpha = 1 - (1 - pairwise) (2N - 1) / 2N / (1 - e);
- Gwet's AC1 = (pairwise - e') / (1 - e'), e' = sum_k p_k (1 - p_k) / (labels - 1).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from vivavoce.metrics.agreement import (
    Agreement,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pairwise_agreement,
)
from vivavoce.statistics.estimates import Draws, estimate_from_sums
from vivavoce.statistics.intervals import Floats
from vivavoce.store import Row

NO_DRAWS = Draws(resamples=0)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A number between -1 and 1, or why there is none."""

    value: float | None
    undefined: str | None
    interval: tuple[float, float] | None
    """95%, by the cluster bootstrap."""
    n: int
    """Pairs of labels behind it."""


@dataclass(frozen=True, slots=True)
class FieldAgreement:
    """How far the first pairs agree in one field."""

    field: str
    pairwise: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    ac1: Coefficient

    def row(self) -> Row:
        """As plain values."""
        return asdict(self)


def field_agreement(
    field: str,
    pairs: Sequence[tuple[Hashable, Hashable]],
    clusters: Sequence[str],
    *,
    possible: int,
    draws: Draws,
) -> FieldAgreement:
    """Agreement in one field.

    Args:
        field: Its name.
        pairs: The two labels of each item.
        clusters: What the bootstrap draws together, for each item.
        possible: How many labels there are to choose from.
        draws: How it draws; without any there are no intervals.
    """
    labels = sorted({label for pair in pairs for label in pair}, key=repr)
    size = len(labels)
    places = {label: place for place, label in enumerate(labels)}
    cells = np.zeros((len(pairs), size * size))
    for row, (first, second) in enumerate(pairs):
        cells[row, places[first] * size + places[second]] = 1.0

    def coefficient(found: Agreement, from_counts: Callable[[Floats], Floats]) -> Coefficient:
        interval = None
        if found.value is not None:
            interval = estimate_from_sums(
                cells, clusters, lambda sums: from_counts(sums.reshape(-1, size, size)), draws
            ).interval
        return Coefficient(found.value, found.undefined, interval, found.units)

    # Labels nobody chose count for AC1 as well.
    unused = [("unused", number) for number in range(possible - size)]
    return FieldAgreement(
        field=field,
        pairwise=coefficient(pairwise_agreement(pairs), _pairwise),
        fleiss=coefficient(fleiss_kappa(pairs), _fleiss),
        alpha=coefficient(krippendorff_alpha(pairs), _alpha),
        ac1=coefficient(gwet_ac1(pairs, [*labels, *unused]), lambda counts: _ac1(counts, possible)),
    )


def share_estimate(hits: Sequence[bool], clusters: Sequence[str], draws: Draws) -> Coefficient:
    """The share of some cases, with its interval."""
    if not hits:
        return Coefficient(None, "there are no cases", None, 0)
    table = np.array([[float(hit), 1.0] for hit in hits])
    found = estimate_from_sums(table, clusters, lambda sums: sums[:, 0] / sums[:, 1], draws)
    return Coefficient(sum(hits) / len(hits), None, found.interval, len(hits))


def _pairwise(counts: Floats) -> Floats:
    found: Floats = np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2))
    return found


def _shares(counts: Floats) -> Floats:
    found: Floats = (counts.sum(axis=1) + counts.sum(axis=2)) / (
        2 * counts.sum(axis=(1, 2))[:, None]
    )
    return found


def _fleiss(counts: Floats) -> Floats:
    return _beyond(_pairwise(counts), (_shares(counts) ** 2).sum(axis=1))


def _alpha(counts: Floats) -> Floats:
    total = counts.sum(axis=(1, 2))
    expected = 1 - (_shares(counts) ** 2).sum(axis=1)
    mixed = (1 - _pairwise(counts)) * (2 * total - 1) / (2 * total)
    return 1 - _divided(mixed, expected)


def _ac1(counts: Floats, possible: int) -> Floats:
    shares = _shares(counts)
    return _beyond(_pairwise(counts), (shares * (1 - shares)).sum(axis=1) / (possible - 1))


def _beyond(agreement: Floats, chance: Floats) -> Floats:
    return _divided(agreement - chance, 1 - chance)


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where the denominator is 0: a draw in which only one label was used."""
    found = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=found, where=np.abs(denominator) > 1e-12)
    return found
