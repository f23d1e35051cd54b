"""Demands for the tables of a round: the one that came with a table, or one made for it.

A demand that gives the table away, or is not one by the checklist, makes no item. One that came
with the table is taken as it is, and `TO_CHECK` has the findings of the checklist.
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
from vivavoce.tasks.tables.items.pools.making import read_acceptance
from vivavoce.tasks.tables.items.table_items import TASK, DemandsFrom, GoldTable, TablesOptions

TO_CHECK = "demands_to_check.jsonl"
"""Every demand with its table and what the checklist says, for people who look them through."""


@dataclass(frozen=True, slots=True)
class Demands:
    """The demands of a round."""

    demands: Mapping[str, Row]
    """By table id the row of `TO_CHECK`, with `demand` and `source`."""
    excluded: tuple[Exclusion, ...]
    """Tables without one."""

    def texts(self) -> dict[str, str]:
        """The demands alone, by table id."""
        return {table: row["demand"] for table, row in self.demands.items()}

    def report(self) -> Row:
        """Number of demands by source, and of those that the checklist flags."""
        rows = self.demands.values()
        sources = [row["source"] for row in rows]
        return {
            "sources": {source: sources.count(source) for source in sorted(set(sources))},
            "flagged": sum(bool(row["flagged"]) for row in rows),
        }

    def to_check(self) -> bytes:
        """The file `TO_CHECK`."""
        return "".join(f"{canonical_json(row)}\n" for row in self.demands.values()).encode()


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
    accepted = read_acceptance(Path(labels)) if labels is not None else {}
    demands: dict[str, Row] = {}
    excluded: list[Exclusion] = []
    for table in gold.tables:
        titles = titles_of(table, gold)
        demand = _demand(table, titles, gold, written)
        if isinstance(demand, Exclusion):
            excluded.append(demand)
        elif not accepted.get(table.id, True):
            excluded.append(Exclusion(TASK, table.id, "refused_demand", "people refused it"))
        else:
            demands[table.id] = spot_check_row(table, *demand, titles)
    return Demands(demands, tuple(excluded))


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
) -> tuple[str, Source] | Exclusion:
    """A table's demand and its source, or why it has none."""
    given = gold.given.get(table.id)
    if given is not None and given.demand:
        return given.demand, "given"
    if written is None:
        if text := template_demand(table, titles):
            return text, "template"
        return Exclusion(TASK, table.id, "no_demand", "no topic is left that gives nothing away")
    found = written.get(table.id)
    if found is None or found.demand is None:
        reason = found.reason if found else "the file of demands does not have it"
        return Exclusion(TASK, table.id, "no_demand", reason)
    if failed := failures(check_demand(found.demand, table, titles)):
        return Exclusion(TASK, table.id, "unfit_demand", failed)
    return found.demand, "model"
