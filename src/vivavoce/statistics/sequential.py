"""A comparison looked at while it goes on, and stopped when it is decided.

Whoever looks twenty times at a test of 5% finds a false difference in one run of four. Here every
look has its own share of the 5%, and a draw of random signs (see `sign_flips`) that was beyond the
bound at an earlier look has used its chance up. Within a look pairs are decided from the greatest
difference down, as in `ranks`, and with the same guard: one more cluster must not undo a decision.

Source: Lan and DeMets, Discrete Sequential Boundaries for Clinical Trials, Biometrika 70(3), 1983,
with the spending function that they give for Pocock's boundary; Romano and Wolf, JASA 100(469),
2005 (step down).
"""

from __future__ import annotations

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
    """State of a comparison after a look."""

    done: bool
    """True when the question is answered."""
    beats: frozenset[tuple[int, int]]
    """Pairs (better, worse) decided so far; none is ever withdrawn."""
    ties: frozenset[tuple[int, int]]
    """Pairs shown to differ by less than matters, the smaller number first."""
    active: tuple[int, ...]
    """Columns whose values are still needed, in their order."""
    top: tuple[int, ...]
    """Columns known to be among the k best, in their order; of `all` none."""
    look: int
    """Number of this look, the first being 1."""


class Sequential:
    """A question about contestants, asked at most `looks` times of growing data.

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

        Of `top` the k best are asked for. A pair known to differ by less than `indifference` needs
        no decision, and either may stand among them. `span` is the range that values may have.

        Raises:
            InputError: An option is out of its range.
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
        """Look at all rows seen so far, new ones after those of the look before.

        Args:
            values: Shape (items, contestants); higher is better, NaN is undefined, such as the
                values of a contestant that is asked no more.
            clusters: The label of each row's cluster.

        Raises:
            InputError: All looks are used up, rows or contestants are gone, or the values do not
                fit the clusters.
        """
        contrasts = Contrasts(values, clusters, self._span)
        self._begin(contrasts.contestants, len(clusters))
        # As Pocock's boundary spends the chance, by the share of looks taken.
        spent = self._alpha * math.log1p((math.e - 1) * self._look / self._looks)
        pairs = self._open_pairs(contrasts)
        if contrasts.clusters < MIN_CLUSTERS:  # which decide nothing, and spend nothing
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

    def _open_pairs(self, contrasts: Contrasts) -> Integers:
        """Pairs that the answer still hangs on."""
        is_open = ~self._settled()[contrasts.first, contrasts.second]
        if self._question == "top":
            waits = np.isin(np.arange(contrasts.contestants), self._undecided)
            is_open &= waits[contrasts.first] & waits[contrasts.second]
        return np.flatnonzero(is_open)

    def _add_near(self, contrasts: Contrasts, pairs: Integers, bound: float) -> None:
        """Pairs whose differences within the bound all lie below what matters.

        Of m clusters that show no difference at all, 3 / m of all clusters may still show one.
        Where they show some, one more cluster against the pair must not undo that.
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
        """Add to the k best whom k decided differences place there; the others fall out.

        Among those that are undecided only places among themselves count. Of two whose difference
        does not matter, the one that is ahead so far stands first.
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
    """Draws that have used their chance up, those that had before among them.

    The observed signs are one draw among all others. Of these together no larger share than was
    spent may cross: the draw at the bound does, unless others equal to it would be too many.
    """
    reaching = greatest >= bound * SAME**2
    if np.count_nonzero(reaching) <= allowed_draws(len(greatest), spent) + 1:
        return reaching
    beyond: npt.NDArray[np.bool_] = greatest > bound
    return beyond


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """A question about the contestants of a task, which ends a run when it is answered."""

    question: Question = "all"
    """`top`: which are the k best; `all`: who is better, of every pair."""
    k: int = 1
    indifference: float = 0.0
    """A difference below this one does not matter."""
    alpha: float = 0.05
    """Chance that any decision is false."""
    looks: int = 20
    """The most looks; a task of fewer clusters gets one for each."""
    seed: int = 0
    """Seed of the order of the items, and of the signs."""

    def __post_init__(self) -> None:
        self.test(self.looks)

    @property
    def label(self) -> str:
        """The question as it is asked for: `top=3` or `all`."""
        return self.question if self.question == "all" else f"top={self.k}"

    def test(self, looks: int, span: float = 0.0) -> Sequential:
        """The test that answers the question about values of a range."""
        given = (self.question, self.k, self.indifference, self.alpha, looks, self.seed)
        return Sequential(*given, span=span)

    def order(self, clusters: Mapping[str, str]) -> list[str]:
        """The clusters of items in the order in which they are asked."""
        return sorted(set(clusters.values()), key=lambda one: (hash_of([self.seed, one]), one))

    def items_at(self, look: int, clusters: Mapping[str, str]) -> set[str]:
        """The items that are answered before a look, the first of which is 1."""
        order = self.order(clusters)
        seen = set(order[: len(order) * look // min(self.looks, len(order))])
        return {item for item, cluster in clusters.items() if cluster in seen}
