"""Writing items turned into Inspect samples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.errors import InputError, NoItemsError
from vivavoce.rounds import Round
from vivavoce.rounds.family import check_split, split_name
from vivavoce.store import Row, read_json, table_of_parquet
from vivavoce.tasks.prompting.prompts import PromptSet, check_variant
from vivavoce.tasks.writing.items.composing import TRACKS, Example, compose
from vivavoce.tasks.writing.items.inputs import (
    DEMONSTRATED,
    PaperText,
    gold,
    paper_from_row,
    slots,
)
from vivavoce.tasks.writing.items.rows import shown_demos

USUAL_DEMOS = 2
"""Demonstrations of the paper's settings; another number stands in the setting's name."""


@dataclass(frozen=True, slots=True)
class Showing:
    """Parts of each item that a run shows, and the wording."""

    task: str
    setting: str = "base"
    demos: int = 0
    """Demonstrations of each kind, at most."""
    track: str = "cited"
    split: str | None = None
    """Only these items; all where it is None."""
    variant: int = 1

    @property
    def label(self) -> str:
        """The setting's name on a board, such as `base+padded`, `base+test` or `mixed@1`."""
        parts = [self.setting, *([self.track] if self.track != "cited" else ())]
        has_usual = self.setting not in DEMONSTRATED or self.demos == USUAL_DEMOS
        label = "+".join([*parts, *([self.split] if self.split else ())])
        return label if has_usual else f"{label}@{self.demos}"


def showing(
    opened: Round,
    task: str,
    setting: str,
    demos: int | None,
    track: str,
    variant: int,
    split: str | None = None,
) -> Showing:
    """Check a task's arguments, and put them together.

    Args:
        opened: The round.
        task: What is to be written.
        setting: What the model sees.
        demos: Demonstrations of each kind; None for as many as the round holds.
        track: Which works are listed.
        variant: The wording.
        split: Which items are asked for; None for all.

    Raises:
        InputError: There is no such number, track, split or wording.
    """
    if track not in TRACKS:
        raise InputError(f"There is no track {track!r}. There are: {', '.join(TRACKS)}.")
    check_split(split)
    check_variant(variant)
    held = _held(opened) if setting in DEMONSTRATED else 0
    if demos is None:
        demos = held
    elif setting not in DEMONSTRATED:
        raise InputError(
            f"The setting {setting} shows no demonstrations, so demos={demos!r} says nothing. "
            f"Those that do are {', '.join(DEMONSTRATED)}."
        )
    elif type(demos) is not int or not 1 <= demos <= held:
        raise InputError(
            f"demos={demos!r} is not a number from 1 to the {held} demonstrations of each kind "
            f"that round {opened.id} holds. For more, build a round with more ([writing] demos)."
        )
    return Showing(task, setting, demos, track, split, variant)


def _held(opened: Round) -> int:
    """Demonstrations of each kind that the round was built with."""
    options = read_json(opened.folder / "spec.json").get("writing", {})
    return int(options.get("demos", USUAL_DEMOS))


def writing_dataset(
    opened: Round, shown: Showing, prompts: PromptSet, *, words: int, max_tokens: int
) -> MemoryDataset:
    """The samples of a task: its items that have the setting.

    Raises:
        InputError: No item has the setting; the message gives the reason of one.
    """
    rows = opened.items("writing", shown.task)
    rows = [row for row in rows if shown.setting in row["settings"]]
    if not rows:
        raise NoItemsError(_why_empty(opened, shown))
    if shown.split:
        rows = [row for row in rows if split_name(row["split"]) == shown.split]
        if not rows:
            raise NoItemsError(
                f"Round {opened.id} has no {shown.split} item of {shown.task} with the setting "
                f"{shown.setting}. viva round stats counts the items of each split."
            )
    wanted = {paper for row in rows for paper in (row["paper_id"], *_demonstrations(row, shown))}
    table = table_of_parquet(opened.read_file("writing", "papers.parquet"))
    mask = [paper_id in wanted for paper_id in table["paper_id"].to_pylist()]
    listed = table.filter(pa.array(mask, pa.bool_())).to_pylist()
    papers = {row["paper_id"]: paper_from_row(row) for row in listed}
    values = {"words": words, "max_tokens": max_tokens}
    maker = SampleMaker(shown, prompts, values, papers)
    return MemoryDataset(
        [maker.sample(row) for row in rows], name=f"{opened.id}/writing/{shown.task}"
    )


class SampleMaker:
    """Makes samples; what is shown of a demonstration is put together once."""

    def __init__(
        self,
        shown: Showing,
        prompts: PromptSet,
        values: Mapping[str, int],
        papers: Mapping[str, PaperText],
    ) -> None:
        self._shown, self._prompts, self._values, self._papers = shown, prompts, values, papers
        self._examples: dict[str, Example] = {}

    def sample(self, row: Row) -> Sample:
        """One item as a sample: every text in full, and where each of them stands.

        `cluster` is what the bootstrap resamples.
        """
        shown, values, paper = self._shown, self._values, self._papers[row["paper_id"]]
        works: list[Row] = []
        if shown.task == "related_work" and shown.setting != "title_only":
            padded = shown.track == "padded"
            works = [work for work in row["works"] if padded or work["role"] == "cited"]
        composed = compose(
            self._prompts,
            shown.task,
            slots(shown.task, shown.setting, paper),
            examples=[self._example(paper) for paper in _demonstrations(row, shown)],
            works=works,
            variant=shown.variant,
            values={"words": values["words"]},
        )
        metadata: dict[str, Any] = {
            **{name: row[name] for name in ("cluster", "published", "split")},
            **({"published_from": source} if (source := row.get("published_from")) else {}),
            "title": paper.title,
            "task": shown.task,
            "setting": shown.setting,
            "variant": shown.variant,
            "prompts": self._prompts.place,
            "spans": composed.prompt.json_spans,
            "blocks": [list(span) for span in composed.prompt.blocks],
            "pool": [[source.label, *source.span] for source in composed.pool],
            **values,
        }
        if parts := composed.prompt.parts:
            metadata["parts"] = {name: list(span) for name, span in parts.items()}
            metadata["adds"] = "example" if shown.setting in DEMONSTRATED else "work"
        if shown.task == "related_work":
            numbered = list(enumerate(works, 1))
            metadata["works"] = [work["title"] for work in works]
            metadata["cited"] = [number for number, work in numbered if work["role"] == "cited"]
        return Sample(
            id=row["id"], input=composed.prompt.text, target=row["reference"], metadata=metadata
        )

    def _example(self, paper_id: str) -> Example:
        if paper_id not in self._examples:
            paper, task = self._papers[paper_id], self._shown.task
            answer = gold(task, paper.title, paper.abstract, paper.sections)
            self._examples[paper_id] = Example(slots(task, "base", paper), answer or "")
        return self._examples[paper_id]


def _demonstrations(row: Row, shown: Showing) -> list[str]:
    return shown_demos(row, shown.setting, shown.demos)


def _why_empty(opened: Round, shown: Showing) -> str:
    """That no item has a setting, with a paper for which it was tried."""
    cells = json.loads(opened.read_file("writing", "cells.json"))["cells"]
    found = [c for c in cells if (c["task"], c["setting"]) == (shown.task, shown.setting)]
    message = f"Round {opened.id} has no item of {shown.task} with the setting {shown.setting}"
    if not found:
        return f"{message}: it was built without that setting ([writing] settings)."
    if reasons := found[0].get("left_out"):
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
        message += f". Papers were left out for these reasons: {counts}"
    if not (rejected := found[0]["rejected"]):
        return f"{message}."
    detail = f", {rejected['detail']}" if rejected["detail"] else ""
    candidate = rejected["candidate"]
    what = "it" if candidate == rejected["paper_id"] else f"the demonstration {candidate}"
    return f"{message}. For paper {rejected['paper_id']}, say, {what} was left out: " + (
        f"{rejected['reason']}{detail}."
    )
