"""Items of a round from a user's tables, and the spec of a round from one table."""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import Field, field_serializer

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.metrics.own import MAX_CHARACTERS, TOLERANCE
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.rounds.family import Exclusion, FamilyItems, gold_is_inside
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import Row
from vivavoce.text.dates import inside, parse_date, period
from vivavoce.text.normalise import clean_line, clean_text

NEEDED = ("id", "input", "gold")
KNOWN = (*NEEDED, "date", "cluster")
MAX_CELL = 1_000_000
"""Maximum characters of a cell, more than a model's window."""
_MAX_NAME = 200


def read_questions(path: Path, metric: str) -> list[Row]:
    """Read the questions of a table, in order; `InputError` if it or a row is invalid.

    `published` is None if the table has no dates, and empty if a row has none.
    """
    records = _records(path)
    line, header = next(records, (1, []))
    names = [name.strip() for name in header]
    for name in NEEDED:
        if name not in names:
            has = ", ".join(names) or "nothing"
            raise InputError(f"{path}:{line}: there is no column {name}, only {has[:200]}.")
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"{path}:{line}: column names must be unique.")
    lines: dict[str, int] = {}
    rows = []
    for line, record in records:
        if len(record) != len(names):
            problem = f"{len(record)} cells in a table of {len(names)} columns"
            raise InputError(f"{path}:{line}: {problem}. Put cells with commas in quotes.")
        row = _question(dict(zip(names, record, strict=True)), metric, f"{path}:{line}")
        if row["id"] in lines:
            raise InputError(
                f"{path}:{line}: the id {row['id']} is already in line {lines[row['id']]}."
            )
        lines[row["id"]] = line
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: there are no rows below the header.")
    return rows


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (first line, cells) of each record that is not blank."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8. Save the table as CSV UTF-8.") from error
    before = csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for record in reader:
            if any(map(str.strip, record)):
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}:{line}: not readable as CSV: {error}.") from error
    finally:
        csv.field_size_limit(before)


def _question(cells: dict[str, str], metric: str, where: str) -> Row:
    texts = {name: clean_text(cells[name]).strip() for name in ("input", "gold")}
    texts["id"] = clean_line(cells["id"])
    texts["cluster"] = clean_line(cells.get("cluster", "")) or texts["id"]
    for name, text in texts.items():
        if not any(character.isprintable() and not character.isspace() for character in text):
            raise InputError(f"{where}: {name} is empty.")
    for name in ("id", "cluster"):
        if len(texts[name]) > _MAX_NAME:
            raise InputError(f"{where}: {name} has over {_MAX_NAME} characters.")
    if len(texts["gold"]) > MAX_CHARACTERS:
        raise InputError(f"{where}: gold has over {MAX_CHARACTERS:,} characters.")
    if metric == "number_match" and read_number(texts["gold"]) is None:
        raise InputError(f"{where}: gold {texts['gold'][:40]!r} is not one number.")
    published = clean_line(cells["date"]) if "date" in cells else None
    if published:
        parsed = parse_date(published)
        if parsed is None:
            raise InputError(
                f"{where}: date {published[:40]!r} is not YYYY-MM-DD, YYYY-MM or YYYY."
            )
        published = parsed[0]
    further = [clean_line(text) for name, text in cells.items() if name not in KNOWN]
    category = " · ".join(filter(None, further))[:_MAX_NAME]
    return {**texts, "published": published, "category": category}


FAMILY = "own"
TASK_OF = {
    "exact_match": "own_match",
    "number_match": "own_number",
    "list_f1": "own_list",
    "rougeL": "own_text",
}

_TEXTS = ("id", "cluster", "published", "category", "input", "gold")
ITEM = pa.schema([(name, pa.string()) for name in _TEXTS] + [("tolerance", pa.float64())])


class OwnOptions(Options):
    """The `[own]` table of a round spec: a CSV file of questions per metric."""

    exact_match: str | None = None
    """Questions whose answer must equal the gold."""
    number_match: str | None = None
    """Questions with a number as answer."""
    list_f1: str | None = None
    """Questions with a list as answer, in any order."""
    rougeL: str | None = None
    """Questions with a text as answer."""
    tolerance: float = Field(default=TOLERANCE, ge=0, le=1)
    """Tolerance of a number, as a share of the gold."""

    @field_serializer(*TASK_OF)
    def _name_of(self, path: str | None) -> str | None:
        """File name without folders, so that rounds do not depend on the machine."""
        return Path(path).name if path and Path(path).is_absolute() else path


OPTIONS = OwnOptions


def build(corpus: Corpus, spec: RoundSpec, options: OwnOptions) -> FamilyItems:
    """Make items of the questions in the window; each table is one task."""
    named = {metric: path for metric in TASK_OF if (path := getattr(options, metric)) is not None}
    if not named:
        raise InputError(f"[{FAMILY}] names no table. Give one for {', '.join(TASK_OF)}.")
    tasks: dict[str, Sequence[Row]] = {}
    excluded: list[Exclusion] = []
    for metric, path in named.items():
        kept: dict[str, Row] = {}
        for row in read_questions(Path(path), metric):
            if reason := _reason(row, metric, kept, spec):
                excluded.append(Exclusion(TASK_OF[metric], row["id"], *reason))
            else:
                kept[row["input"]] = {**row, "tolerance": options.tolerance}
        tasks[TASK_OF[metric]] = sorted(kept.values(), key=lambda row: str(row["id"]))
    return FamilyItems(tasks, dict.fromkeys(tasks, ITEM), excluded)


def spec_of_table(
    path: Path, metric: str, name: str, tolerance: float, *, sealed: bool
) -> dict[str, Any]:
    """Make the spec of a round from one table, with a window that covers all its dates.

    `InputError` if the table cannot be read, or its date column is empty.
    """
    days = [row["published"] for row in read_questions(path, metric)]
    spans = [period(day) for day in days if day]
    if not spans and "" in days:
        raise InputError(f"{path}: no row has a date. Leave the column out, or fill it.")
    start = min((first for first, _ in spans), default=date.min)
    end = max((after for _, after in spans), default=date.max)
    window = {"start": start.isoformat(), "end": end.isoformat()}
    head = {"id": name, "window": window, "families": [FAMILY], "sealed": sealed}
    return {"round": head, FAMILY: {metric: str(path), "tolerance": tolerance}}


def _reason(row: Row, metric: str, kept: dict[str, Row], spec: RoundSpec) -> tuple[str, ...]:
    """Reason and detail why a question is not an item; empty if it is."""
    day = row["published"]
    if day == "":
        return ("undated",)
    if day is not None and not inside(day, spec.window):
        return "outside_window", day
    if metric == "rougeL" and gold_is_inside(row["gold"], [row["input"]]):
        return ("gold_in_input",)
    if row["input"] in kept:
        return "same_input", str(kept[row["input"]]["id"])
    return ()
