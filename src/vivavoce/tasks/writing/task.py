"""The writing tasks.

viva run title abstract --round rounds/ID --model openai/gpt-4o-mini --logs logs
inspect eval vivavoce/related_work --model openai/gpt-4o-mini -T round=rounds/ID -T setting=random
"""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai import Task, task

from vivavoce.tasks.entry import open_task
from vivavoce.tasks.writing.dataset import showing, writing_dataset
from vivavoce.tasks.writing.scorer import writing
from vivavoce.tasks.writing.solvers import direct


def _without_track(name: str) -> Callable[..., Task]:
    """The task of a part of a paper that has no list of works."""

    @task(name=name)
    def made(
        round: str = "",
        setting: str = "base",
        demos: int | None = None,
        split: str | None = None,
        variant: int = 1,
        judge: bool = False,
        judge_source: bool = False,
        context: int | None = None,
        prompts: str | None = None,
        max_tokens: int | None = None,
        pin: str | None = None,
    ) -> Task:
        """Write one part of a paper from the rest.

        Args:
            round: Folder that holds the manifest, or `sample` for the round of the sample papers.
            setting: What the model sees: base, random, coauthor, mixed, title_only, leave_one_out.
            demos: Other papers shown with their gold, of each kind; by default all the round holds.
            split: Only its items: train, validation or test; by default all.
            variant: Wording of the prompt, 1 to 3.
            judge: Whether a model with the role `judge` compares the answer with the gold.
            judge_source: Whether the judge also sees what the answer was written from.
            context: The model's window in tokens; by default what the model table says.
            prompts: Folder of templates to use instead of the shipped ones.
            max_tokens: The longest answer a model may give.
            pin: Refuse to run when round and prompts are not the ones with this fingerprint.
        """
        opened = (round, setting, prompts, max_tokens, pin)
        return _task(name, opened, demos, "cited", split, variant, judge, judge_source, context)

    return made


title = _without_track("title")
"""Write a paper's title from its main text and abstract."""
abstract = _without_track("abstract")
"""Write a paper's abstract from its title and main text."""
introduction = _without_track("introduction")
"""Write a paper's introduction from all the rest."""


@task
def related_work(
    round: str = "",
    setting: str = "base",
    track: str = "cited",
    demos: int | None = None,
    split: str | None = None,
    variant: int = 1,
    judge: bool = False,
    judge_source: bool = False,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Write a paper's related-work section from the rest and a list of works.

    `track` is cited, for the works that the section cites, or padded, for others beside them. The
    other arguments are those of `title`.
    """
    opened = (round, setting, prompts, max_tokens, pin)
    return _task("related_work", opened, demos, track, split, variant, judge, judge_source, context)


def _task(
    name: str,
    opened: tuple[str, str, str | None, int | None, str | None],
    demos: int | None,
    track: str,
    split: str | None,
    variant: int,
    judge: bool,
    judge_source: bool,
    context: int | None,
) -> Task:
    entry = open_task("writing", name, *opened, judge, judge_source)
    _, setting, prompts, _, _ = opened
    shown = showing(entry.round, name, setting, demos, track, variant, split)
    words = entry.card.answer_words or 0
    dataset = writing_dataset(
        entry.round, shown, entry.prompts, words=words, max_tokens=entry.max_tokens
    )
    scorer = writing(name, judge, judge_source, prompts)
    return entry.task(dataset, direct(context), scorer, entry.worded(shown.label, variant))
