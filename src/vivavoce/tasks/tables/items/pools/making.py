"""The pool of a table: its own works and some distractors, in an order that tells nothing.

Scores depend on floating point, so they are made once: a candidates file keeps the ranked
candidates of every table, with the encoder they are by, and is an input of later rounds.

A candidate that people would include in the table is no distractor of it; a demand that people did
not accept asks for nothing. What a file says of other tables is passed over, so one file serves
several rounds.

Source: arXiv2Table, section 4.2 (verification of distractors), section 4.1 (checks of demands).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, TypeAdapter

from vivavoce.checking import Count, Name, Sha256, checked, read_records
from vivavoce.errors import InputError
from vivavoce.store import hash_of, hash_rows, read_json
from vivavoce.tasks.tables.items.pools.distractors import (
    DIGITS,
    Barred,
    Bars,
    Candidate,
)
from vivavoce.tasks.tables.items.table_items import TOP, GoldTable, PoolPaper, PoolRule, Work

CANDIDATES = "candidates.json"
LEAST = 4
"""Distractors of a table of few works."""

_FORMAT = 1
_LARGEST_FILE = 1 << 28
_NAMED = 3
_MAX = 2 + 10**-DIGITS
"""A score is the sum of two cosines; a little room for rounding."""


@dataclass(frozen=True, slots=True)
class _Encoder:
    name: Annotated[str, Field(max_length=500, pattern=r"\S")]
    sha256: Sha256


@dataclass(frozen=True, slots=True)
class _Universe:
    works: Count
    sha256: Sha256


@dataclass(frozen=True, slots=True)
class _Row:
    paper: str
    score: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-_MAX, le=_MAX)]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A table of a candidates file."""

    id: str
    demand_sha256: Sha256
    candidates: Annotated[tuple[_Row, ...], Field(max_length=TOP)]


@dataclass(frozen=True, slots=True)
class _Content:
    """A candidates file, its tables not looked at."""

    format: Literal[1]
    encoder: _Encoder
    pool_rule: PoolRule
    universe: _Universe
    tables: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class CandidatesFile:
    """The candidates of the tables of a round, and how they came about."""

    encoder: str
    fingerprint: str
    """Sha256 of the encoder: `PaperEncoder.fingerprint`."""
    pool_rule: PoolRule
    universe: int
    """Works that the candidates were taken from."""
    universe_sha256: str
    """Of their ids, titles and abstracts: `hash_works`."""
    candidates: Mapping[str, tuple[Candidate, ...]]
    """By table id, the best first."""
    demands: Mapping[str, str]
    """By table id the sha256 of the demand that the scores are for."""

    def other_demands(self, demands: Mapping[str, str]) -> list[str]:
        """The tables that have another demand now; their candidates still hold as a choice."""
        return sorted(
            table
            for table, known in self.demands.items()
            if table in demands and hash_of(demands[table]) != known
        )


@dataclass(frozen=True, slots=True)
class Pool:
    """What an item shows."""

    papers: tuple[PoolPaper, ...]
    """Shuffled."""
    missing: int
    """Distractors that the rule asks for and there were no candidates for."""
    given_labels: bool
    """Whether the distractors are labels that came with the table."""

    @property
    def distractors(self) -> int:
        """How many there are."""
        return sum(not paper.is_gold for paper in self.papers)


def hash_works(papers: Iterable[str], works: Mapping[str, Work]) -> str:
    """Sha256 of what some works are compared by; their order does not matter."""
    return hash_rows(
        {"id": paper, "title": works[paper].title, "abstract": works[paper].abstract}
        for paper in sorted(papers)
    )


def candidates_as_bytes(made: CandidatesFile) -> bytes:
    """A candidates file: the same bytes for the same candidates."""
    value = {
        "format": _FORMAT,
        "encoder": {"name": made.encoder, "sha256": made.fingerprint},
        "pool_rule": made.pool_rule,
        "universe": {"works": made.universe, "sha256": made.universe_sha256},
        "tables": [
            {
                "id": table,
                "demand_sha256": made.demands[table],
                "candidates": [
                    {"paper": one.paper, "score": round(one.score, DIGITS)}
                    for one in made.candidates[table]
                ],
            }
            for table in sorted(made.candidates)
        ],
    }
    return f"{json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2)}\n".encode()


def read_candidates(
    path: Path, tables: Sequence[GoldTable], works: Mapping[str, Work], barred: Barred
) -> CandidatesFile:
    """Read the candidates of some tables out of a file; those of other tables are passed over.

    Raises:
        InputError: The file cannot be read, has another form, lacks a table, or names a candidate
            that is unknown or barred; the message says where.
    """
    if path.is_file() and path.stat().st_size > _LARGEST_FILE:
        raise InputError(f"{path} is larger than {_LARGEST_FILE >> 20} MB: no candidates file.")
    value = checked(_Content, read_json(path), f"{path} is no candidates file")
    listed: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(value.tables):
        name = entry.get("id")
        if not isinstance(name, str) or name in listed:
            raise _fault(path, f"tables[{number}].id is {name!r}, not an id given once")
        listed[name] = entry
    absent = sorted({table.id for table in tables} - listed.keys())
    if absent:
        more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
        raise InputError(
            f"{path} has no candidates for {', '.join(absent[:_NAMED])}{more}. Build the round "
            "once without [tables] candidates and take the file that it writes."
        )
    kind = TypeAdapter(_Entry)
    wanted = {
        table: checked(kind, listed[table.id], f"{path} is no candidates file: {table.id}")
        for table in sorted(tables, key=lambda table: table.id)
    }
    return CandidatesFile(
        encoder=value.encoder.name,
        fingerprint=value.encoder.sha256,
        pool_rule=value.pool_rule,
        universe=value.universe.works,
        universe_sha256=value.universe.sha256,
        candidates={
            table.id: _candidates(path, entry, works, barred.of(table))
            for table, entry in wanted.items()
        },
        demands={table.id: entry.demand_sha256 for table, entry in wanted.items()},
    )


def draw_distractors(
    table: GoldTable, candidates: Sequence[Candidate], *, seed: int, most: int = TOP
) -> list[Candidate]:
    """Some of a table's candidates, the best first, drawn with a seed.

    Their number is `count_distractors`, or all candidates where there are fewer.
    """
    count = min(count_distractors(table, most), len(candidates))
    drawn = Random(f"tables/distractors/{seed}/{table.id}")
    return [candidates[place] for place in sorted(drawn.sample(range(len(candidates)), count))]


def count_distractors(table: GoldTable, most: int = TOP) -> int:
    """Distractors that a table of m works should have: min(10, max(4, m)), and `most` at most.

    The paper draws their number between m and 10, which no table of more than 10 works allows and
    which its smallest number, 4, contradicts for tables of fewer. `InputError` for `most` below 0.
    """
    if most < 0:
        raise InputError(f"distractors is {most}. It must be 0 or more.")
    return min(most, TOP, max(LEAST, len(table.papers)))


def make_pool(
    table: GoldTable,
    candidates: Sequence[Candidate],
    works: Mapping[str, Work],
    *,
    seed: int,
    most: int = TOP,
    given: Collection[str] | None = None,
) -> Pool:
    """The pool of a table.

    Args:
        table: The gold table.
        candidates: Its candidates, the best first.
        works: What is known of every work, by id.
        seed: Of the draw and of the order.
        most: The most distractors.
        given: Works that came with the table with the label that they are not in it. They are
            taken, all and only they, unless the table has a row about one.

    Raises:
        InputError: A work is not known.
    """
    chosen: list[tuple[str, float | None]]
    if given is not None:
        chosen = [(paper, None) for paper in sorted(set(given) - set(table.papers))]
    else:
        drawn = draw_distractors(table, candidates, seed=seed, most=most)
        chosen = [(one.paper, one.score) for one in drawn]
    scores = dict(chosen)
    gold = set(table.papers)
    if gold & scores.keys():
        raise InputError(f"{min(gold & scores.keys())} is in {table.id} and a candidate for it.")
    unknown = sorted((gold | scores.keys()) - works.keys())
    if unknown:
        raise InputError(f"The work {unknown[0]} of the pool of {table.id} is not known.")
    # Sorted first: the order then depends on which works there are and the seed alone.
    order = sorted(gold | scores.keys())
    Random(f"tables/pool/{seed}/{table.id}").shuffle(order)
    papers = tuple(PoolPaper(works[paper], paper in gold, scores.get(paper)) for paper in order)
    wanted = 0 if given is not None else count_distractors(table, most)
    return Pool(papers, max(0, wanted - len(chosen)), given is not None)


def _candidates(
    path: Path, entry: _Entry, works: Mapping[str, Work], bars: Bars
) -> tuple[Candidate, ...]:
    """The candidates of one table, after every check."""
    found: list[Candidate] = []
    for number, row in enumerate(entry.candidates):
        where = f"candidates[{number}] of {entry.id}"
        if row.paper not in works:
            raise _fault(path, f"{where} is {row.paper!r}, which is no known work")
        if row.paper in (one.paper for one in found):
            raise _fault(path, f"{where}, {row.paper}, is there already")
        if reason := bars.reason(works[row.paper]):
            raise _fault(path, f"{where}, {row.paper}, {reason}")
        score = round(row.score, DIGITS)
        if found and score > found[-1].score:
            raise _fault(path, f"{where} has a better score than the one before it")
        found.append(Candidate(row.paper, score))
    return tuple(found)


def _fault(path: Path, what: str) -> InputError:
    return InputError(f"{path} is no candidates file: {what}.")


INCLUDE, EXCLUDE = "include", "exclude"
Label = TypeVar("Label")

PaperLabels = Mapping[str, Mapping[str, str]]
"""By table id, by paper id: `include` or `exclude`."""


@dataclass(frozen=True, slots=True)
class _PaperLabel:
    table: Name
    paper: Name
    decision: Literal["include", "exclude"]


@dataclass(frozen=True, slots=True)
class _DemandLabel:
    id: Name
    accepted: Annotated[bool, Field(strict=True)]


def read_paper_labels(path: Path) -> dict[str, dict[str, str]]:
    """Labels of a file with rows {table, paper, decision}; other keys are passed over.

    Raises:
        InputError: Names the line that is no label, or says otherwise than one before it.
    """
    found: dict[str, dict[str, str]] = {}
    for where, label in read_records(path, _PaperLabel):
        known = found.setdefault(label.table, {}).setdefault(label.paper, label.decision)
        if known != label.decision:
            raise InputError(f"{where}: {label.paper} of {label.table} was {known} before.")
    return _some(found, path)


def read_demand_labels(path: Path) -> dict[str, bool]:
    """Whether the demand of each table was accepted, of a file with rows {id, accepted}.

    Raises:
        InputError: Names the line that is no label, or says otherwise than one before it.
    """
    found: dict[str, bool] = {}
    for where, label in read_records(path, _DemandLabel):
        if found.setdefault(label.id, label.accepted) != label.accepted:
            raise InputError(f"{where}: the demand of {label.id} was said to be otherwise before.")
    return _some(found, path)


def _some(found: dict[str, Label], path: Path) -> dict[str, Label]:
    if not found:
        raise InputError(f"{path} holds no label.")
    return found


def without_included(
    table: GoldTable, candidates: Sequence[Candidate], labels: PaperLabels
) -> tuple[Candidate, ...]:
    """A table's candidates but for those that people would include in it."""
    said = labels.get(table.id, {})
    return tuple(one for one in candidates if said.get(one.paper) != INCLUDE)


def count_checked(table: str, distractors: Collection[str], labels: PaperLabels) -> int:
    """How many distractors of a table people have excluded from it."""
    said = labels.get(table, {})
    return sum(said.get(paper) == EXCLUDE for paper in distractors)
