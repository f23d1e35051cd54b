"""The ranking tasks.

viva run rank_by_prompt --round rounds/ID --model openai/gpt-4o-mini --logs logs
viva run rank_by_graph --round rounds/ID --method pagerank --method recency --logs logs
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from vivavoce.tasks.entry import TaskEntry, open_task
from vivavoce.tasks.ranking.dataset import LISTED, Asking, ranking_dataset
from vivavoce.tasks.ranking.scorer import paper_order, title_order
from vivavoce.tasks.ranking.solvers import direct


@task
def rank_by_prompt(
    round: str = "",
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
        round: Folder that holds the manifest, or `sample` for the round of the sample papers.
        setting: What the model sees: base.
        split: test, or dev for the boards that methods are tuned on.
        scoring: default, or legacy for the rules of the published numbers.
        variant: Wording of the prompt, 1 to 3.
        context: The model's window in tokens; by default what the model table says.
        prompts: Folder of templates to use instead of the shipped ones.
        max_tokens: The longest answer a model may give.
        pin: Refuse to run when round and prompts are not the ones with this fingerprint.
    """
    entry = open_task("ranking", "rank_by_prompt", round, setting, prompts, max_tokens, pin)
    asked = Asking("rank_by_prompt", setting, split, scoring, variant)
    return _compose(entry, asked, direct(context), title_order(scoring))


@task
def rank_by_graph(
    round: str = "",
    setting: str = "base",
    split: str = "test",
    variant: int = 1,
    listed: int = LISTED,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Find the papers of a board in the corpus and rank them with the help of a network.

    The setting is base (citations; titles and abstracts are searched), fulltext, comparison or
    comparison_fulltext. `listed` is how many candidates a model is shown, at most; the others are
    those of `rank_by_prompt`.
    """
    entry = open_task("ranking", "rank_by_graph", round, setting, prompts, max_tokens, pin)
    asked = Asking("rank_by_graph", setting, split, variant=variant, listed=listed)
    return _compose(entry, asked, direct(context), paper_order())


def _compose(entry: TaskEntry, asked: Asking, solver: Solver, scorer: Scorer) -> Task:
    dataset = ranking_dataset(entry.round, asked, entry.prompts, max_tokens=entry.max_tokens)
    return entry.task(dataset, solver, scorer, entry.worded(asked.label, asked.variant))
