"""Changes in scores and ranks of tables when another evaluator reads the same answers.

Source: arXiv2Table, appendix A.3 and tables 10 to 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import InputError, VivaError
from vivavoce.models import is_same_family
from vivavoce.results.audits.evaluating import (
    MATCHER,
    YES_BIAS,
    Evaluator,
    Progress,
    TableAnswer,
    evaluate,
    read_evaluator,
    read_table_answers,
    take_items,
)
from vivavoce.results.audits.evaluators import Evaluated, EvaluatorAudit, compare_evaluators
from vivavoce.results.reports import Report
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row
from vivavoce.tasks import tables
from vivavoce.tasks.prompting.prompts import load_prompts
from vivavoce.tasks.tables.roles.answering import Use


@dataclass(frozen=True, slots=True)
class SwapAudit(Report):
    """The report of `viva audit evaluators`."""

    contestants: tuple[str, ...]
    items: int
    evaluators: tuple[Row, ...]
    """One row an evaluator: how often it says yes where no is right (`value`)."""
    compared: EvaluatorAudit
    notes: tuple[str, ...]


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
        if (own := [m for m in models if any(is_same_family(m, one) for one in evaluator.models)])
    ]
