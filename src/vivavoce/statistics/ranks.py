"""Ranks of many contestants, with a bound on the chance of any false "better" among all pairs.

Between two equal contestants, the summed difference in a cluster is as likely above 0 as below it.
So random signs of whole clusters show which differences arise by chance. The statistic is |sum of
s_c| / sqrt(sum of s_c^2), where s_c is the sum in a cluster; signs do not change the denominator.
All pairs get the same signs, which gives the distribution of the greatest difference.

Fourteen equal contestants make 91 pairs, and separate tests at 5% would name a false winner on most
boards. Here the greatest difference is compared with the greatest that random signs give. Once that
pair is decided, the next difference is compared with the greatest among the remaining pairs. This
goes on until the first undecided pair.

Source: Canay, Romano and Shaikh, Randomization Tests under an Approximate Symmetry Assumption,
Econometrica 85(3), 2017; Davidson and Flachaire, The Wild Bootstrap, Tamed at Last, Journal of
Econometrics 146(1), 2008. Romano and Wolf, Exact and Approximate Stepdown Methods for Multiple
Hypothesis Testing, JASA 100(469), 2005; Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks
with Applications, Review of Economic Studies 91(1), 2024.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_LEVEL, DEFAULT_RESAMPLES, Floats, Integers

Singles = npt.NDArray[np.float32]

MIN_CLUSTERS = 12
"""Fewer clusters decide nothing: if contestants' values have different distributions, up to one
"better" in three would be false."""

CELLS = 4_000_000
"""Maximum of pairs x draws, or clusters x draws, in memory at once: 16 MB per array."""

_NEAR_CELLS = 128_000
"""Number of cells of 8 bytes, small enough for the processor's cache."""
_PRODUCTS = 500_000
"""Number of products small enough that BLAS uses one thread: several would mostly wait."""
_ROUNDING = 1e-12  # a difference this small relative to the values is rounding error
_SMALLEST = 1e-30
"""Smaller differences count as 0, since draws are in single precision."""
_NEAR = 1e-2  # for contestants this close, the difference of their sums is inexact


class Flips:
    """Seeded random signs of clusters; adding clusters keeps the signs of earlier ones."""

    def __init__(self, draws: int, seed: int) -> None:
        """Set up `draws` signs per cluster, from a seed; `InputError` if either is negative."""
        if draws < 0 or seed < 0:
            raise InputError(f"resamples={draws} and seed={seed} must not be negative.")
        self.draws, self._seed = draws, seed

    def sums(self, columns: Floats) -> Singles:
        """Signed sums of columns that have one row per cluster; shape (columns, draws)."""
        clusters = len(columns)
        signed = np.zeros((columns.shape[1], self.draws), dtype=np.float32)
        generator = np.random.default_rng(self._seed)
        width = 4 * -(-self.draws // 32)  # bytes of a cluster: whole words, so that more can follow
        piece = max(1, CELLS // max(1, self.draws))
        for start in range(0, clusters, piece):
            count = min(piece, clusters - start)
            packed = np.frombuffer(generator.bytes(count * width), np.uint8).reshape(count, width)
            signs = np.unpackbits(packed, axis=1, count=self.draws).astype(np.float32) * 2 - 1
            part = columns[start : start + count].T.astype(np.float32)
            few = max(16, _PRODUCTS // max(1, part.size))
            for first in range(0, self.draws, few):
                signed[:, first : first + few] += part @ signs[:, first : first + few]
        return signed


class Contrasts:
    """Every pair of columns of a table, compared over the items for which both have a value."""

    def __init__(
        self, values: npt.ArrayLike, clusters: Sequence[Hashable], span: float = 0.0
    ) -> None:
        """Compare the columns of `values`, of shape (items, contestants) with NaN for undefined.

        Clusters are numbered in order of appearance. `span` is the range of possible values; it is
        widened if the values that occur exceed it.

        Raises:
            InputError: The table does not fit the clusters, or contains an infinite value.
        """
        table = np.asarray(values, dtype=np.float64)
        if table.ndim != 2 or len(table) != len(clusters):
            raise InputError(
                f"values of shape {np.shape(values)} do not fit {len(clusters)} items. "
                "Give one row for each cluster label, and one column for each contestant."
            )
        if np.isinf(table).any():
            raise InputError("values contain an infinite number. Use NaN for an undefined value.")
        places: dict[Hashable, int] = {}
        codes = np.array([places.setdefault(label, len(places)) for label in clusters], np.int64)
        order = np.argsort(codes, kind="stable")
        self.clusters = len(places)
        self.contestants = table.shape[1]
        self._table = table[order]
        self._starts = np.searchsorted(codes[order], np.arange(self.clusters))
        known = self._table[~np.isnan(self._table)]
        self.span = max(span, float(np.ptp(known)) if known.size else 0.0)
        self.first, self.second = np.triu_indices(self.contestants, 1)
        self._measure()

    def _measure(self) -> None:
        """Measure every pair, and mark the pairs whose own differences must be flipped."""
        is_whole = np.isfinite(self._table.sum(axis=0))
        self._own = self._by_cluster(np.where(is_whole, self._table, 0.0))
        if self.contestants:
            self._own = self._own - self._own.mean(axis=1, keepdims=True)
        count = len(self.first)
        self.sums, squares = np.zeros(count), np.zeros(count)
        has_all = is_whole[self.first] & is_whole[self.second]
        self.items = np.full(count, float(len(self._table)))
        self.common = np.full(count, float(self.clusters))
        """For each pair, the number of clusters where both have a value; likewise `items`."""
        for pairs in self._pieces(np.flatnonzero(~has_all)):
            sizes = self._sizes(pairs)
            self.items[pairs], self.common[pairs] = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
        for pairs in self._pieces(np.arange(count)):
            differences = self._differences(pairs)
            self.sums[pairs] = differences.sum(axis=0)
            squares[pairs] = (differences**2).sum(axis=0)
        size = self._size = float(np.abs(np.nan_to_num(self._table)).max(initial=0.0))
        self.scales = np.sqrt(squares)
        self.scales[self.scales <= max(_ROUNDING * size, _SMALLEST)] = 0.0
        unequal = self.scales > 0
        self.statistics = np.divide(self.sums, self.scales, out=np.zeros(count), where=unequal)
        """Statistic of each pair: above 0 if the first is ahead, 0 if they cannot be compared."""
        one = self.span / 2 * self.items / np.maximum(self.common, 1)
        left = (np.abs(self.sums) - one) / np.hypot(self.scales, np.maximum(one, _SMALLEST))
        self.guarded = np.where(unequal & (self.common >= MIN_CLUSTERS), left, -1.0)
        """Size of each pair's statistic after one more cluster, half the span per item against it.

        It is never above the present size. It is below 0 if that cluster would reverse the
        difference, or if the two share fewer than `MIN_CLUSTERS` clusters.
        """
        near = self.scales < _NEAR * np.sqrt((self._own**2).sum(axis=0).max(initial=0.0))
        self._is_apart = near | ~has_all

    def _pieces(self, pairs: Integers) -> Sequence[Integers]:
        piece = max(1, min(CELLS, _NEAR_CELLS) // max(1, len(self._table)))
        return [pairs[start : start + piece] for start in range(0, len(pairs), piece)]

    def _by_cluster(self, ordered: Floats) -> Floats:
        if self.clusters == len(ordered):
            return ordered
        return np.add.reduceat(ordered, self._starts, axis=0)

    def _item_differences(self, pairs: Integers) -> Floats:
        return self._table[:, self.first[pairs]] - self._table[:, self.second[pairs]]

    def _differences(self, pairs: Integers) -> Floats:
        """Summed differences of pairs in each cluster; shape (clusters, pairs)."""
        differences = self._item_differences(pairs)
        differences[np.isnan(differences)] = 0.0
        return self._by_cluster(differences)

    def _sizes(self, pairs: Integers) -> Floats:
        """Number of common items of pairs in each cluster; shape (clusters, pairs)."""
        return self._by_cluster((~np.isnan(self._item_differences(pairs))).astype(np.float64))

    def intervals(self, bound: float) -> tuple[Floats, Floats]:
        """Lower and upper ends of each mean difference's interval, for a bound on the statistic.

        A mean d is inside if |sum of s_c - d n_c| / sqrt(sum of (s_c - d n_c)^2) <= bound, where
        n_c is the number of items in a cluster. So 0 is outside if the pair's statistic exceeds the
        bound. Ends are infinite if no difference is excluded, NaN for a pair without common items.
        """
        low, high = np.empty(len(self.first)), np.empty(len(self.first))
        for pairs in self._pieces(np.arange(len(self.first))):
            sizes = self._sizes(pairs)
            items = sizes.sum(axis=0)
            with np.errstate(invalid="ignore", divide="ignore"):
                mean = self.sums[pairs] / items
                rest = self._differences(pairs) - mean * sizes
                lead = items**2 - bound**2 * (sizes**2).sum(axis=0)
                slope = bound**2 * (rest * sizes).sum(axis=0)
                reach = np.sqrt(slope**2 + lead * bound**2 * (rest**2).sum(axis=0))
                low[pairs] = np.where(lead > 0, mean - (slope + reach) / lead, mean - np.inf)
                high[pairs] = np.where(lead > 0, mean - (slope - reach) / lead, mean + np.inf)
        return low, high

    def errors(self) -> Floats:
        """Clustered standard error of each mean difference; NaN if it is undefined.

        It is undefined if the difference is the same on every item, or if there is one cluster.
        """
        standard_errors = np.full(len(self.first), np.nan)
        for pairs in self._pieces(np.arange(len(self.first))):
            sizes = self._sizes(pairs)
            items, groups = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
            with np.errstate(invalid="ignore", divide="ignore"):
                rest = self._differences(pairs) - self.sums[pairs] / items * sizes
                error = np.sqrt(groups / (groups - 1) * (rest**2).sum(axis=0)) / items
            standard_errors[pairs] = np.where(
                (groups > 1) & (error > _ROUNDING * self._size), error, np.nan
            )
        return standard_errors


class SignFlips:
    """Statistics of pairs under random signs for the clusters."""

    def __init__(self, contrasts: Contrasts, flips: Flips) -> None:
        """Draw the signs for the contestants' own sums."""
        self._of, self._flips = contrasts, flips
        self._own = flips.sums(contrasts._own)

    def sizes(self, pairs: Integers) -> Singles:
        """Size of each pair's statistic, shape (pairs, draws); 0 for equal pairs."""
        return np.array(list(self.each(pairs))).reshape(len(pairs), self._flips.draws)

    def each(self, pairs: Integers) -> Iterator[Singles]:
        """Yield sizes pair by pair: a row of draws fits the processor's cache, a table does not."""
        contrasts = self._of
        scales = np.where(contrasts.scales > 0, contrasts.scales, np.inf).astype(np.float32)
        piece = max(1, CELLS // max(1, self._flips.draws))
        for start in range(0, len(pairs), piece):
            near = pairs[start : start + piece]
            apart = near[contrasts._is_apart[near]]
            own = self._flips.sums(contrasts._differences(apart)) if len(apart) else ()
            sums = dict(zip(apart, own, strict=True))
            for pair in near:
                row = sums.get(pair)
                if row is None:
                    row = self._own[contrasts.first[pair]] - self._own[contrasts.second[pair]]
                np.abs(row, out=row)
                row /= scales[pair]
                yield row


SAME = 1 - 1e-5
"""In single precision, a drawn size counts as equal to an observed size from this share of it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A contestant's rank, its plausible range, and the contestants that it beats."""

    rank: int
    """1 + the number of contestants that are significantly better; 1 is best."""
    low: int
    """Best plausible rank, valid for all contestants together."""
    high: int
    """Worst plausible rank."""
    beats: tuple[int, ...]
    """Columns of the contestants that are significantly worse."""


def rank(
    values: npt.ArrayLike,
    clusters: Sequence[Hashable],
    *,
    span: float = 0.0,
    level: float = DEFAULT_LEVEL,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> list[Standing]:
    """Rank contestants; the chance that any `beats` is false is at most 1 - level.

    The bound assumes that differences between equal contestants are symmetric. Rare but large wins
    break this assumption, and may not have been seen yet. So a pair is decided only if one more
    cluster, with a difference of half the span the other way, would not undo the decision. Fewer
    than `MIN_CLUSTERS` clusters decide nothing. The order of the items does not matter.

    Args:
        values: Shape (items, contestants); higher is better, NaN is undefined. Two contestants are
            compared over the items for which both have a value.
        clusters: The label of each item's cluster, in the same order.
        span: Range of possible values; widened if the values that occur exceed it.
        level: Chance that every `beats`, and so every range of ranks, is true.
        resamples: Number of draws of signs; 0 decides nothing.
        seed: Seed for the draws.

    Returns:
        One `Standing` per column, in order.

    Raises:
        InputError: The values do not fit the clusters, a value is infinite, or an option is out of
            range.
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} is not between 0 and 1. For 95% use 0.95.")
    flips = Flips(resamples, seed)
    contrasts = Contrasts(*in_order(values, clusters), span)
    decided = _step_down(contrasts, SignFlips(contrasts, flips), resamples, 1.0 - level)
    return standings(contrasts, decided)


def in_order(
    values: npt.ArrayLike, clusters: Sequence[Hashable]
) -> tuple[npt.ArrayLike, Sequence[Hashable]]:
    """Sort items by the label of their cluster, so that the given order does not matter."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(clusters):
        return values, clusters  # `Contrasts` refuses these

    def place(item: int) -> tuple[str, float, str]:
        label = clusters[item]
        return type(label).__name__, label if isinstance(label, int | float) else 0, str(label)

    order = sorted(range(len(clusters)), key=place)
    return table[order], [clusters[item] for item in order]


def standings(contrasts: Contrasts, decided: Integers) -> list[Standing]:
    """The standings that follow from decided pairs."""
    beaten: list[list[int]] = [[] for _ in range(contrasts.contestants)]
    losses = [0] * contrasts.contestants
    for pair in decided:
        better, worse = int(contrasts.first[pair]), int(contrasts.second[pair])
        if contrasts.statistics[pair] < 0:
            better, worse = worse, better
        beaten[better].append(worse)
        losses[worse] += 1
    return [
        Standing(1 + lost, 1 + lost, contrasts.contestants - len(won), tuple(sorted(won)))
        for won, lost in zip(beaten, losses, strict=True)
    ]


def allowed_draws(draws: int, alpha: float) -> int:
    """Number of draws that may reach the observed value; -1 if no decision is possible.

    The observed value counts as one more draw.
    """
    return int((draws + 1) * alpha + 1e-9) - 1


def bound_of(drawn: npt.ArrayLike, alpha: float) -> float:
    """Critical value, from the maximum in each draw; larger differences are decided."""
    sizes = np.sort(np.asarray(drawn, dtype=np.float64))[::-1]
    allowed = allowed_draws(len(sizes), alpha)
    return float(sizes[allowed]) / SAME if allowed >= 0 else np.inf


def _step_down(contrasts: Contrasts, flipped: SignFlips, draws: int, alpha: float) -> Integers:
    """Numbers of the decided pairs, the clearest first."""
    sizes = contrasts.guarded
    order = np.argsort(-sizes, kind="stable")
    if (allowed := allowed_draws(draws, alpha)) < 0:
        return order[:0]
    bounds = (sizes[order] * SAME).astype(np.float32)
    is_open = np.ones(len(order), dtype=bool)
    greatest, exceeded = np.zeros(draws, dtype=np.float32), -1.0
    # The greatest sizes only grow, so a bound once exceeded by too many is never counted again.
    for place, drawn in zip(reversed(range(len(order))), flipped.each(order[::-1]), strict=True):
        np.maximum(drawn, greatest, out=greatest)
        if bounds[place] > exceeded:
            is_open[place] = np.count_nonzero(greatest >= bounds[place]) > allowed
            if is_open[place]:
                exceeded = np.partition(greatest, ~allowed)[~allowed]
    undecided = np.flatnonzero(is_open)
    return order[: undecided[0]] if len(undecided) else order
