"""Table metrics as Inspect scorers: by comparison of values, or by a model that uses tables."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from vivavoce.metrics.ratios import Aggregate, Ratio
from vivavoce.metrics.tables.literature_tables import (
    ASPECTS,
    LiteratureTable,
    TableScore,
    aggregate_tables,
)
from vivavoce.tasks.prompting.prompts import folder_at, load_prompts
from vivavoce.tasks.scoring.guard import VALID, FaultyAnswer, guarded
from vivavoce.tasks.tables.items.answers import (
    DIAGNOSTICS,
    NAMES,
    NOTHING,
    by_matching,
    diagnose,
    number,
    read_answer,
    read_gold,
    side_by_side,
)
from vivavoce.tasks.tables.roles.answering import Use, use_tables

YES_BIAS = "yes_bias"
_COUNTS = "counts"
"""Right answers and questions of an answer, in its score's metadata, so that they can be pooled."""


@metric(scores="unreduced")
def macro() -> Metric:
    """Every metric over all tables: P and R are means over tables, F1 their harmonic mean."""
    return _aggregated("macro")


@metric(scores="unreduced")
def micro() -> Metric:
    """Every metric over all tables, with the questions of all of them pooled."""
    return _aggregated("micro")


def _aggregated(how: Aggregate) -> Metric:
    def values(scores: list[SampleScore]) -> dict[str, float]:
        found = aggregate_tables([_score_of(one.score) for one in scores], how)
        return {name: number(found[name]) for name in NAMES}

    return values


_BY_NAME: dict[str, list[Metric]] = {
    **{name: [mean(), stderr(cluster="cluster")] for name in NAMES},
    # Those over all tables stand under the first: they count questions, whatever the value is.
    NAMES[0]: [mean(), stderr(cluster="cluster"), macro(), micro()],
    **{name: [mean()] for name in DIAGNOSTICS},
    VALID: [mean()],
}


@scorer(metrics=_BY_NAME)
def tables(pairs: int | None = None, seed: int = 0) -> Scorer:
    """Papers, columns, cells and pairs of cells of the answer's table against the gold one.

    Args:
        pairs: Pairwise questions a table; all of them by default.
        seed: Of the pairs that are asked.
    """

    async def compare(
        state: TaskState, gold: LiteratureTable, answer: LiteratureTable, notes: dict[str, Any]
    ) -> dict[str, float]:
        scored = by_matching(gold, answer, pairs=pairs, seed=seed)
        notes[_COUNTS] = _counts([scored])
        return _numbers(scored.values())

    return _scorer(compare, pairs, seed)


@scorer(metrics={**_BY_NAME, YES_BIAS: [mean()]})
def tables_by_use(
    pairs: int | None = None,
    seed: int = 0,
    headers: str = "schema",
    synthesizer: bool = False,
) -> Scorer:
    """The same by questions: the model of the role `answerer` answers them out of the other table.

    Args:
        pairs: Pairwise questions a table; 10 by default.
        seed: Of questions, probes and their order.
        headers: Who says which columns mean the same: none, schema or model.
        synthesizer: Whether the model of that role words the questions.

    Raises:
        InputError: An argument makes no sense.
    """
    use = use_of(pairs, seed, headers, synthesizer)

    async def ask(
        state: TaskState, gold: LiteratureTable, answer: LiteratureTable, notes: dict[str, Any]
    ) -> dict[str, float]:
        prompts = load_prompts(folder_at(state.metadata["prompts"]))
        used = await use_tables(prompts, gold, answer, titles_of(state), use)
        notes[_COUNTS] = _counts([run.score for run in used.runs])
        notes["use"] = used.record
        return _numbers(used.values())

    return _scorer(ask, use.pairs, seed, YES_BIAS)


def use_of(pairs: int | None, seed: int, headers: str, synthesizer: bool) -> Use:
    """How a model uses the tables; `InputError` for what makes no sense."""
    given = {"pairs": pairs} if pairs is not None else {}
    return Use(seed=seed, headers=headers, synthesizer=synthesizer, **given)  # type: ignore[arg-type]


def titles_of(state: TaskState) -> dict[str, str]:
    """Titles of the pool's papers by label."""
    return {one["label"]: one["title"] for one in state.metadata["pool"]}


_Compare = Callable[
    [TaskState, LiteratureTable, LiteratureTable, dict[str, Any]], Awaitable[dict[str, float]]
]


def _scorer(compare: _Compare, pairs: int | None, seed: int, *further: str) -> Scorer:
    """A scorer that counts an answer without a table as one without any paper, column or cell.

    Args:
        compare: Gives the values of a table, and notes what a log keeps.
        pairs: Pairwise questions a table.
        seed: Of these.
        further: Values beside `NAMES` that it gives; undefined for an answer without a table.
    """

    async def score(state: TaskState, target: Target) -> Score:
        titles = titles_of(state)
        gold = read_gold(target.text, titles)
        nothing = by_matching(gold, NOTHING, pairs=pairs, seed=seed)
        failed = {**_numbers(nothing.values()), **dict.fromkeys(further, math.nan)}
        notes: dict[str, Any] = {_COUNTS: _counts([nothing])}
        found: list[LiteratureTable] = []

        async def values(answer: str, state: TaskState, target: Target) -> dict[str, float]:
            table = read_answer(answer, titles)
            if table is None:
                raise FaultyAnswer("malformed")
            found.append(table)
            return await compare(state, gold, table, notes)

        given = await guarded([], values)(state, target)
        assert given is not None  # of the type only: a guard always scores
        assert isinstance(given.value, Mapping)
        table = found[0] if found else None
        return given.model_copy(
            update={
                "value": {**failed, **given.value, **diagnose(gold, table)},
                "metadata": {**(given.metadata or {}), **notes},
                "explanation": side_by_side(gold, table, titles),
            }
        )

    return score


def _numbers(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: number(value) for name, value in values.items()}


def _counts(scores: list[TableScore]) -> dict[str, list[float | None]]:
    """For each precision and recall: right answers and questions of all runs, and 0 or None."""
    first = scores[0]
    return {
        name: [
            sum(one.ratios[name].hits for one in scores),
            sum(one.ratios[name].asked for one in scores),
            first.ratios[name].when_none,
        ]
        for name in first.ratios
    }


def _score_of(score: Score) -> TableScore:
    """What the counts in a score's metadata say; of a score without them, as of no answer."""
    counts = (score.metadata or {}).get(_COUNTS) or {}
    ratios = {
        name: Ratio(*counts.get(name, (0, 0, 0.0)))
        for aspect in ASPECTS
        for name in (f"{aspect}_p", f"{aspect}_r")
    }
    return TableScore(ratios, 0, False)
