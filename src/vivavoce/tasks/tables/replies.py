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
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_answers import PaperNames, cell_text, table_from_text
from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.tasks.tables.item import answer_table
from vivavoce.tasks.tables.working_table import TableFault, WorkingTable
from vivavoce.text.json_answer import as_records, find_json

PARTS = ("include", "exclude", "add", "drop", "rename", "rows")
MAX_ENTRIES = 200
"""Maximum entries of a part, and cells of a row."""
_MAX_FAULTS = 20


class UnusableReply(Exception):
    """A model's answer does not have the requested form; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Operations:
    """Changes to a table."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    rows: tuple[tuple[str, dict[str, str | None]], ...] = ()
    """Cells by paper; None makes a cell N/A."""


def read_operations(answer: str) -> Operations:
    """Read the changes in an answer; an empty object means none."""
    reply = find_json(answer, PARTS)
    if reply is None:
        if find_json(answer) == {}:
            return Operations()
        raise UnusableReply(f"It holds no JSON object with any of the keys {', '.join(PARTS)}.")
    rename = object_of(reply, "rename")
    if not all(isinstance(new, str) for new in rename.values()):
        raise UnusableReply('"rename" must map old names of columns to new ones.')
    return Operations(
        include=names_of(reply, "include"),
        exclude=names_of(reply, "exclude"),
        add=names_of(reply, "add"),
        drop=names_of(reply, "drop"),
        rename=tuple(rename.items()),
        rows=tuple(_rows(reply.get("rows"))),
    )


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
    for old, new in operations.rename:
        do(table.rename_column, old, new)
    for name in operations.add:
        do(table.add_column, name)
    for name in operations.include:
        do(table.include, name, paper=name)
    for name, cells in operations.rows:
        if do(table.include, name, paper=name):
            # Cell by cell, so that a faulty cell does not affect the others.
            for column, value in cells.items():
                do(table.set_row, name, {column: value})
    return changed, faults[:_MAX_FAULTS]


def _rows(value: Any) -> list[tuple[str, dict[str, str | None]]]:
    """Rows, by paper or as a list of objects with `paper` and `cells`."""
    if isinstance(value, list):
        listed = value[: MAX_ENTRIES + 1]
        if not all(isinstance(x, dict) and isinstance(x.get("paper"), str | int) for x in listed):
            raise UnusableReply('Each of "rows" needs a "paper" and "cells".')
        value = {str(row["paper"]): row.get("cells") for row in listed}
    rows = object_of({"rows": value}, "rows")
    return [(paper, cells_of({paper: cells}, paper)) for paper, cells in rows.items()]


def names_of(reply: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Names under a key: a list or a single name; empty without the key."""
    value = reply.get(key)
    listed = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(name, str | int) and not isinstance(name, bool) for name in listed):
        raise UnusableReply(f'"{key}" must be a list of names.')
    if len(listed) > MAX_ENTRIES:
        raise UnusableReply(f'"{key}" has more than {MAX_ENTRIES} entries.')
    return tuple(map(str, listed))


def object_of(reply: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; empty without the key."""
    value = reply.get(key)
    value = {} if value is None else value
    if not isinstance(value, dict):
        raise UnusableReply(f'"{_shown(key)}" must be an object.')
    if len(value) > MAX_ENTRIES:
        raise UnusableReply(f'"{_shown(key)}" has more than {MAX_ENTRIES} entries.')
    return value


def cells_of(reply: Mapping[str, Any], key: str) -> dict[str, str | None]:
    """The cells under a key: values as text by column."""
    return {column: text_of(value) for column, value in object_of(reply, key).items()}


def text_of(value: Any) -> str | None:
    """A value as the text of a cell."""
    try:
        return cell_text(value)
    except InputError as error:
        raise UnusableReply(str(error)) from error


def _shown(key: str) -> str:
    return key[:60].encode("utf-8", "replace").decode("utf-8")


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


def read_outline(answer: str) -> Operations:
    """Read papers and columns from the answer `{"papers": [...], "columns": [...]}`."""
    reply = _object(answer, "papers", "columns")
    if not ("papers" in reply and "columns" in reply):
        raise UnusableReply('It needs both "papers" and "columns".')
    return Operations(include=names_of(reply, "papers"), add=names_of(reply, "columns"))


def read_single(answer: str) -> dict[str, str | None] | None:
    """The answer `{"include": true, "cells": {...}}` about one paper; None if it is left out."""
    reply = _object(answer, "include")
    if not isinstance(reply["include"], bool):
        raise UnusableReply('"include" must be true or false.')
    return cells_of(reply, "cells") if reply["include"] else None


def read_row(answer: str) -> dict[str, str | None]:
    """The answer `{"cells": {...}}`."""
    return cells_of(_object(answer, "cells"), "cells")


def read_unsupported(answer: str) -> tuple[str, ...]:
    """The columns of the answer `{"unsupported": [...]}`."""
    return names_of(_object(answer, "unsupported"), "unsupported")


def read_digest(answer: str) -> str:
    """The text of the answer `{"digest": "..."}`."""
    text = _object(answer, "digest")["digest"]
    if not isinstance(text, str) or not text.strip():
        raise UnusableReply('"digest" must be text.')
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _object(answer: str, *keys: str) -> Mapping[str, Any]:
    """The last object in an answer with one of the keys."""
    decoded = find_json(answer, keys)
    if decoded is None:
        raise UnusableReply(f"It holds no JSON object with the key {' or '.join(keys)}.")
    value: Mapping[str, Any] = decoded
    return value


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
