"""The leaderboard task.

viva run leaderboard --round rounds/ID --model openai/gpt-4o-mini --logs logs
inspect eval vivavoce/leaderboard --model openai/gpt-4o-mini -T round=rounds/ID -T setting=corpus
"""

from __future__ import annotations

from inspect_ai import Task, task

from vivavoce.tasks.entry import open_task
from vivavoce.tasks.leaderboards.dataset import Showing, leaderboard_dataset
from vivavoce.tasks.leaderboards.items import CHUNKS, FAMILY, SIZE, TASK
from vivavoce.tasks.leaderboards.scorer import leaderboards
from vivavoce.tasks.leaderboards.solvers import direct


@task
def leaderboard(
    round: str = "",
    setting: str = "base",
    split: str = "test",
    chunks: int = CHUNKS,
    chunk_size: int = SIZE,
    variant: int = 1,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Put together the leaderboard of a task, dataset and metric from excerpts of papers.

    Args:
        round: Folder that holds the manifest, or `sample` for the round of the sample papers.
        setting: Where excerpts come from: base (the board's papers) or corpus (the round's papers).
        split: test, or dev for the boards that methods are tuned on.
        chunks: How many excerpts, at most.
        chunk_size: The most tokens of an excerpt, a token counted as three characters.
        variant: Wording of the prompt, 1 to 3.
        context: The model's window in tokens; by default what the model table says.
        prompts: Folder of templates to use instead of the shipped ones.
        max_tokens: The longest answer a model may give.
        pin: Refuse to run when round and prompts are not the ones with this fingerprint.
    """
    entry = open_task(FAMILY, TASK, round, setting, prompts, max_tokens, pin)
    shown = Showing(setting, split, chunks, chunk_size, variant)
    dataset = leaderboard_dataset(entry.round, shown, entry.prompts, max_tokens=entry.max_tokens)
    metadata = entry.worded(shown.label, variant)
    return entry.task(dataset, direct(context), leaderboards(), metadata)
