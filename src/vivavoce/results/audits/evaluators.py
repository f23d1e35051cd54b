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
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
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


def _compare(
    base: Mapping[tuple[str, str], Evaluated],
    other: Mapping[tuple[str, str], Evaluated],
    draws: Draws,
) -> tuple[list[Row], list[Row]]:
    """Rows on drift and on ranks of two evaluators: one an aspect, and one for their mean."""
    contestants = sorted({contestant for contestant, _ in base})
    clusters = {case.item: case.cluster for case in base.values()}
    items = sorted(clusters)
    table = np.full((len(items), len(EVALUATED), len(_PARTS), 2, len(contestants)), np.nan)
    for (contestant, item), case in base.items():
        for aspect, part in product(range(len(EVALUATED)), range(len(_PARTS))):
            name = f"{EVALUATED[aspect]}_{_PARTS[part]}"
            pair = [one.values.get(name) for one in (case, other[contestant, item])]
            if None not in pair:
                place = items.index(item), aspect, part
                table[*place, :, contestants.index(contestant)] = pair
    f1 = _f1(draws.of([clusters[item] for item in items]), table)
    # Of each aspect: draws, sides, contestants; the first of the draws is the sample itself.
    by_aspect = dict(zip(EVALUATED, np.moveaxis(f1, 1, 0), strict=True))
    by_aspect[MACRO] = f1.mean(axis=1)
    drift = [_drift(aspect, of, contestants) for aspect, of in by_aspect.items()]
    coefficients = {
        aspect: [of(f1[:, 0], f1[:, 1]) for of in (spearman, kendall)]
        for aspect, f1 in by_aspect.items()
        if aspect != MACRO
    }
    coefficients[MACRO] = list(np.mean(list(coefficients.values()), axis=0))
    ranks = [
        {
            "aspect": aspect,
            **_with_interval("spearman", found[0]),
            **_with_interval("kendall", found[1]),
        }
        for aspect, found in coefficients.items()
    ]
    counts = {"contestants": len(contestants), "items": len(items)}
    return [row | counts for row in drift], [row | counts for row in ranks]


def _f1(drawn: Resample, table: Floats) -> Floats:
    """F1 of the mean precision and the mean recall, of the sample and of each draw."""
    columns = table.reshape(len(table), math.prod(table.shape[1:]))
    rows = np.array([[math.nan if mean is None else mean for mean in drawn.mean(columns)]])
    if drawn.gives_intervals:
        rows = np.vstack([rows, drawn.means(columns)])
    precision, recall = np.moveaxis(rows.reshape(len(rows), *table.shape[1:]), 2, 0)
    total = precision + recall
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(total == 0, 0.0, 2 * precision * recall / total))


def _drift(aspect: str, f1: Floats, contestants: Sequence[str]) -> Row:
    change = f1[:, 1] - f1[:, 0]
    size = np.abs(change[0])
    largest = None if np.isnan(size).all() else int(np.nanargmax(size))
    return {
        "aspect": aspect,
        **_with_interval("mean", _mean(np.abs(change))),
        **_with_interval("shift", _mean(change)),
        "max": None if largest is None else float(size[largest]),
        "max_of": None if largest is None else contestants[largest],
    }


def _mean(values: Floats) -> Floats:
    """Mean of each row over its defined values; NaN without one."""
    is_there = ~np.isnan(values)
    means = np.full(len(values), np.nan)
    sums, counts = np.where(is_there, values, 0.0).sum(axis=1), is_there.sum(axis=1)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _with_interval(name: str, drawn: Floats) -> Row:
    """The first of values of draws, with the interval of the others."""
    found = percentile_interval(drawn[1:]) if len(drawn) > 1 else None
    return {name: defined(drawn[0]), f"{name}_ci": list(found) if found else None}


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
    base: str
    drift: tuple[Row, ...]
    """A row for each other evaluator and aspect; the changes are other minus base, from -1 to 1."""
    ranks: tuple[Row, ...]
    """A row for each other evaluator and aspect, and one for their mean."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Changes of F1, ranks, and what each evaluator tends to."""
        yield sheet(
            f"F1 against {self.base}: {self.items:,} items, {len(self.contestants)} contestants",
            self.drift,
            *("evaluator", "aspect"),
            Column("mean", "mean change", ci="mean_ci"),
            Column("shift", ci="shift_ci"),
            *("max", Column("max_of", "of")),
        )
        yield sheet(
            f"Ranks of the contestants against those by {self.base}",
            self.ranks,
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
    scored: dict[str, dict[tuple[str, str], Evaluated]] = defaultdict(dict)
    for case in cases:
        scored[case.evaluator][case.contestant, case.item] = case
    drift: list[Row] = []
    ranks: list[Row] = []
    for other in sorted(scored.keys() - {first.name}):
        names = {"base": first.name, "evaluator": other}
        found_drift, found_ranks = _compare(scored[first.name], scored[other], draws)
        drift += [names | row for row in found_drift]
        ranks += [names | row for row in found_ranks]
    return SwapAudit(
        contestants=tuple(dict.fromkeys(answer.contestant for answer in answers)),
        items=len({answer.item for answer in answers}),
        evaluators=tuple(_describe(one, answers, cases, draws) for one in chosen),
        base=first.name,
        drift=tuple(drift),
        ranks=tuple(ranks),
        notes=(*notes, *_faults(answers), *_own_families(chosen, answers)),
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
        if (own := [m for m in models if any(is_same_family(m, one) for one in evaluator.models)])
    ]
