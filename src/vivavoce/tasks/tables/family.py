"""The table task: a demand, a pool under labels, and the gold in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.store import Row
from vivavoce.tasks.family import Arguments, FamilyTask, Item, View, check_choice
from vivavoce.tasks.library import describe_library, open_papers
from vivavoce.tasks.tables.items.composing import (
    gold_in_labels,
    pool_entries,
    question,
)
from vivavoce.tasks.tables.items.item import FAMILY, PAPERS, TASK, answer_text

MATCHER, ITEMS = "matcher", "items"
AGGREGATES = (ITEMS, "macro", "micro")


@dataclass(frozen=True, slots=True)
class TableArguments(Arguments):
    """Texts that are shown of each paper, and the evaluation of a run's answers.

    Args:
        setting: What is shown of each paper: base (all that is known), abstracts or titles.
        answerer: What compares the answer with the gold: matcher, by rule; role, by questions to
            the model of the role answerer; or the name of a model to play it.
        matcher: Who decides in place of rules about what is not written alike: role or the name of
            a model.
        synthesizer: Who words these questions: role or the name of a model; by default their words
            are fixed.
        pairs: Pairwise questions a table; by default all for the matcher, 10 for an answerer.
        question_seed: Of the questions that are drawn, of probes and of their order.
        aggregate: What a board shows: items, the mean of the tables' own values; macro, F1 of mean
            precision and mean recall; micro, the questions of all tables pooled.
    """

    answerer: str = MATCHER
    matcher: str | None = None
    synthesizer: str | None = None
    pairs: int | None = None
    question_seed: int = 0
    aggregate: str = ITEMS

    def __post_init__(self) -> None:
        check_choice("aggregate", self.aggregate, AGGREGATES)
        pairs = 0 if self.pairs is None else self.pairs
        check_numbers({"pairs": (pairs, 0, None), "question_seed": (self.question_seed, 0, None)})
        given = (self.answerer, self.synthesizer or "-", self.matcher or "-")
        if not all(isinstance(one, str) and one for one in given):
            raise InputError(
                "answerer, synthesizer and matcher are matcher, role, or the names of models."
            )
        if self.is_by_rule and self.synthesizer:
            raise InputError("synthesizer needs an answerer that is a model.")
        if self.matcher and not self.is_by_rule:
            raise InputError("matcher decides alone: leave out answerer.")

    @property
    def is_by_rule(self) -> bool:
        """True where values are compared, and no model answers questions."""
        return self.answerer == MATCHER

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+macro`."""
        return self.setting if self.aggregate == ITEMS else f"{self.setting}+{self.aggregate}"


_ROOM, _STEP = 1.5, 1024
"""An answer may be so much longer than the longest gold table, in steps of so many tokens."""


class Tables(FamilyTask[TableArguments]):
    """Demands with their pools."""

    arguments = TableArguments
    scorer = None

    def room(self, view: View[TableArguments]) -> int:
        """Tokens of an answer that the gold tables of a round need; a token is three bytes here."""
        items, setting = view.round.items(FAMILY, TASK), view.given.setting
        golds = (answer_text(gold_in_labels(row)) for row in items if setting in row["settings"])
        longest = max((len(gold.encode()) / 3 for gold in golds), default=0)
        return _STEP * math.ceil(_ROOM * longest / _STEP)

    def items(self, rows: Iterable[Row], view: View[TableArguments]) -> Iterator[Item]:
        """Demands with the papers of their pools."""
        papers = open_papers(str(view.round.folder.resolve()), FAMILY, PAPERS)
        return (_item(row, view, papers) for row in rows)


def _item(row: Row, view: View[TableArguments], papers: Mapping[str, LibraryPaper]) -> Item:
    setting, gold = view.given.setting, gold_in_labels(row)
    pool = pool_entries(row, papers, setting)
    asked = question(view.prompts, row["demand"], pool)
    metadata: dict[str, Any] = {
        # What a board shows its rows by.
        "category": row["kind"],
        "title": row["caption"] or row["demand"],
        "demand": row["demand"],
        "demand_source": row["demand_source"],
        "pool": pool,
        "evidence": list(row["evidence"]),
        "setting": setting,
        "question": asked.text,
        "prompts": view.prompts.place,
        # A pool is given: what its papers cite them for tells that they were there in time.
        "library": describe_library(
            view.round,
            (FAMILY, PAPERS),
            papers=row["pool"] if setting == "base" else (),
            cutoff=None,
            hidden_papers=row["hidden_papers"],
        ),
    }
    return Item(row["id"], asked, answer_text(gold), metadata)


TASKS = {TASK: Tables()}
