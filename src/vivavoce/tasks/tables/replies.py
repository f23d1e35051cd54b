"""Safe reading of models' replies about tables, and application of changes.

A finished table is a JSON object or a table inside a text; changes are a JSON object:

    {"include": ["P1"], "exclude": ["P4"], "add": ["Dataset"], "drop": ["Notes"],
     "rename": {"Data": "Dataset"}, "rows": {"P1": {"Dataset": "Treebank"}}}

Each part is optional. For an unreadable object, readers raise `UnusableReply` with the reason.
Impossible changes, such as to an unknown paper, are skipped and reported.

JSON tables are read in many forms and converted to the requested one:

    {"papers": [...], "columns": [...], "rows": [{"paper": "P1", "cells": {...}}]}

Rows may be lists, objects without `cells`, or an object by paper; the rows may be alone, by
paper, by column and paper, or below `table`. `columns` and `papers` may be left out if the rows
have them.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_answers import PaperNames, cell_text, table_from_text
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.tasks.tables.item import answer_table
from vivavoce.tasks.tables.working_table import TableFault, WorkingTable
from vivavoce.text.json_answer import as_records, find_json

MAX_ENTRIES = 200
"""Maximum entries of a part, and cells of a row."""
_MAX_FAULTS = 20


class UnusableReply(Exception):
    """A model's answer does not have the requested form; the message has the reason."""


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    @classmethod
    def read(cls, answer: str) -> Self:
        """Read the last object in an answer with a required part, or else any part or none."""
        fields = cls.model_fields
        required = [name for name in fields if fields[name].is_required()]
        keys = required or list(fields)
        decoded = find_json(answer, keys)
        if decoded is None and find_json(answer) == {} and not required:
            return cls()
        if decoded is None:
            raise UnusableReply(f"It holds no JSON object with the key {' or '.join(keys)}.")
        try:
            return cls.model_validate(decoded)
        except ValidationError as error:
            first = error.errors()[0]
            reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
        except InputError as error:
            reason = str(error)
        raise UnusableReply(_storable(reason))


def _storable(text: str) -> str:
    """A text without lone surrogates, which logs cannot store."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _listed(value: Any) -> Any:
    """A list; null is empty, and anything else is the only entry."""
    return value if isinstance(value, list | tuple) else [] if value is None else [value]


def _by_paper(value: Any) -> Any:
    """Rows by paper; they may be a list of objects with `paper` and `cells`."""
    if not isinstance(value, list):
        return value or {}
    return {row.paper: row.cells for row in _ROWS.validate_python(value[: MAX_ENTRIES + 1])}


_LIMIT = Field(max_length=MAX_ENTRIES)
_OBJECT = BeforeValidator(lambda value: {} if value is None else value)
_Names = Annotated[tuple[str, ...], BeforeValidator(_listed), _LIMIT]
_Cells = Annotated[dict[str, Annotated[str | None, BeforeValidator(cell_text)]], _OBJECT, _LIMIT]
"""Cells by column; None makes a cell N/A."""


class _Row(_Reply):
    paper: str
    cells: _Cells = {}


_ROWS = TypeAdapter(list[_Row])


class Operations(_Reply):
    """Changes to a table."""

    include: _Names = ()
    exclude: _Names = ()
    add: _Names = ()
    drop: _Names = ()
    rename: Annotated[dict[str, str], _OBJECT, _LIMIT] = {}
    """New names of columns by old ones."""
    rows: Annotated[dict[str, _Cells], BeforeValidator(_by_paper), _LIMIT] = {}


def apply_operations(
    operations: Operations, table: WorkingTable, allowed: Collection[str] | None = None
) -> tuple[bool, list[str]]:
    """Apply changes: exclude, drop, rename, add, include, rows.

    Only papers with `allowed` labels are changed; all by default. Return whether the table changed,
    and the first 20 reasons for skipped changes.
    """
    changed, faults, excluded = False, list[str](), set[str]()

    def do(change: Callable[..., bool], *arguments: Any, paper: str | None = None) -> str | None:
        """Make a change unless it is faulty; return the label of its paper."""
        nonlocal changed
        label = None
        try:
            if paper is not None:
                label = table.find_paper(paper)
                if allowed is not None and label not in allowed:
                    raise TableFault(f"Paper {label} was not shown.")
                if change != table.exclude and label in excluded:
                    raise TableFault(f"Paper {label} is excluded and included at once.")
            changed |= change(*arguments)
        except TableFault as fault:
            faults.append(str(fault))
            return None
        return label

    for name in operations.exclude:
        if label := do(table.exclude, name, paper=name):
            excluded.add(label)
    for name in operations.drop:
        do(table.drop_column, name)
    for old, new in operations.rename.items():
        do(table.rename_column, old, new)
    for name in operations.add:
        do(table.add_column, name)
    for name in operations.include:
        do(table.include, name, paper=name)
    for name, cells in operations.rows.items():
        if do(table.include, name, paper=name):
            # Cell by cell, so that a faulty cell does not affect the others.
            for column, value in cells.items():
                do(table.set_row, name, {column: value})
    return changed, faults[:_MAX_FAULTS]


def read_table(answer: str, titles: Mapping[str, str]) -> LiteratureTable:
    """The table of an answer: a JSON object, or a table inside a text."""
    names = PaperNames(LiteratureTable(tuple(titles), (), ()), titles)

    def is_paper(name: str) -> bool:
        return names.find(name) in titles

    def table_in(value: Any) -> Any:
        is_split = isinstance(value, dict) and "data" in value
        has_key = isinstance(value, dict) and any(key in value for key in _KEYS)
        return value if has_key and not is_split else as_records(value)

    decoded = find_json(answer, lambda value: _holds_table(table_in(value), is_paper), mend=True)
    if decoded is not None:
        try:
            return answer_table(_in_form(table_in(decoded), is_paper), names)
        except InputError as error:
            raise UnusableReply(str(error)) from error
    table = table_from_text(answer, names)
    if not table.rows:
        raise UnusableReply("It holds neither a JSON object with rows nor a table.")
    return table


class Outline(_Reply):
    """Papers and columns."""

    papers: _Names
    columns: _Names


class SinglePaper(_Reply):
    """A decision on one paper, and the cells of its row."""

    include: StrictBool
    cells: _Cells = {}


class Cells(_Reply):
    """Cells of one paper."""

    cells: _Cells


class Unsupported(_Reply):
    """Columns whose values a text does not support."""

    unsupported: _Names


class Digest(_Reply):
    """A paper's digest."""

    digest: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_storable)
    ]


_KEYS = ("rows", "columns", "papers", "table")
_PAPER = frozenset({"", "paper", "id", "label", "paper_id", "paper id", "#"})

IsPaper = Callable[[str], bool]


def _holds_table(value: Any, is_paper: IsPaper) -> bool:
    """True if a JSON value is a table in one of the forms."""
    if isinstance(value, dict):
        by_name = _is_by_paper(value, is_paper) or _is_by_column(value, is_paper)
        return any(key in value for key in _KEYS) or by_name
    rows = value if isinstance(value, list) else []
    return bool(rows) and all(isinstance(row, dict) and _paper_key(row) is not None for row in rows)


def _in_form(value: Any, is_paper: IsPaper) -> Mapping[str, Any]:
    """Convert a table accepted by `_holds_table` to the requested form; unknown parts stay."""
    if _is_by_column(value, is_paper):
        papers = dict.fromkeys(paper for cells in value.values() for paper in cells)
        value = {paper: {name: value[name].get(paper) for name in value} for paper in papers}
    if isinstance(value, list) or _is_by_paper(value, is_paper):
        value = {"rows": value}
    if isinstance(inner := value.get("table"), dict | list):
        outer = {key: value[key] for key in ("papers", "columns") if key in value}
        value = {**outer, **({"rows": inner} if isinstance(inner, list) else inner)}
    rows, columns, papers = (value.get(key) for key in ("rows", "columns", "papers"))
    if isinstance(rows, dict):
        rows = [
            {
                "paper": name,
                "cells": cells.get("cells", cells) if isinstance(cells, dict) else cells,
            }
            for name, cells in rows.items()
        ]
    formed: dict[str, Any] = value
    if not isinstance(rows, list):
        return formed
    named = [str(name) for name in columns] if isinstance(columns, list) else []
    if named and named[0].strip().casefold() in _PAPER:
        named = named[1:]
    listed = papers if isinstance(papers, list) and len(papers) == len(rows) else [None] * len(rows)
    made = [_shaped(row, named, paper) for row, paper in zip(rows, listed, strict=True)]
    shaped = [row for row in made if isinstance(row, dict) and isinstance(row.get("cells"), dict)]
    of_rows = list(dict.fromkeys(name for row in shaped for name in row["cells"]))
    known = named or (of_rows if columns is None else columns)
    return {**formed, "rows": made, "columns": known}


def _is_by_paper(value: Mapping[str, Any], is_paper: IsPaper) -> bool:
    return bool(value) and all(
        isinstance(cells, dict | list) and is_paper(name) for name, cells in value.items()
    )


def _is_by_column(value: Any, is_paper: IsPaper) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and not any(key in value for key in _KEYS)
        and all(
            isinstance(cells, dict) and cells and all(map(is_paper, cells))
            for cells in value.values()
        )
    )


def _shaped(row: Any, columns: list[str], paper: Any) -> Any:
    """One row as an object with `paper` and `cells`."""
    if isinstance(row, list):
        if columns and len(row) == len(columns) + 1:
            return _shaped({"paper": row[0], "cells": row[1:]}, columns, None)
        return row if paper is None else _shaped({"paper": paper, "cells": row}, columns, None)
    if not isinstance(row, dict):
        return row
    name = _paper_key(row)
    label = paper if name is None else row[name]
    cells = row.get("cells")
    if "cells" not in row:
        cells = {key: cell for key, cell in row.items() if key != name}
    elif isinstance(cells, list) and len(cells) <= len(columns):
        cells = dict(zip(columns, cells, strict=False))
    return row if label is None else {"paper": label, "cells": cells}


def _paper_key(row: Mapping[str, Any]) -> str | None:
    return next((key for key in row if key.strip().casefold() in _PAPER), None)
