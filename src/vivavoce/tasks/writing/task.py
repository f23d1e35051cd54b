"""The writing tasks.

viva run title abstract --round rounds/ID --model openai/gpt-4o-mini --logs logs
inspect eval vivavoce/title --model openai/gpt-4o-mini -T round=rounds/ID
"""

from __future__ import annotations

from inspect_ai import Task, task

from vivavoce.tasks.shared.entry import open_task
from vivavoce.tasks.writing.dataset import writing_dataset
from vivavoce.tasks.writing.scorer import writing
from vivavoce.tasks.writing.solvers import direct


@task
def title(
    round: str,
    setting: str = "base",
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Write a paper's title from its main text and abstract.

    Args:
        round: Folder that holds the round's manifest.
        setting: What the model sees; `base` is the paper's inputs.
        context: The model's window in tokens; by default what the model table says.
        prompts: Folder of templates to use instead of the shipped ones.
        max_tokens: The longest answer a model may give.
        pin: Refuse to run when round and prompts are not the ones with this fingerprint.
    """
    return _task("title", round, setting, context, prompts, max_tokens, pin)


@task
def abstract(
    round: str,
    setting: str = "base",
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Write a paper's abstract from its title and main text; the arguments are those of `title`."""
    return _task("abstract", round, setting, context, prompts, max_tokens, pin)


def _task(
    name: str,
    round: str,
    setting: str,
    context: int | None,
    prompts: str | None,
    max_tokens: int | None,
    pin: str | None,
) -> Task:
    entry = open_task(
        "writing",
        name,
        round=round,
        setting=setting,
        prompts=prompts,
        max_tokens=max_tokens,
        pin=pin,
    )
    dataset = writing_dataset(
        entry.round,
        name,
        entry.prompts,
        words=entry.card.answer_words or 0,
        max_tokens=entry.max_tokens,
    )
    return Task(
        dataset=dataset,
        solver=direct(context),
        scorer=writing(),
        config=entry.config,
        version=entry.card.version,
        metadata=entry.metadata,
    )
