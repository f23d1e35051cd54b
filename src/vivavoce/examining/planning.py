"""Plan of an exam: the tasks that its papers can carry, what models would cost, what would show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from inspect import signature
from itertools import combinations
from statistics import NormalDist, fmean, median

from vivavoce.errors import InputError
from vivavoce.examining.request import Request
from vivavoce.results.board.head_to_head import board_values
from vivavoce.results.logs.records import RunLog
from vivavoce.rounds import Round
from vivavoce.running.prices import Price
from vivavoce.sandbox.guarantees import why_unusable
from vivavoce.statistics.comparison import smallest_detectable_difference
from vivavoce.statistics.intervals import resample
from vivavoce.store import Row
from vivavoce.tasks import find_task, list_families

MIN_PAPERS = 6
"""Papers that a task needs: differences on fewer are never decided (see `statistics.ranks`)."""
NULL = "null"
_ORDERS = 2
_JUDGE_ROOM = (500, 2048)
"""Tokens of a judge's instructions, and of its longest answer."""
_TOKENS_A_WORD = 1.35


@dataclass(frozen=True, slots=True)
class Chosen:
    """A task that the papers can carry."""

    family: str
    task: str
    method: str
    """The way in which each model is used."""
    metric: str
    """The metric that the task is ranked by."""
    items: int
    papers: int
    """Clusters of items: what is drawn anew by the bootstrap."""
    baselines: tuple[str, ...]
    """Methods that need no model, the ceiling not among them."""
    takes_judge: bool


def check_tasks(names: Sequence[str]) -> tuple[str, ...]:
    """Short names of tasks that may be asked for.

    Raises:
        InputError: There is no such task, or it is not asked about papers.
    """
    found = []
    for name in dict.fromkeys(names):
        family, task = find_task(name)
        card = list_families()[family]
        if not card.of_papers:
            raise InputError(f"{task} is not asked about papers. For it: viva run {task}.")
        found.append(task)
    return tuple(found)


def choose_tasks(opened: Round, wanted: Sequence[str]) -> list[Chosen]:
    """Tasks of a round that have papers enough; those that are wanted need but one.

    Raises:
        InputError: There is none, or none of one that is wanted.
    """
    found: list[Chosen] = []
    lacking: list[str] = []
    for family, task in opened.tasks():
        if wanted and task not in wanted:
            continue
        one = _chosen(opened, family, task)
        if one.method and one.papers >= (1 if wanted else MIN_PAPERS):
            found.append(one)
        else:
            reasons = opened.manifest["counts"][family][task]["excluded"]
            told = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
            lacking.append(f"{task}: {one.papers} papers{f' ({told})' if told else ''}")
    if not found or len(found) < len(wanted):
        least = "" if wanted else f" A task takes at least {MIN_PAPERS} papers."
        raise InputError(f"These papers cannot carry {'; '.join(lacking)}.{least}")
    return found


def _chosen(opened: Round, family: str, task: str) -> Chosen:
    """A task of a round, without a method where no model can do it here."""
    of_family = list_families()[family]
    card = of_family.tasks[task]
    asking = [name for name in card.methods if name not in of_family.without_model]
    if "bubblewrap" in card.needs and why_unusable():
        asking = []
    setting = card.settings[0]
    rows = [r for r in opened.items(family, task) if setting in r.get("settings", (setting,))]
    return Chosen(
        family=family,
        task=task,
        method=min(asking, key=lambda name: name != "direct", default=""),
        metric=card.metrics[0],
        items=len(rows),
        papers=len({row["cluster"] for row in rows}),
        baselines=(*(n for n in card.methods if n in of_family.without_model), NULL),
        takes_judge=_takes_judge(task),
    )


def _takes_judge(task: str) -> bool:
    """True if a model may compare answers to a task with the gold."""
    from vivavoce.tasks.lookup import find_task_maker

    return "judge" in signature(find_task_maker(task)).parameters


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What models would be asked of one task, and what its papers can show."""

    task: str
    metric: str
    items: int
    papers: int
    tokens: int
    """Of all models and the judge, as they are expected."""
    cost: float | None
    """Dollars of these; None where a price is not known."""
    at_most: float | None
    """Dollars if every answer were as long as it may be."""
    detectable: float | None
    """Difference of two models that so many papers show four times out of five, as far as the
    differences of baselines tell."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an exam would ask and cost."""

    tasks: tuple[TaskPlan, ...]
    budget: float | None
    """Dollars."""

    def as_dict(self) -> Row:
        """Plain JSON values; what is not known of one task is not known of all."""
        shown = [each.detectable for each in self.tasks if each.detectable is not None]
        return {
            "items": sum(each.items for each in self.tasks),
            "tokens": sum(each.tokens for each in self.tasks),
            "cost": total(each.cost for each in self.tasks),
            "at_most": total(each.at_most for each in self.tasks),
            "detectable": max(shown) if shown else None,
            "budget": self.budget,
            "tasks": [asdict(each) for each in self.tasks],
        }

    def check_budget(self) -> None:
        """Raise `InputError` where the exam may cost more than the budget."""
        most = total(each.at_most for each in self.tasks)
        if self.budget is None or most is None or most <= self.budget:
            return
        fitting = [e.task for e in self.tasks if e.at_most is not None and e.at_most <= self.budget]
        less = f", or ask less: --tasks {fitting[0]}" if fitting else ""
        raise InputError(
            f"The exam may cost up to ${most:.2f} and the budget is ${self.budget:.2f}. Nothing "
            f"was asked. Raise --budget{less}."
        )


def total(costs: Iterable[float | None]) -> float | None:
    """Sum of costs; None where one is not known."""
    known = list(costs)
    return None if None in known else math.fsum(cost for cost in known if cost is not None)


def plan_task(request: Request, chosen: Chosen, logs: Sequence[RunLog]) -> TaskPlan:
    """Plan a task; of the logs those of its baselines are looked at.

    Without a model the plan is that of one without a price.
    """
    models = request.models or ("",)
    asked, longest = _usage(request, chosen)
    tokens = 0
    costs: list[float | None] = []
    ceilings: list[float | None] = []
    for model in models:
        uses = [(model, asked[model], longest[model])]
        if request.judge and chosen.takes_judge:
            uses.append(
                (request.judge, _judging(asked[model]), _judging(longest[model], at_most=True))
            )
        for name, expected, most in uses:
            tokens += sum(expected)
            price = request.prices.get(name)
            costs.append(_dollars(price, expected))
            ceilings.append(_dollars(price, most))
    pairs = math.comb(len(models), 2) or (len(chosen.baselines) if request.models else 1)
    return TaskPlan(
        task=chosen.task,
        metric=chosen.metric,
        items=chosen.items,
        papers=chosen.papers,
        tokens=tokens,
        cost=total(costs),
        at_most=total(ceilings),
        detectable=_detectable(chosen, logs, pairs),
    )


_Use = tuple[int, int, int]
"""Tokens read, tokens written, and answers."""


def _usage(request: Request, chosen: Chosen) -> tuple[dict[str, _Use], dict[str, _Use]]:
    """Use of each model as expected, and if every answer were as long as it may be."""
    from vivavoce.tasks.lookup import create_task
    from vivavoce.tasks.prompting.windows import find_model, token_counter

    task = create_task(chosen.task, {"round": str(request.round.resolve())})
    card = list_families()[chosen.family].tasks[chosen.task]
    room = task.config.max_tokens or 0
    expected, longest = {}, {}
    for model in request.models or ("",):
        entry = find_model(model)
        count = token_counter(entry.tokenizer).count
        cap = math.inf if entry.window is None else max(0, entry.window - room)
        read = sum(min(count(str(sample.input)), cap) for sample in task.dataset)
        answers = len(task.dataset)
        words = card.answer_words
        gold = fmean(count("".join(sample.target)) for sample in task.dataset)
        length = min(room, words * _TOKENS_A_WORD if words else gold)
        expected[model] = (int(read), round(answers * length), answers)
        longest[model] = (int(read), answers * room, answers)
    return expected, longest


def _judging(use: _Use, *, at_most: bool = False) -> _Use:
    """Use of a judge that sees each answer beside a gold of its length, in both orders."""
    from vivavoce.tasks.scoring.judge import ATTEMPTS

    _, written, answers = use
    instructions, room = _JUDGE_ROOM
    tries, said = (ATTEMPTS, room) if at_most else (1, room // 8)
    asked = _ORDERS * tries * answers
    return asked * instructions + _ORDERS * tries * 2 * written, asked * said, answers


def _dollars(price: Price | None, use: _Use) -> float | None:
    read, written, _ = use
    return None if price is None else (read * price.input + written * price.output) / 1e6


def _detectable(chosen: Chosen, logs: Sequence[RunLog], pairs: int) -> float | None:
    """The median over pairs of baselines; those that write are like models, the constant is not."""
    found = {log.key.method: log for log in logs if log.key.task == chosen.task}
    names = [name for name in chosen.baselines if name in found]
    writing = [name for name in names if name != NULL]
    names = writing if len(writing) > 1 else names
    smallest = [
        least
        for pair in combinations(names, 2)
        if (least := _smallest([found[name] for name in pair], chosen.metric)) is not None
    ]
    return median(smallest) * sureness(pairs) if smallest else None


def _smallest(logs: Sequence[RunLog], metric: str) -> float | None:
    clusters = logs[0].item_clusters()
    shared = sorted(clusters.keys() & logs[1].item_clusters().keys())
    columns = {log.key.method: board_values(log, metric, shared) for log in logs}
    return smallest_detectable_difference(
        columns, resample([clusters[item] for item in shared], resamples=0)
    )


def sureness(pairs: int) -> float:
    """Factor by which a difference must be greater to show among so many pairs instead of one."""
    normal = NormalDist()
    power = normal.inv_cdf(0.8)
    return (normal.inv_cdf(1 - 0.025 / max(1, pairs)) + power) / (normal.inv_cdf(0.975) + power)


def dollars(cost: float | None) -> str:
    """A cost in print: two digits after the point, more below ten cents."""
    if cost is None:
        return "unknown"
    return f"${cost:,.2f}" if cost >= 0.1 or not cost else f"${cost:.2g}"


def papers_line(papers: Row) -> str:
    """The papers that can be asked about, and why others are left out."""
    reasons = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in papers["left_out"].items())
    left = f" (left out: {reasons})" if reasons else ""
    return f"{papers['used']:,} of {papers['given']:,} papers can be asked about{left}."


def plan_lines(told: Row) -> Iterator[str]:
    """The papers and the plan of an exam for people to read."""
    plan = told["plan"]
    yield papers_line(told["papers"])
    for each in plan["tasks"]:
        shows = each["detectable"]
        least = f"; differences from about {shows:.3f} {each['metric']} show" if shows else ""
        cost = "" if each["cost"] is None else f", {dollars(each['cost'])}"
        sizes = f"{each['items']:,} items, about {each['tokens']:,} tokens"
        yield f"  {each['task']}: {sizes}{cost}{least}"
    if plan["cost"] is None:
        each_dollar = dollars(plan["tokens"] / 1e6)
        yield (
            f"In all about {plan['tokens']:,} tokens: {each_dollar} for each dollar that a million "
            "tokens cost. --price MODEL=IN,OUT tells more."
        )
        return
    held = f" The budget is {dollars(plan['budget'])}." if plan["budget"] else ""
    yield (
        f"In all about {plan['tokens']:,} tokens and {dollars(plan['cost'])}, at most "
        f"{dollars(plan['at_most'])}.{held}"
    )
