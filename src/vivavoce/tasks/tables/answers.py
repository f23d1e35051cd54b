"""Answers of files that `viva score tables` reads: literature-review tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json, table_from_text
from vivavoce.metrics.tables.literature_tables import ASPECTS, LiteratureTable, score_table
from vivavoce.metrics.tables.meaning import Meaning, align_by_meaning
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.ratios import Measured, average, harmonic
from vivavoce.tasks.scoring.files import Line, Pair, ScoreFamily, shares_of
from vivavoce.tasks.tables.items.replies import UnusableReply, read_table

_NOTHING = LiteratureTable((), (), ())


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    scores = []
    forms = Meaning()
    for pair in pairs:
        gold = _read(pair.gold)
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
        return _NOTHING
    titles = _titles(pair.gold)
    names = PaperNames(gold, titles)
    if "table" in line.row:
        return _read(line, names)
    papers = line.row.get("papers")
    text = "" if line.row.get("text") is None else pair.text() or ""
    if papers is not None:
        return _named(line, lambda: table_from_text(text, names, papers))
    try:
        return read_table(text, dict.fromkeys(gold.papers, "") | titles)
    except UnusableReply:
        return _NOTHING


def _read(line: Line, names: PaperNames | None = None) -> LiteratureTable:
    return _named(line, lambda: table_from_json(line.row, names))


def _named(line: Line, read: Any) -> LiteratureTable:
    """Read a table; what is wrong with it is said with the line's place."""
    try:
        table: LiteratureTable = read()
    except InputError as error:
        raise InputError(f"{line.where}: {error}") from error
    return table


def _titles(line: Line) -> dict[str, str]:
    titles = line.row.get("titles") or {}
    if not isinstance(titles, dict) or not all(isinstance(title, str) for title in titles.values()):
        raise InputError(f"{line.where}: titles must map a paper's id to its title.")
    return titles


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
