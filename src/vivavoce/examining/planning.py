"""Plan of an exam: the tasks that its papers can carry, what models would cost, what would show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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


def total(costs: Iterable[float | None]) -> float | None:
    """Sum of costs; None where one is not known."""
    known = list(costs)
    return None if None in known else math.fsum(cost for cost in known if cost is not None)


def make_plan(request: Request, chosen: Sequence[Chosen], logs: Sequence[RunLog]) -> Row:
    """Plan of an exam: items, tokens, dollars, and the difference that so many papers show.

    `logs` are those of the baselines. `cost` is what is expected, `at_most` what answers of the
    greatest length would cost; None where a price is not known.
    """
    rows = [_plan_task(request, each, logs) for each in chosen]
    shown = [row["detectable"] for row in rows if row["detectable"] is not None]
    return {
        **{name: sum(row[name] for row in rows) for name in ("items", "tokens")},
        **{name: total(row[name] for row in rows) for name in ("cost", "at_most")},
        "detectable": max(shown, default=None),
        "budget": request.budget,
        "tasks": rows,
    }


def check_budget(plan: Row) -> None:
    """Raise `InputError` where an exam may cost more than its budget."""
    most, budget = plan["at_most"], plan["budget"]
    if budget is None or most is None or most <= budget:
        return
    fitting = [row["task"] for row in plan["tasks"] if row["at_most"] <= budget]
    less = f", or ask less: --tasks {fitting[0]}" if fitting else ""
    raise InputError(
        f"The exam may cost up to {dollars(most)} and the budget is {dollars(budget)}. Nothing was "
        f"asked. Raise --budget{less}."
    )


def _plan_task(request: Request, chosen: Chosen, logs: Sequence[RunLog]) -> Row:
    """Plan of a task; without a model that of one without a price."""
    models = request.models or ("",)
    uses: list[tuple[str, _Use, _Use]] = []
    for model in models:
        expected, longest = _usage(request, chosen, model)
        uses.append((model, expected, longest))
        if request.judge and chosen.takes_judge:
            uses.append((request.judge, _judging(expected), _judging(longest, at_most=True)))
    prices = request.prices
    pairs = math.comb(len(models), 2) or (len(chosen.baselines) if request.models else 1)
    return {
        **{name: getattr(chosen, name) for name in ("task", "metric", "items", "papers")},
        "tokens": sum(sum(expected[:2]) for _, expected, _ in uses),
        "cost": total(_dollars(prices.get(name), expected) for name, expected, _ in uses),
        "at_most": total(_dollars(prices.get(name), longest) for name, _, longest in uses),
        "detectable": _detectable(chosen, logs, pairs),
    }


_Use = tuple[int, int, int]
"""Tokens read, tokens written, and answers."""


def _usage(request: Request, chosen: Chosen, model: str) -> tuple[_Use, _Use]:
    """Use of a model as expected, and if every answer were as long as it may be."""
    from vivavoce.tasks.lookup import create_task
    from vivavoce.tasks.prompting.windows import find_model, token_counter

    task = create_task(chosen.task, {"round": str(request.round.resolve())})
    words = list_families()[chosen.family].tasks[chosen.task].answer_words
    entry, room, answers = find_model(model), task.config.max_tokens or 0, len(task.dataset)
    count = token_counter(entry.tokenizer).count
    cap = math.inf if entry.window is None else max(0, entry.window - room)
    read = int(sum(min(count(str(sample.input)), cap) for sample in task.dataset))
    gold = fmean(count("".join(sample.target)) for sample in task.dataset)
    length = min(room, words * _TOKENS_A_WORD if words else gold)
    return (read, round(answers * length), answers), (read, answers * room, answers)


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
    tried = [
        compare_values([found[name] for name in pair], chosen.metric)
        for pair in combinations(names, 2)
    ]
    smallest = [least for _, least, _ in tried if least is not None]
    return median(smallest) * sureness(pairs) if smallest else None


def compare_values(logs: Sequence[RunLog], metric: str) -> tuple[float | None, float | None, int]:
    """Difference of two logs on their common items, the smallest that these show, and clusters."""
    clusters = logs[0].item_clusters()
    shared = sorted(clusters.keys() & logs[1].item_clusters().keys())
    draws = resample([clusters[item] for item in shared], resamples=0)
    first, second = (board_values(log, metric, shared) for log in logs)
    least = smallest_detectable_difference({"a": first, "b": second}, draws)
    return draws.mean(first - second)[0], least, draws.clusters


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
