"""The pool of a table: its own works and some distractors, in an order that tells nothing.

Scores depend on floating point, so they are made once: a candidates file keeps the ranked
candidates of every table, with the encoder they are by, and is an input of later rounds.

A candidate that people would include in the table is no distractor of it; a demand that people did
not accept asks for nothing. Rows on other tables are skipped, so one file serves several rounds.

Source: arXiv2Table, section 4.2 (verification of distractors), section 4.1 (checks of demands).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, TypeAdapter

from vivavoce.checking import Count, Name, Sha256, checked, read_records
from vivavoce.errors import InputError
from vivavoce.store import hash_of, hash_rows, read_json, readable_json
from vivavoce.tasks.tables.items.distractors import Barred, Bars, Candidate
from vivavoce.tasks.tables.items.table_items import TOP, GoldTable, PoolRule, Work

CANDIDATES = "candidates.json"
LEAST = 4
"""Distractors of a table of few works."""
GOLD_SHARE = 0.41
"""Share of a pool that belongs to the table."""

_LARGEST_FILE = 1 << 28
_NAMED = 3


@dataclass(frozen=True, slots=True)
class EncoderKey:
    """The encoder that scores are by."""

    name: Annotated[str, Field(max_length=500, pattern=r"\S")]
    sha256: Sha256
    """`PaperEncoder.fingerprint`."""


@dataclass(frozen=True, slots=True)
class Universe:
    """The works that candidates were taken from."""

    works: Count
    sha256: Sha256
    """Hash of their ids, titles and abstracts: `hash_works`."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidates of a table, the best first, and the demand that their scores are for."""

    id: str
    demand_sha256: Sha256
    candidates: Annotated[tuple[Candidate, ...], Field(max_length=TOP)]


@dataclass(frozen=True, slots=True)
class _Head:
    format: Literal[1]
    encoder: EncoderKey
    pool_rule: PoolRule
    universe: Universe


@dataclass(frozen=True, slots=True)
class _Content(_Head):
    """A candidates file, its tables not looked at."""

    tables: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class CandidatesFile(_Head):
    """The candidates of the tables of a round, and how they came about."""

    tables: tuple[Ranked, ...]
    """Sorted by id."""

    @property
    def candidates(self) -> dict[str, tuple[Candidate, ...]]:
        """The candidates of each table, by its id."""
        return {table.id: table.candidates for table in self.tables}

    def other_demands(self, demands: Mapping[str, str]) -> list[str]:
        """The tables that have another demand now; their candidates still hold as a choice."""
        return [
            table.id
            for table in self.tables
            if table.id in demands and hash_of(demands[table.id]) != table.demand_sha256
        ]


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool of an item."""

    papers: tuple[Work, ...]
    """Shuffled."""
    distractors: int
    missing: int
    """Distractors that the rule asks for and there were no candidates for."""
    given_labels: bool
    """Whether the distractors are labels that came with the table."""


def hash_works(papers: Iterable[str], works: Mapping[str, Work]) -> str:
    """Sha256 of what some works are compared by; their order does not matter."""
    return hash_rows(
        {"id": paper, "title": works[paper].title, "abstract": works[paper].abstract}
        for paper in sorted(papers)
    )


def candidates_as_bytes(made: CandidatesFile) -> bytes:
    """A candidates file: the same bytes for the same candidates."""
    return readable_json(asdict(made)).encode()


def read_candidates(
    path: Path, tables: Sequence[GoldTable], works: Mapping[str, Work], barred: Barred
) -> CandidatesFile:
    """Read the candidates of some tables from a file; those of other tables are skipped.

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
    kind = TypeAdapter(Ranked)
    found = []
    for table in sorted(tables, key=lambda table: table.id):
        ranked = checked(kind, listed[table.id], f"{path} is no candidates file: {table.id}")
        _check(path, ranked, works, barred.of(table))
        found.append(ranked)
    return CandidatesFile(
        value.format, value.encoder, value.pool_rule, value.universe, tuple(found)
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
    """Distractors that a table of m works should have: 4 or more, `most` at most.

    With them 41% of a pool belong to the table, as in the paper's pools. The paper draws a number
    between m and 10, which no table of more than 10 works allows and which its smallest number, 4,
    contradicts for tables of fewer. `InputError` for `most` below 0.
    """
    if most < 0:
        raise InputError(f"distractors is {most}. It must be 0 or more.")
    wanted = round(len(table.papers) * (1 - GOLD_SHARE) / GOLD_SHARE)
    return min(most, TOP, max(LEAST, wanted))


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
    gold = set(table.papers)
    if given is not None:
        chosen = set(given) - gold
    else:
        chosen = {one.paper for one in draw_distractors(table, candidates, seed=seed, most=most)}
    if gold & chosen:
        raise InputError(f"{min(gold & chosen)} is in {table.id} and a candidate for it.")
    unknown = sorted((gold | chosen) - works.keys())
    if unknown:
        raise InputError(f"The work {unknown[0]} of the pool of {table.id} is not known.")
    # Sorted first: the order then depends on which works there are and the seed alone.
    order = sorted(gold | chosen)
    Random(f"tables/pool/{seed}/{table.id}").shuffle(order)
    wanted = 0 if given is not None else count_distractors(table, most)
    missing = max(0, wanted - len(chosen))
    return Pool(tuple(works[paper] for paper in order), len(chosen), missing, given is not None)


def _check(path: Path, entry: Ranked, works: Mapping[str, Work], bars: Bars) -> None:
    """Refuse a file with candidates of a table that cannot be."""
    before: list[Candidate] = []
    for number, one in enumerate(entry.candidates):
        where = f"candidates[{number}] of {entry.id}"
        if one.paper not in works:
            raise _fault(path, f"{where} is {one.paper!r}, which is no known work")
        if one.paper in (other.paper for other in before):
            raise _fault(path, f"{where}, {one.paper}, is there already")
        if reason := bars.reason(works[one.paper]):
            raise _fault(path, f"{where}, {one.paper}, {reason}")
        if before and one.score > before[-1].score:
            raise _fault(path, f"{where} has a better score than the one before it")
        before.append(one)


def _fault(path: Path, what: str) -> InputError:
    return InputError(f"{path} is no candidates file: {what}.")


INCLUDE, EXCLUDE = "include", "exclude"
Labels = TypeVar("Labels", bound=Mapping[Any, Any])

PaperLabels = Mapping[tuple[str, str], str]
"""By the ids of table and paper: `include` or `exclude`."""


@dataclass(frozen=True, slots=True)
class _PaperLabel:
    table: Name
    paper: Name
    decision: Literal["include", "exclude"]


@dataclass(frozen=True, slots=True)
class _Acceptance:
    id: Name
    accepted: Annotated[bool, Field(strict=True)]


def read_paper_labels(path: Path) -> dict[tuple[str, str], str]:
    """Labels of a file with rows {table, paper, decision}; other keys are skipped.

    Raises:
        InputError: Names the line that is no label, or says otherwise than one before it.
    """
    found: dict[tuple[str, str], str] = {}
    for where, label in read_records(path, _PaperLabel):
        known = found.setdefault((label.table, label.paper), label.decision)
        if known != label.decision:
            raise InputError(f"{where}: {label.paper} of {label.table} was {known} before.")
    return _some(found, path)


def read_acceptance(path: Path) -> dict[str, bool]:
    """Acceptance of each table, or of its demand, from a file with rows {id, accepted}.

    Raises:
        InputError: Names the line that is no label, or says otherwise than one before it.
    """
    found: dict[str, bool] = {}
    for where, label in read_records(path, _Acceptance):
        if found.setdefault(label.id, label.accepted) != label.accepted:
            raise InputError(f"{where}: {label.id} was said to be otherwise before.")
    return _some(found, path)


def _some(found: Labels, path: Path) -> Labels:
    if not found:
        raise InputError(f"{path} holds no label.")
    return found


def without_included(
    table: GoldTable, candidates: Sequence[Candidate], labels: PaperLabels
) -> tuple[Candidate, ...]:
    """A table's candidates but for those that people would include in it."""
    return tuple(one for one in candidates if labels.get((table.id, one.paper)) != INCLUDE)


def count_checked(table: str, distractors: Collection[str], labels: PaperLabels) -> int:
    """Number of a table's distractors that people have excluded from it."""
    return sum(labels.get((table, paper)) == EXCLUDE for paper in distractors)
