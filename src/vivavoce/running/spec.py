"""Specification of a run: tasks, contestants, settings and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vivavoce.models.cutoffs import Cutoffs
from vivavoce.running.prices import Price
from vivavoce.running.stopping import Until
from vivavoce.running.sweeps import Sweep
from vivavoce.tasks.subsets import Subset


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Specification of a run."""

    tasks: Sequence[str]
    """Names such as `title` or `vivavoce/title`."""
    round: Path
    """The folder of the round."""
    logs: Path
    """Folder for the logs; a run goes on with what is in it."""
    models: Sequence[str] = ()
    """`provider/model`, as Inspect names them; none for methods that need no model."""
    methods: Sequence[str] = ("direct",)
    """Methods by which each model is used, and contestants without one; `list_methods` has all."""
    agent: str | None = None
    """An agent of the user's own as `FILE.py@NAME`, a method beside the others."""
    judge: str | None = None
    """A model that compares every answer with the gold, for tasks that take a judge."""
    setting: str = "base"
    """Input variant that the models see, by the card of the family."""
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
    learn_from: Sequence[Path] = ()
    """Folders of earlier logs, for plans and for the difficulty of items; none for `logs`."""
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
    """Prices of models by their names: Inspect knows no price by itself."""
    budget: float | None = None
    """Dollars that all logs of the folder may cost together; every price must be known."""
    batch: Mapping[str, Any] | None = None
    """Settings of the provider's batches, such as `tick`: cheaper, and hours later; None for no
    batches."""
    cache: bool | None = None
    """Take replies to the same request from a cache: all, none, or by default those of judges."""
    witness: str | None = None
    """A folder or an address where the head of the ledger is stated at the start and the end."""
    display: str | None = None
    """Display of the run by Inspect: `none`, `plain`, `rich`, `full` or `log`."""
