"""The two steps of every `@task` function: open a task on a round, and compose it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from vivavoce.errors import InputError, NoItemsError
from vivavoce.metrics.judgement import CHECKS, WINS
from vivavoce.rounds import Round
from vivavoce.store import hash_of
from vivavoce.tasks import TaskCard, find_family
from vivavoce.tasks.prompting.prompts import PromptSet, load_prompts
from vivavoce.tasks.sample_round import open_round
from vivavoce.tasks.scoring.judge import check_judge, judge_hash


class NoRoundError(InputError, PrerequisiteError):
    """A task without a round; Inspect prints a `PrerequisiteError` without its traceback."""


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """A task opened on a round."""

    card: TaskCard
    round: Round
    prompts: PromptSet
    config: GenerateConfig
    metadata: dict[str, Any]
    """Facts of a log that a row of a board needs."""

    @property
    def max_tokens(self) -> int:
        """The longest answer a model may give."""
        return self.config.max_tokens or 0

    def with_room(self, tokens: int) -> TaskEntry:
        """The same task with answers of so many tokens, where its card allows fewer."""
        if tokens <= self.max_tokens:
            return self
        return replace(self, config=self.config.model_copy(update={"max_tokens": tokens}))

    def worded(self, setting: str, variant: int) -> dict[str, Any]:
        """Metadata of a run in one wording of the prompts."""
        return {"setting": setting, "prompt_hash": self.prompts.hash_in(variant)}

    def task(
        self,
        dataset: MemoryDataset,
        solver: Solver,
        scorer: Scorer,
        metadata: Mapping[str, Any] | None = None,
        **parts: Any,
    ) -> Task:
        """Compose the Inspect task."""
        return Task(
            dataset=dataset,
            solver=solver,
            scorer=scorer,
            config=self.config,
            version=self.card.version,
            metadata=self.metadata | dict(metadata or {}),
            **parts,
        )


def fingerprint(opened: Round, prompts: PromptSet) -> str:
    """Hash of a run's inputs beside its arguments: the round and the prompts."""
    return hash_of({"round": opened.sha256, "prompts": prompts.sha256})


def open_prompts(family: str, folder: str | None) -> PromptSet:
    """A user's templates, or the family's own."""
    shipped = find_family(family).folder / "prompts"
    return load_prompts(Path(folder) if folder else shipped)


def open_task(
    family: str,
    task: str,
    round: str,
    setting: str,
    prompts: str | None,
    max_tokens: int | None,
    pin: str | None,
    judge: bool = False,
    judge_source: bool = False,
) -> TaskEntry:
    """Open a task on a round.

    Args:
        family: The family's folder.
        task: The task's short name.
        round: Folder that holds the round's manifest, or `sample` for that of the sample papers.
        setting: What the model sees.
        prompts: Folder of templates; None for the shipped ones.
        max_tokens: The longest answer; None for the card's default.
        pin: `fingerprint` the run expects; None to accept any.
        judge: Whether a model judges the answers too.
        judge_source: Whether it is shown what the paper says elsewhere.

    Raises:
        NoRoundError: No round is named.
        InputError: The setting is unknown, the round or the prompts are not those pinned, or no
            model is named as judge.
    """
    card = find_family(family).card.tasks[task]
    if setting not in card.settings:
        known = ", ".join(card.settings)
        raise NoItemsError(f"{task} has no setting {setting!r}. There are: {known}.")
    if not round:
        raise NoRoundError(
            "Name a round: -T round=FOLDER, or -T round=sample for the sample papers."
        )
    opened = open_round(round)
    templates = open_prompts(family, prompts)
    if pin is not None and pin != fingerprint(opened, templates):
        raise InputError(f"Round {opened.id} or its prompts changed since this run was started.")
    decoding = {**card.decoding, **({"max_tokens": max_tokens} if max_tokens else {})}
    return TaskEntry(
        card=card,
        round=opened,
        prompts=templates,
        config=GenerateConfig(**decoding),
        metadata={
            **log_metadata(opened, family, task, setting, templates),
            "metrics": list(card.metrics),
            "diagnostics": list(card.diagnostics),
            "stages": list(card.stages),
            **_judging(card, templates, judge, judge_source),
        },
    )


def log_metadata(
    opened: Round, family: str, task: str, setting: str, prompts: PromptSet
) -> dict[str, Any]:
    """Facts of every log of a task, beside the names of its metrics."""
    window = opened.manifest["window"]
    return {
        "round": opened.id,
        "round_sha256": opened.sha256,
        "window": [window["start"], window["end"]],
        "family": family,
        "task": task,
        "setting": setting,
        "prompt_hash": prompts.sha256,
    }


def _judging(card: TaskCard, prompts: PromptSet, judge: bool, source: bool) -> dict[str, Any]:
    """Facts of a log on its judge; Inspect's model role has the judge's name."""
    if type(judge) is not bool or type(source) is not bool or (source and not judge):
        raise InputError(
            f"judge={judge!r} and judge_source={source!r} do not fit: both are true or false, and "
            "there is no source without a judge."
        )
    if not judge:
        return {}
    check_judge(prompts, with_source=source)
    return {
        "metrics": [*card.metrics, *WINS],
        "diagnostics": [*card.diagnostics, *CHECKS],
        "judged": [*WINS, *CHECKS],
        "judge": judge_hash(prompts) + ("+source" if source else ""),
    }
