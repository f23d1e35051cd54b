"""Dependence of table scores on the evaluator: drift and ranks.

Several evaluators score the same answers: the matcher, and models that answer questions. Another
model, a synthesizer, may write the questions for such an answerer. Each evaluator is compared with
a base evaluator on the items that both scored.

- Drift: the change of a contestant's F1; over all contestants, its mean, mean absolute value, and
  maximum.
- Ranks: Spearman's and Kendall's coefficients (tau-b) between the two rankings of contestants;
  `macro` is the mean over aspects.

F1 is the harmonic mean of precision and recall, each averaged over items first. Intervals come from
draws of whole clusters of items; undefined draws are left out.

Source: arXiv2Table, appendix A.3 and tables 10 to 12, which print no intervals.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from inspect_ai.model import GenerateConfig

from vivavoce.errors import InputError, VivaError
from vivavoce.metrics.tables.literature_tables import score_table
from vivavoce.models import is_same_family
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.results.audits.preferences import TableAnswer, read_table_answers
from vivavoce.running.logs import Progress
from vivavoce.statistics.estimates import Draws, kendall, mean_estimate, spearman
from vivavoce.statistics.intervals import Floats, Resample, defined, percentile_interval
from vivavoce.store import Row
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.methods.direct import run_in_batches
from vivavoce.tasks.prompting import PromptSet
from vivavoce.tasks.tables.item import FAMILY
from vivavoce.tasks.tables.yes_or_no import (
    ANSWERER,
    SYNTHESIZER,
    QASetup,
    open_models,
    use_tables,
)

EVALUATED = ("schema", "unary", "pairwise")
MATCHER = "matcher"
MACRO = "macro"
_NAMES = tuple(f"{aspect}_{part}" for aspect in EVALUATED for part in "pr")
YES_BIAS = "yes_bias"

Values = Mapping[str, float | None]
"""Precision and recall of each aspect, such as `schema_p` and `schema_r`, and the yes bias."""


Evaluator = tuple[str, ...]
"""One answerer, or a synthesizer and an answerer; empty for the matcher."""


def _name(evaluator: Evaluator) -> str:
    return " > ".join(evaluator) or MATCHER


def read_evaluator(text: str) -> Evaluator:
    """Parse an evaluator's name: `matcher`, `ANSWERER` or `SYNTHESIZER,ANSWERER`."""
    if text == MATCHER:
        return ()
    models = tuple(name.strip() for name in text.split(","))
    if len(models) > 2 or not all("/" in name for name in models):
        raise InputError(
            f"{text!r} is not an evaluator. Give {MATCHER}, an answerer such as "
            "openai/gpt-4o-mini, or a synthesizer and an answerer separated by a comma."
        )
    return models


async def _evaluate(
    evaluator: Evaluator,
    answers: Sequence[TableAnswer],
    prompts: PromptSet,
    use: QASetup,
    progress: Progress | None,
) -> list[Values]:
    """Score all answers in order; a faulty answer scores 0 and is not evaluated."""
    scores: list[Values] = [dict.fromkeys(_NAMES, 0.0) for _ in answers]
    waiting = [place for place, answer in enumerate(answers) if answer.fault is None]
    if not evaluator:
        for place in waiting:
            gold, system = answers[place].gold, answers[place].system
            scores[place] = score_table(gold, system, pairs=use.pairs, seed=use.seed).values()
        return scores
    names = dict(zip((ANSWERER, SYNTHESIZER), reversed(evaluator), strict=False))
    # Replies are cached, so a repeated audit asks only what is new.
    async with open_models(names, GenerateConfig(cache=True)) as models:

        def ask(place: int) -> Coroutine[Any, Any, tuple[Values, Row]]:
            one = answers[place]
            return use_tables(prompts, one.gold, one.system, one.names, use, models)

        async for batch in run_in_batches(_name(evaluator), waiting, ask, progress):
            for place, (values, _) in batch:
                scores[place] = values
    return scores


class _Scores:
    """Scores of an evaluator, averaged over a contestant's answers to an item.

    `values` has shape (items, names, contestants), NaN if undefined.
    """

    def __init__(self, answers: Sequence[TableAnswer], scores: Sequence[Values]) -> None:
        self.clusters = dict(sorted((one.item, one.cluster) for one in answers))
        self.contestants = sorted({one.contestant for one in answers})
        items = list(self.clusters)
        names = (*_NAMES, YES_BIAS)
        sums = np.zeros((2, len(items), len(names), len(self.contestants)))
        for answer, values in zip(answers, scores, strict=True):
            place = items.index(answer.item), self.contestants.index(answer.contestant)
            for position, name in enumerate(names):
                if (value := values.get(name)) is not None:
                    sums[:, place[0], position, place[1]] += value, 1
        self.values = np.full(sums.shape[1:], np.nan)
        np.divide(sums[0], sums[1], out=self.values, where=sums[1] > 0)

    def bias(self, draws: Draws) -> Row:
        """Share of questions that the evaluator answers yes although no is right."""
        values = self.values[:, -1]
        is_defined = ~np.isnan(values)
        clusters = np.array(list(self.clusters.values()))[np.nonzero(is_defined)[0]]
        return mean_estimate(values[is_defined].tolist(), clusters.tolist(), draws).fields()


def _compare(base: _Scores, other: _Scores, draws: Draws) -> tuple[list[Row], list[Row]]:
    """Rows on drift and on ranks between two evaluators: one per aspect, and one for the mean."""
    pair = np.stack([one.values[:, :-1] for one in (base, other)], axis=2)
    pair[np.isnan(pair).any(axis=2, keepdims=True).repeat(2, axis=2)] = np.nan
    items, names, sides, contestants = pair.shape
    table = pair.reshape(items, len(EVALUATED), names // len(EVALUATED), sides, contestants)
    f1 = _f1(draws.of(list(base.clusters.values())), table)
    # Shape per aspect: (draws, sides, contestants); the first draw is the sample itself.
    by_aspect = dict(zip(EVALUATED, np.moveaxis(f1, 1, 0), strict=True))
    by_aspect[MACRO] = f1.mean(axis=1)
    drift = [_drift(aspect, of, base.contestants) for aspect, of in by_aspect.items()]
    coefficients = {
        aspect: [of(f1[:, 0], f1[:, 1]) for of in (spearman, kendall)]
        for aspect, f1 in by_aspect.items()
        if aspect != MACRO
    }
    coefficients[MACRO] = list(np.mean(list(coefficients.values()), axis=0))
    ranks = [
        {"aspect": aspect, **_with_interval("spearman", rho), **_with_interval("kendall", tau)}
        for aspect, (rho, tau) in coefficients.items()
    ]
    counts = {"contestants": contestants, "items": items}
    return [row | counts for row in drift], [row | counts for row in ranks]


def _f1(drawn: Resample, table: Floats) -> Floats:
    """F1 of mean precision and mean recall, for the sample and for each draw."""
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
    """Mean of each row over its defined values; NaN if it has none."""
    return np.asarray(np.ma.masked_invalid(values).mean(axis=1).filled(np.nan))


def _with_interval(name: str, drawn: Floats) -> Row:
    """Fields for a value (the first draw) and its interval (from the other draws)."""
    interval = percentile_interval(drawn[1:]) if len(drawn) > 1 else None
    return {name: defined(drawn[0]), f"{name}_ci": interval}


@dataclass(frozen=True, slots=True)
class SwapAudit(Report):
    """The report of `viva audit evaluators`."""

    contestants: tuple[str, ...]
    items: int
    evaluators: tuple[Row, ...]
    """One row per evaluator; `value` is the share of questions with a wrong yes."""
    base: str
    drift: tuple[Row, ...]
    """One row per other evaluator and aspect; changes are other minus base, from -1 to 1."""
    ranks: tuple[Row, ...]
    """One row per other evaluator and aspect, and one for the mean over aspects."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets on changes of F1, on ranks, and on biases of evaluators."""
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
        yield "value [95% interval over source papers]; change: absolute; shift: other minus base."


def audit_evaluators(
    logs: Path | str,
    evaluators: Sequence[str],
    *,
    base: str | None = None,
    setting: str | None = None,
    use: QASetup | None = None,
    partial: bool = False,
    draws: Draws | None = None,
    progress: Progress | None = None,
) -> SwapAudit:
    """Score the answers in a folder of logs with several evaluators and compare the scores.

    `evaluators` are names for `read_evaluator`; the matcher is always added. All others are
    compared with `base`, by default the matcher.
    """
    draws = draws or Draws()
    chosen = list(dict.fromkeys([(), *map(read_evaluator, evaluators)]))
    if len(chosen) == 1:
        raise InputError(
            f"There is only the {MATCHER}. Name an evaluator to compare it with: --evaluator "
            "provider/model."
        )
    first = read_evaluator(base) if base else chosen[0]
    if first not in chosen:
        raise InputError(f"{_name(first)} is not among the evaluators, so it cannot be the base.")
    answers, notes = read_table_answers(Path(logs), setting=setting, partial=partial)
    if not answers:
        raise VivaError(f"The logs in {logs} have no scored answers.")
    templates = open_prompts(FAMILY, None)
    use = use or QASetup()
    scored = {
        one: _Scores(answers, asyncio.run(_evaluate(one, answers, templates, use, progress)))
        for one in chosen
    }
    drift: list[Row] = []
    ranks: list[Row] = []
    for other in sorted(chosen, key=_name):
        if other != first:
            names = {"base": _name(first), "evaluator": _name(other)}
            found_drift, found_ranks = _compare(scored[first], scored[other], draws)
            drift += [names | row for row in found_drift]
            ranks += [names | row for row in found_ranks]
    faults = Counter(answer.fault for answer in answers if answer.fault)
    if faults:
        listed = ", ".join(f"{fault} {faults[fault]}" for fault in sorted(faults))
        notes.append(f"{faults.total()} answers score 0 with every evaluator: {listed}.")
    models = sorted({answer.model for answer in answers if answer.model})
    for one in chosen:
        if own := [m for m in models if any(is_same_family(m, judge) for judge in one)]:
            notes.append(f"{_name(one)} scores answers of its own family: {', '.join(own)}.")
    return SwapAudit(
        contestants=tuple(dict.fromkeys(answer.contestant for answer in answers)),
        items=len({answer.item for answer in answers}),
        evaluators=tuple(
            {
                "evaluator": _name(one),
                "answers": len(answers),
                "measure": YES_BIAS,
                **scored[one].bias(draws),
            }
            for one in chosen
        ),
        base=_name(first),
        drift=tuple(drift),
        ranks=tuple(ranks),
        notes=tuple(notes),
    )
