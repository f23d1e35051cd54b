"""Rounds written by hand: whatever a builder would refuse can be planted in them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vivavoce.records import Section
from vivavoce.store import hash_file, write_json, write_parquet, write_sealed
from vivavoce.tasks.writing.inputs import PAPER, SCHEMAS, PaperText, row_of_paper


def words(name: str, count: int = 40) -> str:
    """So many words that no other name has."""
    return " ".join(f"{name}{n}" for n in range(count))


def paper(
    paper_id: str,
    *,
    published: str = "2024-03-05",
    title: str = "",
    abstract: str = "",
    introduction: str = "",
    method: str = "",
) -> PaperText:
    """A paper with an introduction and a method, all of its own words unless given."""
    texts = (
        ("introduction", "Introduction", introduction or words(f"{paper_id}intro")),
        ("method", "Method", method or words(f"{paper_id}method", 80)),
    )
    return PaperText(
        paper_id=paper_id,
        published=published,
        title=title or f"The title of {paper_id}",
        abstract=abstract or words(f"{paper_id}abstract"),
        sections=tuple(
            Section(n, 1, heading, role, text, number=str(n + 1))
            for n, (role, heading, text) in enumerate(texts)
        ),
    )


def item(
    target: PaperText,
    reference: str,
    *,
    settings: Sequence[str] = ("base",),
    random: Sequence[str] = (),
    coauthor: Sequence[str] = (),
    split: str = "test",
    published: str = "",
    works: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """An item of a task, whose gold is `reference`."""
    row: dict[str, Any] = {
        "id": target.paper_id,
        "paper_id": target.paper_id,
        "cluster": target.paper_id,
        "split": split,
        "published": published or target.published,
        "category": None,
        "reference": reference,
        "settings": list(settings),
        "demos_random": list(random),
        "demos_coauthor": list(coauthor),
        "overlap": None,
        "overlap_rest": None,
    }
    return row if works is None else {**row, "works": list(works)}


def write_round(
    folder: Path,
    papers: Sequence[PaperText],
    tasks: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    excluded: Sequence[Mapping[str, Any]] = (),
    window: tuple[str, str] = ("2024-01-01", "2025-01-01"),
    with_papers: bool = True,
) -> Path:
    """Write a round's folder and its manifest."""
    for task, rows in tasks.items():
        write_parquet(folder / "writing" / f"{task}.parquet", list(map(dict, rows)), SCHEMAS[task])
    if with_papers:
        rows = [row_of_paper(each) for each in sorted(papers, key=lambda each: each.paper_id)]
        write_parquet(folder / "writing" / "papers.parquet", rows, PAPER)
    write_json(folder / "spec.json", {"writing": {"max_overlap": 0.2}})
    counts = {"writing": {task: {"items": len(rows)} for task, rows in tasks.items()}}
    return write_manifest(folder, counts, excluded, window)


def write_manifest(
    folder: Path,
    counts: Mapping[str, Any],
    excluded: Sequence[Mapping[str, Any]] = (),
    window: tuple[str, str] = ("2024-01-01", "2025-01-01"),
) -> Path:
    """Make a round of the files in a folder."""
    write_json(folder / "leakage.json", {"counts": {}, "excluded": list(excluded)})
    files = {
        path.relative_to(folder).as_posix(): {"sha256": hash_file(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    days = {"start": window[0], "end": window[1]}
    manifest = {"id": "made", "window": days, "counts": counts, "files": files}
    write_sealed(folder / "manifest.json", manifest)
    return folder
