"""The pool of a table: its own works and some distractors, in an order that tells nothing.

Scores depend on floating point, so they are made once: a candidates file keeps the ranked
candidates of every table, with the encoder they are by, and is an input of later rounds.

A candidate that people would include in the table is no distractor of it; a demand or a table that
people did not accept makes no item. Rows on other tables are skipped, so one file serves several
rounds.

Source: arXiv2Table, section 4.2 (verification of distractors), section 4.1 (checks of demands).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from vivavoce.checking import Count, Name, Sha256, checked, read_records
from vivavoce.errors import InputError
from vivavoce.store import Row, hash_of, hash_rows, read_json, readable_json
from vivavoce.tasks.tables.items.distractors import Barred, Candidate
from vivavoce.tasks.tables.items.item import TOP, GoldTable, PoolRule, Work

CANDIDATES = "candidates.json"
MIN_DISTRACTORS = 4
"""Distractors of a table of few works."""
GOLD_SHARE = 0.41
"""Share of a pool that belongs to the table."""

_MAX_FILE = 1 << 28
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

    id: Name
    demand_sha256: Sha256
    candidates: Annotated[tuple[Candidate, ...], Field(max_length=TOP)]


@dataclass(frozen=True, slots=True)
class CandidatesFile:
    """The candidates of the tables of a round, and how they came about."""

    format: Literal[1]
    encoder: EncoderKey
    pool_rule: PoolRule
    universe: Universe
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
    path: Path,
    tables: Sequence[GoldTable],
    works: Mapping[str, Work],
    related_works: Mapping[str, Collection[str]],
) -> CandidatesFile:
    """Read the candidates of some tables from a file; those of other tables are left out.

    Raises:
        InputError: The file cannot be read, has another form, lacks a table, or names a candidate
            that is unknown or barred; the message says where.
    """
    if path.is_file() and path.stat().st_size > _MAX_FILE:
        raise InputError(f"{path} is larger than {_MAX_FILE >> 20} MB: no candidates file.")
    fault = f"{path} is no candidates file"
    value = checked(CandidatesFile, read_json(path), fault)
    ranked = {table.id: table for table in value.tables}
    if len(ranked) < len(value.tables):
        raise InputError(f"{fault}: a table is listed twice.")
    absent = sorted({table.id for table in tables} - ranked.keys())
    if absent:
        more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
        raise InputError(
            f"{path} has no candidates for {', '.join(absent[:_NAMED])}{more}. Build the round "
            "once without [tables] candidates and take the file that it writes."
        )
    wanted = sorted(tables, key=lambda table: table.id)
    for table in wanted:
        listed = ranked[table.id].candidates
        barred = Barred(related_works[table.id], works)
        for number, one in enumerate(listed):
            known = works.get(one.paper)
            if reason := barred.reason(known) if known else "is no known work":
                where = f"candidates[{number}] of {table.id}"
                raise InputError(f"{fault}: {where}, {one.paper}, {reason}.")
        if len({one.paper for one in listed}) < len(listed):
            raise InputError(f"{fault}: a candidate of {table.id} is listed twice.")
        if list(listed) != sorted(listed, key=lambda one: -one.score):
            raise InputError(f"{fault}: the candidates of {table.id} are not in order of score.")
    return replace(value, tables=tuple(ranked[table.id] for table in wanted))


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool of an item."""

    papers: tuple[Work, ...]
    """Shuffled."""
    distractors: int
    missing: int
    """Distractors that the rule asks for and there were no candidates for."""
    given_labels: bool
    """True if the distractors are labels that came with the table."""


def count_distractors(table: GoldTable, most: int = TOP) -> int:
    """Distractors that a table of m works should have: 4 or more, `most` at most.

    With them 41% of a pool belong to the table, as in the paper's pools. The paper draws a number
    between m and 10, which no table of more than 10 works allows and which its smallest number, 4,
    contradicts for tables of fewer.
    """
    wanted = round(len(table.papers) * (1 - GOLD_SHARE) / GOLD_SHARE)
    return min(most, TOP, max(MIN_DISTRACTORS, wanted))


def make_pool(
    table: GoldTable,
    candidates: Sequence[Candidate],
    works: Mapping[str, Work],
    *,
    seed: int,
    most: int = TOP,
    given: Collection[str] | None = None,
) -> Pool:
    """The pool of a table: its works, and some of its candidates drawn with a seed.

    Their number is `count_distractors`, or that of all candidates where there are fewer.

    Args:
        table: The gold table.
        candidates: Its candidates, the best first.
        works: Every work, by id.
        seed: Of the draw and of the order.
        most: The most distractors.
        given: Works that came with the table with the label that they are not in it. They are
            taken, all and only they, unless the table has a row about one.
    """
    gold = set(table.papers)
    if given is None:
        wanted = count_distractors(table, most)
        count = min(wanted, len(candidates))
        drawn = Random(f"tables/distractors/{seed}/{table.id}").sample(candidates, count)
        chosen = {one.paper for one in drawn}
        missing = wanted - len(chosen)
    else:
        chosen, missing = set(given) - gold, 0
    # Sorted first: the order then depends on which works there are and the seed alone.
    order = sorted(gold | chosen)
    Random(f"tables/pool/{seed}/{table.id}").shuffle(order)
    papers = tuple(works[paper] for paper in order)
    return Pool(papers, len(chosen), missing, given is not None)


PaperLabels = Mapping[tuple[str, str], str]
"""By the ids of table and paper: `include` or `exclude`."""
Label = TypeVar("Label")


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
        InputError: Names the line that is no label, or contradicts one before it.
    """
    return _read_labels(path, _PaperLabel, lambda one: ((one.table, one.paper), one.decision))


def read_acceptance(path: Path) -> dict[str, bool]:
    """Acceptance of each table, or of its demand, from a file with rows {id, accepted}.

    Raises:
        InputError: Names the line that is no label, or contradicts one before it.
    """
    return _read_labels(path, _Acceptance, lambda one: (one.id, one.accepted))


def _read_labels(
    path: Path, kind: type[Label], pair: Callable[[Label], tuple[Any, Any]]
) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for where, label in read_records(path, kind):
        name, value = pair(label)
        if found.setdefault(name, value) != value:
            raise InputError(f"{where}: contradicts an earlier label, which was {found[name]}.")
    if not found:
        raise InputError(f"{path} holds no label.")
    return found


def without_included(
    table: GoldTable, candidates: Sequence[Candidate], labels: PaperLabels
) -> tuple[Candidate, ...]:
    """A table's candidates but for those that people would include in it."""
    return tuple(one for one in candidates if labels.get((table.id, one.paper)) != "include")


def pool_statistics(rows: Sequence[Row], pools: Mapping[str, Pool], labels: PaperLabels) -> Row:
    """Statistics of the pools of the items of a round, by the ids of their tables.

    `told_by_evidence` counts the items in which less or more is known of a distractor than of any
    work of the table; `checked_by_people` the distractors that people have excluded.
    """
    checked = evident = 0
    for row in rows:
        gold = set(row["gold_papers"])
        known = list(zip(row["pool"], row["evidence"], strict=True))
        alike = {evidence for paper, evidence in known if paper in gold}
        evident += any(paper not in gold and evidence not in alike for paper, evidence in known)
        checked += sum(labels.get((row["id"], paper)) == "exclude" for paper in row["pool"])
    shown = [pools[row["id"]] for row in rows]
    return {
        "missing_distractors": sum(pool.missing for pool in shown),
        "without_distractors": sum(not pool.distractors for pool in shown),
        "told_by_evidence": evident,
        "checked_by_people": checked,
    }
