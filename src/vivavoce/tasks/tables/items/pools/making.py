"""The pool of a table: its own works and some distractors, in an order that tells nothing.

Scores depend on floating point, so they are made once: a candidates file keeps the ranked
candidates of every table, with the encoder they are by, and is an input of later rounds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from vivavoce.errors import InputError
from vivavoce.store import hash_of, hash_rows, read_json
from vivavoce.tasks.tables.items.pools.distractors import (
    DIGITS,
    POOL_RULES,
    Barred,
    Candidate,
)
from vivavoce.tasks.tables.items.table_items import TOP, GoldTable, PoolPaper, PoolRule, Work

CANDIDATES = "candidates.json"
LEAST = 4
"""Distractors of a table of few works."""

_FORMAT = 1
_LARGEST_FILE = 1 << 28
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAMED = 3


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

    Args:
        path: The file.
        tables: The tables that have to be in it.
        works: The works that a candidate can be.
        barred: Which works cannot be candidates, also when a file says so.

    Raises:
        InputError: The file cannot be read, has another form, lacks a table, or names a candidate
            that is unknown or barred; the message says where.
    """
    value = _checked_header(path)
    listed: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(value["tables"]):
        table_id = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(table_id, str) or table_id in listed:
            raise _fault(path, f"tables[{number}].id is {table_id!r}, not an id given once")
        listed[table_id] = entry
    absent = sorted({table.id for table in tables} - listed.keys())
    if absent:
        more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
        raise InputError(
            f"{path} has no candidates for {', '.join(absent[:_NAMED])}{more}. Build the round "
            "once without [tables] candidates and take the file that it writes."
        )
    wanted = sorted(tables, key=lambda table: table.id)
    return CandidatesFile(
        encoder=value["encoder"]["name"],
        fingerprint=value["encoder"]["sha256"],
        pool_rule=value["pool_rule"],
        universe=value["universe"]["works"],
        universe_sha256=value["universe"]["sha256"],
        candidates={
            table.id: _checked(path, table, listed[table.id], works, barred) for table in wanted
        },
        demands={table.id: _demand_of(path, listed[table.id]) for table in wanted},
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


def _checked_header(path: Path) -> dict[str, Any]:
    if path.is_file() and path.stat().st_size > _LARGEST_FILE:
        raise InputError(f"{path} is larger than {_LARGEST_FILE >> 20} MB: no candidates file.")
    value = read_json(path)
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        raise _fault(path, f"format is not {_FORMAT}")
    encoder, universe = value.get("encoder"), value.get("universe")
    if not isinstance(encoder, dict) or not _is_name(encoder.get("name")):
        raise _fault(path, "encoder has no name")
    if not isinstance(universe, dict) or not _is_count(universe.get("works")):
        raise _fault(path, "universe.works is no number of works")
    for name, part in (("encoder", encoder), ("universe", universe)):
        if not _is_sha256(part.get("sha256")):
            raise _fault(path, f"{name}.sha256 is not 64 hexadecimal digits")
    if value.get("pool_rule") not in POOL_RULES:
        raise _fault(path, f"pool_rule is none of {', '.join(POOL_RULES)}")
    if not isinstance(value.get("tables"), list):
        raise _fault(path, "tables is not a list")
    return value


def _checked(
    path: Path,
    table: GoldTable,
    entry: Mapping[str, Any],
    works: Mapping[str, Work],
    barred: Barred,
) -> tuple[Candidate, ...]:
    """The candidates of one table, after every check."""
    rows = entry.get("candidates")
    if not isinstance(rows, list) or len(rows) > TOP:
        raise _fault(path, f"the candidates of {table.id} are not a list of {TOP} at most")
    bars = barred.of(table)
    found: list[Candidate] = []
    for number, row in enumerate(rows):
        where = f"candidates[{number}] of {table.id}"
        paper = row.get("paper") if isinstance(row, dict) else None
        if not isinstance(paper, str) or paper not in works:
            raise _fault(path, f"{where} is {paper!r}, which is no known work")
        if paper in (one.paper for one in found):
            raise _fault(path, f"{where}, {paper}, is there already")
        if reason := bars.reason(works[paper]):
            raise _fault(path, f"{where}, {paper}, {reason}")
        score = _score(row.get("score"))
        if score is None:
            raise _fault(path, f"the score of {where} is no number between -2 and 2")
        if found and score > found[-1].score:
            raise _fault(path, f"{where} has a better score than the one before it")
        found.append(Candidate(paper, score))
    return tuple(found)


def _demand_of(path: Path, entry: Mapping[str, Any]) -> str:
    value = entry.get("demand_sha256")
    if not _is_sha256(value):
        raise _fault(path, f"demand_sha256 of {entry['id']} is not 64 hexadecimal digits")
    return str(value)


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A little room: the sum of two rounded cosines of 1.
    if isinstance(value, int) and abs(value) > LEAST:
        return None
    is_sound = math.isfinite(value) and abs(value) <= 2 + 10**-DIGITS
    return round(float(value), DIGITS) if is_sound else None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= 500


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _fault(path: Path, what: str) -> InputError:
    return InputError(f"{path} is no candidates file: {what}.")
