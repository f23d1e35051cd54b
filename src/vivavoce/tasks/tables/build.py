"""Tables of a corpus turned into items: a demand, a pool of papers, and the table to be made.

Source: arXiv2Table §4, with the rules of docs/families/tables.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from vivavoce.corpus import Corpus
from vivavoce.metrics.tables.literature_tables import score_table
from vivavoce.records import Window
from vivavoce.rounds.family import Exclusion, FamilyItems
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import Row
from vivavoce.tasks.library.search import library_as_bytes
from vivavoce.tasks.tables.items.demands.requests import (
    TO_CHECK,
    Demand,
    Demands,
    DemandsFrom,
    ask_for,
)
from vivavoce.tasks.tables.items.gold.filters import Limits
from vivavoce.tasks.tables.items.gold.reading import GoldOptions, GoldTables, read_gold_tables
from vivavoce.tasks.tables.items.gold.statistics import overlap_statistics, table_statistics
from vivavoce.tasks.tables.items.gold.works import corpus_works, works_library
from vivavoce.tasks.tables.items.pooling import PoolPlan, Pools, make_pools
from vivavoce.tasks.tables.items.pools.distractors import TOP, PoolRule
from vivavoce.tasks.tables.items.pools.making import CANDIDATES, Pool, candidates_as_bytes
from vivavoce.tasks.tables.items.pools.people_labels import (
    PaperLabels,
    count_checked,
    read_paper_labels,
)
from vivavoce.tasks.tables.items.pools.vectors import TFIDF
from vivavoce.tasks.tables.items.table_items import (
    FAMILY,
    ITEM,
    PAPERS,
    STATISTICS,
    TASK,
    GoldTable,
    Kind,
    Work,
    answer_table,
    answer_text,
    gold_of,
    gold_rows,
)

__all__ = ["FAMILY", "OPTIONS", "TablesOptions", "build", "read_gold"]

_MIN_RESULTS = 3
"""Papers of a table of results, at least: what two papers score is no table of a task."""


class TablesOptions(Options):
    """The `[tables]` table of a round spec."""

    kinds: tuple[Kind, ...] = Field(default=("cited", "results", "digestables"), min_length=1)
    """Which tables become items."""
    undated: bool = False
    """Tables of papers without a date are in every window."""
    own_row: bool = False
    """The last line of a table, where it cites nothing, is about the paper that prints it."""
    numeric: bool = True
    """Tables of nothing but numbers are items."""
    min_rows: int = Field(default=2, ge=1)
    min_columns: int = Field(default=2, ge=1)
    min_papers: int = Field(default=2, ge=1)
    """Works that the rows of a table are about, at least; of a table of results, 3 at least."""
    demands: DemandsFrom = "template"
    demands_file: str | None = None
    """What `viva demand write` wrote, for demands by a model."""
    distractors: int = Field(default=TOP, ge=0, le=TOP)
    """Of a pool, at most."""
    pool_rule: PoolRule = "other_tables"
    """Distractors are works of other tables, or any papers of the corpus."""
    same_evidence: bool = True
    """Distractors are works of which as much is known as of a work of the table, while there are
    any: else a text, or its absence, tells which papers belong."""
    encoder: str = TFIDF
    """What finds distractors: tfidf, a preset of dense retrieval, a folder, a name on the hub."""
    candidates: str | None = None
    """The candidates file of an earlier round, to take the distractors from."""
    paper_labels: str | None = None
    """What people said of distractors: the labels.jsonl of `viva annotate export`."""
    demand_labels: str | None = None
    """What people said of demands, likewise; one that they refused makes no item."""


OPTIONS = TablesOptions


def read_gold(corpus: Corpus, window: Window, options: TablesOptions) -> GoldTables:
    """The gold tables that a round with these options has, before they are asked for."""
    found = read_gold_tables(
        corpus,
        window,
        GoldOptions(
            limits=Limits(
                rows=options.min_rows,
                columns=options.min_columns,
                papers=options.min_papers,
                numeric=options.numeric,
            ),
            own_row=options.own_row,
            undated=options.undated,
            results="results" in options.kinds,
            results_papers=max(_MIN_RESULTS, options.min_papers),
        ),
    )
    others = [table for table in found.tables if table.kind not in options.kinds]
    left_out = [Exclusion(TASK, table.id, "other_kind", table.kind) for table in others]
    return replace(
        found,
        tables=tuple(table for table in found.tables if table.kind in options.kinds),
        excluded=(*found.excluded, *left_out),
    )


def build(corpus: Corpus, spec: RoundSpec, options: TablesOptions) -> FamilyItems:
    """Make the items of the tables of a window.

    Raises:
        InputError: A file that the options name cannot be used.
    """
    gold = read_gold(corpus, spec.window, options)
    asked = ask_for(gold, options.demands, options.demands_file, options.demand_labels)
    works = {**corpus_works(corpus), **gold.works}
    labels = read_paper_labels(Path(options.paper_labels)) if options.paper_labels else {}
    plan = PoolPlan(
        rule=options.pool_rule,
        encoder=options.encoder,
        file=options.candidates,
        same_evidence=options.same_evidence,
        most=options.distractors,
        seed=spec.round.seed,
        labels=labels,
    )
    pools = make_pools(gold, asked, works, spec.window, plan)
    rows: list[Row] = []
    excluded = [*gold.excluded, *asked.excluded]
    for table in gold.tables:
        if table.id not in asked.demands:
            continue
        row = _item(table, asked.demands[table.id], pools.by_table[table.id])
        if _can_be_reached(row):
            rows.append(row)
        else:
            excluded.append(
                Exclusion(TASK, table.id, "unreadable_gold", "columns or cells do not survive")
            )
    shown = {paper for row in rows for paper in row["pool"]}
    library = works_library(corpus, [works[paper] for paper in sorted(shown)])
    files = {
        PAPERS: library_as_bytes(library),
        CANDIDATES: candidates_as_bytes(pools.candidates),
        TO_CHECK: asked.to_check(),
        STATISTICS: _as_json(_statistics(rows, gold, asked, pools, labels)),
    }
    return FamilyItems({TASK: rows}, {TASK: ITEM}, excluded, files)


def _item(table: GoldTable, demand: Demand, pool: Pool) -> Row:
    works = [paper.work for paper in pool.papers]
    return {
        "id": table.id,
        "cluster": table.cluster,
        "kind": table.kind,
        "split": "test",
        "published": table.published,
        "caption": table.caption,
        "demand": demand.text,
        "demand_source": demand.source,
        "pool": [work.paper_id for work in works],
        "evidence": [work.evidence for work in works],
        "gold_papers": list(table.papers),
        "columns": list(table.columns),
        "rows": gold_rows(table),
        "hidden_papers": [table.source_paper] if table.source_paper else [],
        "settings": _settings(works),
        "given_labels": pool.given_labels,
    }


def _settings(works: list[Work]) -> list[str]:
    """Settings in which an item shows something else than in the others."""
    has_abstract = any(work.abstract for work in works)
    return ["base", *(["abstracts"] if has_abstract else []), "titles"]


def _can_be_reached(row: Row) -> bool:
    """Whether the gold itself, written as an answer, is read as the gold."""
    gold = gold_of(row)
    answer = answer_table(json.loads(answer_text(gold)))
    return all(value in (1.0, None) for value in score_table(gold, answer).values().values())


def _statistics(
    rows: list[Row], gold: GoldTables, asked: Demands, pools: Pools, labels: PaperLabels
) -> Row:
    by_id: Mapping[str, GoldTable] = {table.id: table for table in gold.tables}
    kept = [(by_id[row["id"]], row) for row in rows]
    return {
        **table_statistics(rows),
        "overlap": {
            name: overlap_statistics([(table, row[name]) for table, row in kept])
            for name in ("caption", "demand")
        },
        "demands": asked.report(),
        "dropped_rows": dict(gold.dropped),
        "pools": {
            "encoder": pools.candidates.encoder,
            "pool_rule": pools.candidates.pool_rule,
            "universe": pools.candidates.universe,
            "missing_distractors": sum(pools.by_table[row["id"]].missing for row in rows),
            "without_distractors": sum(not pools.by_table[row["id"]].distractors for row in rows),
            "told_by_evidence": sum(map(_is_told_by_evidence, rows)),
            "checked_by_people": sum(
                count_checked(by_id[row["id"]], row["pool"], labels) for row in rows
            ),
            "for_other_demands": len(pools.stale),
        },
    }


def _is_told_by_evidence(row: Row) -> bool:
    """Whether of a distractor more or less is known than of any work of the table."""
    gold = set(row["gold_papers"])
    known = list(zip(row["pool"], row["evidence"], strict=True))
    alike = {evidence for paper, evidence in known if paper in gold}
    return any(evidence not in alike for paper, evidence in known if paper not in gold)


def _as_json(value: Row) -> bytes:
    return f"{json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2)}\n".encode()
