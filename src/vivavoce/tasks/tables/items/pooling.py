"""The pools of a round: candidates out of the corpus or a file, then for each table its papers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.records import Window
from vivavoce.tasks.tables.items.demands.requests import Demands
from vivavoce.tasks.tables.items.gold.reading import GoldTables
from vivavoce.tasks.tables.items.pools.distractors import (
    Barred,
    PoolRule,
    find_universe,
    rank_distractors,
)
from vivavoce.tasks.tables.items.pools.making import (
    CandidatesFile,
    Pool,
    count_distractors,
    hash_demand,
    hash_works,
    make_pool,
    read_candidates,
)
from vivavoce.tasks.tables.items.pools.people_labels import PaperLabels, without_included
from vivavoce.tasks.tables.items.pools.vectors import open_encoder
from vivavoce.tasks.tables.items.table_items import GoldTable, Work
from vivavoce.text.dates import period


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """How the papers of a pool are found."""

    rule: PoolRule
    encoder: str
    file: str | None
    """A candidates file to read; None to rank candidates by the encoder."""
    same_evidence: bool
    """Distractors are works of which as much is known as of a work of the table."""
    most: int
    """Distractors of a table, at most."""
    seed: int
    labels: PaperLabels = field(default_factory=dict)
    """What people said of candidates; one that they would include is no distractor."""


@dataclass(frozen=True, slots=True)
class Pools:
    """The pools of a round."""

    by_table: Mapping[str, Pool]
    candidates: CandidatesFile
    stale: tuple[str, ...]
    """Tables whose candidates were ranked for another demand."""


def make_pools(
    gold: GoldTables,
    asked: Demands,
    works: Mapping[str, Work],
    window: Window,
    plan: PoolPlan,
) -> Pools:
    """The pool of every table that has a demand.

    Distractors that came with a table are taken as they are; other tables draw theirs from the
    candidates. A paper of the corpus that is not over before the window's end is none, unless a
    table of the round cites it.

    Args:
        gold: The tables.
        asked: Their demands.
        works: Everything that is known: works of the tables, and papers of the corpus.
        window: Of the round.
        plan: How.

    Raises:
        InputError: The candidates file does not fit, or the encoder cannot be used.
    """
    tables = [table for table in gold.tables if table.id in asked.demands]
    labelled = _given_labels(gold)
    unlabelled = [table for table in tables if table.id not in labelled]
    demands = asked.texts()
    barred = Barred(gold.tables, works, gold.kin)
    found = (
        _rank(gold.tables, unlabelled, demands, _in_time(works, gold.tables, window), barred, plan)
        if plan.file is None
        else read_candidates(Path(plan.file), unlabelled, works, barred)
    )
    pools = {
        table.id: make_pool(
            table,
            without_included(table, found.candidates.get(table.id, ()), plan.labels),
            works,
            seed=plan.seed,
            most=plan.most,
            given=labelled.get(table.id),
        )
        for table in tables
    }
    return Pools(pools, found, tuple(found.other_demands(demands)))


def _given_labels(gold: GoldTables) -> dict[str, tuple[str, ...]]:
    """Distractors that came with tables; those of which nothing is known cannot be shown."""
    return {
        table: tuple(paper for paper in given.distractors if paper in gold.works)
        for table, given in gold.given.items()
        if given.distractors is not None
    }


def _in_time(
    works: Mapping[str, Work], tables: Sequence[GoldTable], window: Window
) -> dict[str, Work]:
    """The works that may stand in a pool."""
    cited = {paper for table in tables for paper in table.papers}
    return {
        name: work
        for name, work in works.items()
        if name in cited or work.published is None or period(work.published)[1] <= window.end
    }


def _rank(
    tables: Sequence[GoldTable],
    unlabelled: Sequence[GoldTable],
    demands: Mapping[str, str],
    works: Mapping[str, Work],
    barred: Barred,
    plan: PoolPlan,
) -> CandidatesFile:
    universe: Collection[str] = find_universe(plan.rule, tables, works)
    encoder = open_encoder(plan.encoder)
    enough = (lambda table: count_distractors(table, plan.most)) if plan.same_evidence else None
    return CandidatesFile(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        pool_rule=plan.rule,
        universe=len(universe),
        universe_sha256=hash_works(universe, works),
        candidates=rank_distractors(
            unlabelled, demands, works, universe, encoder, barred=barred, enough=enough
        ),
        demands={table.id: hash_demand(demands[table.id]) for table in unlabelled},
    )
