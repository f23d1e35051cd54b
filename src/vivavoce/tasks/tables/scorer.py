"""Table metrics as Inspect scorers: by comparison of values, or by a model that uses tables."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.scorer import (
    Metric,
    Score,
    Scorer,
    Target,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from vivavoce.metrics.tables.literature_tables import (
    LiteratureTable,
    score_table,
)
from vivavoce.metrics.tables.meaning import Meaning, align_by_meaning
from vivavoce.metrics.tables.question_wording import QUESTION_ASPECTS
from vivavoce.metrics.tables.table_questions import BIASES, PAIRS
from vivavoce.models import replayed_roles, start_model
from vivavoce.store import hash_of
from vivavoce.tasks.family import View
from vivavoce.tasks.prompting.prompts import SUFFIX, PromptSet, folder_at, load_prompts
from vivavoce.tasks.scoring.guard import guarded, numbers
from vivavoce.tasks.scoring.marks import VALID, FaultyAnswer
from vivavoce.tasks.tables import yes_or_no
from vivavoce.tasks.tables.composing import (
    DIAGNOSTICS,
    NAMES,
    NOTHING,
    diagnose,
    read_answer,
    read_gold,
)
from vivavoce.tasks.tables.family import MATCHER, TableArguments
from vivavoce.tasks.tables.solvers import one_step
from vivavoce.tasks.tables.steps import FAULT, RECORD
from vivavoce.tasks.tables.yes_or_no import (
    ANSWERER,
    SYNTHESIZER,
    QASetup,
    check_roles,
    models_of,
    use_tables,
)

_BY_NAME: dict[str, list[Metric]] = {
    **{name: [mean(), stderr(cluster="cluster")] for name in NAMES},
    **{name: [mean()] for name in DIAGNOSTICS},
    VALID: [mean()],
}


@scorer(metrics=_BY_NAME)
def tables(pairs: int | None = None, seed: int = 0, matcher: bool = False) -> Scorer:
    """Papers, columns, cells and pairs of cells of the answer's table against the gold one.

    Args:
        pairs: Pairwise questions a table; all of them by default.
        seed: Of the pairs that are asked.
        matcher: Whether the model of the role `matcher` decides in place of rules.
    """
    rules = Meaning()

    async def compare(
        state: TaskState, gold: LiteratureTable, answer: LiteratureTable, notes: dict[str, Any]
    ) -> dict[str, float]:
        if matcher:
            prompts = load_prompts(folder_at(state.metadata["prompts"]))
            model = get_model(role=yes_or_no.ROLE, required=True, config=yes_or_no.MATCHING)
            topic = state.metadata["demand"]
            aligned, notes["matching"] = await yes_or_no.align_by_model(
                prompts, gold, answer, topic, model
            )
        else:
            aligned = align_by_meaning(gold, answer, rules)
        scored = score_table(gold, aligned, pairs=pairs, seed=seed)
        return numbers(scored.values())

    return _scorer(compare, pairs, seed)


@scorer(metrics={**_BY_NAME, **{name: [mean()] for name in BIASES}})
def tables_by_use(pairs: int | None = None, seed: int = 0, synthesizer: bool = False) -> Scorer:
    """The same by questions: the model of the role `answerer` answers them out of the other table.

    Args:
        pairs: Pairwise questions a table; 10 by default.
        seed: Of questions, probes and their order.
        synthesizer: Whether the model of that role words the questions.

    Raises:
        InputError: An argument makes no sense.
    """
    use = use_of(pairs, seed)
    roles = (ANSWERER, SYNTHESIZER) if synthesizer else (ANSWERER,)

    async def ask(
        state: TaskState, gold: LiteratureTable, answer: LiteratureTable, notes: dict[str, Any]
    ) -> dict[str, float]:
        prompts = load_prompts(folder_at(state.metadata["prompts"]))
        models = models_of(roles)
        used = await use_tables(prompts, gold, answer, titles_of(state), use, models)
        notes["use"] = used.record
        return numbers(used.values())

    return _scorer(ask, use.pairs, seed, *BIASES)


def use_of(pairs: int | None, seed: int) -> QASetup:
    """Settings of a model's use of the tables."""
    return QASetup(PAIRS if pairs is None else pairs, seed)


def titles_of(state: TaskState) -> dict[str, str]:
    """Titles of the pool's papers by label."""
    return {one["label"]: one["title"] for one in state.metadata["pool"]}


_Compare = Callable[
    [TaskState, LiteratureTable, LiteratureTable, dict[str, Any]], Awaitable[dict[str, float]]
]


def _scorer(compare: _Compare, pairs: int | None, seed: int, *further: str) -> Scorer:
    """A scorer of tables, to which an answer without a paper is none: it has no column or cell."""

    async def score(state: TaskState, target: Target) -> Score:
        titles = titles_of(state)
        gold = read_gold(target.text, titles)
        nothing = score_table(gold, NOTHING, pairs=pairs, seed=seed)
        failed = {**numbers(nothing.values()), **dict.fromkeys(further, math.nan)}
        notes: dict[str, Any] = {}
        found: list[LiteratureTable] = []

        async def values(answer: str, state: TaskState, target: Target) -> dict[str, float]:
            table = read_answer(answer, titles)
            if table is None:
                raise FaultyAnswer("malformed")
            if not table.papers:
                raise FaultyAnswer(state.metadata.get(RECORD, {}).get(FAULT, "empty"))
            found.append(table)
            return await compare(state, gold, table, notes)

        given = await guarded([], values)(state, target)
        assert isinstance(given.value, Mapping)
        table = found[0] if found else None
        return given.model_copy(
            update={
                "value": {**failed, **given.value, **diagnose(gold, table, pairs, seed)},
                "metadata": {**(given.metadata or {}), **notes},
            }
        )

    return score


ROLE = "role"
_ON_QUESTIONS = tuple(
    name for name in NAMES if name.partition("_")[0] in ("avg", *QUESTION_ASPECTS)
)
"""Metrics that rest on how questions are answered; papers are compared by rule."""


def parts(view: View[TableArguments]) -> dict[str, Any]:
    """Method, scorer, models of roles and facts of a log, by a run's arguments."""
    given = view.given
    use = use_of(given.pairs, given.question_seed)
    if given.is_by_rule:
        scorer = tables(given.pairs, given.question_seed, given.matcher is not None)
        judging = _judging_by_rule(view)
    else:
        scorer = tables_by_use(given.pairs, given.question_seed, given.synthesizer is not None)
        judging = _judging_by_use(view, use)
    return {
        "solver": one_step(context=view.context),
        "scorer": scorer,
        "metadata": judging,
        "model_roles": start_roles(given),
    }


def start_roles(given: TableArguments) -> dict[str, str | Model] | None:
    """The models that are named for roles; None where none is.

    Raises:
        InputError: A role that should be given is not.
    """
    if replayed_roles() is not None:
        return None
    answerer = None if given.is_by_rule else given.answerer
    models = {ANSWERER: answerer, SYNTHESIZER: given.synthesizer, yes_or_no.ROLE: given.matcher}
    check_roles([role for role, name in models.items() if name == ROLE])
    named = {role: name for role, name in models.items() if name not in (None, ROLE)}
    started = {name: start_model(name, {}) for name in dict.fromkeys(named.values())}
    return {role: started[name] for role, name in named.items()} or None


def _judging_by_rule(view: View[TableArguments]) -> dict[str, Any]:
    given = view.given
    if given.pairs is None and not given.matcher:
        return {}
    judge = f"{MATCHER} pairs={given.pairs} seed={given.question_seed}"
    judged = [name for name in NAMES if name.startswith(("avg", "pairwise"))]
    if given.matcher:
        name = _model_name(yes_or_no.ROLE, given.matcher)
        template = _hash(view.prompts, yes_or_no.TEMPLATE)
        judge, judged = f"{judge} matcher={name} template={template}", list(_ON_QUESTIONS)
    return {"judge": judge, "judged": judged}


def _judging_by_use(view: View[TableArguments], use: QASetup) -> dict[str, Any]:
    given = view.given
    worded, templates = "", ["answering"]
    if given.synthesizer:
        worded = f"worded={_model_name(SYNTHESIZER, given.synthesizer)} "
        templates.append("questions")
    judge = [
        _model_name(ANSWERER, given.answerer),
        f"{worded}pairs={use.pairs} seed={use.seed} runs={use.runs}",
        f"template={_hash(view.prompts, *templates)}",
    ]
    return {
        "judge": " ".join(judge),
        "judged": [*_ON_QUESTIONS, *BIASES],
        "diagnostics": [*view.card.diagnostics, *BIASES],
    }


def _model_name(role: str, given: str) -> str:
    """Name of a model that is given itself, or by its role."""
    if given != ROLE:
        return given
    replayed = replayed_roles()
    model = model_roles().get(role) if replayed is None else replayed.get(role)
    return role if model is None or isinstance(model, list) else str(model)


def _hash(prompts: PromptSet, *names: str) -> str:
    return hash_of([(prompts.folder / f"{name}{SUFFIX}").read_text("utf-8") for name in names])[:8]
