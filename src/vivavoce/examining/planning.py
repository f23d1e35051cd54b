"""Plan of an exam: tasks with enough papers, costs, and detectable differences.

A template holds the sentences on papers, plan and verdicts.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.errors import InputError
from vivavoce.examining.request import Request
from vivavoce.metrics import sense_of
from vivavoce.requests.run import RunSpec, sources_of
from vivavoce.results.board.head_to_head import board_values
from vivavoce.results.logs.records import RunLog
from vivavoce.rounds import Round
from vivavoce.running.estimating import estimate, estimate_asking
from vivavoce.sandbox.guarantees import why_unusable
from vivavoce.statistics.comparison import shown_by
from vivavoce.statistics.ranks import MIN_CLUSTERS, Contrasts
from vivavoce.store import Row
from vivavoce.tasks import CEILING, find_task, list_families
from vivavoce.tasks.scoring import template_of
from vivavoce.tasks.writing.inputs import FAMILY
from vivavoce.tasks.writing.questions import FACTS, QUESTIONS
from vivavoce.text import printing
from vivavoce.web import environment_of

if TYPE_CHECKING:
    from jinja2 import Environment


def dollars(cost: float | None) -> str:
    """Format a cost: two decimals, more below ten cents."""
    if cost is None:
        return "unknown"
    return f"${cost:,.2f}" if cost >= 0.1 or not cost else f"${cost:.2g}"


@cache
def templates() -> Environment:
    """Templates of the page and the sentences."""
    made = environment_of("vivavoce.examining")
    made.globals["min_papers"] = MIN_CLUSTERS
    made.filters |= {
        each.__name__: each for each in (printing.figure, printing.bracket, dollars, papers_line)
    }
    return made


def _tell(kind: str, row: Row, short: Mapping[str, str] | None = None) -> str:
    return templates().get_template("words.txt.j2").render(kind=kind, row=row, short=short)


def papers_line(papers: Row) -> str:
    """A sentence on the usable papers and on those left out."""
    return _tell("papers", papers).strip()


def plan_lines(proposal: Row) -> list[str]:
    """Lines on the papers and the plan of an exam."""
    lines = _tell("plan", proposal["plan"]).splitlines()
    return [papers_line(proposal["papers"]), *(line for line in lines if line.strip())]


def last_parts(names: Sequence[str]) -> dict[str, str]:
    """Short names: the last parts of names if these differ, otherwise the names."""
    last = [name.rpartition("/")[2] for name in names]
    return dict(zip(names, last if len(set(last)) == len(names) else names, strict=True))


def words(verdict: Row) -> str:
    """A verdict as sentences."""
    return " ".join(_tell("verdict", verdict, last_parts(verdict["between"])).split())


_QUESTIONS = {template_of(name): name for name in QUESTIONS} | {"nuggets": "writing facts"}
"""Questions that judges answer, by template."""
NULL = "null"
STAND_IN = "extractive/lead"
"""A model that needs no key; it gets the same prompts as any model whose window is unknown."""


@dataclass(frozen=True, slots=True)
class ExamTask:
    """A task with papers in the exam."""

    family: str
    task: str
    method: str
    """The method used with each model."""
    metric: str
    """The headline metric."""
    items: int
    papers: int
    """Number of clusters, the units of the bootstrap."""
    baselines: tuple[str, ...]
    """Methods without a model, except the ceiling."""
    takes_judge: bool
    states_facts: bool = False
    """True if a judge can look for the gold's facts in an answer."""


def check_tasks(names: Sequence[str]) -> tuple[str, ...]:
    """Check task names and return their short names."""
    short_names = []
    for name in dict.fromkeys(names):
        family, task = find_task(name)
        card = list_families()[family]
        if not card.of_papers:
            raise InputError(f"{task} is not about papers. Use viva run {task} instead.")
        short_names.append(task)
    return tuple(short_names)


def choose_tasks(opened: Round, wanted: Sequence[str]) -> list[ExamTask]:
    """Choose the tasks of a round for an exam.

    Without `wanted`, these are the tasks with enough papers to decide something; if there are none,
    all tasks with a paper.
    """
    tasks = [
        _chosen(opened, family, task)
        for family, task in opened.tasks()
        if not wanted or task in wanted
    ]
    able = [one for one in tasks if one.method and one.papers]
    if not able or len(able) < len(wanted):
        lacking = "; ".join(_lack(opened, one) for one in tasks if one not in able)
        raise InputError(f"No paper can be used for {lacking}.")
    return able if wanted else [one for one in able if one.papers >= MIN_CLUSTERS] or able


def _lack(opened: Round, chosen: ExamTask) -> str:
    """Number of papers that an unusable task has, and the reasons why others were excluded."""
    excluded = opened.manifest["counts"][chosen.family][chosen.task]["excluded"]
    reasons = ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in excluded.items())
    return f"{chosen.task}: {chosen.papers} papers{f' ({reasons})' if reasons else ''}"


def _chosen(opened: Round, family: str, task: str) -> ExamTask:
    """Describe a task of a round; its method is empty if no model can do it here."""
    from vivavoce.tasks.lookup import takes_judge
    from vivavoce.tasks.writing.nugget_writing import TASKS

    of_family = list_families()[family]
    card = of_family.tasks[task]
    asking = [name for name in card.methods if name not in of_family.without_model]
    if "bubblewrap" in card.needs and why_unusable():
        asking = []
    setting = card.settings[0]
    rows = [r for r in opened.items(family, task) if setting in r.get("settings", (setting,))]
    return ExamTask(
        family=family,
        task=task,
        method=min(asking, key=lambda name: name != "direct", default=""),
        metric=card.metrics[0],
        items=len(rows),
        papers=len({row["cluster"] for row in rows}),
        baselines=(*(n for n in card.methods if n in of_family.without_model), NULL),
        takes_judge=takes_judge(task),
        states_facts=family == FAMILY and task in TASKS,
    )


def total(costs: Iterable[float | None]) -> float | None:
    """Sum of costs; None if any is unknown."""
    known = list(costs)
    return None if None in known else math.fsum(cost for cost in known if cost is not None)


def make_plan(request: Request, chosen: Sequence[ExamTask], logs: Sequence[RunLog]) -> Row:
    """Plan an exam: items, tokens, dollars, and the smallest detectable difference.

    `logs` are those of the baselines. `at_most` is the cost of answers of maximum length; costs are
    None if a price is unknown.
    """
    rows = [_plan_task(request, each, logs) for each in chosen]
    shown = [row["detectable"] for row in rows if row["detectable"] is not None]
    return {
        **{name: sum(row[name] for row in rows) for name in ("items", "tokens")},
        **{name: total(row[name] for row in rows) for name in ("cost", "at_most")},
        "detectable": max(shown, default=None),
        "budget": request.budget,
        "list_prices": sources_of(request.prices),
        "tasks": rows,
    }


def check_budget(plan: Row) -> None:
    """Raise `InputError` if an exam may exceed its budget."""
    most, budget = plan["at_most"], plan["budget"]
    if budget is None or most is None or most <= budget:
        return
    fitting = [row["task"] for row in plan["tasks"] if row["at_most"] <= budget]
    less = f", or ask less: --tasks {fitting[0]}" if fitting else ""
    raise InputError(
        f"The exam may cost up to {dollars(most)} and the budget is {dollars(budget)}. Nothing was "
        f"asked. Raise --budget{less}."
    )


def asking(
    request: Request, chosen: ExamTask, models: Sequence[str], logs: Path, facts: Path | None
) -> RunSpec:
    """Make the run that asks models about a task, with a judge if the task supports one.

    For methods without a model, the judge only looks for the facts in `facts`, a file of nuggets:
    copied text needs no check against its source.
    """
    judges = request.judge if chosen.takes_judge and (models or facts) else ()
    given = {"nuggets": str(facts.resolve())} if judges and facts else {}
    return RunSpec(
        tasks=[chosen.task],
        round=request.round,
        logs=logs,
        models=models,
        methods=(chosen.method,) if models else (*chosen.baselines, CEILING),
        judge=judges,
        task_args=given if models or not given else {**given, "questions": FACTS},
        prices={n: price for n, price in request.prices.items() if n in (*models, *judges)},
    )


def _plan_task(request: Request, chosen: ExamTask, logs: Sequence[RunLog]) -> Row:
    from vivavoce.tasks.writing.nugget_writing import write_round_nuggets

    models = request.models or (STAND_IN,)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        nuggets = None
        if chosen.states_facts and request.judge:
            nuggets, writer = Path(folder) / "usual.nuggets.jsonl", request.judge[0]
            write = partial(
                write_round_nuggets, request.round, writer, nuggets, tasks=[chosen.task]
            )
            prices = {n: price for n, price in request.prices.items() if n == writer}
            rows.append(estimate_asking(writer, prices, lambda watch: write(watch=watch)))
        for asked in (models, ()) if nuggets else (models,):
            estimates, _ = estimate(asking(request, chosen, asked, request.out / "plan", nuggets))
            rows += estimates
    judging = Counter[str]()
    for row in rows:
        judging.update(row["questions"])
    pairs = math.comb(len(models) + 1, 2) if len(models) > 1 else len(chosen.baselines)
    return {
        **{name: getattr(chosen, name) for name in ("task", "metric", "items", "papers")},
        "tokens": sum(row["input_tokens"] + row["output_tokens"] for row in rows),
        "judging": {_QUESTIONS.get(name, name): judging[name] for name in sorted(judging)},
        "cost": total(row["usd"] for row in rows),
        "at_most": total(row["max_usd"] for row in rows),
        "detectable": None if nuggets else _detectable(chosen, logs, pairs),
    }


def _detectable(chosen: ExamTask, logs: Sequence[RunLog], pairs: int) -> float | None:
    """Smallest detectable difference: the median over pairs of baselines, without the null one.

    None if there are too few papers to decide anything.
    """
    if chosen.papers < MIN_CLUSTERS:
        return None
    logs_by_method = {log.key.method: log for log in logs if log.key.task == chosen.task}
    names = [name for name in chosen.baselines if name in logs_by_method]
    writing = [name for name in names if name != NULL]
    names = writing if len(writing) > 1 else names
    smallest = []
    for pair in combinations(names, 2):
        contrasts = contrast_of([logs_by_method[name] for name in pair], chosen)
        [error] = contrasts.errors()
        if error > 0:
            smallest.append(float(shown_by(error, contrasts.clusters, contrasts.span, pairs)))
    return median(smallest) if smallest else None


def contrast_of(logs: Sequence[RunLog], chosen: ExamTask) -> Contrasts:
    """Contrast between two logs on their shared items, in the headline metric."""
    clusters = logs[0].item_clusters()
    shared = sorted(clusters.keys() & logs[1].item_clusters().keys())
    columns = [board_values(log, chosen.metric, shared) for log in logs]
    _, span = sense_of(chosen.family, chosen.metric)
    return Contrasts(np.column_stack(columns), [clusters[item] for item in shared], span)
