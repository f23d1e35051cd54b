"""Words of the sample papers: invented topics, techniques and problems, and sentence templates.

Both are data: `vocabulary.toml` and `sentences.toml`. The fields of a topic, technique or problem
hold phrases of a fixed grammatical kind, so that the templates can join them into plain English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
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
