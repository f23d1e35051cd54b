"""The demo and the smoke test: runs of every task on the sample corpus or on a round.

The demo takes every step from papers to a leaderboard, offline. The smoke test asks a real model a
few items of every task and method within a budget. It shows, before you pay for a round, whether
answers arrive, whether they are valid, and what they cost.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, NoItemsError, VivaError
from vivavoce.models.scripted import CONTESTANTS, JUDGE
from vivavoce.publication import make_site
from vivavoce.reports import Column, Report, Sheet, sheet, shown
from vivavoce.requests import SiteOptions
from vivavoce.requests.run import RunSpec
from vivavoce.results.board.groups import Board
from vivavoce.results.logs.reading import read_log
from vivavoce.results.logs.records import RunLog
from vivavoce.rounds import Round
from vivavoce.running import run
from vivavoce.running.logs import Progress
from vivavoce.sandbox.guarantees import why_unusable
from vivavoce.statistics.intervals import mean_of
from vivavoce.tasks import AGENT, build_round, build_sample, demo_spec, list_families, open_round

MODELS = ("extractive/lead", "extractive/centrality")
"""Models that run `direct`, on tasks that write parts of papers: a sentence from a paper is not a
program."""
JUDGED = "title"
"""The task in which a judge compares every answer with the gold."""
LONG = ("introduction", "related_work", "table")
"""Tasks that only baselines take, because their samples take long."""
SCRIPTED = ("abstract", "leaderboard", "rank_by_prompt")
"""Further tasks that the scripted contestants take."""
NOTE = (
    "This board is a demonstration: the papers are made up, and the contestants named scripted/… "
    "are not models. Each repeats part of the right answer, at a made-up price."
)


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Results of the demo."""

    board: Board
    page: Path
    left_out: tuple[str, ...]
    """Families this machine cannot run, each with the reason."""


def run_demo(out: Path, progress: Progress | None = None) -> Demonstration:
    """Ingest the sample corpus, build a round, run the baselines, and write the site.

    Raises:
        VivaError: A run did not complete.
    """
    spec = demo_spec(2024)
    if find_spec("torch_geometric"):  # the extra `neural` makes the gold of an architecture
        spec["implementation"] = spec["implementation"] | {"architectures": ["PMLP"]}
    opened = build_sample(out, spec)
    head = demo_spec(2023)["round"]
    head |= {"window": {**head["window"], "start": "2023-06-01"}, "families": ["writing"]}
    earlier = build_round(out / "corpus", {"round": head}, out / "round")
    unusable = why_unusable()
    left_out = []
    by_method: dict[str, list[str]] = {}
    for family in opened.manifest["families"]:
        card = list_families()[family]
        tasks = [name for of, name in opened.tasks() if of == family]
        confined = [name for name in tasks if "bubblewrap" in card.tasks[name].needs]
        if unusable and confined:
            left_out.append(f"{card.title} ({', '.join(confined)}) was left out: {unusable}")
            tasks = [name for name in tasks if name not in confined]
        for task in tasks:
            if (method := card.tasks[task].demo) and task != JUDGED:
                by_method.setdefault(method, []).append(task)

    def ask(opened: Round, tasks: Sequence[str], models: Sequence[str], **more: Any) -> None:
        if not tasks:
            return
        spec = RunSpec(round=opened.folder, logs=out / "logs", tasks=tasks, models=models, **more)
        report = run(spec, progress)
        if report.failed:
            raise VivaError("The demo did not complete:\n" + "\n".join(report.failed))

    for method, tasks in by_method.items():
        ask(opened, [task for task in tasks if task in LONG], MODELS, methods=[method])
        short = [task for task in tasks if task not in LONG]
        ask(opened, short, MODELS, methods=[method, "null", "oracle"])
    methods = ("direct", "null", "oracle")
    ask(opened, [JUDGED], (*MODELS, *CONTESTANTS), methods=methods, judge=[JUDGE])
    ask(opened, SCRIPTED, CONTESTANTS)
    ask(earlier, ["abstract"], CONTESTANTS, methods=["direct", "null"])
    board, _ = make_site(out / "logs", out / "site", SiteOptions(note=NOTE))
    return Demonstration(board, out / "site" / "index.html", tuple(left_out))


ITEMS, SECONDS = 2, 120
"""Defaults of a smoke test: items per task, and seconds per request."""


@dataclass(frozen=True, slots=True)
class SmokeRow:
    """Result of a task with a method."""

    task: str
    method: str
    metric: str
    """The headline metric."""
    items: int
    answered: int
    """Items that have a score."""
    valid: float | None
    """Share of these answers that are valid; None if there are none."""
    value: float | None
    tokens: int
    cost: float
    """Dollars, including those for failed tries."""
    stopped: int
    """Items that the cost limit ended."""
    problem: str
    """Reason why items have no score; empty when all have one."""


@dataclass(frozen=True, slots=True)
class SmokeReport(Report):
    """Result of a smoke test."""

    model: str
    rows: tuple[SmokeRow, ...]
    left_out: tuple[str, ...]
    """Tasks and methods that were not asked, each with the reason."""
    cost: float
    """Dollars, of all rows."""
    limit: float
    """Dollars that the whole test may cost."""

    @property
    def is_whole(self) -> bool:
        """True if every item has a score, no limit cut one short, and nothing was left out."""
        return not any(row.problem or row.stopped for row in self.rows) and not self.left_out

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return asdict(self) | {"is_whole": self.is_whole}

    def parts(self) -> Iterator[Sheet | str]:
        """A table of all tasks, what is missing and why, and the cost."""
        yield sheet(
            self.model,
            map(asdict, self.rows),
            *("task", "method", Column("{answered}/{items}".format_map, "answers")),
            Column("valid", form=".0%"),
            Column(lambda row: f"{row['metric']} {shown(row['value'])}", "score"),
            *("tokens", Column("cost", "dollars", form=".4f")),
            Column(lambda row: row["stopped"] or "", "stopped"),
        )
        for row in self.rows:
            if row.problem:
                yield f"{row.task} with {row.method}: {row.problem}"
        yield from self.left_out
        yield f"Cost {self.cost:.4f} of at most {self.limit:g} dollars."


_OF_ALL = ("tasks", "methods", "settings", "agent", "judge", "sweep", "decide", "limit", "epochs")
"""Fields of a specification that a smoke test sets itself."""


def run_smoke(spec: RunSpec, tell: Callable[[SmokeRow], None] | None = None) -> SmokeReport:
    """Ask a model a few items of every task with every method that needs a model.

    The remaining budget is split equally among the remaining items. Inspect ends an item that has
    used up its share; a request under way at that moment is still paid for. Methods with many
    requests per item come last. `tell` receives each row as soon as it is ready.

    Raises:
        InputError: There is not exactly one model with a price and a budget, a task or a method is
            named, the log folder is not empty, or the model is unknown.
    """
    model, limit = _check_smoke(spec)
    opened = open_round(spec.round)
    items = spec.subset or ITEMS
    plan, left_out = _plan(opened)
    rows: list[SmokeRow] = []
    counts = [min(items, len(opened.items(family, task))) for family, task, _ in plan]
    spent = 0.0
    for place, (family, task, method) in enumerate(plan):
        if spent >= limit:
            left_out.append(f"{task} with {method} was not asked: the budget is used up.")
            continue
        asked = replace(
            spec,
            tasks=[task],
            logs=spec.logs / f"{place + 1:02d}-{task}-{method}",
            methods=[method],
            subset=items,
            attempt_timeout=spec.attempt_timeout or SECONDS,
            budget=None,
            cost_limit=(limit - spent) / sum(counts[place:]),
            # A retry would start with a fresh limit.
            retry_on_error=0,
            task_tries=1,
        )
        card = list_families()[family].tasks[task]
        if method == AGENT:
            asked = replace(asked, task_args=card.agent)
        try:
            rows.append(_ask(asked, card.metrics[0], counts[place]))
        except NoItemsError:
            continue  # nothing to ask: the round has no items in which an agent can search
        spent += rows[-1].cost
        if tell:
            tell(rows[-1])
    return SmokeReport(model, tuple(rows), tuple(left_out), spent, limit)


def _check_smoke(spec: RunSpec) -> tuple[str, float]:
    """Check a specification; return the model and the dollars that it may cost."""
    plain = RunSpec(round=spec.round, logs=spec.logs)
    for name in _OF_ALL:
        if getattr(spec, name) != getattr(plain, name):
            raise InputError(f"A smoke test asks every task and method: leave out {name}.")
    if len(spec.models) != 1:
        raise InputError("A smoke test asks one model. Name it: --model provider/model.")
    [model] = spec.models
    if model not in spec.prices:
        raise InputError(f"Give the price of {model}: --price {model}=IN,OUT.")
    if spec.budget is None or not spec.budget > 0:
        raise InputError("Give the most it may cost: --budget USD, above 0.")
    if spec.logs.exists() and any(spec.logs.iterdir()):
        raise InputError(f"{spec.logs} holds logs already. Remove it, or name another folder.")
    return model, spec.budget


def _plan(opened: Round) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Family, task and method of each run, `direct` first; and tasks left out, with reasons."""
    plan, left_out = [], []
    unusable = why_unusable()
    for family, task in opened.tasks():
        card = list_families()[family]
        if unusable and "bubblewrap" in card.tasks[task].needs:
            left_out.append(f"{task} was left out: {unusable}")
            continue
        asking = [name for name in card.tasks[task].methods if name not in card.without_model]
        plan += [(family, task, method) for method in asking]
    return sorted(plan, key=lambda run: run[2] != "direct"), left_out


def _ask(spec: RunSpec, metric: str, items: int) -> SmokeRow:
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

    report = run(spec)
    [path] = report.logs
    log = read_log(path)
    if not isinstance(log, RunLog):
        raise VivaError(f"{path} {log.reason}.")
    scores = [sample.values[metric] for sample in log.samples]
    # Tokens and costs of samples without a score count too.
    usage = read_eval_log(path, header_only=True).stats.model_usage.values()
    limits = [summary.limit for summary in read_eval_log_sample_summaries(path)]
    return SmokeRow(
        task=spec.tasks[0],
        method=spec.methods[0],
        metric=metric,
        items=items,
        answered=len(scores),
        valid=mean_of(float(sample.fault is None) for sample in log.samples),
        value=mean_of(scores),
        tokens=sum(use.total_tokens for use in usage),
        cost=sum(use.total_cost or 0.0 for use in usage),
        stopped=limits.count("cost"),
        problem=" ".join(report.failed),
    )
