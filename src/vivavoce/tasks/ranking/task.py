"""The ranking tasks.

viva run rank_by_prompt --round rounds/ID --model openai/gpt-4o-mini --logs logs
viva run rank_by_graph --round rounds/ID --method pagerank --method tournament --logs logs
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task

from vivavoce.tasks.entry import TaskEntry, open_task
from vivavoce.tasks.ranking.dataset import Asking, asking, ranking_dataset
from vivavoce.tasks.ranking.scorer import paper_order, title_order
from vivavoce.tasks.ranking.solvers import direct, pagerank


@task
def rank_by_prompt(
    round: str,
    setting: str = "base",
    split: str = "test",
    scoring: str = "default",
    variant: int = 1,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Order the titles of a board's papers by their results.

    Args:
        round: Folder that holds the round's manifest.
        setting: What the model sees: base.
        split: test, or dev for the boards that methods are tuned on.
        scoring: default, or legacy for the rules of the published numbers.
        variant: Wording of the prompt, 1 to 3.
        context: The model's window in tokens; by default what the model table says.
        prompts: Folder of templates to use instead of the shipped ones.
        max_tokens: The longest answer a model may give.
        pin: Refuse to run when round and prompts are not the ones with this fingerprint.
    """
    entry = _open("rank_by_prompt", round, setting, prompts, max_tokens, pin)
    asked = asking("rank_by_prompt", setting, split, scoring, variant)
    return Task(solver=direct(context), scorer=title_order(scoring), **_parts(entry, asked))


@task
def rank_by_graph(
    round: str,
    setting: str = "base",
    split: str = "test",
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Find the papers of a board in the corpus and rank them by a network.

    The setting is base (citations; titles and abstracts are searched), fulltext, comparison or
    comparison_fulltext. `context` says nothing here; the others are those of `rank_by_prompt`.
    """
    entry = _open("rank_by_graph", round, setting, prompts, max_tokens, pin)
    asked = asking("rank_by_graph", setting, split)
    return Task(solver=pagerank(), scorer=paper_order(), **_parts(entry, asked))


def _open(
    task: str,
    round: str,
    setting: str,
    prompts: str | None,
    max_tokens: int | None,
    pin: str | None,
) -> TaskEntry:
    return open_task(
        "ranking",
        task,
        round=round,
        setting=setting,
        prompts=prompts,
        max_tokens=max_tokens,
        pin=pin,
    )


def _parts(entry: TaskEntry, asked: Asking) -> dict[str, Any]:
    """Parts of both tasks."""
    return {
        "dataset": ranking_dataset(entry.round, asked, entry.prompts, max_tokens=entry.max_tokens),
        "config": entry.config,
        "version": entry.card.version,
        "metadata": entry.metadata | asked.described(entry.prompts.sha256),
    }
