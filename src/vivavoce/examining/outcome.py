"""Outcome of an exam: the answer in a sentence, a table, and open questions.

The terminal, the page, JSON and Markdown all show this report. A contestant is a model, a baseline
or the authors' own text. A pair is undecided unless these papers show which is better.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.examining.planning import dollars, last_parts, total
from vivavoce.examining.standings import Standing
from vivavoce.metrics.judged_text import NUGGETS, SUPPORT
from vivavoce.reports import Column, Report, Sheet, sheet, shown
from vivavoce.results.board.head_to_head import board_values
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row

MODEL, BASELINE, AUTHORS = "model", "baseline", "authors' text"
_ROLES = {MODEL: "model", BASELINE: "baseline", AUTHORS: "ceiling"}
COVERAGE = NUGGETS[0]


@dataclass(frozen=True, slots=True)
class Outcome(Report):
    """Answer of an exam, with its evidence."""

    answer: str
    """The recommended model for each task, in a sentence or two."""
    tasks: list[Row]
    """By task: who may be best, and how models compare with the best baseline."""
    contestants: list[Row]
    """The authors' text, then models and baselines that are best at a task; best first."""
    more_papers: list[str]
    """Sentences on questions that more papers would decide."""
    claims: list[str]
    """Sentences on a judge's findings: shares of stated facts and of supported claims."""
    judge_cost: float
    """Cost of the judge in dollars, counting only known prices."""

    def parts(self) -> Iterator[Sheet | str]:
        """Lines and the table, in every format."""
        yield self.answer
        yield from self.claims
        yield self.table()
        yield from self.more_papers

    def table(self) -> Sheet:
        """Table of contestants, with values on the papers that every contestant answered."""
        has_models = any(row["kind"] == MODEL for row in self.contestants)
        values = [_column(task) for task in self.tasks]
        paid = (
            Column(lambda row: _of_models(row, dollars(row["cost_per_answer"])), "per answer"),
            Column(
                lambda row: _of_models(row, f"{dollars(row['cost'])} for {row['answers']:,}"),
                "in all",
            ),
            Column(lambda row: _of_models(row, f"{row['failed']:,}"), "failed"),
            Column(lambda row: _of_models(row, f"{row['papers']:,}"), "papers"),
        )
        return sheet(
            "",
            self.contestants,
            Column(_label, "contestant"),
            *values,
            *(paid if has_models else ()),
            below=self._below(has_models),
        )

    def rows(self) -> list[Row]:
        """Rows per task and contestant, for JSON."""
        return [
            {
                "task": task["task"],
                "metric": task["metric"],
                "contestant": row["name"],
                "role": _ROLES[row["kind"]],
                "value": cell["value"],
                "ci": cell["ci"],
                "n": task["items"],
                "failed": cell["failed"],
                "price_per_answer": cell["cost_per_answer"],
                "price_total": cell["cost"],
                "may_be_best": row["name"] in task["best"],
                "beats_baseline": sides.get(row["name"]),
            }
            for task in self.tasks
            for sides in [
                dict.fromkeys(task["worse_than_baseline"], False)
                | dict.fromkeys(task["better_than_baseline"], True)
            ]
            for row in self.contestants
            if (cell := row["values"].get(task["task"]))
        ]

    def _below(self, has_models: bool) -> Iterator[str]:
        counts = ", ".join(f"{_plain(row['task'])} {row['papers']:,}" for row in self.tasks)
        yield f"Scores [95% interval] on the papers that every contestant answered: {counts}."
        if has_models:
            yield (
                "A model is called better only if these papers show it: at most 5% of tasks have "
                "a wrong comparison. Per answer: mean cost."
            )
        if has_models and not self.claims and any(row["states_facts"] for row in self.tasks):
            yield (
                "Nobody checked whether the answers are right. With --judge MODEL you also get "
                "the share of the authors' facts that each model states, and of its claims that "
                "hold."
            )
        if self.judge_cost:
            yield f"The judge cost another {dollars(self.judge_cost)}."


def _plain(task: str) -> str:
    return task.replace("_", " ")


def _column(task: Row) -> Column:
    name = task["task"]
    return Column(lambda row: shown(row["values"].get(name)), f"{_plain(name)} ({task['metric']})")


def _label(row: Row) -> str:
    return f"{row['short']} (baseline)" if row["kind"] == BASELINE else str(row["short"])


def _of_models(row: Row, text: str) -> str:
    return text if row["kind"] == MODEL else ""


def conclude(
    standings: Sequence[Standing],
    verdicts: Sequence[Row],
    models: Sequence[str],
    facts_cost: float = 0.0,
) -> Outcome:
    """Derive the answer, the table and open questions from standings and pairs.

    `facts_cost` is the judge's cost before there were answers, in dollars.
    """
    short = last_parts(models)
    tasks = [_task(each, verdicts, models) for each in standings]
    answers: dict[tuple[str, ...], list[Row]] = {}
    for row in tasks:
        recommended = row["best"] if row["better_than_baseline"] or not models else ()
        answers.setdefault(tuple(recommended), []).append(row)
    parts = [] if models else ["no model was asked"]
    parts += [_sentence(best, rows, models, short) for best, rows in answers.items()]
    outcome = "; ".join(parts)
    wanted = [line for row in tasks for line in _wanted(row, short)]
    logs = [log for each in standings for log in each.logs.values()]
    judged = [sample.judge_cost for log in logs for sample in log.samples]
    return Outcome(
        # A model's name keeps its spelling.
        answer=f"{outcome}."
        if outcome.startswith(tuple(short.values()))
        else f"{outcome[:1].upper()}{outcome[1:]}.",
        tasks=tasks,
        contestants=_contestants(standings, tasks, models, short),
        more_papers=wanted,
        claims=[line for each in standings for line in _claims(each, models, short)],
        judge_cost=math.fsum([facts_cost, *(cost for cost in judged if cost is not None)]),
    )


def _task(standing: Standing, verdicts: Sequence[Row], models: Sequence[str]) -> Row:
    """The contestants that may be best, and how models compare with the best baseline."""
    pairs = [row for row in verdicts if row["task"] == standing.chosen.task]
    beaten = {row["worse"] for row in pairs if row["better"] in models}
    if not models:
        beaten = {worse for _, worse in standing.beats}
    best = [name for name in models or standing.chosen.baselines if name not in beaten]
    rival = standing.best_baseline
    above = [name for name in models if (name, rival) in standing.beats]
    needed = {}
    if above:
        among = (row for row in pairs if set(row["between"]) <= set(best))
        needed = {tuple(row["between"]): row["more_papers_needed"] for row in among}
    elif models:
        lead = max(best, key=standing.score)
        if (rival, lead) not in standing.beats:
            needed = {(lead, rival): standing.more_papers((lead, rival))}
    return {
        "task": standing.chosen.task,
        "metric": standing.chosen.metric,
        "states_facts": standing.chosen.states_facts,
        "items": len(standing.items),
        "papers": standing.papers,
        "best": best,
        "baseline": rival,
        "better_than_baseline": above,
        "worse_than_baseline": [name for name in models if (rival, name) in standing.beats],
        "undecided": [
            {"between": list(pair), "more_papers_needed": more} for pair, more in needed.items()
        ],
    }


def _sentence(
    best: Sequence[str], rows: Sequence[Row], models: Sequence[str], short: Mapping[str, str]
) -> str:
    """The sentence on all tasks with the same outcome; brackets hold differences between tasks."""
    rivals = list(dict.fromkeys(row["baseline"] for row in rows))
    rival = (
        f"the baseline {rivals[0]}"
        if len(rivals) == 1
        else f"the best baseline ({', '.join(rivals)})"
    )
    names = _listed([short.get(name, name) for name in best])
    if not models and len(best) == 1:
        head = f"{names} is the best baseline"
    elif not models:
        head = f"the baselines {names} are too close to call"
    elif not best:
        head = f"{_nobody(models, short)} better than {rival}"
    elif len(models) == 1:
        head = f"{names} is better than every baseline"
    elif len(best) == 1:
        is_above = all(best[0] in row["better_than_baseline"] for row in rows)
        head = f"{names} is the best model" + f", better than {rival}," * is_above
    else:
        head = f"{names} are too close to call"
    tasks: dict[str, list[str]] = {}
    for row in rows:
        tasks.setdefault(_apart(row, models, short), []).append(_plain(row["task"]))
    parts = (f"on {_listed(of)}{apart}" for apart, of in tasks.items())
    return f"{head} {', '.join(parts)}"


def _apart(row: Row, models: Sequence[str], short: Mapping[str, str]) -> str:
    """Remark on how models compare with a task's best baseline, unless the outcome says it."""
    above, worse = row["better_than_baseline"], row["worse_than_baseline"]
    if above:
        weak = [short[name] for name in row["best"] if name not in above]
        return f" ({_listed(weak)} not shown to be better than {row['baseline']})" if weak else ""
    groups = {"worse": worse, "undecided": [name for name in models if name not in worse]}
    states = [f"{state}: {', '.join(short[n] for n in of)}" for state, of in groups.items() if of]
    return f" ({'; '.join(states)})" if states else ""


def _nobody(models: Sequence[str], short: Mapping[str, str]) -> str:
    if len(models) == 1:
        return f"{short[models[0]]} is not"
    if len(models) == 2:
        return f"neither {short[models[0]]} nor {short[models[1]]} is"
    return f"none of the {len(models)} models is"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _wanted(row: Row, short: Mapping[str, str]) -> Iterator[str]:
    """Sentence on the number of papers that would decide all open pairs."""
    if not row["undecided"]:
        return
    task = _plain(row["task"])
    needs = [pair["more_papers_needed"] for pair in row["undecided"]]
    names = list(dict.fromkeys(name for pair in row["undecided"] for name in pair["between"]))
    who = _listed([short.get(name, name) for name in names])
    if None in needs:
        yield f"{task}: {who} are too close to tell apart with any realistic number of such papers."
    else:
        count = max(needs)
        papers = "more such paper" if count == 1 else "more such papers"
        yield f"{task}: about {count:,} {papers} would probably separate {who}."


def _claims(standing: Standing, models: Sequence[str], short: Mapping[str, str]) -> Iterator[str]:
    """One sentence on a judge's findings: shares of stated facts and of supported claims."""
    parts = []
    for name in models:
        shares = {
            metric: share
            for metric in (COVERAGE, *SUPPORT)
            if (share := _judged_share(standing, name, metric))
        }
        clauses = []
        if COVERAGE in shares:
            facts = f"of the facts that the authors' own {_plain(standing.chosen.task)} states"
            clauses.append(f"{short[name]} covers {shares[COVERAGE]} {facts}")
        if shares.keys() >= {*SUPPORT}:
            supported, contradicted = (shares[metric] for metric in SUPPORT)
            owner = "its" if clauses else f"{short[name]}'s"
            clauses.append(
                f"of {owner} claims, its input supports {supported} and contradicts {contradicted}"
            )
        parts += [", and ".join(clauses)] if clauses else []
    rival = standing.best_baseline
    floor = _judged_share(standing, rival, COVERAGE) if parts else ""
    parts += [f"the baseline {rival} covers {floor}"] if floor else []
    if parts:
        yield f"{_plain(standing.chosen.task)}: {'; '.join(parts)}."


def _judged_share(standing: Standing, name: str, metric: str) -> str:
    """A share with its interval, and the number of items if it is not defined for all of them."""
    log = standing.logs.get(name)
    if log is None or metric not in log.judged:
        return ""
    clusters = log.item_clusters()
    values = board_values(log, metric, standing.items).tolist()
    estimate = mean_estimate(values, [clusters[item] for item in standing.items], Draws())
    if estimate.value is None:
        return ""
    ends = f" [{estimate.ci[0]:.0%}, {estimate.ci[1]:.0%}]" if estimate.ci else ""
    some = f" (on {estimate.n:,} of {len(values):,})" if estimate.n < len(values) else ""
    return f"{estimate.value:.0%}{ends}{some}"


def _contestants(
    standings: Sequence[Standing],
    tasks: Sequence[Row],
    models: Sequence[str],
    short: Mapping[str, str],
) -> list[Row]:
    """Rows of the table: the authors' text, then the others by their mean place in the tasks."""
    baselines = [row["baseline"] for row in tasks]
    if not models:
        baselines = [name for each in standings for name in each.chosen.baselines]
    kinds = dict.fromkeys(models, MODEL) | dict.fromkeys(baselines, BASELINE)
    places: dict[str, list[int]] = {name: [] for name in kinds}
    for each in standings:
        ordered = sorted((n for n in kinds if n in each.logs), key=lambda n: -each.score(n))
        for place, name in enumerate(ordered):
            places[name].append(place)
    order = sorted(kinds, key=lambda name: sum(places[name]) / max(1, len(places[name])))
    rows = [_contestant(name, kinds[name], standings, short.get(name, name)) for name in order]
    return [_contestant(AUTHORS, AUTHORS, standings, AUTHORS), *rows]


def _contestant(name: str, kind: str, standings: Sequence[Standing], short: str) -> Row:
    seen = [each for each in standings if name in each.logs]
    return {
        "name": name,
        "short": short,
        "kind": kind,
        "values": {
            each.chosen.task: {**each.values[name], **_answered([each], name, kind)}
            for each in seen
        },
        **_answered(seen, name, kind),
    }


def _answered(standings: Sequence[Standing], name: str, kind: str) -> Row:
    """Counts of a contestant's answers, and their cost if the contestant is a model."""
    samples = [sample for each in standings for sample in each.logs[name].samples]
    common = [sample for each in standings for sample in each.common_samples(name)]
    spent = total(sample.cost for sample in common) if kind == MODEL else None
    return {
        "cost_per_answer": None if spent is None or not common else spent / len(common),
        "cost": total(sample.cost for sample in samples) if kind == MODEL else None,
        "answers": len(samples),
        "failed": sum(sample.fault is not None for sample in samples),
        "papers": len({sample.cluster for sample in samples}),
    }
