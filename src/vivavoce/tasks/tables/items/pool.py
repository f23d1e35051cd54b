"""The pool of a table: its own works and some distractors, in an order that tells nothing.

Source: arXiv2Table, section 4.2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from vivavoce.store import Row
from vivavoce.tasks.tables.items.distractors import Candidate
from vivavoce.tasks.tables.items.item import TOP, GoldTable, Work

MIN_DISTRACTORS = 4
"""Distractors of a table of few works."""
GOLD_SHARE = 0.41
"""Share of a pool that belongs to the table."""


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


def pool_statistics(rows: Sequence[Row], pools: Mapping[str, Pool]) -> Row:
    """Statistics of the pools of the items of a round, by the ids of their tables.

    `told_by_evidence` counts the items in which less or more is known of a distractor than of any
    work of the table.
    """
    evident = 0
    for row in rows:
        gold = set(row["gold_papers"])
        known = list(zip(row["pool"], row["evidence"], strict=True))
        alike = {evidence for paper, evidence in known if paper in gold}
        evident += any(paper not in gold and evidence not in alike for paper, evidence in known)
    shown = [pools[row["id"]] for row in rows]
    return {
        "missing_distractors": sum(pool.missing for pool in shown),
        "without_distractors": sum(not pool.distractors for pool in shown),
        "told_by_evidence": evident,
    }
