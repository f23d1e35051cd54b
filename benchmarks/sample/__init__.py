"""The papers of the sample corpus, made from a seed.

`python -m benchmarks.sample` writes those that the package ships.
"""

from collections.abc import Iterator

from benchmarks.sample.plan import Plan, Work, author_name, paper_rng, plan_papers
from benchmarks.sample.text import (
    ablation_scores,
    make_slots,
    points,
    write_abstract,
    write_sections,
)

from vivavoce.records import Author, CitedTable, Document, Reference, Result

NO_ABSTRACT = 17
"""Number of the paper without an abstract."""
UNDATED = 23
"""Number of the paper without a date."""

_AREAS = {"cs.CL": "language", "cs.IR": "search", "cs.LG": "learning"}
_MIN_SURVEYED = 4


def generate(count: int = 60, seed: int = 0) -> tuple[Document, ...]:
    """Make the first `count` papers of the corpus that belongs to a seed.

    The same arguments give equal documents on every machine, and a larger count only adds papers.
    The first 60 papers are dated 2023 and 2024, in the order of their numbers; later papers go on
    at the same pace.
    """
    return tuple(_write_paper(plan, seed) for plan in plan_papers(count, seed))


def _write_paper(plan: Plan, seed: int) -> Document:
    facts = paper_rng(seed, plan.number, "facts")
    ablation = ablation_scores(plan, facts)
    slots = make_slots(plan, ablation, facts)
    abstract = write_abstract(plan, slots, paper_rng(seed, plan.number, "abstract"))
    paper_id = f"sample-{plan.number:04d}"
    return Document(
        kind="sample",
        key=paper_id,
        given_id=paper_id,
        title=plan.title,
        abstract=None if plan.number == NO_ABSTRACT else abstract,
        published=_published(plan),
        categories=plan.topic.categories,
        licence="CC0-1.0",
        authors=tuple(Author(author_name(author), f"a{author:03d}") for author in plan.authors),
        sections=write_sections(plan, slots, paper_rng(seed, plan.number, "body")),
        references=tuple(
            _reference(ordinal, work, plan.number) for ordinal, work in enumerate(plan.cited)
        ),
        tables=tuple(_tables(plan, ablation)),
        results=(_result(plan),),
    )


def _published(plan: Plan) -> str | None:
    return None if plan.number == UNDATED else plan.day.isoformat()


def _reference(ordinal: int, work: Work, citing: int) -> Reference:
    title = _as_cited(work.title, citing + ordinal)
    names = _join_names(work.authors)
    stop = "" if title.endswith("?") else "."
    return Reference(
        ordinal=ordinal,
        raw=f"{names}. {work.year}. {title}{stop}",
        title=title,
        year=work.year,
        first_author=work.authors[0],
    )


def _join_names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _as_cited(title: str, turn: int) -> str:
    """Lists of references differ in case and punctuation; most entries are exact."""
    if turn % 7 == 0:
        return title[0] + title[1:].lower()
    if turn % 7 == 3:
        return title.replace(": ", " – ").rstrip("?")
    return title


def _tables(plan: Plan, ablation: tuple[int, int]) -> Iterator[CitedTable]:
    yield _comparison(plan)
    yield _ablation(plan, ablation)
    surveyed = [ordinal for ordinal, work in enumerate(plan.cited) if work.plan is not None]
    if len(surveyed) >= _MIN_SURVEYED:
        yield _survey(plan, surveyed)


def _comparison(plan: Plan) -> CitedTable:
    topic = plan.topic
    direction = "higher" if topic.higher_is_better else "lower"
    scored = [(work, work.score) for work in plan.rivals if work.score is not None]
    rows = [(f"{work.system} ({work.label})", points(score)) for work, score in scored]
    return CitedTable(
        ordinal=0,
        caption=f"Table 1: Comparison on {topic.dataset} for {topic.task}, measured as "
        f"{topic.metric} in percent ({direction} is better).",
        cells=(
            ("System", f"{topic.dataset}, {topic.metric}"),
            *rows,
            (f"{plan.name} (ours)", points(plan.score)),
        ),
        cited=tuple(ordinal for ordinal, work in enumerate(plan.cited) if work in plan.rivals),
        row_cited=((), *((plan.cited.index(work),) for work, _ in scored), ()),
    )


def _ablation(plan: Plan, ablation: tuple[int, int]) -> CitedTable:
    technique = plan.technique
    return CitedTable(
        ordinal=1,
        caption=f"Table 2: {plan.name} without one of its parts, on {plan.topic.dataset}.",
        cells=(
            ("Variant", plan.topic.metric),
            ("complete", points(plan.score)),
            (f"without {technique.part_a}", points(ablation[0])),
            (f"without {technique.part_b}", points(ablation[1])),
        ),
        row_cited=((),) * 4,
    )


def _survey(plan: Plan, surveyed: list[int]) -> CitedTable:
    rows = []
    for ordinal in surveyed:
        work = plan.cited[ordinal]
        if work.plan is not None:
            theirs = work.plan
            system = f"{work.system} ({work.label})"
            subject = (theirs.topic.task, theirs.technique.phrase, theirs.problem.phrase)
            rows.append((system, *subject, theirs.topic.dataset))
    return CitedTable(
        ordinal=2,
        caption="Table 3: Earlier systems and what they were made for.",
        cells=(("System", "Task", "Technique", "Difficulty", "Data set"), *rows),
        cited=tuple(surveyed),
        row_cited=((), *((ordinal,) for ordinal in surveyed)),
    )


def _result(plan: Plan) -> Result:
    topic = plan.topic
    return Result(
        dataset=topic.dataset,
        task=topic.task,
        metric=topic.metric,
        method=plan.name,
        score=plan.score / 10,
        score_text=points(plan.score),
        date=_published(plan),
        area=_AREAS[topic.categories[0]],
        modality=topic.modality,
        higher_is_better=topic.higher_is_better,
    )
