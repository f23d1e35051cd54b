"""Items from tables of a corpus: a demand, a pool of papers, and the gold table.

Source: arXiv2Table §4, with the rules of docs/families/tables.md.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from vivavoce.corpus import Corpus
from vivavoce.metrics.tables.literature_tables import score_table
from vivavoce.records import Window
from vivavoce.retrieval.papers import PaperEncoder
from vivavoce.rounds.family import Exclusion, FamilyItems
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import Row, readable_json
from vivavoce.tasks.library import library_as_bytes
from vivavoce.tasks.tables.demand import choose_demands
from vivavoce.tasks.tables.gold import GoldTables, read_gold_tables
from vivavoce.tasks.tables.item import (
    FAMILY,
    ITEM,
    PAPERS,
    STATISTICS,
    TASK,
    GoldTable,
    TablesOptions,
    Work,
    answer_table,
    answer_text,
    gold_of,
    is_known,
    table_statistics,
)
from vivavoce.tasks.tables.pool import (
    Candidate,
    Pool,
    corpus_works,
    count_distractors,
    find_universe,
    make_pool,
    pool_statistics,
    rank_distractors,
    works_library,
)
from vivavoce.text.dates import is_over

__all__ = ["FAMILY", "OPTIONS", "TablesOptions", "build", "settle_evidence"]

OPTIONS = TablesOptions


ENOUGH = 30
"""Minimum number of tables with full texts only that makes this evidence a round's default."""


def settle_evidence(
    corpus: Corpus, window: Window, options: TablesOptions
) -> tuple[GoldTables, TablesOptions]:
    """Gold tables, and the options with `auto` resolved."""
    for least in ("fulltext", "any") if options.evidence == "auto" else (options.evidence,):
        settled = options.model_copy(update={"evidence": least})
        gold = read_gold_tables(corpus, window, settled)
        if len(gold.tables) >= ENOUGH:
            break
    return gold, settled


def build(corpus: Corpus, spec: RoundSpec, options: TablesOptions) -> FamilyItems:
    """Make the items of the tables of a window."""
    is_default = options.evidence == "auto"
    gold, options = settle_evidence(corpus, spec.window, options)
    demands, excluded = choose_demands(gold, options)
    works = {**corpus_works(corpus), **gold.works}
    tables = [table for table in gold.tables if table.id in demands]
    shown = {name for name, work in gold.works.items() if is_known(work, options.evidence)}
    given = {  # distractors that came with tables
        table: [paper for paper in demand.distractors if paper in shown]
        for table, demand in gold.given.items()
        if demand.distractors is not None
    }
    wanting = [table for table in tables if table.id not in given]
    worded = {table: demand for table, (demand, _) in demands.items()}
    ranked, universe = _candidates(wanting, gold, worded, works, spec.window, options)
    pools = {
        table.id: make_pool(
            table,
            ranked.get(table.id, ()),
            works,
            seed=spec.round.seed,
            most=options.distractors,
            given=given.get(table.id),
        )
        for table in tables
    }
    rows: list[Row] = []
    excluded += gold.excluded
    for table in tables:
        row = _item(table, *demands[table.id], pools[table.id])
        # The gold, written as an answer, must be read as the gold.
        gold_table = gold_of(row)
        read = answer_table(json.loads(answer_text(gold_table)))
        if all(value in (1.0, None) for value in score_table(gold_table, read).values().values()):
            rows.append(row)
        else:
            excluded.append(
                Exclusion(TASK, table.id, "unreadable_gold", "columns or cells do not survive")
            )
    pooled = sorted({paper for row in rows for paper in row["pool"]})
    statistics = {
        **table_statistics(rows),
        "demands": dict(sorted(Counter(source for _, source in demands.values()).items())),
        "dropped_rows": dict(gold.dropped),
        "pools": {
            **pool_statistics(rows, pools),
            "encoder": options.encoder,
            "pool_rule": options.pool_rule,
            "universe": universe,
        },
    }
    files = {
        PAPERS: library_as_bytes(works_library(corpus, [works[paper] for paper in pooled])),
        STATISTICS: readable_json(statistics).encode(),
    }
    notes = _notes(rows, options.evidence if is_default else None)
    return FamilyItems({TASK: rows}, {TASK: ITEM}, excluded, files, notes)


def _notes(rows: Sequence[Row], chosen: str | None) -> list[str]:
    """Notes for the round's card: evidence for works, and the chosen default."""
    known = Counter(one for row in rows for one in row["evidence"])
    if not known:
        return []
    notes = {
        "fulltext": f"Tables: works with a full text leave {ENOUGH} tables or more, so rows about "
        "other works are left out.",
        "any": f"Tables: works with a full text leave fewer than {ENOUGH} tables, so works of "
        "which less is known are shown too.",
    }
    names = {"fulltext": "full text", "abstract": "abstract alone", "title": "title alone"}
    parts = ", ".join(
        f"the {name} of {known[kind]:,} ({known[kind] / known.total():.0%})"
        for kind, name in names.items()
    )
    gold = sum(len(row["gold_papers"]) for row in rows) / known.total()
    return [
        *([notes[chosen]] if chosen else []),
        f"Tables: of the {known.total():,} papers in the pools there is {parts}; {gold:.0%} of "
        "them belong to their table.",
    ]


def _candidates(
    tables: Sequence[GoldTable],
    gold: GoldTables,
    demands: Mapping[str, str],
    works: Mapping[str, Work],
    window: Window,
    options: TablesOptions,
) -> tuple[dict[str, tuple[Candidate, ...]], int]:
    """Candidates of tables, best first, and the number of works searched.

    A paper of the corpus must be from before the window's end, unless a table of the round cites
    it.
    """
    related = gold.related_works
    cited = {paper for table in gold.tables for paper in table.papers}
    in_time = {
        name: work
        for name, work in works.items()
        if (name in cited or work.published is None or is_over(work.published, window.end))
        and is_known(work, options.evidence)
    }
    universe = find_universe(options.pool_rule, gold.tables, in_time)
    encoder = PaperEncoder(options.encoder)
    enough = partial(count_distractors, most=options.distractors)
    ranked = rank_distractors(tables, demands, works, universe, encoder, related, enough=enough)
    return ranked, len(universe)


def _item(table: GoldTable, demand: str, source: str, pool: Pool) -> Row:
    abstracts = ["abstracts"] if any(work.abstract for work in pool.papers) else []
    return {
        "id": table.id,
        "cluster": table.source_paper,
        "kind": table.kind,
        "split": "test",
        "published": table.published,
        "caption": table.caption,
        "demand": demand,
        "demand_source": source,
        "pool": [work.paper_id for work in pool.papers],
        "evidence": [work.evidence for work in pool.papers],
        "gold_papers": list(table.papers),
        "columns": list(table.columns),
        "rows": [
            {"paper": row.paper, "ordinal": row.ordinal, "cells": list(row.cells)}
            for row in table.rows
        ],
        "hidden_papers": [table.source_paper],
        "settings": ["base", *abstracts, "titles"],
        "given_labels": pool.given_labels,
    }
