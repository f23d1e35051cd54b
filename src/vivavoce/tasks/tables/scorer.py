"""Comparison of tables by rule or by models."""

from typing import Any

from inspect_ai.model import get_model, model_roles

from vivavoce.metrics import FaultyAnswer, Values
from vivavoce.metrics.tables.literature_tables import score_table
from vivavoce.metrics.tables.meaning import Meaning, align_by_meaning
from vivavoce.metrics.tables.question_wording import QUESTION_ASPECTS
from vivavoce.metrics.tables.table_questions import BIASES, PAIRS
from vivavoce.models import replayed_roles, start_model
from vivavoce.store import Row, hash_of
from vivavoce.tasks.family import View
from vivavoce.tasks.prompting import SUFFIX, PromptSet, folder_at, load_prompts
from vivavoce.tasks.tables import yes_or_no
from vivavoce.tasks.tables.family import (
    MATCHER,
    TableArguments,
    diagnose,
    is_by_rule,
    questions_of,
    read_answer,
    read_gold,
    titles_of,
)
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

ROLE = "role"


async def compare_tables(answer: str, row: Row, notes: Row) -> Values:
    """Compare papers, columns, cells and pairs of cells of an answer's table with the gold one.

    Values are compared by rule or by the model of the role `matcher`; or the model of the role
    `answerer` answers questions about each table from the other one.
    """
    titles, asked = titles_of(row), questions_of(row)
    gold, table = read_gold(row["target"], titles), read_answer(answer, titles)
    if table is None:
        raise FaultyAnswer("malformed")
    if not table.papers:
        raise FaultyAnswer(row.get(RECORD, {}).get(FAULT, "empty"))
    diagnosed = diagnose(gold, table, **asked)
    if is_by_rule(row) and not row.get("matcher"):
        aligned = align_by_meaning(gold, table, Meaning())
        return {**score_table(gold, aligned, **asked).values(), **diagnosed}
    prompts = load_prompts(folder_at(row["prompts"]))
    if is_by_rule(row):
        model = get_model(role=yes_or_no.ROLE, required=True, config=yes_or_no.MATCHING)
        aligned, notes["matching"] = await yes_or_no.align_by_model(
            prompts, gold, table, row["demand"], model
        )
        return {**score_table(gold, aligned, **asked).values(), **diagnosed}
    models = models_of((ANSWERER, SYNTHESIZER) if row.get("synthesizer") else (ANSWERER,))
    setup = QASetup(**asked)
    values, notes["use"] = await use_tables(prompts, gold, table, titles, setup, models)
    return {**values, **diagnosed}


def parts(view: View[TableArguments]) -> dict[str, Any]:
    """Method, models by role and log metadata, from a run's arguments."""
    made = {"solver": one_step(context=view.context), "metadata": _judging(view)}
    if replayed_roles() is not None:
        return {**made, "model_roles": None}
    given = view.given
    answerer = None if given.is_by_rule else given.answerer
    models = {ANSWERER: answerer, SYNTHESIZER: given.synthesizer, yes_or_no.ROLE: given.matcher}
    check_roles([role for role, name in models.items() if name == ROLE])
    named = {role: name for role, name in models.items() if name not in (None, ROLE)}
    started = {name: start_model(name, {}) for name in dict.fromkeys(named.values())}
    return {**made, "model_roles": {role: started[name] for role, name in named.items()} or None}


def _judging(view: View[TableArguments]) -> dict[str, Any]:
    """Log metadata about the models that compare; papers are always compared by rule."""
    given, aspects = view.given, ("avg", *QUESTION_ASPECTS)
    judged = [name for name in view.card.metrics if name.partition("_")[0] in aspects]
    if not given.is_by_rule:
        use = QASetup(PAIRS if given.pairs is None else given.pairs, given.question_seed)
        named = given.synthesizer and f"worded={_model_name(SYNTHESIZER, given.synthesizer)} "
        templates = ("answering", "questions") if named else ("answering",)
        judge = f"{_model_name(ANSWERER, given.answerer)} {named or ''}pairs={use.pairs} "
        judge += f"seed={use.seed} runs={use.runs} template={_hash(view.prompts, *templates)}"
        diagnostics = [*view.card.diagnostics, *BIASES]
        return {"judge": judge, "judged": [*judged, *BIASES], "diagnostics": diagnostics}
    judge = f"{MATCHER} pairs={given.pairs} seed={given.question_seed}"
    if given.matcher:
        name, template = _model_name(yes_or_no.ROLE, given.matcher), yes_or_no.TEMPLATE
        judge += f" matcher={name} template={_hash(view.prompts, template)}"
    elif given.pairs is None:
        return {}
    else:
        judged = [name for name in judged if name.startswith(("avg", "pairwise"))]
    return {"judge": judge, "judged": judged}


def _model_name(role: str, given: str) -> str:
    """Name of a model that is given directly or by its role."""
    if given != ROLE:
        return given
    replayed = replayed_roles()
    model = model_roles().get(role) if replayed is None else replayed.get(role)
    return role if model is None or isinstance(model, list) else str(model)


def _hash(prompts: PromptSet, *names: str) -> str:
    return hash_of([(prompts.folder / f"{name}{SUFFIX}").read_text("utf-8") for name in names])[:8]
