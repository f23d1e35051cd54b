"""A planned sample paper put into words: abstract and sections."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from random import Random

from benchmarks.sample.plan import (
    Plan,
    Problem,
    Technique,
    Topic,
    Work,
    sentences,
    vocabulary,
)

from vivavoce.records import Section

Slots = dict[str, str]


def points(tenths: int) -> str:
    """Print tenths of a point, such as 713, as `71.3`."""
    return f"{tenths // 10}.{tenths % 10}"


def ablation_scores(plan: Plan, rng: Random) -> tuple[int, int]:
    """Scores without the first and without the second part; the first part matters more."""
    sign = -1 if plan.topic.higher_is_better else 1
    return plan.score + sign * rng.randint(13, 30), plan.score + sign * rng.randint(3, 12)


def make_slots(plan: Plan, ablation: tuple[int, int], rng: Random) -> Slots:
    """Everything that the templates of a paper refer to, always drawn in the same order."""
    topic, technique, problem = plan.topic, plan.technique, plan.problem
    ranked = _ranked_rivals(plan)
    cues = rng.sample(topic.cues, 4)
    others = [other.phrase for other in vocabulary().techniques if other != technique]
    train = rng.randrange(4_000, 48_000, 50)
    return {
        "name": plan.name,
        **_phrases(topic),
        **_phrases(technique),
        **_phrases(problem),
        **{f"cue{place}": cue for place, cue in enumerate(cues, start=1)},
        "direction": "higher" if topic.higher_is_better else "lower",
        "technique": technique.phrase,
        "other_technique": rng.choice(others),
        "problem": problem.phrase,
        "score": points(plan.score),
        "rival": ranked[0].system,
        "prior": points(_score(ranked[0])),
        "gap": points(abs(plan.score - _score(ranked[0]))),
        "weakest": ranked[-1].system,
        "weak_gap": points(abs(plan.score - _score(ranked[-1]))),
        "rivals": _join([f"{work.system} ({work.label})" for work in plan.rivals]),
        "no_a": points(ablation[0]),
        "no_b": points(ablation[1]),
        "slice_gain": points(rng.randint(21, 68)),
        "half_gap": points(rng.randint(6, 29)),
        "errors_a": str(rng.randint(28, 45)),
        "errors_b": str(rng.randint(12, 27)),
        "train": f"{train:,}",
        "dev": f"{train // 10:,}",
        "test": f"{train // 8:,}",
        "layers": str(rng.choice((4, 6, 8, 12))),
        "width": str(rng.choice((256, 384, 512))),
        "batch": str(rng.choice((16, 24, 32, 64))),
        "epochs": str(rng.randint(6, 20)),
        "rate": rng.choice(("0.0001", "0.0002", "0.0003", "0.0005")),
        "hours": str(rng.randint(2, 11)),
        "seeds": rng.choice(("three", "four", "five", "seven")),
        "spread": points(rng.randint(2, 7)),
        "weight": rng.choice(("0.1", "0.2", "0.25", "0.3", "0.5")),
        "speed": str(rng.randrange(20, 180, 5)),
    }


def _phrases(words: Topic | Technique | Problem) -> Slots:
    values = {field.name: getattr(words, field.name) for field in fields(words)}
    return {name: value for name, value in values.items() if isinstance(value, str)}


def write_abstract(plan: Plan, slots: Slots, rng: Random) -> str:
    """Summarise a paper in sentences that its body does not contain."""
    outcome = _outcome(plan)
    roles = ("task", "problem", "method", "part_a", "part_b", outcome, "finding", "close")
    return _say("abstract", roles, slots, rng)


def write_sections(plan: Plan, slots: Slots, rng: Random) -> tuple[Section, ...]:
    """Write the body: numbered sections, with acknowledgements and an appendix in some papers."""
    # Without a section on related work the other sections say more.
    breadth = 1 if _has_related_work(plan) else 2
    slots = {**slots, "results_number": "5" if _has_related_work(plan) else "4"}
    conclusion = ("summary", "lesson", "limit", "future", "closing")
    parts = [("introduction", _introduction(plan, slots, breadth, rng))]
    if _has_related_work(plan):
        parts.append(("related_work", _related_work(plan, slots, rng)))
    parts += [
        ("method", _say("method", ("lead", "notation", "design"), slots, rng)),
        ("experiments", _say("experiments", ("lead",), slots, rng)),
        ("results", _results(plan, slots, breadth, rng)),
        ("conclusion", _say("ending", conclusion, slots, rng)),
    ]
    rows: list[tuple[int, str, str, str, str | None]] = []
    for number, (role, text) in enumerate(parts, start=1):
        rows.append((1, rng.choice(sentences()["headings"][role]), role, text, str(number)))
        for place, (heading, below) in enumerate(_subsections(role, slots, rng), start=1):
            rows.append((2, heading, role, below, f"{number}.{place}"))
    if plan.number % 3 == 0:
        thanks = _say("ending", ("thanks",), slots, rng)
        rows.append((1, "Acknowledgements", "acknowledgements", thanks, None))
    if plan.number % 4 == 1:
        text = " ".join(_say_several(sentences()["ending"]["appendix"], 2, slots, rng))
        rows.append((1, "Further Settings", "appendix", text, "A"))
    return tuple(
        Section(ordinal, level, heading, role, text, number)
        for ordinal, (level, heading, role, text, number) in enumerate(rows)
    )


def _has_related_work(plan: Plan) -> bool:
    return plan.number % 10 != 4


def _introduction(plan: Plan, slots: Slots, breadth: int, rng: Random) -> str:
    cited = rng.sample(plan.cited, 2) if _has_related_work(plan) else plan.cited
    slots = {**slots, "cites": "(" + "; ".join(work.label for work in cited) + ")"}
    paragraphs = (
        ("hook", "difficulty", "example"),
        ("problem", "cause", "gap"),
        ("idea", "mechanism", "evidence"),
        ("contributions",),
    )
    scope = " ".join(_say_several(sentences()["introduction"]["scope"], breadth, slots, rng))
    return "\n\n".join([*(_say("introduction", roles, slots, rng) for roles in paragraphs), scope])


def _related_work(plan: Plan, slots: Slots, rng: Random) -> str:
    groups = _group_cited(plan)
    templates = {
        True: _endless(sentences()["related_work"]["cite_paper"], rng),
        False: _endless(sentences()["related_work"]["cite_external"], rng),
    }
    contrasts = _say_several(sentences()["related_work"]["contrast"], len(groups), slots, rng)
    paragraphs = []
    for (opener, works), contrast in zip(groups, contrasts, strict=True):
        cites = [_fill(next(templates[work.plan is not None]), _work_slots(work)) for work in works]
        paragraphs.append(" ".join([_say("related_work", (opener,), slots, rng), *cites, contrast]))
    return "\n\n".join(paragraphs)


def _group_cited(plan: Plan) -> list[tuple[str, list[Work]]]:
    """Two or three paragraphs: rivals, kindred techniques or outside works, kindred problems."""
    groups: dict[str, list[Work]] = {"open_task": [], "open_technique": [], "open_problem": []}
    for work in plan.cited:
        if work in plan.rivals:
            groups["open_task"].append(work)
        elif work.plan is None or work.plan.technique == plan.technique:
            groups["open_technique"].append(work)
        else:
            groups["open_problem"].append(work)
    if not groups["open_technique"]:
        groups["open_technique"].append(groups["open_task"].pop())
    return [(opener, works) for opener, works in groups.items() if works]


def _work_slots(work: Work) -> Slots:
    slots = {"cite": f"({work.label})"}
    if work.plan is not None:
        theirs = work.plan
        slots |= {
            "their_name": theirs.name,
            "their_technique": theirs.technique.phrase,
            "their_task": theirs.topic.task,
            "their_problem": theirs.problem.phrase,
            "their_part": theirs.technique.part_a,
            "their_does": theirs.technique.a_does,
            "their_dataset": theirs.topic.dataset,
            "their_score": points(theirs.score),
            "their_metric": theirs.topic.metric,
        }
    return slots


def _results(plan: Plan, slots: Slots, breadth: int, rng: Random) -> str:
    main = _say("results", (_outcome(plan), "size"), slots, rng)
    analyses = [
        _say("results", ("ablation", "data_size", "runtime"), slots, rng),
        _say("results", ("probe", "case"), slots, rng),
        _say("results", ("errors", "caution"), slots, rng),
    ]
    rng.shuffle(analyses)
    discussion = " ".join(_say_several(sentences()["results"]["discussion"], breadth, slots, rng))
    return "\n\n".join([main, *analyses, discussion])


def _subsections(role: str, slots: Slots, rng: Random) -> Iterator[tuple[str, str]]:
    if role == "method":
        first = _say("method", ("part_a", "steps", "detail"), slots, rng)
        illustration = _say("method", ("illustration", "alternative"), slots, rng)
        yield f"The {slots['part_a'].title()}", f"{first}\n\n{illustration}"
        second = _say("method", ("part_b", "objective"), slots, rng)
        closing = _say("method", ("stability", "cost", "inference"), slots, rng)
        yield f"The {slots['part_b'].title()}", f"{second}\n\n{closing}"
    elif role == "experiments":
        data = ("data", "preparation", "metric")
        yield "Data and Measure", _say("experiments", data, slots, rng)
        yield "Training", _say("experiments", ("training", "selection", "seeds"), slots, rng)
        yield "Compared Systems", _say("experiments", ("rivals", "fairness"), slots, rng)


def _ranked_rivals(plan: Plan) -> list[Work]:
    best_first = plan.topic.higher_is_better
    return sorted(plan.rivals, key=_score, reverse=best_first)


def _score(work: Work) -> int:
    if work.score is None:
        raise ValueError(f"{work.title} does not compete")
    return work.score


def _outcome(plan: Plan) -> str:
    lead = plan.score - _score(_ranked_rivals(plan)[0])
    return "ahead" if (lead > 0) == plan.topic.higher_is_better else "behind"


def _say(section: str, roles: Sequence[str], slots: Slots, rng: Random) -> str:
    bank = sentences()[section]
    return " ".join(_fill(rng.choice(bank[role]), slots) for role in roles)


def _say_several(templates: Sequence[str], count: int, slots: Slots, rng: Random) -> list[str]:
    return [_fill(template, slots) for template in rng.sample(templates, count)]


def _endless(templates: Sequence[str], rng: Random) -> Iterator[str]:
    """Templates in shuffled rounds: none comes again before all have been used."""
    while True:
        yield from rng.sample(templates, len(templates))


def _fill(template: str, slots: Slots) -> str:
    text = template.format_map(slots)
    return text[0].upper() + text[1:]


def _join(phrases: Sequence[str]) -> str:
    return ", ".join(phrases[:-1]) + " and " + phrases[-1] if len(phrases) > 1 else phrases[0]
