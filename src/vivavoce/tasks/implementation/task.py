"""The implementation tasks.

viva run formula --round rounds/ID --model openai/gpt-4o-mini --logs logs
inspect eval vivavoce/formula --model openai/gpt-4o-mini -T round=rounds/ID -T data_info=full
"""

from __future__ import annotations

from inspect_ai import Task, task

from vivavoce.tasks.entry import open_task
from vivavoce.tasks.implementation.dataset import (
    architecture_dataset,
    extraction_dataset,
    formula_dataset,
    reproduce_dataset,
)
from vivavoce.tasks.implementation.items.extraction import judge_of
from vivavoce.tasks.implementation.items.settings import effective_setting
from vivavoce.tasks.implementation.scorer import architecture as architecture_scorer
from vivavoce.tasks.implementation.scorer import extract_method as extract_method_scorer
from vivavoce.tasks.implementation.scorer import formula as formula_scorer
from vivavoce.tasks.implementation.scorer import reproduce as reproduce_scorer
from vivavoce.tasks.methods.direct import direct
from vivavoce.tasks.methods.program_task import program_task


@task
def formula(
    round: str,
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
        round: Folder that holds the round's manifest.
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
    entry = open_task(
        "implementation",
        "formula",
        round=round,
        setting=effective_setting(setting, data_info, knowledge),
        prompts=prompts,
        max_tokens=max_tokens,
        pin=pin,
    )
    setting = entry.metadata["setting"]
    return program_task(
        entry,
        formula_dataset(entry.round, entry.prompts, setting=setting, max_tokens=entry.max_tokens),
        formula_scorer(round, timeout),
        ("numpy", "pandas", "pyarrow"),
        context=context,
        timeout=timeout,
        sandbox=sandbox,
    )


@task
def architecture(
    round: str,
    setting: str = "base",
    timeout: int = 120,
    sandbox: str = "bwrap",
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Write a module for a network, compared by layers. For seconds and tokens see `formula`."""
    entry = open_task(
        "implementation",
        "architecture",
        round=round,
        setting=setting,
        prompts=prompts,
        max_tokens=max_tokens,
        pin=pin,
    )
    return program_task(
        entry,
        architecture_dataset(entry.round, entry.prompts, max_tokens=entry.max_tokens),
        architecture_scorer(round, timeout),
        ("numpy", "torch", "safetensors"),
        context=context,
        timeout=timeout,
        sandbox=sandbox,
    )


@task
def extract_method(
    round: str,
    setting: str = "base",
    embedder: str | None = None,
    threshold: float = 0.9,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Find the methods that a report describes; compared with `embedder`. See `formula`.

    `context` and `max_tokens` are in tokens; `threshold`, from 0 to 1, is the similarity from
    which two descriptions say the same.
    """
    entry = open_task(
        "implementation",
        "extract_method",
        round=round,
        setting=setting,
        prompts=prompts,
        max_tokens=max_tokens,
        pin=pin,
    )
    return Task(
        dataset=extraction_dataset(
            entry.round, entry.prompts, setting=setting, max_tokens=entry.max_tokens
        ),
        solver=direct(context),
        scorer=extract_method_scorer(round, embedder, threshold),
        config=entry.config,
        version=entry.card.version,
        metadata=entry.metadata | {"judge": judge_of(embedder, threshold)},
    )


@task
def reproduce(
    round: str,
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
    entry = open_task(
        "implementation",
        "reproduce",
        round=round,
        setting=effective_setting(setting, data_info, knowledge),
        prompts=prompts,
        max_tokens=max_tokens,
        pin=pin,
    )
    setting = entry.metadata["setting"]
    return program_task(
        entry,
        reproduce_dataset(entry.round, entry.prompts, setting=setting, max_tokens=entry.max_tokens),
        reproduce_scorer(round, timeout),
        ("numpy", "pandas", "pyarrow"),
        context=context,
        timeout=timeout,
        sandbox=sandbox,
    )
