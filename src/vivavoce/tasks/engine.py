"""Tasks for Inspect: datasets, scorers and tasks made from each `FamilyTask`."""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from inspect import Parameter, Signature
from itertools import chain
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, scorer, stderr
from inspect_ai.solver import Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from vivavoce.errors import InputError, NoItemsError, VivaError
from vivavoce.metrics import Values, metrics_of
from vivavoce.metrics.judged_text import CHECKS, JUDGED, WINS, check_values
from vivavoce.plugins import blamed, returned
from vivavoce.store import Row
from vivavoce.tasks import find_family
from vivavoce.tasks.family import (
    FamilyTask,
    Item,
    View,
    completed,
    find_kind,
    metrics_of_task,
    open_prompts,
    open_view,
)
from vivavoce.tasks.methods.direct import baseline, direct
from vivavoce.tasks.prompting import PromptSet, folder_at
from vivavoce.tasks.scoring import COMPARE, VALID
from vivavoce.tasks.scoring.asking import open_judges
from vivavoce.tasks.scoring.guard import answer_of, defined_mean, guarded
from vivavoce.tasks.scoring.judge import Comparison, Judged, compare, judge_hash, rule
from vivavoce.text.final_answer import VERSION as READER

_OPENING = {"context": None, "prompts": None, "max_tokens": None, "pin": None}
"""Arguments of every task after its own, with their defaults."""
_OF_ROWS = ("cluster", "published", "split")
"""Columns of items that are in every sample's metadata."""


class UnusableTaskError(InputError, PrerequisiteError):
    """The task cannot be made; Inspect prints a `PrerequisiteError` without a traceback."""


class EmptyTaskError(NoItemsError, PrerequisiteError):
    """The task has no items in its setting."""


@cache
def make_tasks(family: str) -> dict[str, Callable[..., Task]]:
    """Register a family's tasks and scorers with Inspect; return the `@task` functions by name."""
    makers = {name: _make_task(family, name) for name in find_family(family).card.tasks}
    for name in makers:
        make_scorer(family, find_kind(family, name).scorer or name)
    return makers


def _make_task(family: str, name: str) -> Callable[..., Task]:
    kind = find_kind(family, name)

    def made(round: str = "", **given: Any) -> Task:
        if not round:
            raise UnusableTaskError(
                "Name a round: -T round=FOLDER, or -T round=sample for the sample papers."
            )
        opening = {key: given.pop(key, default) for key, default in _OPENING.items()}
        try:
            return compose(kind, open_view(name, round, given, family=family, **opening))
        except NoItemsError as error:
            raise EmptyTaskError(str(error)) from error
        except InputError as error:
            raise UnusableTaskError(str(error)) from error

    own = {field.name: field.default for field in fields(kind.arguments)}
    made.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(key, Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for key, default in {"round": "", **own, **_OPENING}.items()
        ]
    )
    made.__doc__ = f"{find_family(family).card.tasks[name].summary}\n\n{kind.arguments.__doc__}"
    registered: Callable[..., Task] = task(name=name)(_named(made, family, name))
    return registered


def _named(made: Any, family: str, name: str) -> Any:
    """Set name and module of a function, so that Inspect names it after the family's package."""
    made.__module__, made.__name__ = find_family(family).module, name
    return made


@cache
def make_method(family: str, name: str, answer: Callable[[Row], str]) -> Callable[..., Solver]:
    """Register a function from a row to an answer as an Inspect solver."""

    def made() -> Solver:
        def say(state: TaskState) -> str:
            return returned(answer, answer({**state.metadata, "target": state.target.text}), str)

        return baseline(name, say)

    made.__doc__ = answer.__doc__
    registered: Callable[..., Solver] = solver(name=name)(_named(made, family, name))
    return registered


def compose(kind: FamilyTask[Any], view: View[Any]) -> Task:
    """Make the Inspect task of a view."""
    further = getattr(find_family(view.family).part("scorer"), "parts", None)
    parts: dict[str, Any] = further(view) if further else {}
    given = {name: getattr(view.given, name) for name in kind.scored_by}
    judging = {"prompts": view.prompts.place} if given.get("judge") else {}
    make = make_scorer(view.family, kind.scorer or view.task)
    parts["scorer"] = make(task=view.task, **given, **judging)
    metadata = {**_log_metadata(kind, view), **parts.pop("metadata", {})}
    decoding = {**view.card.decoding, "max_tokens": view.max_tokens}
    rows = kind.rows(view)
    samples = [
        Sample(
            id=item.id,
            input=item.prompt.text,
            target=item.target,
            metadata={
                **{name: row[name] for name in _OF_ROWS if name in row},
                **item.metadata,
                "spans": {slot: list(span) for slot, span in item.prompt.spans.items()},
                "max_tokens": view.max_tokens,
            },
        )
        for row, made in zip(rows, kind.items(rows, view), strict=True)
        for item in [returned(kind.sample, made, Item)]
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{view.round.id}/{view.family}/{view.task}"),
        config=GenerateConfig(**decoding),
        version=view.card.version,
        metadata=metadata,
        **{"solver": direct(view.context), **parts},
    )


def _log_metadata(kind: FamilyTask[Any], view: View[Any]) -> dict[str, Any]:
    """Log metadata for a board's rows, with the run's leading metrics first."""
    window, card = view.round.manifest["window"], view.card
    metadata = {
        "round": view.round.id,
        "round_sha256": view.round.sha256,
        "window": [window["start"], window["end"]],
        "family": view.family,
        "task": view.task,
        "setting": view.given.label,
        **({"alias": name} if (name := view.prompts.name) else {}),
        "prompt_hash": view.prompts.sha256,
        "metrics": list(card.metrics),
        "diagnostics": list(card.diagnostics),
        "stages": list(card.stages),
        "reader": READER,
        **_judging(kind, view),
    }
    metrics, diagnostics = metadata["metrics"], metadata["diagnostics"]
    first = [name for name in kind.leading(view) if name in (*metrics, *diagnostics)]
    metadata["metrics"] = list(dict.fromkeys([*first, *metrics]))
    metadata["diagnostics"] = [name for name in diagnostics if name not in first]
    return metadata


def _judging(kind: FamilyTask[Any], view: View[Any]) -> dict[str, Any]:
    """Log metadata about the judge, whose name is in Inspect's model role."""
    judge = getattr(view.given, "judge", False)
    if type(judge) is not bool:
        raise InputError(f"judge={judge!r} is neither true nor false.")
    if not judge:
        return {}
    given = {field.name: getattr(view.given, field.name) for field in fields(view.given)}
    asked = kind.judged(view.task, given)
    open_judges()
    if COMPARE in asked:  # an unusable template is reported before anything is paid
        Comparison("title", "one", "two").request(True).fill(view.prompts)
    names = list(chain(*asked.values()))
    return {
        "metrics": [*view.card.metrics, *names],
        "diagnostics": [*view.card.diagnostics, *CHECKS],
        "judged": [*names, *CHECKS],
        "judge": " ".join([judge_hash(view.prompts, asked), *kind.judged_by(given)]),
    }


@cache
def make_scorer(family: str, name: str) -> Callable[..., Scorer]:
    """Register a scorer with Inspect.

    Its arguments are `task` (by default the first that it scores) and those in `scored_by`. With
    `judge`, a model compares answers with the gold; `prompts` is the folder of its template.
    """
    metrics = {
        task: metrics_of_task(family, card)
        for task, card in find_family(family).card.tasks.items()
        if (find_kind(family, task).scorer or task) == name
    }
    known_metrics = metrics_of(family)
    further = chain(*(find_kind(family, task).further for task in metrics))
    every = dict.fromkeys([*chain(*metrics.values()), *further, *WINS, *JUDGED, *CHECKS, VALID])

    def made(
        task: str = next(iter(metrics)),
        judge: bool = False,
        prompts: str | None = None,
        **given: Any,
    ) -> Scorer:
        kind = find_kind(family, task)
        templates = open_prompts(family, prompts and str(folder_at(prompts))) if judge else None
        examine = kind.examined_by and getattr(find_family(family).part("scorer"), kind.examined_by)

        async def score(state: TaskState, target: Target) -> Score:
            row = {**state.metadata, **given, "id": state.sample_id, "target": target.text}
            row["stop_reason"] = state.output.stop_reason if state.output.choices else ""
            notes = kind.notes(answer_of(state.output), row)

            async def values(answer: str) -> Values:
                known = {**row, **notes}
                measured = await examine(answer, known, notes) if examine else None
                measured = kind.measure(answer, known) if measured is None else measured
                made_by = examine or kind.measure
                measures = completed(measured, metrics[task], answer, known, made_by)
                if templates is None:
                    return measures
                comparison = Comparison(
                    task.replace("_", " "),
                    str(notes.get("read_as", answer)),
                    target.text,
                )
                known["prompt"] = state.input_text
                judging = _judgement(templates, kind, task, comparison, known, notes)
                return {**measures, **await judging}

            failed = dict(kind.failed(metrics[task], row))
            if judge:
                of_run = {key: value for key, value in row.items() if key != "id"}
                names = chain(*kind.judged(task, of_run).values())
                asked = chain(*kind.judged(task, row).values())
                of_judge = {name: known_metrics[name] for name in asked}
                failed.update(dict.fromkeys([*names, *CHECKS]))
                failed.update(kind.failed(of_judge, row))
            try:
                scored = await guarded(values, state, failed)
            except (VivaError, LimitExceededError):
                raise
            except Exception as error:  # the code of another package can raise anything
                if fault := blamed(error):
                    raise fault from error
                raise
            return scored.model_copy(update={"metadata": {**(scored.metadata or {}), **notes}})

        return score

    summaries = {name: [defined_mean(), stderr(cluster="cluster")] for name in every}
    return scorer(metrics=summaries, name=name)(_named(made, family, name))


async def _judgement(
    prompts: PromptSet,
    kind: FamilyTask[Any],
    task: str,
    comparison: Comparison,
    row: Row,
    notes: dict[str, Any],
) -> Values:
    """Compute the judge's metrics; a text equal to the reference is a tie without a request."""
    values: dict[str, float | None] = dict.fromkeys(CHECKS)
    replies: list[Judged] = []
    if COMPARE in kind.judged(task, row):
        if comparison.answer.split() == comparison.reference.split():
            values |= dict.fromkeys(WINS, 0.5)
        else:
            replies.append(judged := await compare(prompts, comparison))
            notes["judge"] = judged.record
    for question in kind.questions(comparison.answer, row):
        replies.append(ruled := await rule(prompts, question))
        notes.setdefault("rulings", {})[question.name] = ruled.record
    for reply in replies:
        values |= reply.values
    counts = ([each.asked, each.malformed, each.refused] for each in replies)
    return values | check_values(*(sum(column) for column in zip([0, 0, 0], *counts, strict=True)))
