"""Questions read from a CSV file, which is refused with the line of the first fault."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.metrics.own import MAX_CHARACTERS
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.store import Row
from vivavoce.text.dates import parse_date
from vivavoce.text.normalise import clean_line, clean_text

NEEDED = ("id", "input", "gold")
KNOWN = (*NEEDED, "date", "cluster")
MAX_CELL = 1_000_000
"""Characters of a cell: more than the window of a model holds."""
_MAX_NAME = 200


def read_questions(path: Path, metric: str) -> list[Row]:
    """The questions of a table, in its order.

    `published` is None where the table has no dates, and empty where a row has none.

    Raises:
        InputError: The file cannot be read, a column is missing, or a row cannot be a question.
    """
    records = _records(path)
    line, header = next(records, (1, []))
    names = [name.strip() for name in header]
    for name in NEEDED:
        if name not in names:
            has = ", ".join(names) or "nothing"
            raise InputError(f"{path}:{line}: there is no column {name}, only {has[:200]}.")
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"{path}:{line}: each column needs a name of its own.")
    lines: dict[str, int] = {}
    rows = []
    for line, record in records:
        if len(record) != len(names):
            problem = f"{len(record)} cells in a table of {len(names)} columns"
            raise InputError(f"{path}:{line}: {problem}. Put cells with commas in quotes.")
        row = _question(dict(zip(names, record, strict=True)), metric, f"{path}:{line}")
        if row["id"] in lines:
            raise InputError(
                f"{path}:{line}: the id {row['id']} stands in line {lines[row['id']]} already."
            )
        lines[row["id"]] = line
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: there is no row below the names of the columns.")
    return rows


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(Line where it starts, cells) of each record that is not blank."""
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
