"""Items of a round for people to check: its distractors, its requests, its gold tables.

An item is {id, cluster, content} as `viva annotate import` takes it. Its id is that of the table;
of a distractor, the table's and the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.errors import InputError
from vivavoce.rounds import load_round
from vivavoce.store import Row
from vivavoce.tasks.tables.items.item import FAMILY, PAPERS, TASK

Papers = Mapping[str, Row]
"""Title and abstract by paper id."""


def campaign_rows(folder: Path, kind: str) -> list[tuple[Row, str]]:
    """Items of a kind of campaign, each with its place in the round.

    Raises:
        InputError: There is no round, it has no tables, or none of them has what the kind asks for.
        DamagedError: A file of the round is not as it was written.
    """
    if kind not in _READERS:
        names = ", ".join(_READERS)
        raise InputError(f"A round has no items for {kind}. It has some for: {names}.")
    found = load_round(folder)
    items = found.items(FAMILY, TASK)
    content = pa.BufferReader(found.read_file(FAMILY, PAPERS))
    listed = pq.read_table(content, columns=["paper_id", "title", "abstract"]).to_pylist()
    papers = {row["paper_id"]: row for row in listed}
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


def _paper(paper: str, papers: Papers) -> Row:
    """A paper as an item shows it; one that the library lacks by its id."""
    found = papers.get(paper, {})
    return {
        "title": found.get("title") or paper,
        "abstract": found.get("abstract"),
        "paper": paper,
    }
