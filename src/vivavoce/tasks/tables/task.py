"""The table task.

viva run table --round rounds/ID --method iterative --model openai/gpt-4o-mini --logs logs
inspect eval vivavoce/table --model openai/gpt-4o-mini -T round=rounds/ID -T setting=titles
"""

from __future__ import annotations

from inspect_ai import Task, task

from vivavoce.tasks.entry import open_task
from vivavoce.tasks.tables.dataset import answer_room, table_dataset
from vivavoce.tasks.tables.items.table_items import FAMILY, TASK
from vivavoce.tasks.tables.scorer import FORMS, ITEMS, MATCHER, Evaluation
from vivavoce.tasks.tables.solvers import one_step


@task
def table(
    round: str = "",
    setting: str = "base",
    answerer: str = MATCHER,
    meaning: str = FORMS,
    matcher: str | None = None,
    synthesizer: str | None = None,
    headers: str = "schema",
    pairs: int | None = None,
    question_seed: int = 0,
    aggregate: str = ITEMS,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> Task:
    """Put together the table that a demand asks for, out of a pool of papers.

    Args:
        round: Folder that holds the manifest, or `sample` for the round of the sample papers.
        setting: What is shown of each paper: base (all that is known), abstracts or titles.
        answerer: What compares the answer with the gold: matcher, by rule; role, by questions to
            the model of the role answerer; or the name of a model to play it.
        meaning: What the matcher decides by that headers and cells mean the same: forms, or the
            name of an encoder as well, such as minilm.
        matcher: Who decides in place of forms about what is not written alike: role or the name of
            a model.
        synthesizer: Who words these questions: role or the name of a model; by default their words
            are fixed.
        headers: Who says for an answerer which columns mean the same: none, schema or model.
        pairs: Pairwise questions a table; by default all for the matcher, 10 for an answerer.
        question_seed: Of the questions that are drawn, of probes and of their order.
        aggregate: What a board shows: items, the mean of the tables' own values; macro, F1 of mean
            precision and mean recall; micro, the questions of all tables pooled.
        context: The model's window in tokens; by default what the model table says.
        prompts: Folder of templates to use instead of the shipped ones.
        max_tokens: The longest answer a model may give; by default the card's, or what the longest
            gold table of the round needs.
        pin: Refuse to run when round and prompts are not the ones with this fingerprint.
    """
    entry = open_task(FAMILY, TASK, round, setting, prompts, max_tokens, pin)
    if max_tokens is None:
        entry = entry.with_room(answer_room(entry.round, setting))
    by = Evaluation(
        answerer, meaning, matcher, synthesizer, headers, pairs, question_seed, aggregate
    )
    dataset = table_dataset(entry.round, setting, entry.prompts, max_tokens=entry.max_tokens)
    metadata = by.metadata(entry.card, entry.prompts, setting)
    roles = by.start_roles()
    return entry.task(dataset, one_step(context=context), by.scorer(), metadata, model_roles=roles)
