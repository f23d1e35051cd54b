"""Ranking items turned into Inspect samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError, NoItemsError
from vivavoce.rounds import Round
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.library import describe_library
from vivavoce.tasks.prompting.prompts import (
    PromptSet,
    Rendered,
    Span,
    check_variant,
    fence_mark,
    template_name,
)
from vivavoce.tasks.ranking.items.boards import FAMILY
from vivavoce.tasks.ranking.items.graph_items import PAPERS
from vivavoce.tasks.ranking.items.graph_ranking import (
    SETTINGS,
    PaperGraph,
    list_candidates,
    open_graph,
)

PROMPT, GRAPH = "rank_by_prompt", "rank_by_graph"
SPLITS = ("test", "dev")
SCORINGS = ("default", "legacy")
LISTED = 200
"""Candidates that a prompt lists."""
_MAX_LISTED = 10_000
_TOLD = ("cluster", "published", "split", "higher_is_better", "area", "papers", "scores")


@dataclass(frozen=True, slots=True)
class Asking:
    """The boards that a run asks for, the wording, and the reading of answers."""

    task: str
    setting: str = "base"
    split: str = "test"
    scoring: str = "default"
    variant: int = 1
    listed: int = LISTED

    def __post_init__(self) -> None:
        """Refuse what there is not, with an `InputError`."""
        choices = (("split", self.split, SPLITS), ("scoring", self.scoring, SCORINGS))
        for name, value, known in choices:
            if value not in known:
                raise InputError(f"There is no {name} {value!r}. There are: {', '.join(known)}.")
        check_variant(self.variant)
        check_numbers({"listed": (self.listed, 1, _MAX_LISTED)})

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+dev`, `base+legacy` or `base@50`."""
        split = "" if self.split == "test" else f"+{self.split}"
        scoring = "" if self.scoring == "default" else f"+{self.scoring}"
        listed = "" if self.listed == LISTED else f"@{self.listed}"
        return f"{self.setting}{split}{scoring}{listed}"


def ranking_dataset(
    opened: Round, asked: Asking, prompts: PromptSet, *, max_tokens: int
) -> MemoryDataset:
    """The samples of a task.

    Raises:
        InputError: The round has no such board.
    """
    boards = read_rows(opened, asked.task, asked.split)
    rows = boards
    if asked.task == GRAPH:
        rows = [row for row in boards if asked.setting in row["settings"]]
    if not rows:
        raise NoItemsError(
            f"Round {opened.id} has no {asked.split} board of {asked.task} with the setting "
            f"{asked.setting}: "
            + (
                "build it with the networks and texts of the setting ([ranking] networks, texts)."
                if boards
                else "give it more papers with results."
            )
        )
    common = {
        "task": asked.task,
        "setting": asked.setting,
        "variant": asked.variant,
        "round": str(opened.folder.resolve()),
        "seed": int(opened.manifest["seed"]),
        "max_tokens": max_tokens,
        "prompts": prompts.place,
        "library": describe_library(
            opened, (FAMILY, PAPERS), papers=None, cutoff=opened.manifest["window"]["end"]
        ),
    }
    if asked.task == PROMPT:
        samples = [prompt_sample(row, asked, prompts, common) for row in rows]
    else:
        graph = open_graph(str(opened.folder), opened.sha256)
        samples = [graph_sample(row, graph, asked, prompts, common) for row in rows]
    return MemoryDataset(samples, name=f"{opened.id}/{FAMILY}/{asked.task}")


def read_rows(opened: Round, task: str, split: str) -> list[Row]:
    """The boards of a task; those of the split `dev` are no items and lie in a file of their own.

    `InputError` when the round does not have the task.
    """
    rows = opened.items(FAMILY, task)
    if split == "test":
        return rows
    content = opened.read_file(FAMILY, "development.parquet")
    found: list[Row] = table_of_parquet(content).to_pylist()
    return found


def prompt_sample(row: Row, asked: Asking, prompts: PromptSet, common: Row) -> Sample:
    """A board as a query with its titles; each title may go when a window is too narrow."""
    titles = [row["titles"][place] for place in row["shown"]]
    name = template_name(asked.task, asked.variant)
    prompt = prompts.render(name, {**_names(row), "titles": "\n".join(titles)}, {})
    start = prompt.spans["titles"][0]
    return Sample(
        id=row["id"],
        input=prompt.text,
        target="\n".join(row["titles"]),
        metadata={
            **_metadata(row, prompt, common),
            "titles": titles,
            "shown": list(row["shown"]),
            "blocks": [list(span) for span in _lines_from_last(titles, start)],
        },
    )


def graph_sample(
    row: Row, graph: PaperGraph, asked: Asking, prompts: PromptSet, common: Row
) -> Sample:
    """A board as a query with its candidates; the target is the ids of its papers, best first.

    The candidates are listed with their dates and links, the likeliest by BM25 first; each may go
    when a window is too narrow.
    """
    ids, lines = list_candidates(graph, row, asked.setting, asked.listed)
    listing = "\n".join(lines)
    values = {"mark": fence_mark([listing]), "network": SETTINGS[asked.setting][0]}
    name = template_name(asked.task, asked.variant)
    prompt = prompts.render(name, {**_names(row), "papers": listing}, values)
    start = prompt.spans["papers"][0]
    return Sample(
        id=row["id"],
        input=prompt.text,
        target="\n".join(row["papers"]),
        metadata={
            **_metadata(row, prompt, common),
            "question": prompts.render(f"{asked.task}.question", _names(row), {}).text,
            "candidates": ids,
            "blocks": [list(span) for span in _lines_from_last(lines, start)],
        },
    )


def _names(row: Row) -> dict[str, str]:
    return {name: row[name] for name in ("task", "dataset", "metric")}


def _metadata(row: Row, prompt: Rendered, common: Row) -> dict[str, Any]:
    return {
        **{name: row[name] for name in _TOLD},
        **common,
        "board": _names(row),
        "spans": prompt.json_spans,
    }


def _lines_from_last(titles: Sequence[str], start: int) -> list[Span]:
    """Places of each title with the line break before it, from the last to the second."""
    spans: list[Span] = []
    for title in titles:
        spans.append((start, start + len(title)))
        start += len(title) + 1
    return [(first - 1, last) for first, last in reversed(spans[1:])]
