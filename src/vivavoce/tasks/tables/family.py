"""The table task: a demand, a pool with labels, and the gold table."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.metrics import Metric, Values
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json, table_from_text
from vivavoce.metrics.tables.literature_tables import (
    ASPECTS,
    LiteratureTable,
    count_faults,
    score_table,
)
from vivavoce.metrics.tables.meaning import Meaning, align_by_meaning
from vivavoce.metrics.tables.table_questions import BIASES, PAIRS
from vivavoce.metrics.tables.table_schema import schema_recall
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.intervals import Measured, average, harmonic
from vivavoce.store import Row
from vivavoce.tasks.family import Arguments, FamilyTask, Item, View
from vivavoce.tasks.library import describe_library, open_papers
from vivavoce.tasks.scoring.files import Line, Pair, ScoreFamily, shares_of
from vivavoce.tasks.tables.item import (
    FAMILY,
    PAPERS,
    TASK,
    answer_text,
    gold_in_labels,
    pool_entries,
    question,
)
from vivavoce.tasks.tables.replies import UnusableReply, read_table

MATCHER = "matcher"


@dataclass(frozen=True, slots=True)
class TableArguments(Arguments):
    """Arguments of the table task: texts of papers, and evaluation of answers.

    Args:
        setting: Texts of each paper: base (all that is known), abstracts or titles.
        answerer: Comparison with the gold: matcher (by rule), role (by questions to the model of
            the role answerer), or the name of such a model.
        matcher: Model that decides instead of rules whether different texts mean the same: role or
            a name.
        synthesizer: Model that writes the questions: role or a name; by default they have fixed
            wordings.
        pairs: Pairwise questions per table; by default all for the matcher, 10 for an answerer.
        question_seed: Seed of drawn questions, probes and their order.
    """

    answerer: str = MATCHER
    matcher: str | None = None
    synthesizer: str | None = None
    pairs: int | None = None
    question_seed: int = 0

    def __post_init__(self) -> None:
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
            raise InputError("matcher excludes answerer: leave one of them out.")

    @property
    def is_by_rule(self) -> bool:
        """True if values are compared and no model answers questions."""
        return self.answerer == MATCHER


_ROOM, _STEP = 1.5, 1024
"""Room of an answer relative to the longest gold table, and rounding in tokens."""
NOTHING = LiteratureTable((), (), ())
_MAX_COLUMNS = 300
"""Maximum columns of an answer that are compared by stems."""


class Tables(FamilyTask[TableArguments]):
    """Demands with their pools; an answer without papers has no columns or cells and is faulty."""

    arguments = TableArguments
    scorer = "tables"
    scored_by = ("answerer", "matcher", "synthesizer", "pairs", "question_seed")
    examined_by = "compare_tables"
    further = BIASES

    def failed(self, metrics: Mapping[str, Metric], row: Row) -> Values:
        """Values of an empty table; metrics without any question are undefined."""
        gold, asked = read_gold(row["target"], titles_of(row)), questions_of(row)
        nothing = score_table(gold, NOTHING, **asked).values()
        biases = () if is_by_rule(row) else BIASES
        return {**nothing, **dict.fromkeys(biases), **diagnose(gold, None, **asked)}

    def room(self, view: View[TableArguments]) -> int:
        """Tokens for an answer, based on a round's gold tables; a token counts as three bytes."""
        items, setting = view.round.items(FAMILY, TASK), view.given.setting
        golds = (answer_text(gold_in_labels(row)) for row in items if setting in row["settings"])
        longest = max((len(gold.encode()) / 3 for gold in golds), default=0)
        return _STEP * math.ceil(_ROOM * longest / _STEP)

    def items(self, rows: Iterable[Row], view: View[TableArguments]) -> Iterator[Item]:
        """Demands with the papers of their pools."""
        papers = open_papers(str(view.round.folder.resolve()), FAMILY, PAPERS)
        setting = view.given.setting
        for row in rows:
            pool = pool_entries(row, papers, setting)
            asked = question(view.prompts, row["demand"], pool)
            metadata: dict[str, Any] = {
                # Used as title of the item.
                "category": row["kind"],
                "title": row["caption"] or row["demand"],
                "demand": row["demand"],
                "demand_source": row["demand_source"],
                "pool": pool,
                "evidence": list(row["evidence"]),
                "setting": setting,
                "question": asked.text,
                "prompts": view.prompts.place,
                # The pool is given, and was public in time, since the table cites its papers.
                "library": describe_library(
                    view.round,
                    (FAMILY, PAPERS),
                    papers=row["pool"] if setting == "base" else (),
                    cutoff=None,
                    hidden_papers=row["hidden_papers"],
                ),
            }
            yield Item(row["id"], asked, answer_text(gold_in_labels(row)), metadata)


TASKS = {TASK: Tables()}


def titles_of(row: Row) -> dict[str, str]:
    """Titles of the pool's papers by label."""
    return {one["label"]: one["title"] for one in row["pool"]}


def is_by_rule(row: Row) -> bool:
    """True if values are compared and no model answers questions."""
    return bool(row.get("answerer", MATCHER) == MATCHER)


def questions_of(row: Row) -> dict[str, Any]:
    """Number and seed of the pairwise questions about a table."""
    pairs = row.get("pairs")
    most = PAIRS if pairs is None and not is_by_rule(row) else pairs
    return {"pairs": most, "seed": row.get("question_seed", 0)}


def read_answer(answer: str, titles: Mapping[str, str]) -> LiteratureTable | None:
    """Read the table of an answer, with papers by label; None without one."""
    try:
        return read_table(answer, titles)
    except UnusableReply:
        return None


def read_gold(target: str, titles: Mapping[str, str]) -> LiteratureTable:
    """Read the gold of a sample, with papers by label."""
    gold = read_answer(target, titles)
    if gold is None:
        raise InputError("The gold of a sample is not a table. Build the round again.")
    return gold


def diagnose(
    gold: LiteratureTable,
    answer: LiteratureTable | None,
    pairs: int | None = None,
    seed: int = 0,
) -> Values:
    """Diagnostics of an answer; `answer` is None if it is not a table."""
    table = answer or NOTHING
    return {
        "avg_lexical": score_table(gold, table, pairs=pairs, seed=seed).values()["avg"],
        "schema_recall": schema_recall(gold.columns, table.columns[:_MAX_COLUMNS]),
        **count_faults(gold, answer),
    }


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    scores = []
    forms = Meaning()
    for pair in pairs:
        with _naming(pair.gold):
            gold = table_from_json(pair.gold.row)
        system = _system(pair, gold)
        aligned = align_by_meaning(gold, system, forms)
        scores.append(score_table(gold, aligned, pairs=options.pairs, seed=options.seed))
    shares, derived, order = {}, {}, []
    for aspect in ASPECTS:
        precision, recall, f1 = (f"{aspect}_{part}" for part in ("p", "r", "f1"))
        for name in (precision, recall):
            shares[name] = shares_of([one.ratios[name] for one in scores], options.aggregate)
        derived[f1] = harmonic(precision, recall)
        order += [precision, recall, f1]
    derived["avg"] = average("schema_f1", "unary_f1", "pairwise_f1")
    settings = {
        "pairs": options.pairs,
        "invented_papers": sum(one.invented_papers for one in scores),
        "truncated": sum(one.truncated for one in scores),
    }
    return Measured(shares, derived, order=[*order, "avg"], settings=settings)


def _system(pair: Pair, gold: LiteratureTable) -> LiteratureTable:
    line = pair.answer("table", "text", "papers")
    if line is None:
        return NOTHING
    titles = pair.gold.row.get("titles") or {}
    if not isinstance(titles, dict) or not all(isinstance(title, str) for title in titles.values()):
        raise InputError(f"{pair.gold.where}: titles must map a paper's id to its title.")
    names = PaperNames(gold, titles)
    if "table" in line.row:
        with _naming(line):
            return table_from_json(line.row, names)
    papers = line.row.get("papers")
    text = "" if line.row.get("text") is None else pair.text() or ""
    if papers is not None:
        with _naming(line):
            return table_from_text(text, names, papers)
    try:
        return read_table(text, dict.fromkeys(gold.papers, "") | titles)
    except UnusableReply:
        return NOTHING


@contextmanager
def _naming(line: Line) -> Iterator[None]:
    """Let errors name the line."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{line.where}: {error}") from error


SCORE_FAMILIES = (
    ScoreFamily(
        name="tables",
        summary="literature tables: papers selected, schema, cells, relations between cells",
        gold='{"id": 1, "papers": ["p1"], "table": {"columns": ["Size"], "rows": '
        '[{"paper": "p1", "cells": {"Size": "3M"}}]}}, with "titles": {"p1": "..."} if it has any',
        prediction='the same, or {"id": 1, "text": "a table"}',
        uses=("pairs",),
        measure=_measure,
    ),
)
