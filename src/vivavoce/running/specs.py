"""Specification of a run, and the report of how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vivavoce.models.cutoffs import Cutoffs
from vivavoce.running.prices import Price
from vivavoce.running.sweeps import Sweep
from vivavoce.running.until import Until
from vivavoce.tasks.subsets import Subset

NO_MODEL = "none/none"
PATIENCE = {"max_retries": 6, "attempt_timeout": 600}
"""Further tries of a request and its seconds, where neither the run nor the card says otherwise."""
CEILING = "oracle"
"""The method that answers with the gold: it is asked, and compared with nobody."""
CONTESTANTS = {
    CEILING: "answers with the gold: the ceiling, needs no model",
    "null": "answers every sample with the same sentence, needs no model",
    "copycat": "answers with its input, needs no model",
}
"""Methods that need no model."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What to run."""

    tasks: Sequence[str]
    """Names such as `title` or `vivavoce/title`."""
    round: Path
    """The folder of the round."""
    logs: Path
    """Folder for the logs; a run goes on with what is in it."""
    models: Sequence[str] = ()
    """`provider/model`, as Inspect names them; none for methods that need no model."""
    methods: Sequence[str] = ("direct",)
    """How each model is used, and contestants without one; `list_methods` has all."""
    judge: str | None = None
    """A model that compares every answer with the gold, for tasks that take a judge."""
    setting: str = "base"
    """What the models see, by the card of the family."""
    context: int | None = None
    """Every model's window in tokens; None for what is known of each."""
    task_args: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the tasks, such as `data_info` of formula."""
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the methods that take them, such as `rounds` of self_refine."""
    sweep: Sweep = field(default_factory=dict)
    """Values of such arguments: a method is run with every combination of those it takes."""
    subset: Subset | None = None
    """Only some items of each task, the same ones for every contestant."""
    clean_for: Cutoffs | None = None
    """Only items that are clean for every model of the run by these cutoffs."""
    prompts: Path | None = None
    """Folder of templates to use instead of the family's."""
    epochs: int = 1
    """Answers asked for each sample."""
    limit: int | None = None
    """Only the first so many samples; a board then calls the log partial."""
    until: Until | None = None
    """A question that ends the run when it is answered; None to ask everything of everyone."""
    max_tokens: int | None = None
    """The longest answer, in tokens; None for what the task's card says."""
    generate: Mapping[str, Any] = field(default_factory=dict)
    """Decoding settings for Inspect's GenerateConfig, such as temperature."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for every model's provider, such as `n_ctx` of a local model."""
    max_connections: int | None = None
    """Requests to a model at one time; None for what its provider takes."""
    max_retries: int | None = None
    """Further tries of one request; None for what the task's card says, else 6."""
    attempt_timeout: int | None = None
    """Seconds after which one request counts as failed and is tried again; None for what the
    task's card says, else 600."""
    retry_on_error: int = 3
    """Further tries of a sample that ended in an error."""
    task_tries: int = 3
    """Tries of a task some of whose samples still have no score."""
    time_limit: int | None = None
    """Seconds that one sample may take."""
    cost_limit: float | None = None
    """Dollars that one try of a sample may cost; the prices of all its models must be known."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """What models cost, by their names: Inspect knows no price by itself."""
    display: str | None = None
    """How Inspect shows the run: `none`, `plain`, `rich`, `full` or `log`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """State in which the comparison of one task ended."""

    task: str
    setting: str
    reason: str
    """Such as `decided at look 6 of 20`."""
    decided: bool
    look: int
    looks: int
    items: int
    """Items that were asked of those who were asked longest."""
    of: int
    """Items of the task."""
    answers: int
    """Answers that all contestants together gave."""
    of_answers: int
    """Answers that the whole task would have taken."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """How a run ended."""

    logs: tuple[str, ...]
    """One log a (task, method, model) and combination of a sweep."""
    failed: tuple[str, ...]
    """Logs that are not complete, each with the reason."""
    skipped: tuple[str, ...] = ()
    """Tasks without an item in the setting, each with the reason."""
    set_aside: tuple[str, ...] = ()
    """Damaged logs that lay in the folder, by their new names."""
    stopped: tuple[Stopped, ...] = ()
    """How each comparison ended, of a run that ends when its question is answered."""
