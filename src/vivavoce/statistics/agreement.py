"""Agreement between annotators: pairwise, Fleiss' kappa, Krippendorff's alpha and Gwet's AC1.

A unit (an item that was judged) is the list of its labels, one a rater, None where a rater gave
none. With n_uk the raters of unit u who chose label k, and n_u all its raters:

- pairwise = sum_uk n_uk (n_uk - 1) / sum_u n_u (n_u - 1): of the pairs of raters of one unit, the
  share that agrees;
- Fleiss' kappa = (P - Pe) / (1 - Pe), P the mean over units of the unit's agreeing share and
  Pe = sum_k p_k², p_k the share of label k; every unit needs the same number of labels;
- Krippendorff's alpha = 1 - Do / De, observed over expected disagreement, over the units with two
  labels or more; the difference of two labels is 0 or 1 (nominal), the squared difference of their
  values (interval) or of their mid-ranks among all labels (ordinal);
- Gwet's AC1 = (P - Pe) / (1 - Pe), P over the units with two labels or more,
  Pe = sum_k q_k (1 - q_k) / (labels - 1), q_k the mean over units of the label's share.

Where a number is undefined, it is None and the reason says why.

For two raters the coefficients are functions of the table of counts (n_kl: the first chose k, the
second l; N units in all), so that a bootstrap can compute them for every draw. With n_k. and n_.l
the counts of each rater:

- pairwise = sum_k n_kk / N;
- Cohen's kappa = (pairwise - e) / (1 - e), e = sum_k n_k. n_.k / N²;
- Fleiss' kappa = (pairwise - e) / (1 - e), e = sum_k p_k², p_k = (n_k. + n_.k) / 2N;
- Krippendorff's alpha = 1 - (2N - 1) 2 sum_{k != l} n_kl / (4N² - sum_k (n_k. + n_.k)²), nominal;
- Gwet's AC1 = (pairwise - e) / (1 - e), e = sum_k p_k (1 - p_k) / (labels - 1).

Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Fleiss 1971, "Measuring nominal
scale agreement among many raters"; Krippendorff 2011, "Computing Krippendorff's alpha-reliability";
Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high agreement".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError

Floats = npt.NDArray[np.float64]
Label = Hashable | None
Unit = Sequence[Label]
Level = Literal["nominal", "ordinal", "interval"]


class Agreement(NamedTuple):
    """A coefficient, or the reason why there is none."""

    value: float | None
    undefined: str | None
    units: int
    """Units with two labels or more."""


_NO_PAIRS = "no unit has two labels"
_ONE_LABEL = "only one label was ever used"
_NO_VARIATION = "the labels do not vary"


def pairwise_agreement(units: Sequence[Unit]) -> Agreement:
    """Share of the pairs of raters of one unit that chose the same label."""
    counts = _pairable(units)
    if not counts:
        return Agreement(None, _NO_PAIRS, 0)
    agreeing = sum(_pairs(number) for count in counts for number in count.values())
    return Agreement(agreeing / sum(_pairs(count.total()) for count in counts), None, len(counts))


def fleiss_kappa(units: Sequence[Unit]) -> Agreement:
    """Fleiss' kappa of labels without order."""
    counts = _pairable(units)
    if not counts:
        return Agreement(None, _NO_PAIRS, 0)
    given = [sum(label is not None for label in unit) for unit in units]
    if len(set(given)) > 1:
        reason = f"units have from {min(given)} to {max(given)} labels, not equally many"
        return Agreement(None, reason, len(counts))
    labels = sum(counts, Counter[Hashable]())
    if len(labels) == 1:
        return Agreement(None, _ONE_LABEL, len(counts))
    chance = math.fsum((number / labels.total()) ** 2 for number in labels.values())
    return Agreement(_beyond_chance(_mean_agreement(counts), chance), None, len(counts))


def gwet_ac1(units: Sequence[Unit], labels: Collection[Hashable] | None = None) -> Agreement:
    """Gwet's AC1 of labels without order.

    `labels` are those the raters could choose from; without it, those they did choose.
    """
    counts = _pairable(units)
    if not counts:
        return Agreement(None, _NO_PAIRS, 0)
    shares = _mean_shares(units)
    possible = len(shares.keys() | set(labels or ()))
    if possible == 1:
        return Agreement(None, _ONE_LABEL, len(counts))
    chance = math.fsum(share * (1 - share) for share in shares.values()) / (possible - 1)
    return Agreement(_beyond_chance(_mean_agreement(counts), chance), None, len(counts))


def krippendorff_alpha(units: Sequence[Unit], level: Level = "nominal") -> Agreement:
    """Krippendorff's alpha; ordinal and interval labels are finite numbers, else `InputError`."""
    counts = _pairable(units)
    if not counts:
        return Agreement(None, _NO_PAIRS, 0)
    labels = sum(counts, Counter[Hashable]())
    if level == "nominal":
        observed = [_mixed_pairs(each) for each in counts]
        expected = _mixed_pairs(labels)
    else:
        values = _mid_ranks(labels) if level == "ordinal" else _scaled(labels)
        observed = [_spread(each, values) for each in counts]
        expected = _spread(labels, values)
    if expected == 0:
        return Agreement(None, _NO_VARIATION, len(counts))
    weighted = (spread / (each.total() - 1) for spread, each in zip(observed, counts, strict=True))
    return Agreement(1 - math.fsum(weighted) / (expected / (labels.total() - 1)), None, len(counts))


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
    """Gwet's AC1 of tables of counts, with `possible` labels to choose from."""
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


def _pairable(units: Sequence[Unit]) -> list[Counter[Hashable]]:
    """Counts of the chosen labels, for each unit with two labels or more."""
    counts = (Counter(label for label in unit if label is not None) for unit in units)
    return [count for count in counts if count.total() > 1]


def _mean_shares(units: Sequence[Unit]) -> dict[Hashable, float]:
    """Mean over the labelled units of each label's share."""
    counts = [Counter(label for label in unit if label is not None) for unit in units]
    counts = [count for count in counts if count]
    shares: dict[Hashable, list[float]] = {}
    for count in counts:
        for label, number in count.items():
            shares.setdefault(label, []).append(number / count.total())
    return {label: math.fsum(parts) / len(counts) for label, parts in shares.items()}


def _mean_agreement(counts: Sequence[Counter[Hashable]]) -> float:
    shares = [sum(map(_pairs, count.values())) / _pairs(count.total()) for count in counts]
    return math.fsum(shares) / len(shares)


def _beyond_chance(agreement: float, chance: float) -> float:
    return (agreement - chance) / (1 - chance)


def _pairs(number: int) -> int:
    return number * (number - 1)


def _mixed_pairs(count: Counter[Hashable]) -> float:
    """Ordered pairs of different labels."""
    return float(count.total() ** 2 - sum(number**2 for number in count.values()))


def _spread(count: Counter[Hashable], values: dict[Hashable, float]) -> float:
    """Sum of the squared differences over ordered pairs of labels."""
    total = count.total()
    mean = math.fsum(number * values[label] for label, number in count.items()) / total
    squares = (number * (values[label] - mean) ** 2 for label, number in count.items())
    return 2 * total * math.fsum(squares)


def _mid_ranks(labels: Counter[Hashable]) -> dict[Hashable, float]:
    """The middle place of each label when all are put in order."""
    ranks: dict[Hashable, float] = {}
    below = 0
    for label in sorted(labels, key=_number):
        ranks[label] = below + labels[label] / 2
        below += labels[label]
    return ranks


def _scaled(labels: Counter[Hashable]) -> dict[Hashable, float]:
    """The labels' values moved and stretched into [0, 1], which leaves alpha as it is."""
    # Halved first: the difference of two large floats would overflow.
    halves = {label: _number(label) / 2 for label in labels}
    low, high = min(halves.values()), max(halves.values())
    width = high - low
    return {label: (half - low) / width if width else 0.0 for label, half in halves.items()}


def _number(label: Hashable) -> float:
    if isinstance(label, int | float):
        try:
            number = float(label)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise InputError(
        f"The label {label!r} is not a finite number. Ordinal and interval labels are numbers; "
        "for others use the nominal level."
    )
