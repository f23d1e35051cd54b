"""The demand for a table: worded from a template, or read from a file of written ones.

A template's demand says what the table is about and what it is wanted for, in one or two
sentences, and passes the checklist: it gives away nothing that `leaks` would find. Its wording is
one of a few, chosen by the table's id among those whose own words are none of the table's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from vivavoce.errors import InputError
from vivavoce.store import Row, hash_of, read_jsonl
from vivavoce.tasks.tables.items.demands.checklist import Check, check_demand
from vivavoce.tasks.tables.items.demands.leaks import MAX_DEMAND, leak_index
from vivavoce.tasks.tables.items.demands.topics import find_topics
from vivavoce.tasks.tables.items.table_items import GoldTable

Source = Literal["template", "model", "given"]
"""Who worded a demand: a template, a model, or the file that the table is from."""

ACCEPT, REWRITE = "ACCEPT", "REWRITE"

WORDINGS = (
    "I need a table that sets work on {topic} side by side, so that I can see how the papers "
    "differ and choose among them.",
    "Please prepare a table about {topic}. It should let a newcomer tell the lines of research "
    "apart and judge which of them to follow.",
    "For a review of {topic} I want the relevant literature weighed up in one table, in order to "
    "spot trends and gaps.",
    "Build a table from publications on {topic}. I mean to understand what they share, where they "
    "part, and what is still missing.",
    "Give me an overview of {topic} that helps to decide which earlier efforts a project could "
    "build upon.",
    "I am reading up on {topic} and would like a chart that shows how far things have come.",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of one wording."""

    attempt: int
    """From 1."""
    demand: str
    check: str
    """Who said it: `answer` (nothing usable came), `checklist`, or `model`."""
    decision: str
    """`ACCEPT` or `REWRITE`."""
    reason: str


@dataclass(frozen=True, slots=True)
class WrittenDemand:
    """A row of a file of demands."""

    id: str
    """The table's."""
    demand: str | None
    """None where every attempt failed; the last verdict says why."""
    model: str
    attempts: int
    verdicts: tuple[Verdict, ...]

    @property
    def reason(self) -> str:
        """What was said last."""
        return self.verdicts[-1].reason if self.verdicts else ""

    def row(self) -> Row:
        """As the file holds it."""
        return asdict(self) | {"verdicts": [asdict(verdict) for verdict in self.verdicts]}


def template_demand(table: GoldTable, titles: Sequence[str]) -> str | None:
    """A demand worded without a model; None where no topic is left or no wording passes.

    Args:
        table: The table that is asked for.
        titles: Of its works.
    """
    index = leak_index(table, titles)
    topics = find_topics(table.caption, titles, index)
    first = int(hash_of(table.id)[:8], 16)
    wordings = [WORDINGS[(first + step) % len(WORDINGS)] for step in range(len(WORDINGS))]
    for demand in _worded(topics, wordings):
        if all(check.passed for check in check_demand(demand, table, titles, index)):
            return demand
    return None


def spot_check_row(
    table: GoldTable, demand: str, source: Source, titles: Sequence[str]
) -> tuple[Row, tuple[Check, ...]]:
    """A row of `demands_to_check.jsonl`, for people who look demands through, and its checks."""
    checks = check_demand(demand, table, titles)
    row = {
        "id": table.id,
        "demand": demand,
        "source": source,
        "caption": table.caption,
        "columns": list(table.columns),
        "titles": list(titles),
        "checks": [asdict(check) for check in checks],
        "flagged": [check.name for check in checks if not check.passed],
    }
    return row, checks


def read_demands(path: Path) -> dict[str, WrittenDemand]:
    """The demands of a file, by table.

    Rows are JSON objects {id, demand, model, attempts, verdicts: [{attempt, demand, check,
    decision, reason}]}; other keys are passed over.

    Raises:
        InputError: Names the file, the line and what is wrong with it.
    """
    demands: dict[str, WrittenDemand] = {}
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        demand = _read_row(row, where)
        if demand.id in demands:
            raise InputError(f"{where}: the table {demand.id} has a demand already.")
        demands[demand.id] = demand
    return demands


def _worded(topics: Sequence[str], wordings: Sequence[str]) -> Iterator[str]:
    """Every wording with all topics, then with fewer of them."""
    for count in range(len(topics), 0, -1):
        for wording in wordings:
            yield wording.format(topic=_listed(topics[:count]))
    for topic in topics[1:]:
        for wording in wordings:
            yield wording.format(topic=topic)


def _listed(topics: Sequence[str]) -> str:
    *others, last = topics
    return f"{', '.join(others)} and {last}" if others else last


def _read_row(row: Mapping[str, object], where: str) -> WrittenDemand:
    table, demand, model = row.get("id"), row.get("demand"), row.get("model")
    attempts, verdicts = row.get("attempts"), row.get("verdicts")
    if not isinstance(table, str) or not table:
        raise InputError(f"{where}: id must be the id of a table; got {table!r}.")
    if demand is not None and not (isinstance(demand, str) and demand.strip()):
        raise InputError(f"{where}: demand must be a text, or null for a table without one.")
    if isinstance(demand, str) and len(demand) > MAX_DEMAND:
        raise InputError(f"{where}: a demand has at most {MAX_DEMAND:,} characters.")
    if not isinstance(model, str) or not model:
        raise InputError(f"{where}: model must name who wrote the demand; got {model!r}.")
    # True is an int of Python's.
    if not isinstance(attempts, int) or isinstance(attempts, bool) or attempts < 1:
        raise InputError(f"{where}: attempts must be a whole number from 1; got {attempts!r}.")
    if not isinstance(verdicts, list):
        raise InputError(f"{where}: verdicts must be a list of objects; got {verdicts!r}.")
    read = tuple(_read_verdict(one, f"{where}: verdict {n}") for n, one in enumerate(verdicts, 1))
    if demand is not None and not any(one.decision == ACCEPT for one in read[-1:]):
        raise InputError(f"{where}: the last verdict on a demand must be {ACCEPT}.")
    return WrittenDemand(table, demand, model, attempts, read)


def _read_verdict(value: object, where: str) -> Verdict:
    if not isinstance(value, dict):
        raise InputError(f"{where} is not an object.")
    attempt, decision = value.get("attempt"), value.get("decision")
    if not isinstance(attempt, int) or isinstance(attempt, bool) or attempt < 1:
        raise InputError(f"{where}: attempt must be a whole number from 1; got {attempt!r}.")
    if decision not in (ACCEPT, REWRITE):
        raise InputError(f"{where}: decision must be {ACCEPT} or {REWRITE}; got {decision!r}.")
    texts = {name: value.get(name) for name in ("demand", "check", "reason")}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"{where}: {name} must be a text; got {text!r}.")
    return Verdict(
        attempt, str(texts["demand"]), str(texts["check"]), decision, str(texts["reason"])
    )
