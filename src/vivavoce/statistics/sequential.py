"""A comparison that is tested repeatedly while a run goes on, and ends once it is decided.

Repeating a test at 5% twenty times gives a false difference in one run out of four. Here every look
spends its own share of the 5%, and a draw of random signs (see `SignFlips`) that exceeded the bound
at an earlier look counts as spent. Within a look, pairs are decided from the greatest difference
down, as in `ranks`, and with the same guard: one more cluster must not undo a decision.

Source: Lan and DeMets, Discrete Sequential Boundaries for Clinical Trials, Biometrika 70(3), 1983,
with their spending function for Pocock's boundary; Romano and Wolf, JASA 100(469), 2005 (step
down).
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.statistics.intervals import DEFAULT_RESAMPLES, Integers
from vivavoce.statistics.ranks import (
    MIN_CLUSTERS,
    SAME,
    Contrasts,
    Flips,
    SignFlips,
    allowed_draws,
    bound_of,
)
from vivavoce.store import hash_of

Question = Literal["top", "all"]
QUESTIONS: tuple[Question, ...] = ("top", "all")


@dataclass(frozen=True, slots=True)
class Decision:
    """The state of a comparison after a look."""

    done: bool
    """True once the question is answered."""
    beats: frozenset[tuple[int, int]]
    """Pairs (better, worse) decided so far; no pair is ever withdrawn."""
    ties: frozenset[tuple[int, int]]
    """Pairs of columns shown to differ by less than `indifference`, the lower column first."""
    active: tuple[int, ...]
    """Columns whose values are still needed, in order."""
    top: tuple[int, ...]
    """Columns known to be among the k best, in order; empty for `all`."""
    look: int
    """Number of this look, counted from 1."""


class Sequential:
    """A question about contestants, tested at most `looks` times on growing data.

    The chance that any pair in `beats` is false, at any look, is at most alpha.
    """

    def __init__(
        self,
        question: Question = "top",
        k: int = 3,
        indifference: float = 0.0,
        alpha: float = 0.05,
        looks: int = 20,
        seed: int = 0,
        *,
        span: float = 0.0,
        resamples: int = DEFAULT_RESAMPLES,
    ) -> None:
        """State the question.

        `top` asks for the k best. A pair known to differ by less than `indifference` needs no
        decision: either may be among the best. `span` is the range of possible values.

        Raises:
            InputError: An option is out of range.
        """
        if question not in QUESTIONS:
            raise InputError(f"question={question!r} is none of: {', '.join(QUESTIONS)}.")
        if k < 1 or looks < 1 or not 0.0 < alpha < 1.0 or not 0.0 <= indifference < math.inf:
            raise InputError(
                f"k={k} and looks={looks} must be at least 1, alpha={alpha} between 0 and 1, and "
                f"indifference={indifference} at least 0."
            )
        self._question, self._k, self._indifference = question, k, indifference
        self._alpha, self._looks, self._span = alpha, looks, span
        self._flips = Flips(resamples, seed)
        self._crossed = np.zeros(resamples, dtype=bool)
        self._look = self._rows = 0
        self._ahead: npt.NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)
        self._near = self._ahead
        self._inside: set[int] = set()
        self._undecided: list[int] = []

    def look(self, values: npt.ArrayLike, clusters: Sequence[Hashable]) -> Decision:
        """Test all rows so far; new rows must follow the rows of the previous look.

        Args:
            values: Shape (items, contestants); higher is better. NaN is undefined, as for a
                contestant that no longer runs.
            clusters: The label of each row's cluster.

        Raises:
            InputError: All looks are used up, rows or contestants are missing, or the values do not
                fit the clusters.
        """
        contrasts = Contrasts(values, clusters, self._span)
        self._begin(contrasts.contestants, len(clusters))
        # Alpha spent so far, by Pocock's boundary.
        spent = self._alpha * math.log1p((math.e - 1) * self._look / self._looks)
        is_open = ~self._settled()[contrasts.first, contrasts.second]
        if self._question == "top":
            waits = np.isin(np.arange(contrasts.contestants), self._undecided)
            is_open &= waits[contrasts.first] & waits[contrasts.second]
        pairs = np.flatnonzero(is_open)
        if contrasts.clusters < MIN_CLUSTERS:  # too few to decide, so nothing is spent
            pairs = pairs[:0]
        drawn = SignFlips(contrasts, self._flips).sizes(pairs)
        drawn[:, self._crossed] = np.inf
        while len(pairs):
            bound = bound_of(drawn.max(axis=0), spent)
            is_decided = contrasts.guarded[pairs] > bound
            if not is_decided.any():
                self._crossed |= _crossing(drawn.max(axis=0), bound, spent)
                self._add_near(contrasts, pairs, bound)
                break
            ended = pairs[is_decided]
            is_first = contrasts.statistics[ended] > 0
            better = np.where(is_first, contrasts.first[ended], contrasts.second[ended])
            worse = np.where(is_first, contrasts.second[ended], contrasts.first[ended])
            self._ahead[better, worse] = True
            pairs, drawn = pairs[~is_decided], drawn[~is_decided]
        if self._question == "top":
            self._settle_top(contrasts)
        return self._decision()

    def _begin(self, columns: int, rows: int) -> None:
        if self._look >= self._looks:
            raise InputError(
                f"All {self._looks} looks are used up: another would exceed the error bound."
            )
        if not self._look:
            self._ahead = np.zeros((columns, columns), dtype=bool)
            self._near = np.eye(columns, dtype=bool)
            self._undecided = list(range(columns))
        if len(self._ahead) != columns:
            raise InputError(
                f"{columns} contestants after {len(self._ahead)}. Give the same columns."
            )
        if rows < self._rows:
            raise InputError(f"{rows} rows after {self._rows}. Give all rows seen so far.")
        self._look, self._rows = self._look + 1, rows

    def _settled(self) -> npt.NDArray[np.bool_]:
        return self._ahead | self._ahead.T | self._near

    def _add_near(self, contrasts: Contrasts, pairs: Integers, bound: float) -> None:
        """Mark pairs whose whole interval is below `indifference` as ties.

        If m clusters show no difference at all, up to 3 / m of all clusters may still show one. If
        there are differences, one more cluster that makes them larger must not undo the tie.
        """
        if not self._indifference or not math.isfinite(bound):
            return
        low, high = contrasts.intervals(bound)
        one = contrasts.span / contrasts.clusters
        with np.errstate(invalid="ignore"):
            reach = np.where(contrasts.scales > 0, np.maximum(-low, high) + one / 2, 3 * one)
            is_near = reach[pairs] < self._indifference
        first, second = contrasts.first[pairs[is_near]], contrasts.second[pairs[is_near]]
        self._near[first, second] = self._near[second, first] = True

    def _settle_top(self, contrasts: Contrasts) -> None:
        """Settle which contestants are among the k best, as far as decided pairs allow.

        Undecided contestants compete only for the remaining places. Of two tied contestants, the
        one ahead so far goes first.
        """
        leads = np.zeros_like(self._ahead)
        is_first = contrasts.sums >= 0
        leads[contrasts.first, contrasts.second] = is_first
        leads[contrasts.second, contrasts.first] = ~is_first
        above = self._ahead | (self._near & leads)
        while self._undecided:
            left = min(self._k, len(self._ahead)) - len(self._inside)
            among = above[np.ix_(self._undecided, self._undecided)]
            wins, losses = among.sum(axis=1), among.sum(axis=0)
            is_out = losses >= left
            is_in = (wins >= len(self._undecided) - left) & ~is_out
            if not (is_in | is_out).any():
                return
            state = list(zip(self._undecided, is_in, is_out, strict=True))
            self._inside |= {one for one, enters, _ in state if enters}
            self._undecided = [one for one, enters, falls in state if not enters and not falls]

    def _decision(self) -> Decision:
        beats = frozenset((int(i), int(j)) for i, j in np.argwhere(self._ahead))
        ties = frozenset((int(i), int(j)) for i, j in np.argwhere(np.triu(self._near, 1)))
        active = self._undecided
        if self._question == "all":
            active = np.flatnonzero(~self._settled().all(axis=1)).tolist()
        return Decision(
            not active, beats, ties, tuple(active), tuple(sorted(self._inside)), self._look
        )


def _crossing(
    greatest: npt.NDArray[np.float32], bound: float, spent: float
) -> npt.NDArray[np.bool_]:
    """Flag the spent draws, including those spent earlier.

    The observed signs count as one more draw. The share of all draws that cross the bound may not
    exceed the alpha spent. The draw at the bound crosses it, unless too many draws equal it.
    """
    reaching = greatest >= bound * SAME**2
    if np.count_nonzero(reaching) <= allowed_draws(len(greatest), spent) + 1:
        return reaching
    beyond: npt.NDArray[np.bool_] = greatest > bound
    return beyond


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """A question about the contestants of a task; the answer ends the run."""

    question: Question = "all"
    """`top`: the k best contestants; `all`: the better one of every pair."""
    k: int = 1
    indifference: float = 0.0
    """Size below which differences do not matter."""
    alpha: float = 0.05
    """Chance that any decision is false."""
    looks: int = 20
    """Maximum number of looks; with fewer clusters, there is one look per cluster."""
    seed: int = 0
    """Seed for the order of items and for the random signs."""

    def __post_init__(self) -> None:
        self.test(self.looks)

    @property
    def label(self) -> str:
        """The question as an option: `top=3` or `all`."""
        return self.question if self.question == "all" else f"top={self.k}"

    def test(self, looks: int, span: float = 0.0) -> Sequential:
        """Make the test that answers the question; `span` is the range of possible values."""
        given = (self.question, self.k, self.indifference, self.alpha, looks, self.seed)
        return Sequential(*given, span=span)

    def order(self, clusters: Mapping[str, str]) -> list[str]:
        """The clusters, in the order in which their items run."""
        return sorted(set(clusters.values()), key=lambda one: (hash_of([self.seed, one]), one))

    def items_at(self, look: int, clusters: Mapping[str, str]) -> set[str]:
        """The items answered before a look; looks are counted from 1."""
        order = self.order(clusters)
        seen = set(order[: len(order) * look // min(self.looks, len(order))])
        return {item for item, cluster in clusters.items() if cluster in seen}
