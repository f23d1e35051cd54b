"""Writing items turned into Inspect samples."""

from __future__ import annotations

from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.rounds import Round
from vivavoce.store import Row
from vivavoce.tasks.shared.prompts import PromptSet

SLOTS = {"title": ("content", "abstract"), "abstract": ("title", "content")}
"""Each task's inputs."""


def writing_dataset(
    opened: Round, task: str, prompts: PromptSet, *, words: int, max_tokens: int
) -> MemoryDataset:
    """The samples of a task.

    Args:
        opened: The round.
        task: `title` or `abstract`.
        prompts: The templates.
        words: About how long an answer is asked for.
        max_tokens: The longest answer a model may give; the fitter keeps this room free.
    """
    values = {"words": words, "max_tokens": max_tokens}
    rows = opened.items("writing", task)
    samples = [record_to_sample(row, task, prompts, values) for row in rows]
    return MemoryDataset(samples, name=f"{opened.id}/writing/{task}")


def record_to_sample(row: Row, task: str, prompts: PromptSet, values: dict[str, int]) -> Sample:
    """One item as a sample: the prompt with every slot in full, and where the slots stand.

    `cluster` is what the bootstrap resamples.
    """
    slots = {name: str(row[name]) for name in SLOTS[task]}
    prompt = prompts.render(task, slots, {"words": values["words"]})
    return Sample(
        id=row["id"],
        input=prompt.text,
        target=row["reference"],
        metadata={
            "cluster": row["cluster"],
            "published": row["published"],
            "split": row["split"],
            "spans": {slot: list(span) for slot, span in prompt.spans.items()},
            **values,
        },
    )
