"""Answers of files that `viva score leaderboards` reads: tables of methods and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.leaderboards import Entry, ProducedBoard, read_board, score_board
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.ratios import Measured, harmonic, means_of
from vivavoce.tasks.scoring.files import Line, Pair, ScoreFamily, shares_of

_RATIOS = ("mr", "mp", "sp_matched", "sp_generated")
_ORDER = ("mr", "mp", "f1", "sp_matched", "sp_generated", "ktau")


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    scores = [score_board(_entries(pair.gold), _produced(pair)) for pair in pairs]
    shares = {
        name: shares_of([getattr(one, name) for one in scores], options.aggregate)
        for name in _RATIOS
    }
    shares["ktau"] = means_of([one.ktau for one in scores])
    derived = {}
    if options.aggregate == "macro":
        shares["f1"] = means_of([one.f1 for one in scores])
    else:
        derived["f1"] = harmonic("mp", "mr")
    counts = {
        "header_only": sum(one.header_only for one in scores),
        "truncated": sum(one.truncated for one in scores),
        "repeated_rows": sum(one.repeated for one in scores),
        "invented_methods": sum(one.invented for one in scores),
    }
    return Measured(shares, derived, order=_ORDER, settings=counts)


def _produced(pair: Pair) -> ProducedBoard:
    line = pair.answer("text", "entries")
    if line is None:
        return ProducedBoard(())
    if "entries" in line.row:
        return ProducedBoard(tuple(_entries(line)))
    return read_board(pair.text())


def _entries(line: Line) -> list[Entry]:
    return [_entry(line, value) for value in line.require("entries", list, "a list of entries")]


def _entry(line: Line, value: Any) -> Entry:
    if not isinstance(value, dict) or not isinstance(value.get("method"), str):
        raise InputError(f"{line.where}: each of entries must have a method, as a text.")
    score = value.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, str | int | float)):
        raise InputError(
            f"{line.where}: the score of {value['method']!r} must be a number or text."
        )
    return Entry(value["method"], score)


SCORE_FAMILIES = (
    ScoreFamily(
        name="leaderboards",
        summary="tables of methods and scores: methods found, scores right, order kept",
        gold='{"id": 1, "entries": [{"method": "A", "score": 71.5}]}',
        prediction='the same, or {"id": 1, "text": "a table"}',
        measure=_measure,
    ),
)
