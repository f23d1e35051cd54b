"""Items out of JSON Lines, checked by their kind, and campaigns out of what was exported.

A line is {id, content, cluster?, part?, answer?, explanation?}. An item with an answer is one of
the qualification unless its part is `main`: then it is a control among the others.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.errors import InputError
from vivavoce.rounds import load_round
from vivavoce.store import Row, read_jsonl
from vivavoce.tasks.tables.items.table_items import FAMILY, PAPERS, TASK
from vivavoce.web.annotation.campaigns import NewItem
from vivavoce.web.annotation.kinds import MAX_NAME, MAX_TEXT, Kind
from vivavoce.web.annotation.records import ITEM_FACTS, DecisionRecord
from vivavoce.web.annotation.tables import Part, clean

PARTS: tuple[str, ...] = get_args(Part)
MAX_KEY = 300
MAX_ITEMS = 200_000

ITEM_KEYS = ("id", *ITEM_FACTS)
_RESULTS = ("state", "final")
"""Keys that an export adds."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Contents of a source."""

    items: Sequence[NewItem]
    decisions: Sequence[DecisionRecord] = ()
    people: Sequence[Row] = ()
    """{code, role}, and what an export knows of somebody besides."""
    unused: int = 0
    """Annotations that the process has no place for: of items that were done before."""


def read_new_items(path: Path, kind: Kind) -> list[NewItem]:
    """The items of a JSON Lines file, in its order.

    Raises:
        InputError: Names the file, the line and what is wrong with it.
    """
    return check_rows(kind, ((row, f"{path}:{number}") for number, row in read_jsonl(path)))


def check_rows(kind: Kind, rows: Iterable[tuple[Row, str]]) -> list[NewItem]:
    """Items of (row, place in the source); `InputError` names the place and the mistake."""
    items: dict[str, NewItem] = {}
    for row, where in rows:
        item = new_item(row, kind, where)
        if item.key in items:
            raise InputError(f"{where}: the id {item.key!r} was given before.")
        items[item.key] = item
        if len(items) > MAX_ITEMS:
            raise InputError(f"{where}: a campaign has at most {MAX_ITEMS:,} items.")
    if not items:
        raise InputError("There is no item to import.")
    return list(items.values())


def new_item(row: Row, kind: Kind, where: str) -> NewItem:
    """One item; `InputError` starts with `where`."""
    row = clean(row)
    for key in row:
        if key not in (*ITEM_KEYS, *_RESULTS):
            near = difflib.get_close_matches(key, ITEM_KEYS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InputError(f"{where}: {key!r} is unknown.{hint}")
    key = _name(row.get("id"), "id", where, MAX_KEY)
    content = row.get("content")
    if not isinstance(content, dict):
        raise InputError(f"{where}: 'content' must be an object with what an item shows.")
    try:
        kind.check_content(content)
    except ValueError as error:
        raise InputError(f"{where}: in 'content' {error}.") from error
    answer = row.get("answer")
    try:
        answer = None if answer is None else kind.check_label(answer)
    except InputError as error:
        raise InputError(f"{where}: in 'answer': {error}") from error
    part = row.get("part", "main" if answer is None else "qualification")
    if part not in PARTS:
        raise InputError(f"{where}: 'part' is {part!r}. Choose: {', '.join(PARTS)}.")
    if part == "qualification" and answer is None:
        raise InputError(f"{where}: an item of the qualification needs an 'answer'.")
    explanation = row.get("explanation") or ""
    if not isinstance(explanation, str) or len(explanation) > MAX_TEXT:
        raise InputError(f"{where}: 'explanation' must be text.")
    return NewItem(
        key=key,
        content=content,
        cluster=_name(row.get("cluster", key), "cluster", where, MAX_NAME),
        part=part,
        answer=answer,
        explanation=explanation,
        where=where,
    )


def _name(value: Any, name: str, where: str, longest: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > longest:
        raise InputError(f"{where}: {name!r} must be text of 1 to {longest} characters.")
    return value


Papers = Mapping[str, Row]
"""Title and abstract by paper id."""


def round_rows(folder: Path, kind: str) -> list[tuple[Row, str]]:
    """Rows as `check_rows` takes them.

    An item's id is that of the table; of a distractor, the table's and the paper's.

    Raises:
        InputError: There is no round, it has no tables, or none of them has what the kind asks for.
        DamagedError: A file of the round is not as it was written.
    """
    if kind not in _READERS:
        names = ", ".join(_READERS)
        raise InputError(f"A round has no items for {kind}. It has some for: {names}.")
    found = load_round(folder)
    items = found.items(FAMILY, TASK)
    papers = _papers(found.read_file(FAMILY, PAPERS))
    rows = [
        (row, f"{folder}: the table {item['id']}")
        for item in items
        for row in _READERS[kind](item, papers)
    ]
    if not rows:
        raise InputError(f"{folder} has no item for {kind}.")
    return rows


def _distractors(item: Row, papers: Papers) -> Iterator[Row]:
    gold = set(item["gold_papers"])
    references = [_paper(paper, papers) for paper in item["gold_papers"]]
    for paper in item["pool"]:
        if paper in gold:
            continue
        yield {
            "id": f"{item['id']} {paper}",
            "cluster": item["cluster"],
            "content": {
                "demand": item["demand"],
                "references": references,
                "candidate": _paper(paper, papers),
                "table": item["id"],
                "paper": paper,
                "columns": item["columns"],
                "rows": [row["cells"] for row in item["rows"]],
            },
        }


def _demands(item: Row, papers: Papers) -> Iterator[Row]:
    yield {
        "id": item["id"],
        "cluster": item["cluster"],
        "content": {
            "caption": item["caption"],
            "demand": item["demand"],
            "columns": item["columns"],
            "titles": [papers[paper]["title"] for paper in item["gold_papers"] if paper in papers],
            "group": item["demand_source"],
        },
    }


_READERS: dict[str, Callable[[Row, Papers], Iterator[Row]]] = {
    "distractors": _distractors,
    "demands": _demands,
}


def _papers(content: bytes) -> dict[str, Row]:
    columns = ["paper_id", "title", "abstract"]
    rows: list[Row] = pq.read_table(pa.BufferReader(content), columns=columns).to_pylist()
    return {row["paper_id"]: row for row in rows}


def _paper(paper: str, papers: Papers) -> Row:
    """A paper as an item shows it; one that the library lacks by its id."""
    found = papers.get(paper, {})
    return {
        "title": found.get("title") or paper,
        "abstract": found.get("abstract"),
        "paper": paper,
    }
