"""Tables of a corpus turned into items: a demand, a pool of papers, and the table to be made.

Source: arXiv2Table §4, with the rules of docs/families/tables.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from vivavoce.corpus import Corpus
from vivavoce.metrics.tables.literature_tables import score_table
from vivavoce.records import Window
from vivavoce.retrieval.papers import PaperEncoder
from vivavoce.rounds.family import Exclusion, FamilyItems
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import Row, hash_of, readable_json
from vivavoce.tasks.library import library_as_bytes
from vivavoce.tasks.tables.items.demand import TO_CHECK, Demands, choose_demands
from vivavoce.tasks.tables.items.distractors import (
    BarredWorks,
    find_universe,
    rank_distractors,
)
from vivavoce.tasks.tables.items.gold import GoldTables, read_gold_tables
from vivavoce.tasks.tables.items.pool import (
    CANDIDATES,
    CandidatesFile,
    EncoderKey,
    PaperLabels,
    Pool,
    Ranked,
    Universe,
    candidates_as_bytes,
    count_checked,
    count_distractors,
    hash_works,
    make_pool,
    read_candidates,
    read_paper_labels,
    without_included,
)
from vivavoce.tasks.tables.items.table_items import (
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
    gold_rows,
    is_known,
    overlap_statistics,
    table_statistics,
)
from vivavoce.tasks.tables.items.works import corpus_works, works_library
from vivavoce.text.dates import is_over

__all__ = ["FAMILY", "OPTIONS", "TablesOptions", "build", "read_gold"]

OPTIONS = TablesOptions


ENOUGH = 30
"""Tables that works with a full text alone have to leave, to be the default of a round."""


def read_gold(corpus: Corpus, window: Window, options: TablesOptions) -> GoldTables:
    """The gold tables that a round with these options has, before they are asked for."""
    return settle_evidence(corpus, window, options)[0]


def settle_evidence(
    corpus: Corpus, window: Window, options: TablesOptions
) -> tuple[GoldTables, TablesOptions]:
    """Gold tables, and the options with the evidence that `auto` comes to."""
    for least in ("fulltext", "any") if options.evidence == "auto" else (options.evidence,):
        settled = options.model_copy(update={"evidence": least})
        gold = read_gold_tables(corpus, window, settled)
        if len(gold.tables) >= ENOUGH:
            break
    return gold, settled


def build(corpus: Corpus, spec: RoundSpec, options: TablesOptions) -> FamilyItems:
    """Make the items of the tables of a window.

    Raises:
        InputError: A file that the options name cannot be used.
    """
    is_default = options.evidence == "auto"
    gold, options = settle_evidence(corpus, spec.window, options)
    asked = choose_demands(gold, options)
    works = {**corpus_works(corpus), **gold.works}
    labels = read_paper_labels(Path(options.paper_labels)) if options.paper_labels else {}
    tables = [table for table in gold.tables if table.id in asked.demands]
    given = _given_labels(gold, options)
    candidates = _candidates(gold, asked, works, spec.window, options)
    pools = {
        table.id: make_pool(
            table,
            without_included(table, candidates.candidates.get(table.id, ()), labels),
            works,
            seed=spec.round.seed,
            most=options.distractors,
            given=given.get(table.id),
        )
        for table in tables
    }
    rows: list[Row] = []
    excluded = [*gold.excluded, *asked.excluded]
    for table in tables:
        row = _item(table, asked.demands[table.id], pools[table.id])
        # The gold itself, written as an answer, must be read as the gold.
        gold_table = gold_of(row)
        read = answer_table(json.loads(answer_text(gold_table)))
        if all(value in (1.0, None) for value in score_table(gold_table, read).values().values()):
            rows.append(row)
        else:
            excluded.append(
                Exclusion(TASK, table.id, "unreadable_gold", "columns or cells do not survive")
            )
    shown = {paper for row in rows for paper in row["pool"]}
    library = works_library(corpus, [works[paper] for paper in sorted(shown)])
    files = {
        PAPERS: library_as_bytes(library),
        CANDIDATES: candidates_as_bytes(candidates),
        TO_CHECK: asked.to_check(),
        STATISTICS: readable_json(
            _statistics(rows, gold, asked)
            | {"pools": _pool_statistics(rows, pools, candidates, asked, labels)}
        ).encode(),
    }
    return FamilyItems(
        {TASK: rows}, {TASK: ITEM}, excluded, files, _notes(rows, is_default and options)
    )


def _notes(rows: Sequence[Row], chosen: TablesOptions | Literal[False]) -> list[str]:
    """Knowledge of the works of the pools, for the round's card, and the filter if by default."""
    known = Counter(one for row in rows for one in row["evidence"])
    if not known:
        return []
    parts = [
        f"the {name} of {known[kind]:,} ({known[kind] / known.total():.0%})"
        for kind, name in (
            ("fulltext", "full text"),
            ("abstract", "abstract alone"),
            ("title", "title alone"),
        )
    ]
    gold = sum(len(row["gold_papers"]) for row in rows)
    reason = {
        "fulltext": f"Tables: works with a full text leave {ENOUGH} tables or more, so rows about "
        "other works are left out.",
        "any": f"Tables: works with a full text leave fewer than {ENOUGH} tables, so works of "
        "which less is known are shown too.",
    }
    return [
        *([reason[chosen.evidence]] if chosen else []),
        f"Tables: of the {known.total():,} papers in the pools there is {', '.join(parts)}; "
        f"{gold / known.total():.0%} of them belong to their table.",
    ]


def _given_labels(gold: GoldTables, options: TablesOptions) -> dict[str, tuple[str, ...]]:
    """Distractors that came with tables; those of which too little is known cannot be shown."""
    works = gold.works
    return {
        table: tuple(
            paper
            for paper in given.distractors
            if paper in works and is_known(works[paper], options.evidence)
        )
        for table, given in gold.given.items()
        if given.distractors is not None
    }


def _candidates(
    gold: GoldTables,
    asked: Demands,
    works: Mapping[str, Work],
    window: Window,
    options: TablesOptions,
) -> CandidatesFile:
    """Candidates of the tables that came without distractors, ranked or out of a file.

    A paper of the corpus that is not over before the window's end is none, unless a table of the
    round cites it.
    """
    given = _given_labels(gold, options)
    tables = [table for table in gold.tables if table.id in asked.demands and table.id not in given]
    barred = BarredWorks(gold.tables, works, gold.related_works)
    if options.candidates is not None:
        return read_candidates(Path(options.candidates), tables, works, barred)
    cited = {paper for table in gold.tables for paper in table.papers}
    in_time = {
        name: work
        for name, work in works.items()
        if (name in cited or work.published is None or is_over(work.published, window.end))
        and is_known(work, options.evidence)
    }
    demands = asked.texts()
    universe = find_universe(options.pool_rule, gold.tables, in_time)
    encoder = PaperEncoder(options.encoder)
    most = options.distractors
    enough = (lambda table: count_distractors(table, most)) if options.same_evidence else None
    found = rank_distractors(tables, demands, in_time, universe, encoder, barred, enough=enough)
    return CandidatesFile(
        1,
        EncoderKey(encoder.name, encoder.fingerprint()),
        options.pool_rule,
        Universe(len(universe), hash_works(universe, in_time)),
        tuple(Ranked(name, hash_of(demands[name]), found[name]) for name in sorted(found)),
    )


def _item(table: GoldTable, demand: Row, pool: Pool) -> Row:
    works = pool.papers
    abstracts = ["abstracts"] if any(work.abstract for work in works) else []
    return {
        "id": table.id,
        "cluster": table.cluster,
        "kind": table.kind,
        "split": "test",
        "published": table.published,
        "caption": table.caption,
        "demand": demand["demand"],
        "demand_source": demand["source"],
        "pool": [work.paper_id for work in works],
        "evidence": [work.evidence for work in works],
        "gold_papers": list(table.papers),
        "columns": list(table.columns),
        "rows": gold_rows(table),
        "hidden_papers": [table.source_paper] if table.source_paper else [],
        "settings": ["base", *abstracts, "titles"],
        "given_labels": pool.given_labels,
    }


def _statistics(rows: list[Row], gold: GoldTables, asked: Demands) -> Row:
    by_id = {table.id: table for table in gold.tables}
    return {
        **table_statistics(rows),
        "overlap": {
            name: overlap_statistics([(by_id[row["id"]], row[name]) for row in rows])
            for name in ("caption", "demand")
        },
        "demands": asked.report(),
        "dropped_rows": dict(gold.dropped),
    }


def _pool_statistics(
    rows: list[Row],
    pools: Mapping[str, Pool],
    candidates: CandidatesFile,
    asked: Demands,
    labels: PaperLabels,
) -> Row:
    shown = [pools[row["id"]] for row in rows]
    return {
        "encoder": candidates.encoder.name,
        "pool_rule": candidates.pool_rule,
        "universe": candidates.universe.works,
        "missing_distractors": sum(pool.missing for pool in shown),
        "without_distractors": sum(not pool.distractors for pool in shown),
        "told_by_evidence": sum(map(_is_told_by_evidence, rows)),
        "checked_by_people": sum(count_checked(row["id"], row["pool"], labels) for row in rows),
        "for_other_demands": len(candidates.other_demands(asked.texts())),
    }


def _is_told_by_evidence(row: Row) -> bool:
    """Check whether more or less is known of a distractor than of any work of the table."""
    gold = set(row["gold_papers"])
    known = list(zip(row["pool"], row["evidence"], strict=True))
    alike = {evidence for paper, evidence in known if paper in gold}
    return any(evidence not in alike for paper, evidence in known if paper not in gold)
