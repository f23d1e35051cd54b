"""Evaluation by use: questions about one table, answered by a model out of the other one.

The model of the role `answerer` sees one table and questions about the other one, never both
tables. The questions are those of `metrics.table_questions`, with probes among them, whose right
answer is no.

Source: arXiv2Table, section 4.3 and appendix B.2: temperature 0.5, two runs that are averaged,
120 seconds for a request and two retries, the first word of a line taken as the answer.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model, model_roles

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_tables import LiteratureTable, aggregate_tables
from vivavoce.metrics.tables.table_questions import (
    PAIRS,
    QuestionSet,
    Side,
    TablePair,
    Tally,
    rectangle,
    rename_columns,
    tally,
)
from vivavoce.metrics.tables.table_schema import match_columns
from vivavoce.tasks.prompting.prompts import PromptSet
from vivavoce.tasks.scoring.asking import Request, send
from vivavoce.tasks.tables.yes_or_no import (
    BATCH,
    ask_yes_or_no,
    numbered,
)

ANSWERER = "answerer"
RUNS = 2

_CONFIG = GenerateConfig(
    temperature=0.5, top_p=1.0, max_tokens=2048, attempt_timeout=120, max_retries=2
)
"""How the role decodes, where it does not say otherwise."""
_SIDES: tuple[tuple[Side, Side], ...] = (("gold", "system"), ("system", "gold"))


@dataclass(frozen=True, slots=True)
class Use:
    """Settings of questions about tables and of their answers."""

    pairs: int | None = PAIRS
    seed: int = 0
    runs: int = RUNS
    batch: int = BATCH

    def __post_init__(self) -> None:
        if self.runs < 1 or self.batch < 1:
            raise InputError(f"runs={self.runs} and batch={self.batch} must be at least 1.")


@dataclass(frozen=True, slots=True)
class Used:
    """Result of the answers of all runs."""

    runs: tuple[Tally, ...]
    record: dict[str, Any]
    """What a log keeps: who answered, the questions and every answer."""

    def values(self) -> dict[str, float | None]:
        """Every metric of this table, the mean over runs, with both biases."""
        found = [
            {
                **aggregate_tables([run.score]),
                "yes_bias": run.yes_bias.value,
                "no_bias": run.no_bias.value,
            }
            for run in self.runs
        ]
        means: dict[str, float | None] = {}
        for name in found[0]:
            # What is undefined in one of the runs is so in all: they ask the same.
            defined = [value for values in found if (value := values[name]) is not None]
            means[name] = math.fsum(defined) / len(defined) if defined else None
        return means


@asynccontextmanager
async def open_answerer(name: str) -> AsyncIterator[Model]:
    """A model by name, outside of an evaluation; closed at the end."""
    # A model that is kept for later holds connections of the event loop it was first used in.
    async with get_model(name, role=ANSWERER, config=_CONFIG, memoize=False) as model:
        yield model


def check_roles(wanted: Sequence[str]) -> None:
    """Raise `InputError` unless every role that is needed has one model."""
    roles = model_roles()
    for role in wanted:
        if isinstance(roles.get(role), Sequence):
            raise InputError(f"The role {role} has several models. Give it one.")
        if roles.get(role) is None:
            raise InputError(
                f"Nobody plays the role {role}. Name a model: -T {role}=MODEL, or inspect eval ... "
                f"--model-role {role}=MODEL."
            )


async def use_tables(
    prompts: PromptSet,
    gold: LiteratureTable,
    system: LiteratureTable,
    names: Mapping[str, str],
    use: Use,
    answerer: Model | None = None,
) -> Used:
    """Ask both tables what the other one says; by default the model of the role answers."""
    papers = {row.paper for table in (gold, system) for row in table.rows}
    names = {paper: names.get(paper) or paper.removeprefix("unknown: ") for paper in sorted(papers)}
    answerer = answerer or get_model(role=ANSWERER, required=True, config=_CONFIG)
    system = rename_columns(system, gold, match_columns(gold.columns, system.columns))
    pair = TablePair(gold, system, names)
    asked = {about: pair.ask(about, pairs=use.pairs, seed=use.seed) for about, _ in _SIDES}
    tallies, answered, cut_tables = [], [], 0
    for run in range(use.runs):
        answers: dict[Side, dict[str, bool]] = {}
        for about, other in _SIDES:
            shown = rectangle(pair.tables[other], names)
            answers[about], cut = await _read(answerer, prompts, shown, asked[about], use, run)
            cut_tables += cut
        tallies.append(tally(pair, asked, answers))
        answered.append(answers)
    record = {
        "answerer": str(answerer),
        "prompts": prompts.sha256,
        "cut_tables": cut_tables,
        "columns": list(system.columns),
        "questions": {about: _as_rows(asked[about], answered, about) for about in asked},
    }
    return Used(tuple(tallies), record)


async def _read(
    model: Model, prompts: PromptSet, table: str, asked: QuestionSet, use: Use, run: int
) -> tuple[dict[str, bool], int]:
    """A model's readings of a table, by the keys of the questions; the requests that were cut."""
    cut = 0

    async def ask(texts: Sequence[str], attempt: int) -> str | None:
        nonlocal cut
        slots = {"table": table, "questions": numbered(texts)}
        # The end of a table goes first, and is noted.
        request = Request(
            "answering", slots, {"count": len(texts), "attempt": attempt}, cut=("table",)
        )
        reply = await send(model, prompts, request, config=GenerateConfig(seed=use.seed + run))
        cut += reply.is_cut
        return None if reply.fault else reply.text

    lines = {question.key: question.text for question in asked.shuffled(use.seed)}
    return await ask_yes_or_no(lines, ask, use.batch), cut


def _as_rows(
    asked: QuestionSet, answered: Sequence[Mapping[Side, Mapping[str, bool]]], about: Side
) -> list[dict[str, Any]]:
    """Questions and probes with the answers of every run; None where there was none."""
    return [
        {**question.as_dict(), "answers": [run[about].get(question.key) for run in answered]}
        for question in (*asked.questions, *asked.probes)
    ]
