"""The implementation tasks.

viva run formula --round rounds/ID --model openai/gpt-4o-mini --logs logs
inspect eval vivavoce/formula --model openai/gpt-4o-mini -T round=rounds/ID -T data_info=full
"""

from __future__ import annotations

from inspect_ai import Task, task

from vivavoce.tasks.implementation.dataset import formula_dataset
from vivavoce.tasks.implementation.scorer import formula as formula_scorer
from vivavoce.tasks.implementation.settings import effective_setting
from vivavoce.tasks.shared.direct import direct
from vivavoce.tasks.shared.entry import open_task
from vivavoce.tasks.shared.programs import sandbox_for


@task
def formula(
    round: str,
    setting: str = "base",
    data_info: str | None = None,
    knowledge: bool | None = None,
    timeout: int = 120,
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
    return Task(
        dataset=formula_dataset(
            entry.round,
            entry.prompts,
            setting=entry.metadata["setting"],
            max_tokens=entry.max_tokens,
        ),
        solver=direct(context),
        scorer=formula_scorer(round, timeout),
        sandbox=sandbox_for(("numpy", "pandas", "pyarrow")),
        config=entry.config,
        version=entry.card.version,
        metadata=entry.metadata,
    )
