"""What each table of a round is asked for with: the demand that came with it, or one made for it.

A demand that gives the table away, or is not one by the checklist, makes no item. One that came
with the table is taken as it is, and what the checklist says of it stands in `TO_CHECK`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.rounds.family import Exclusion
from vivavoce.store import Row, canonical_json
from vivavoce.tasks.tables.items.demands.checklist import check_demand, failures
from vivavoce.tasks.tables.items.demands.making import (
    Source,
    WrittenDemand,
    read_demands,
    spot_check_row,
    template_demand,
)
from vivavoce.tasks.tables.items.gold.reading import GoldTables
from vivavoce.tasks.tables.items.pools.making import read_demand_labels
from vivavoce.tasks.tables.items.table_items import TASK, DemandsFrom, GoldTable, TablesOptions

TO_CHECK = "demands_to_check.jsonl"
"""Every demand with its table and what the checklist says, for people who look them through."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a table is asked for with."""

    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Demands:
    """The demands of a round."""

    demands: Mapping[str, Demand]
    """By table id."""
    excluded: tuple[Exclusion, ...]
    """Tables without one."""
    checks: tuple[Row, ...]
    """Rows of `TO_CHECK`."""

    def texts(self) -> dict[str, str]:
        """The demands alone, by table id."""
        return {table: demand.text for table, demand in self.demands.items()}

    def report(self) -> Row:
        """How many there are by source, and how many of them the checklist flags."""
        sources = [demand.source for demand in self.demands.values()]
        return {
            "sources": {source: sources.count(source) for source in sorted(set(sources))},
            "flagged": sum(bool(row["flagged"]) for row in self.checks),
        }

    def to_check(self) -> bytes:
        """The file `TO_CHECK`."""
        return "".join(f"{canonical_json(row)}\n" for row in self.checks).encode()


def titles_of(table: GoldTable, gold: GoldTables) -> list[str]:
    """Titles of a table's works, in their order."""
    return [gold.works[paper].title for paper in table.papers]


def ask_for(gold: GoldTables, options: TablesOptions) -> Demands:
    """A demand for each table.

    Raises:
        InputError: A file is missing, is not asked for, or cannot be read.
    """
    written = _read_written(options.demands, options.demands_file)
    labels = options.demand_labels
    accepted = read_demand_labels(Path(labels)) if labels is not None else {}
    demands: dict[str, Demand] = {}
    excluded: list[Exclusion] = []
    checks: list[Row] = []
    for table in gold.tables:
        titles = titles_of(table, gold)
        demand = _demand(table, titles, gold, written)
        if isinstance(demand, tuple):
            excluded.append(Exclusion(TASK, table.id, *demand))
            continue
        if not accepted.get(table.id, True):
            excluded.append(Exclusion(TASK, table.id, "refused_demand", "people refused it"))
            continue
        demands[table.id] = demand
        checks.append(spot_check_row(table, demand.text, demand.source, titles))
    return Demands(demands, tuple(excluded), tuple(checks))


def _read_written(source: DemandsFrom, file: str | None) -> Mapping[str, WrittenDemand] | None:
    if source == "model" and file is None:
        raise InputError(
            'demands = "model" needs [tables] demands_file = "FILE"; viva demand write makes one.'
        )
    if source == "template" and file is not None:
        raise InputError('[tables] demands_file is read with demands = "model" alone.')
    return read_demands(Path(file)) if file is not None else None


def _demand(
    table: GoldTable,
    titles: Sequence[str],
    gold: GoldTables,
    written: Mapping[str, WrittenDemand] | None,
) -> Demand | tuple[str, str]:
    """A table's demand, or the reason and detail of why it has none."""
    given = gold.given.get(table.id)
    if given is not None and given.demand:
        return Demand(given.demand, "given")
    if written is None:
        if text := template_demand(table, titles):
            return Demand(text, "template")
        return "no_demand", "no topic is left that gives nothing away"
    found = written.get(table.id)
    if found is None or found.demand is None:
        return "no_demand", found.reason if found else "the file of demands does not have it"
    if failed := failures(check_demand(found.demand, table, titles)):
        return "unfit_demand", failed
    return Demand(found.demand, "model")
