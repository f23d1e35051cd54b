"""Plans of the sample papers: topic, authors, citations and score; and the words they are told in.

A plan depends on the seed and on the plans before it alone, so the papers of a small corpus are
the first papers of a larger one.

The invented topics, techniques and problems and the sentence templates are data: `vocabulary.toml`
and `sentences.toml`. The fields of a topic, technique or problem hold phrases of a fixed
grammatical kind, so that the templates can join them into plain English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib import resources
from random import Random
from typing import Any

Bank = Mapping[str, tuple[str, ...]]
"""Sentence templates by the part that a sentence plays in its section."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A task with its one data set and metric: the triple its papers compete on."""

    title: str
    task: str
    """Noun phrase without an article, singular."""
    item: str
    items: str
    source: str
    sources: str
    users: str
    use: str
    """Gerund phrase."""
    hard: str
    """Clause: why the task is difficult."""
    cues: tuple[str, ...]
    """Plural noun phrases."""
    dataset: str
    holds: str
    """Plural noun phrase: what the data set consists of."""
    metric: str
    higher_is_better: bool
    first_score: float
    """About what the first paper reaches, in points of 100."""
    categories: tuple[str, ...]
    modality: str


@dataclass(frozen=True, slots=True)
class Technique:
    """Technique of a paper: two parts, what each does (verb phrase) and why (clause)."""

    title: str
    phrase: str
    """Noun phrase without an article, singular."""
    family: str
    """Plural noun phrase."""
    part_a: str
    a_does: str
    a_why: str
    part_b: str
    b_does: str
    b_why: str
    steps: str
    """Singular noun phrase with its article."""
    cost: str
    """Noun phrase."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Problem that a paper addresses."""

    title: str
    phrase: str
    """Plural noun phrase."""
    effect: str
    """Clause."""
    cause: str
    """Clause."""
    probe: str
    """Infinitive phrase: how the paper looks at it."""
    slice: str
    """Noun phrase: the test cases that show it."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything that the papers can be about, and the words that names of systems consist of."""

    topics: tuple[Topic, ...]
    techniques: tuple[Technique, ...]
    problems: tuple[Problem, ...]
    first_words: tuple[str, ...]
    last_words: tuple[str, ...]


@cache
def vocabulary() -> Vocabulary:
    """The content of `vocabulary.toml`."""
    tables = _read("vocabulary.toml")
    return Vocabulary(
        topics=tuple(Topic(**_frozen(row)) for row in tables["topics"]),
        techniques=tuple(Technique(**row) for row in tables["techniques"]),
        problems=tuple(Problem(**row) for row in tables["problems"]),
        **_frozen(tables["systems"]),
    )


@cache
def sentences() -> dict[str, Bank]:
    """The content of `sentences.toml` by section; the titles of papers are the part `paper`."""
    return {name: _frozen(bank) for name, bank in _read("sentences.toml").items()}


def _frozen(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in row.items()}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / name).read_text("utf-8"))


FIRST_DAY = date(2023, 1, 1)
DAYS_APART = 12
EXTERNAL_WORKS = 40
_BASELINES_PER_TOPIC = 2
_MAX_REFERENCES = 12
_MIN_REFERENCES = 6
_TITLE_WORDS = range(6, 13)
_PROLIFIC = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Work:
    """Something a paper can cite: an earlier sample paper or a work outside the corpus."""

    title: str
    authors: tuple[str, ...]
    year: int
    system: str
    score: int | None
    """On its topic, in tenths of a point; None when it does not compete."""
    plan: Plan | None = None

    @property
    def label(self) -> str:
        """Author and year, as printed inside the parentheses of a citation."""
        first, rest = self.authors[0], self.authors[1:]
        if len(rest) > 1:
            return f"{first} et al., {self.year}"
        return " and ".join(self.authors) + f", {self.year}"


@dataclass(frozen=True, slots=True)
class Plan:
    """One paper before it is put into words."""

    number: int
    name: str
    """Of its system."""
    title: str
    day: date
    authors: tuple[int, ...]
    topic: Topic
    technique: Technique
    problem: Problem
    score: int
    """In tenths of a point."""
    cited: tuple[Work, ...]

    @property
    def rivals(self) -> tuple[Work, ...]:
        """The cited works that compete on the paper's data set, in order of citation."""
        return tuple(
            work
            for work in self.cited
            if work.score is not None and (work.plan is None or work.plan.topic == self.topic)
        )


def paper_rng(seed: int, number: int, purpose: str) -> Random:
    """A generator of its own for each paper and purpose."""
    return Random(f"sample/{seed}/{number}/{purpose}")


def plan_papers(count: int, seed: int) -> list[Plan]:
    """Plan the first `count` papers of the corpus that belongs to a seed."""
    plans: list[Plan] = []
    for number in range(1, count + 1):
        plans.append(_plan_paper(number, seed, plans))
    return plans


def author_name(author: int) -> str:
    """The plain label of an author."""
    return f"Author {author:03d}"


def _plan_paper(number: int, seed: int, earlier: Sequence[Plan]) -> Plan:
    rng = paper_rng(seed, number, "plan")
    topic_index = _topic_index(number, seed)
    words = vocabulary()
    topic = words.topics[topic_index]
    technique, problem = rng.choice(words.techniques), rng.choice(words.problems)
    name = _pick_name(rng, {plan.name for plan in earlier})
    titles = {plan.title for plan in earlier}
    cited = _pick_cited(rng, topic_index, technique, problem, earlier)
    return Plan(
        number=number,
        name=name,
        title=_pick_title(rng, name, topic, technique, problem, titles),
        day=FIRST_DAY + timedelta(days=(number - 1) * DAYS_APART + rng.randrange(DAYS_APART)),
        authors=_pick_authors(rng, number, topic_index),
        topic=topic,
        technique=technique,
        problem=problem,
        score=_pick_score(rng, topic_index, earlier),
        cited=cited,
    )


def _topic_index(number: int, seed: int) -> int:
    """Topics come in shuffled rounds, so that every topic gets its share."""
    turn, place = divmod(number - 1, len(vocabulary().topics))
    order = list(range(len(vocabulary().topics)))
    Random(f"sample/{seed}/topics/{turn}").shuffle(order)
    return order[place]


def _pick_name(rng: Random, taken: set[str]) -> str:
    words = vocabulary()
    while True:
        name = rng.choice(words.first_words) + rng.choice(words.last_words)
        if name not in taken:
            return name


def _pick_title(
    rng: Random,
    name: str,
    topic: Topic,
    technique: Technique,
    problem: Problem,
    taken: set[str],
) -> str:
    patterns = sentences()["titles"]["paper"]
    titles = [
        pattern.format(
            name_=name, technique_=technique.title, task_=topic.title, problem_=problem.title
        )
        for pattern in rng.sample(patterns, len(patterns))
    ]
    # The two patterns that start with the name are short enough and always free.
    return next(
        title for title in titles if len(title.split()) in _TITLE_WORDS and title not in taken
    )


def _pick_authors(rng: Random, number: int, topic_index: int) -> tuple[int, ...]:
    """Overlapping groups with a few prolific members; some authors keep to themselves."""
    if number % 15 == 7:
        return (37 + number // 15 % 2,)
    if number % 20 == 11:
        return (39, 40)
    if number % 20 == 19:
        return (35, 36)
    group = [5 + (topic_index % 6 * 5 + member) % 30 for member in range(8)]
    authors = rng.sample(group, rng.randint(2, 4))
    if rng.random() < 0.5:
        authors.insert(rng.choice((0, len(authors))), rng.choice(_PROLIFIC))
    return tuple(authors)


def _pick_score(rng: Random, topic_index: int, earlier: Sequence[Plan]) -> int:
    """Scores improve with every paper on a topic, ever more slowly, and no two are equal."""
    topic = vocabulary().topics[topic_index]
    scores = [plan.score for plan in earlier if plan.topic == topic]
    taken = {*scores, *(_external_score(topic_index, rank) for rank in range(2))}
    progress = len(scores) / (len(scores) + 12)
    first = round(topic.first_score * 10)
    if topic.higher_is_better:
        score = first + round((1000 - first) * 0.7 * progress) + rng.randint(-18, 30)
    else:
        score = first - round(first * 0.7 * progress) - rng.randint(-18, 12)
    while score in taken:
        score += 1
    return score


def _external_score(topic_index: int, rank: int) -> int:
    """Score of a work outside the corpus: worse than the first paper on the topic."""
    topic = vocabulary().topics[topic_index]
    behind = 25 + 28 * rank + topic_index
    return round(topic.first_score * 10) + (-behind if topic.higher_is_better else behind)


def _external_work(number: int, score: int | None = None) -> Work:
    authors = tuple(author_name(900 + number + 30 * extra) for extra in range(number % 3 + 1))
    return Work(
        title=f"External work {number:02d}",
        authors=authors,
        year=2012 + number % 10,
        system=f"Baseline {number:02d}",
        score=score,
    )


def _pick_cited(
    rng: Random,
    topic_index: int,
    technique: Technique,
    problem: Problem,
    earlier: Sequence[Plan],
) -> tuple[Work, ...]:
    """Competitors first, then kindred papers, then works outside the corpus."""
    topic = vocabulary().topics[topic_index]
    rivals = [plan for plan in earlier if plan.topic == topic]
    kindred = [
        plan
        for plan in earlier
        if plan.topic != topic and (plan.technique == technique or plan.problem == problem)
    ]
    plans = _sample_some(rng, rivals, 5) + _sample_some(rng, kindred, 4)
    baselines = [
        _external_work(
            topic_index * _BASELINES_PER_TOPIC + rank + 1, _external_score(topic_index, rank)
        )
        for rank in range(_BASELINES_PER_TOPIC)
    ]
    if len(rivals) > 2:
        baselines.pop()
    works = [_cite(plan) for plan in plans] + baselines
    wanted = max(_MIN_REFERENCES - len(works), rng.randint(0, 2))
    pool = range(len(vocabulary().topics) * _BASELINES_PER_TOPIC + 1, EXTERNAL_WORKS + 1)
    works += [_external_work(number) for number in sorted(rng.sample(pool, wanted))]
    return tuple(works[:_MAX_REFERENCES])


def _sample_some(rng: Random, plans: list[Plan], most: int) -> list[Plan]:
    chosen = rng.sample(plans, min(most, len(plans)))
    return sorted(chosen, key=lambda plan: plan.number)


def _cite(plan: Plan) -> Work:
    authors = tuple(author_name(author) for author in plan.authors)
    return Work(plan.title, authors, plan.day.year, plan.name, plan.score, plan)
