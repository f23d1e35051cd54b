"""Items out of JSON Lines, rounds and Label Studio, checked by their kind.

A line is {id, content, cluster?, part?, answer?, explanation?}. An item with an answer is one of
the qualification unless its part is `main`: then it is a control among the others. The annotations
of a task of Label Studio become, by the time they were made, the first pair; where that is split
the second pair; where that is split too the consensus.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.errors import InputError
from vivavoce.rounds import load_round
from vivavoce.store import Row, hash_of, read_json, read_jsonl
from vivavoce.tasks.tables.items.table_items import FAMILY, PAPERS, TASK
from vivavoce.web.annotation.assignment import outcome
from vivavoce.web.annotation.campaigns import NewItem
from vivavoce.web.annotation.kinds import MAX_NAME, MAX_TEXT, Kind
from vivavoce.web.annotation.records import ITEM_FACTS, DecisionRecord
from vivavoce.web.annotation.tables import Part, clean

PARTS: tuple[str, ...] = get_args(Part)
MAX_KEY = 300
MAX_ITEMS = 200_000
MAX_FILE = 1 << 28
"""Bytes of a file of tasks of Label Studio."""

_NEXT_STAGES = {"open": "first", "conflict": "second", "discussion": "consensus"}
"""The stage of the next annotation, by what those before it came to."""
_RANK = ("annotator", "adjudicator", "lead")
_OUR_CODE = re.compile(r"(P|LS)[A-Z0-9]{1,16}")

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


def _tables(item: Row, papers: Papers) -> Iterator[Row]:
    names = [papers.get(row["paper"], {}).get("title") or row["paper"] for row in item["rows"]]
    rows = [[name, *row["cells"]] for name, row in zip(names, item["rows"], strict=True)]
    content = {"caption": item["caption"], "columns": ["Paper", *item["columns"]], "rows": rows}
    yield {"id": item["id"], "cluster": item["cluster"], "content": content}


_READERS: dict[str, Callable[[Row, Papers], Iterator[Row]]] = {
    "distractors": _distractors,
    "demands": _demands,
    "tables": _tables,
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


def read_studio(path: Path, kind: Kind) -> Intake:
    """Items and decisions of a file of tasks.

    Raises:
        InputError: Names the file, the task and what is wrong with it.
    """
    if path.is_file() and path.stat().st_size > MAX_FILE:
        raise InputError(f"{path} is larger than {MAX_FILE >> 20} MB.")
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise InputError(f"{path} is not a list of tasks.")
    rows = [_row(task, f"{path}: task {number}") for number, task in enumerate(tasks, 1)]
    items = check_rows(kind, [(row, where) for row, where, _ in rows])
    decisions: list[DecisionRecord] = []
    roles: dict[str, str] = {}
    unused = 0
    for item, (_, where, made_of_it) in zip(items, rows, strict=True):
        made = [
            _decision(one, item, kind, f"{where}: annotation {number}")
            for number, one in enumerate(made_of_it, 1)
            if not one.get("was_cancelled")
        ]
        placed = _placed(sorted(made, key=lambda one: (one.decided_at, one.person)))
        decisions += placed
        unused += len(made) - len(placed)
        for record in placed:
            role = {"consensus": "lead", "second": "adjudicator"}.get(record.stage, "annotator")
            roles[record.person] = max(role, roles.get(record.person, role), key=_RANK.index)
    people = [{"code": code, "role": role} for code, role in sorted(roles.items())]
    return Intake(items, decisions, people, unused)


def _row(task: Any, where: str) -> tuple[Row, str, list[Row]]:
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        raise InputError(f"{where} has no 'data'.")
    annotations = task.get("annotations") or []
    if not isinstance(annotations, list) or not all(isinstance(a, dict) for a in annotations):
        raise InputError(f"{where}: 'annotations' must be a list of objects.")
    row = {key: data[key] for key in ITEM_KEYS if data.get(key) not in (None, "")}
    row.setdefault("id", str(task.get("id", "")))
    if "content" not in row:
        # A file made elsewhere: the parts of the content lie in `data` itself.
        rest = {k: v for k, v in data.items() if k not in (*ITEM_KEYS, "text")}
        row["content"] = rest
    return row, where, annotations


def _decision(annotation: Row, item: NewItem, kind: Kind, where: str) -> DecisionRecord:
    results = annotation.get("result")
    if not isinstance(results, list):
        raise InputError(f"{where}: 'result' must be a list.")
    label: dict[str, Any] = {}
    for result in results:
        value = result.get("value") if isinstance(result, dict) else None
        choices = value.get("choices") if isinstance(value, dict) else None
        if isinstance(choices, list) and len(choices) == 1 and result.get("type") == "choices":
            label[str(result.get("from_name"))] = choices[0]
    try:
        checked = kind.check_label(label)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    at = _moment(annotation.get("created_at"), where)
    lead: Any = annotation.get("lead_time")
    has_lead = isinstance(lead, int | float) and not isinstance(lead, bool) and 0 <= lead < 1e8
    spent = timedelta(seconds=lead if has_lead else 0)
    return DecisionRecord(
        item=item.key,
        part=item.part,
        cluster=item.cluster,
        person=_person(annotation.get("completed_by"), where),
        stage="qualification" if item.part == "qualification" else "first",
        revision=1,
        last=True,
        label=checked,
        note="",
        flag=False,
        signs=(at - spent,),
        decided_at=at,
    )


def _placed(made: Sequence[DecisionRecord]) -> list[DecisionRecord]:
    """Decisions on one item, by time, each in its stage; what no stage needs is left out."""
    placed: list[DecisionRecord] = []
    labels: dict[str, list[Row]] = {}
    for record in made:
        state, _ = outcome(labels)
        if record.person in (other.person for other in placed):
            continue
        if record.stage != "qualification":
            if state == "done":
                continue
            record = replace(record, stage=_NEXT_STAGES[state])
            labels.setdefault(record.stage, []).append(dict(record.label))
        placed.append(record)
    return placed


def _person(value: Any, where: str) -> str:
    """A pseudonym; of anything but a number or one of our own, a hash, as it may be an address."""
    if isinstance(value, dict):
        value = value.get("id", value.get("email"))
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12:
        return f"LS{value}"
    if isinstance(value, str) and value.strip():
        return value if _OUR_CODE.fullmatch(value) else f"LS{hash_of(value)[:10].upper()}"
    raise InputError(f"{where}: 'completed_by' does not say who made it.")


def _moment(value: Any, where: str) -> datetime:
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: 'created_at' is no moment: {str(value)[:40]!r}.") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
