"""A round of a few papers written by hand, so that every word of a prompt is known."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.records import Section
from vivavoce.rounds import Round, load_round
from vivavoce.store import hash_file, write_bytes, write_json, write_parquet, write_sealed
from vivavoce.tasks.writing.inputs import (
    PAPER,
    SCHEMAS,
    TASKS,
    PaperText,
    gold,
    row_of_paper,
    settings_of,
)

ROLES = ("introduction", "related_work", "method", "conclusion")
WORKS = 6
"""Listed works of the target; those of even number are padding."""


def paper(name: str, words: int = 60) -> PaperText:
    """A paper whose every text says which paper and which part it is of."""
    sections = [
        Section(
            ordinal=place,
            number=str(place + 1),
            heading=f"{role.replace('_', ' ').title()} of {name}",
            level=1,
            role=role,
            text=" ".join(f"{name}-{role}-{n} water." for n in range(words)),
        )
        for place, role in enumerate(ROLES)
    ]
    abstract = " ".join(f"{name}-abstract-{n}" for n in range(20))
    return PaperText(name, "2024-01-01", f"The {name} title", abstract, tuple(sections))


def work(number: int, words: int = 8) -> dict[str, Any]:
    """A listed work."""
    return {
        "work_id": None,
        "title": f"Work called w{number}",
        "abstract": " ".join(f"w{number}-abstract-{n}" for n in range(words)),
        "role": "padding" if number % 2 == 0 else "cited",
    }


def item(task: str, target: PaperText, **changes: Any) -> dict[str, Any]:
    """An item of a task, with two demonstrations of each kind."""
    row: dict[str, Any] = {
        "id": target.paper_id,
        "paper_id": target.paper_id,
        "cluster": target.paper_id,
        "split": "test",
        "published": target.published,
        "category": "cs.CL",
        "reference": gold(task, target.title, target.abstract, target.sections),
        "settings": list(settings_of(task)),
        "demos_random": ["elm", "fir"],
        "demos_coauthor": ["oak", "fir"],
        "overlap": 0.0,
        "overlap_rest": 0.0,
    }
    if task == "related_work":
        row["works"] = [work(number) for number in range(1, WORKS + 1)]
        row["hidden"] = [target.paper_id]
    return row | changes


def hand_round(
    folder: Path,
    papers: Sequence[PaperText] | None = None,
    items: Mapping[str, Sequence[dict[str, Any]]] | None = None,
    *,
    demos: int = 2,
) -> Round:
    """A round of one target, `pear`, and its demonstrations, unless others are given."""
    target = paper("pear")
    papers = papers or [target, *(paper(name) for name in ("elm", "fir", "oak"))]
    items = items or {task: [item(task, target)] for task in TASKS}
    root = folder / "hand"
    files: dict[str, Any] = {}
    for task, rows in items.items():
        write_parquet(root / "writing" / f"{task}.parquet", rows, SCHEMAS[task])
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([row_of_paper(p) for p in papers], PAPER), buffer)
    write_bytes(root / "writing" / "papers.parquet", buffer.getvalue())
    write_json(root / "spec.json", {"round": {"id": "hand"}, "writing": {"demos": demos}})
    for path in sorted(root.rglob("*")):
        if path.is_file():
            files[path.relative_to(root).as_posix()] = {"sha256": hash_file(path)}
    counts = {task: {"items": len(rows), "clusters": len(rows)} for task, rows in items.items()}
    manifest = {
        "format": 1,
        "id": "hand",
        "window": {"start": "2024-01-01", "end": "2025-01-01"},
        "seed": 0,
        "families": ["writing"],
        "counts": {"writing": counts},
        "files": files,
    }
    write_sealed(root / "manifest.json", manifest)
    return load_round(root)
