"""What fuzzing runs of the JSON paths: answers that are JSON, and files of records."""

import contextlib
import json
from typing import Any

from tests.fuzz.documents import through_source
from tests.fuzz.tables import TABLE, TITLES, as_text, check_values

from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer
from vivavoce.metrics.extraction import ExtractedMethod, score_extraction
from vivavoce.metrics.judged_text import read_verdict
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json
from vivavoce.metrics.tables.literature_tables import score_table
from vivavoce.sources.json_records import parse_strictly, raw_json
from vivavoce.store import parse_object
from vivavoce.tasks.implementation.items.report import parse_methods
from vivavoce.tasks.tables.replies import Operations, UnusableReply
from vivavoce.text.answers import clean_title
from vivavoce.text.json_answer import find_json

METHODS = [
    ExtractedMethod(
        "Momentum", "The return of the last five days.", "P_t / P_{t-5} - 1", ("P_t", "t")
    ),
    ExtractedMethod("Value", "Cheap shares go up.", None),
]
_MAX_DEPTH = 40


def answer_in_json(content: bytes) -> None:
    """JSON in a model's answer, and everything that is made of it."""
    text = as_text(content)
    found = find_json(text)
    assert found is None or isinstance(found, dict | list)
    json.dumps(found, allow_nan=False)
    assert _depth(found) <= _MAX_DEPTH
    read_verdict(found)
    if methods := parse_methods(found):
        try:
            values = score_extraction(METHODS, methods)
        except FaultyAnswer as error:
            values = dict(error.values or {})
        check_values(values, lowest={})
    with contextlib.suppress(UnusableReply):
        Operations.read(text)
    if isinstance(found, dict):
        _table(found)


def title_in_an_answer(content: bytes) -> None:
    """The title that an answer gives is one line."""
    assert "\n" not in clean_title(as_text(content))


def strict_json(content: bytes) -> None:
    """What is read strictly is written and read again without loss."""
    try:
        value = parse_strictly(content, "it")
        text = raw_json(value)
    except InputError:
        return
    again = parse_strictly(text.encode("utf-8"), "it")
    assert raw_json(again) == text


def row_of_predictions(content: bytes) -> None:
    """A row of `viva score`: a table in JSON."""
    try:
        row = parse_object(content, "rows.jsonl:1")
    except InputError:
        return
    _table(row)


def _table(row: dict[str, Any]) -> None:
    try:
        table = table_from_json(row, PaperNames(TABLE, TITLES))
    except InputError:
        return
    check_values(score_table(TABLE, table).values(), lowest={})


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [part for part in level if isinstance(part, dict | list)]:
        depth += 1
        level = [
            inside
            for part in level
            for inside in (part.values() if isinstance(part, dict) else part)
        ]
    return depth


JSON_PATHS = (
    answer_in_json,
    title_in_an_answer,
    strict_json,
    row_of_predictions,
    through_source("s2orc", "paper.json"),
    through_source("s2orc", "release/papers.jsonl"),
    through_source("unarxive", "papers.jsonl"),
    through_source("digestables", "silver/tables.jsonl"),
    through_source("digestables", "silver/papers.jsonl"),
    through_source("digestables", "silver/full_texts.jsonl"),
    through_source("digestables", "arxiv2table.json"),
    through_source("academiceval", "title/sample.json"),
    through_source("metadata", "papers.jsonl"),
    through_source("pwc", "evaluation-tables.json"),
    through_source("pwc", "sota.jsonl"),
    through_source("tdms", "tdms.jsonl"),
    through_source("snapshot", "arxiv-metadata.jsonl"),
)
"""The first byte of an input chooses one."""
