"""Leaderboard items turned into Inspect samples: what BM25 finds for each, laid out as a prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError, NoItemsError
from vivavoce.rounds import Round
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.leaderboards.items import (
    CHUNKS,
    DEVELOPMENT,
    FAMILY,
    PAPERS,
    SIZE,
    SMALLEST,
    SPLITS,
    TASK,
    FoundChunk,
    Shelf,
    ceilings,
    compose,
    gold_table,
    question,
    without_excerpts,
)
from vivavoce.tasks.library import describe_library, read_library
from vivavoce.tasks.prompting.prompts import PromptSet, check_variant

_MAX_CHUNKS = 1_000
_MAX_CHUNK_SIZE = 1_000_000


@dataclass(frozen=True, slots=True)
class Showing:
    """Setting, excerpts and wording of a run."""

    setting: str = "base"
    split: str = "test"
    chunks: int = CHUNKS
    chunk_size: int = SIZE
    variant: int = 1

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise InputError(f"There is no split {self.split!r}. There are: {', '.join(SPLITS)}.")
        sizes = {"chunk_size": (self.chunk_size, SMALLEST, _MAX_CHUNK_SIZE)}
        check_numbers({"chunks": (self.chunks, 1, _MAX_CHUNKS), **sizes})
        check_variant(self.variant)

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+dev` or `base@20` with 20 chunks."""
        split = "" if self.split == "test" else f"+{self.split}"
        size = "" if self.chunk_size == SIZE else f"x{self.chunk_size}"
        amount = f"@{self.chunks}{size}" if size or self.chunks != CHUNKS else ""
        return f"{self.setting}{split}{amount}"


def leaderboard_dataset(
    opened: Round, shown: Showing, prompts: PromptSet, *, max_tokens: int
) -> MemoryDataset:
    """The samples of a round: its boards that have the setting.

    Raises:
        InputError: No board of the split has the setting.
    """
    items = (
        opened.items(FAMILY, TASK)
        if shown.split == "test"
        else table_of_parquet(opened.read_file(FAMILY, DEVELOPMENT)).to_pylist()
    )
    rows = [row for row in items if shown.setting in row["settings"]]
    if not rows:
        raise NoItemsError(_why_empty(opened, shown, len(items)))
    wanted = {paper for row in rows for paper in row["papers"]}
    papers = read_library(
        opened.read_file(FAMILY, PAPERS), None if shown.setting == "corpus" else wanted
    )
    shelf = Shelf(papers, shown.chunk_size)
    samples = [_sample(row, opened, shown, prompts, shelf, max_tokens) for row in rows]
    return MemoryDataset(samples, name=f"{opened.id}/{FAMILY}/{TASK}/{shown.label}")


def _sample(
    row: Row, opened: Round, shown: Showing, prompts: PromptSet, shelf: Shelf, max_tokens: int
) -> Sample:
    asked = question(prompts, row)
    papers = None if shown.setting == "corpus" else row["papers"]
    found = shelf.search(papers, asked, shown.chunks)
    prompt = compose(prompts, asked, found, shown.variant)
    texts = [f"{one.chunk.source}\n{one.chunk.text}" for one in found]
    metadata: dict[str, Any] = {
        **{name: row[name] for name in ("cluster", "published", "split")},
        # What a board shows its rows by.
        "category": row["area"] or "",
        "board": {name: row[name] for name in ("task", "dataset", "metric", "higher_is_better")},
        "entries": [[entry["method"], entry["score"]] for entry in row["entries"]],
        "question": without_excerpts(prompts, asked),
        "setting": shown.setting,
        "variant": shown.variant,
        "prompts": prompts.place,
        "spans": prompt.json_spans,
        "blocks": [list(span) for span in prompt.blocks],
        "parts": {
            f"excerpt {number}": list(span)
            for number, span in enumerate(reversed(prompt.blocks), 1)
        },
        "retrieved": [_record(one) for one in found],
        # By the number of chunks that a model's window leaves, from none to all.
        "ceilings": [[one.mr, one.sp] for one in ceilings(row["entries"], texts)],
        "library": describe_library(
            opened,
            (FAMILY, PAPERS),
            papers=papers,
            cutoff=opened.manifest["window"]["end"],
        ),
        "max_tokens": max_tokens,
    }
    return Sample(id=row["id"], input=prompt.text, target=gold_table(row), metadata=metadata)


def _record(found: FoundChunk) -> dict[str, Any]:
    return {
        "paper_id": found.chunk.paper_id,
        "source": found.chunk.source,
        "rank": found.rank,
        "score": found.score,
    }


def _why_empty(opened: Round, shown: Showing, items: int) -> str:
    message = f"Round {opened.id} has no {shown.split} board with the setting {shown.setting}"
    if items:
        return f'{message}: it was built without it ([leaderboards] pool = "corpus").'
    counts = opened.manifest["counts"][FAMILY][TASK]["excluded"]
    reasons = ", ".join(f"{reason} {count}" for reason, count in counts.items())
    return f"{message}. Boards were left out for these reasons: {reasons}."
