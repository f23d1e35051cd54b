"""Dependence of table scores on evaluators: drift and ranks under a swap.

The same answers of the same contestants are scored by several evaluators. Each is held against a
base evaluator on the items that both scored.

- Drift: by how much the F1 of a contestant changes; over all contestants the mean change, the mean
  of its size, and the largest.
- Ranks: Spearman's and Kendall's coefficients between the two rankings of the contestants, ties
  counted (tau-b); `macro` is their mean over the aspects.

F1 is the harmonic mean of precision and recall, each a mean over items. Intervals come from draws
of whole clusters of items; a draw in which something is undefined is left out of its interval.

Source: arXiv2Table, appendix A.3 and tables 10 to 12, which print no intervals.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from vivavoce.errors import InputError, VivaError
from vivavoce.models import is_same_family
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.results.audits.evaluating import (
    EVALUATED,
    MATCHER,
    YES_BIAS,
    Evaluated,
    Evaluator,
    Progress,
    TableAnswer,
    evaluate,
    read_evaluator,
    read_table_answers,
    take_items,
)
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.statistics.intervals import Floats, Resample, defined, percentile_interval
from vivavoce.store import Row
from vivavoce.tasks import tables
from vivavoce.tasks.prompting.prompts import load_prompts
from vivavoce.tasks.tables.yes_or_no import Use

MACRO = "macro"
_PARTS = ("p", "r")
_BATCH_CELLS = 500_000
_Coefficient = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, slots=True)
class EvaluatorAudit(Report):
    """Comparison of every other evaluator with the base one."""

    base: str
    drift: tuple[Row, ...]
    """A row for each evaluator and aspect; the changes are other minus base, from -1 to 1."""
    ranks: tuple[Row, ...]
    """A row for each evaluator and aspect, and one for their mean."""
    notes: tuple[str, ...]


def compare_evaluators(
    cases: Sequence[Evaluated], base: str, *, draws: Draws | None = None
) -> EvaluatorAudit:
    """Drift and rank stability of all evaluators against one of them.

    Raises:
        InputError: The base scored nothing, nobody else did, or a case is there twice.
    """
    found: dict[str, dict[str, dict[str, Evaluated]]] = {}
    clusters: dict[str, str] = {}
    for case in cases:
        items = found.setdefault(case.evaluator, {}).setdefault(case.contestant, {})
        if case.item in items:
            raise InputError(
                f"{case.evaluator} scored {case.contestant} twice on {case.item}. "
                "Average the runs of an evaluator before they are compared."
            )
        if clusters.setdefault(case.item, case.cluster) != case.cluster:
            raise InputError(f"{case.item} stands in two clusters. Give each item one.")
        items[case.item] = case
    others = sorted(found.keys() - {base})
    if base not in found or not others:
        there = ", ".join(sorted(found)) or "none"
        raise InputError(f"{base} cannot be compared with others. Evaluators: {there}.")
    drift: list[Row] = []
    ranks: list[Row] = []
    notes: list[str] = []
    for other in others:
        swap = _Swap(found[base], found[other], clusters, draws or Draws())
        named = {"base": base, "evaluator": other}
        drift += [{**named, **row} for row in swap.drift()]
        ranks += [{**named, **row} for row in swap.ranks()]
        notes += [f"{other}: {note}" for note in swap.notes()]
    return EvaluatorAudit(base, tuple(drift), tuple(ranks), tuple(notes))


class _Swap:
    """Two evaluators on the answers that both scored."""

    def __init__(
        self,
        base: Mapping[str, Mapping[str, Evaluated]],
        other: Mapping[str, Mapping[str, Evaluated]],
        clusters: Mapping[str, str],
        draws: Draws,
    ) -> None:
        self._shared = {
            name: base[name].keys() & other[name].keys()
            for name in sorted(base.keys() & other.keys())
            if base[name].keys() & other[name].keys()
        }
        self._alone = sorted((base.keys() | other.keys()) - self._shared.keys())
        self._left_out = sum(
            len(base[name].keys() ^ other[name].keys()) for name in sorted(self._shared)
        )
        self.items = sorted(set().union(*self._shared.values()))
        drawn = draws.of([clusters[item] for item in self.items])
        f1 = {aspect: self._f1(drawn, self._values(base, other, aspect)) for aspect in EVALUATED}
        # Of each aspect: sides, draws, contestants; the first of the draws is the sample itself.
        self._by_aspect: dict[str, Floats] = f1
        self._macro: Floats = np.mean(list(f1.values()), axis=0)
        self._has_intervals = drawn.gives_intervals

    def notes(self) -> list[str]:
        """Cases that could not be compared."""
        found = []
        if self._alone:
            found.append(f"no item is shared for {', '.join(self._alone)}.")
        if self._left_out:
            found.append(f"{self._left_out} scores without a counterpart are left out.")
        return found

    def drift(self) -> list[Row]:
        """A row for each aspect and one for the mean of their F1."""
        return [
            self._drift(aspect, f1)
            for aspect, f1 in [*self._by_aspect.items(), (MACRO, self._macro)]
        ]

    def ranks(self) -> list[Row]:
        """A row for each aspect and one for the mean of their coefficients."""
        rows = {
            aspect: (spearman(f1[0], f1[1]), kendall(f1[0], f1[1]))
            for aspect, f1 in self._by_aspect.items()
        }
        means = (np.mean([row[place] for row in rows.values()], axis=0) for place in (0, 1))
        rows[MACRO] = (next(means), next(means))
        return [
            {
                "aspect": aspect,
                "contestants": len(self._shared),
                "items": len(self.items),
                "spearman": defined(rho[0]),
                "spearman_ci": self._interval(rho[1:]),
                "kendall": defined(tau[0]),
                "kendall_ci": self._interval(tau[1:]),
            }
            for aspect, (rho, tau) in rows.items()
        ]

    def _drift(self, aspect: str, f1: Floats) -> Row:
        change = f1[1] - f1[0]
        size = np.abs(change)
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(f1[0] > 0, change / f1[0], np.nan)
        here = size[0]
        largest = None if np.isnan(here).all() else int(np.nanargmax(here))
        row: Row = {"aspect": aspect, "contestants": len(self._shared), "items": len(self.items)}
        for name, values in (("mean", size), ("shift", change), ("relative", relative)):
            is_there = ~np.isnan(values)
            counts, sums = is_there.sum(axis=1), np.where(is_there, values, 0.0).sum(axis=1)
            means = np.full(len(values), np.nan)
            np.divide(sums, counts, out=means, where=counts > 0)
            row[name] = defined(means[0])
            row[f"{name}_ci"] = self._interval(means[1:])
        row["max"] = None if largest is None else defined(here[largest])
        row["max_of"] = None if largest is None else list(self._shared)[largest]
        return row

    def _values(
        self,
        base: Mapping[str, Mapping[str, Evaluated]],
        other: Mapping[str, Mapping[str, Evaluated]],
        aspect: str,
    ) -> Floats:
        """Items in rows; in columns part, side and contestant. NaN unless both have a value."""
        table = np.full((len(self.items), len(_PARTS), 2, len(self._shared)), np.nan)
        for place, (name, shared) in enumerate(self._shared.items()):
            for row, item in enumerate(self.items):
                if item not in shared:
                    continue
                for part, letter in enumerate(_PARTS):
                    key = f"{aspect}_{letter}"
                    pair = [side[name][item].values.get(key) for side in (base, other)]
                    if None not in pair:
                        table[row, part, :, place] = pair
        return table

    def _f1(self, drawn: Resample, table: Floats) -> Floats:
        columns = table.reshape(len(table), math.prod(table.shape[1:]))
        whole = [math.nan if mean is None else mean for mean in drawn.mean(columns)]
        rows = np.vstack([[whole], drawn.means(columns)])
        means = rows.reshape(len(rows), *table.shape[1:])
        precision, recall = means[:, 0], means[:, 1]
        total = precision + recall
        with np.errstate(divide="ignore", invalid="ignore"):
            f1 = np.where(total == 0, 0.0, 2 * precision * recall / total)
        return np.asarray(f1.swapaxes(0, 1))

    def _interval(self, draws: Floats) -> list[float] | None:
        found = percentile_interval(draws) if self._has_intervals else None
        return list(found) if found else None


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's rho of each row of two arrays; NaN for a NaN, one value or a side of ties."""
    return _in_batches(_spearman, first, second)


def kendall(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b of each row of two arrays; NaN for a NaN, one value or a side of ties."""
    return _in_batches(_kendall, first, second)


def _in_batches(coefficient: _Coefficient, first: Floats, second: Floats) -> Floats:
    """Rows a few at a time: each needs a square of its length."""
    size = max(1, _BATCH_CELLS // max(1, first.shape[1] ** 2))
    found = [
        coefficient(first[start : start + size], second[start : start + size])
        for start in range(0, len(first), size)
    ]
    return np.concatenate(found)


def _spearman(first: Floats, second: Floats) -> Floats:
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


@dataclass(frozen=True, slots=True)
class SwapAudit(Report):
    """The report of `viva audit evaluators`."""

    contestants: tuple[str, ...]
    items: int
    evaluators: tuple[Row, ...]
    """Rows, one an evaluator: how often it says yes where no is right (`value`)."""
    compared: EvaluatorAudit
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Changes of F1, ranks, and what each evaluator tends to."""
        base = self.compared.base
        yield sheet(
            f"F1 against {base}: {self.items:,} items, {len(self.contestants)} contestants",
            self.compared.drift,
            *("evaluator", "aspect"),
            Column("mean", "mean change", ci="mean_ci"),
            *(Column(name, ci=f"{name}_ci") for name in ("shift", "relative")),
            *("max", Column("max_of", "of")),
        )
        yield sheet(
            f"Ranks of the contestants against those by {base}",
            self.compared.ranks,
            *("evaluator", "aspect"),
            *(Column(name, name.title(), ci=f"{name}_ci") for name in ("spearman", "kendall")),
        )
        yield sheet(
            "Evaluators",
            self.evaluators,
            *("evaluator", "answers"),
            Column("value", "yes where no is right", ci="ci"),
            "n",
        )
        yield "value [95% interval over source papers]; change: its size; shift: other minus base."


def audit_evaluators(
    logs: Path | str,
    evaluators: Sequence[str],
    *,
    base: str | None = None,
    setting: str | None = None,
    subset: int | None = None,
    use: Use | None = None,
    prompts: Path | None = None,
    keep: Path | None = None,
    partial: bool = False,
    draws: Draws | None = None,
    progress: Progress | None = None,
) -> SwapAudit:
    """Have several evaluators score the answers of a folder of logs, and compare what they say.

    `evaluators` are as `read_evaluator` takes them, the matcher always among them; all others are
    held against `base`. `keep` is a file of scores, read and added to.

    Raises:
        InputError: There is nothing to compare, or an argument makes no sense.
        VivaError: A log is incomplete and `partial` was not asked for, or none has an answer.
    """
    draws = draws or Draws()
    chosen = list(dict.fromkeys([Evaluator(), *map(read_evaluator, evaluators)]))
    if len(chosen) == 1:
        raise InputError(
            f"{MATCHER} alone cannot be compared. Name an evaluator: --evaluator provider/model."
        )
    first = read_evaluator(base) if base else chosen[0]
    if first not in chosen:
        raise InputError(f"{first.name} is not among the evaluators, so it cannot be the base.")
    found, notes = read_table_answers(Path(logs), setting=setting, partial=partial)
    use = use or Use()
    answers = take_items(found, subset, use.seed)
    if not answers:
        raise VivaError(f"The logs in {logs} hold no answer that was scored.")
    templates = load_prompts(prompts or Path(tables.__path__[0]) / "prompts")
    cases = evaluate(answers, chosen, templates, use, keep=keep, progress=progress)
    compared = compare_evaluators(cases, first.name, draws=draws)
    return SwapAudit(
        contestants=tuple(dict.fromkeys(answer.contestant for answer in answers)),
        items=len({answer.item for answer in answers}),
        evaluators=tuple(_describe(one, answers, cases, draws) for one in chosen),
        compared=compared,
        notes=(*notes, *compared.notes, *_faults(answers), *_own_families(chosen, answers)),
    )


def _describe(
    evaluator: Evaluator, answers: Sequence[TableAnswer], cases: Sequence[Evaluated], draws: Draws
) -> Row:
    mine = [
        (value, case.cluster)
        for case in cases
        if case.evaluator == evaluator.name and (value := case.values.get(YES_BIAS)) is not None
    ]
    bias = mean_estimate([value for value, _ in mine], [cluster for _, cluster in mine], draws)
    return {
        "evaluator": evaluator.name,
        "answers": len(answers),
        "measure": YES_BIAS,
        **bias.fields(),
    }


def _faults(answers: Sequence[TableAnswer]) -> list[str]:
    faults = Counter(answer.fault for answer in answers if answer.fault)
    if not faults:
        return []
    listed = ", ".join(f"{fault} {faults[fault]}" for fault in sorted(faults))
    return [f"{faults.total()} answers are worth 0 with every evaluator: {listed}."]


def _own_families(evaluators: Sequence[Evaluator], answers: Sequence[TableAnswer]) -> list[str]:
    models = sorted({answer.model for answer in answers if answer.model})
    return [
        f"{evaluator.name} scores answers by its own family: {', '.join(own)}."
        for evaluator in evaluators
        if (one := evaluator.answerer) and (own := [m for m in models if is_same_family(m, one)])
    ]
