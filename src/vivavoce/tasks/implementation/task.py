"""The implementation tasks.

viva run formula --round rounds/ID --model openai/gpt-4o-mini --logs logs
inspect eval vivavoce/formula --model openai/gpt-4o-mini -T round=rounds/ID -T data_info=full
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.scorer import Scorer

from vivavoce.checking import check_numbers
from vivavoce.tasks.entry import TaskEntry, open_task
from vivavoce.tasks.implementation.dataset import (
    architecture_dataset,
    effective_setting,
    extraction_dataset,
    formula_dataset,
    reproduce_dataset,
)
from vivavoce.tasks.implementation.items.report import judge_of
from vivavoce.tasks.implementation.scorer import architecture as architecture_scorer
from vivavoce.tasks.implementation.scorer import extract_method as extract_method_scorer
from vivavoce.tasks.implementation.scorer import formula as formula_scorer
from vivavoce.tasks.implementation.scorer import reproduce as reproduce_scorer
from vivavoce.tasks.methods.direct import direct
from vivavoce.tasks.methods.self_refine import note_run
from vivavoce.tasks.programs.program import sandbox_for

_FACTORS = ("numpy", "pandas", "pyarrow")
_NETWORKS = ("numpy", "torch", "safetensors")
"""Distributions that programs may import."""


@task
def formula(
    round: str = "",
    setting: str = "base",
    data_info: str | None = None,
    knowledge: bool | None = None,
    timeout: int = 120,
    sandbox: str = "bwrap",
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Write a program that computes a formula; it is run in a sandbox and its numbers compared.

    Args:
        round: Folder that holds the manifest, or `sample` for the round of the sample papers.
        setting: What is told of the data: base (brief), none or full, with +knowledge for notes.
        data_info: none, brief or full; instead of naming a setting.
        knowledge: Whether notes on the field are added; instead of naming a setting.
        timeout: Seconds a program may run.
        sandbox: bwrap, docker, or the path of a compose file or a Dockerfile.
        context: The model's window in tokens; by default what the model table says.
        prompts: Folder of templates to use instead of the shipped ones.
        max_tokens: The longest answer a model may give.
        pin: Refuse to run when round and prompts are not the ones with this fingerprint.
    """
    setting = effective_setting(setting, data_info, knowledge)
    entry = open_task("implementation", "formula", round, setting, prompts, max_tokens, pin)
    dataset = formula_dataset(
        entry.round, entry.prompts, setting=setting, max_tokens=entry.max_tokens
    )
    scorer = formula_scorer(round, timeout)
    return _compose(entry, dataset, scorer, _FACTORS, context, timeout, sandbox)


@task
def architecture(
    round: str = "",
    setting: str = "base",
    timeout: int = 120,
    sandbox: str = "bwrap",
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Write a module for a network, compared by layers. For seconds and tokens see `formula`."""
    entry = open_task("implementation", "architecture", round, setting, prompts, max_tokens, pin)
    dataset = architecture_dataset(entry.round, entry.prompts, max_tokens=entry.max_tokens)
    scorer = architecture_scorer(round, timeout)
    return _compose(entry, dataset, scorer, _NETWORKS, context, timeout, sandbox)


@task
def extract_method(
    round: str = "",
    setting: str = "base",
    embedder: str | None = None,
    threshold: float | None = None,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Find the methods that a report describes; compared with `embedder`. See `formula`.

    `context` and `max_tokens` are in tokens; `threshold`, from 0 to 1, is the similarity from
    which two descriptions say the same: by default 0.9, with `embedder=minilm` 0.6.
    """
    entry = open_task("implementation", "extract_method", round, setting, prompts, max_tokens, pin)
    dataset = extraction_dataset(
        entry.round, entry.prompts, setting=setting, max_tokens=entry.max_tokens
    )
    scorer = extract_method_scorer(round, embedder, threshold)
    metadata = {"judge": judge_of(embedder, threshold)}
    return entry.task(dataset, direct(context), scorer, metadata)


@task
def reproduce(
    round: str = "",
    setting: str = "base",
    data_info: str | None = None,
    knowledge: bool | None = None,
    timeout: int = 120,
    sandbox: str = "bwrap",
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """From a report to its number: reading, data, program, values. Seconds, tokens: `formula`."""
    setting = effective_setting(setting, data_info, knowledge)
    entry = open_task("implementation", "reproduce", round, setting, prompts, max_tokens, pin)
    dataset = reproduce_dataset(
        entry.round, entry.prompts, setting=setting, max_tokens=entry.max_tokens
    )
    scorer = reproduce_scorer(round, timeout)
    return _compose(entry, dataset, scorer, _FACTORS, context, timeout, sandbox)


def _compose(
    entry: TaskEntry,
    dataset: MemoryDataset,
    scorer: Scorer,
    packages: tuple[str, ...],
    context: int | None,
    timeout: int,
    sandbox: str,
) -> Task:
    """Compose a task whose answers are programs that are run.

    Raises:
        InputError: The timeout is not a number of seconds, or the sandbox is none.
    """
    check_numbers({"timeout": (timeout, 1, None)})
    noted = note_run(dataset, entry.metadata["task"], entry, timeout)
    return entry.task(
        noted, direct(context), scorer, sandbox=sandbox_for(packages, sandbox, timeout)
    )
