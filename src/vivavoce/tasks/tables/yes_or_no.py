"""Numbered lines that a model answers with yes or no, in batches, and asked again where it did not.

The role `matcher` is asked which headers and cells mean the same where they are not written alike.
It sees pairs of names of columns, or of values of one column, and what the table is about. It sees
no paper, and does not know which side is the gold.

Source: arXiv2Table, appendix B.2: the first word of a line is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from inspect_ai.model import GenerateConfig, Model

from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.metrics.tables.meaning import Meaning, Pair, align_by_meaning
from vivavoce.tasks.prompting.prompts import PromptSet
from vivavoce.tasks.scoring.asking import ATTEMPTS, Request, send

BATCH = 40
"""Lines of one request."""
BATCH_CHARACTERS = 8_000
"""Characters of the lines of one request, unless a single one is longer."""
_LINE = re.compile(r"\W{0,8}(?:q?(\d{1,4})\W{1,8})?(yes|no)\b", re.IGNORECASE)
_MAX_REPLY = 100_000

T = TypeVar("T")
Ask = Callable[[Sequence[str], int], Awaitable[str | None]]
"""Lines, and the number of the attempt -> the reply; None where the model gave none."""


async def ask_yes_or_no(lines: Mapping[T, str], ask: Ask, size: int = BATCH) -> dict[T, bool]:
    """Answers by key; a line without one after the last attempt has none."""
    answers: dict[T, bool] = {}
    for batch in cut_batches(list(lines), lambda key: len(lines[key]), size):
        for attempt in range(1, ATTEMPTS + 1):
            waiting = [key for key in batch if key not in answers]
            if not waiting:
                break
            texts = [one_line(lines[key]) for key in waiting]
            given = read_answers(await ask(texts, attempt) or "", len(texts))
            pairs = zip(waiting, given, strict=True)
            answers |= {key: answer for key, answer in pairs if answer is not None}
    return answers


def read_answers(reply: str, count: int) -> list[bool | None]:
    """The first word of each line that is yes or no, by the line's number, else by its place.

    Lines without a number say nothing where others have one.
    None for a question without one, and for one that is answered both ways.
    """
    found: dict[int, set[bool]] = {}
    lines = [line for line in reply[:_MAX_REPLY].splitlines() if line.strip()]
    matches = [match for line in lines if (match := _LINE.match(line))]
    matches = [match for match in matches if match[1]] or matches
    for place, match in enumerate(matches, start=1):
        number = int(match[1]) if match[1] else place
        found.setdefault(number, set()).add(match[2].lower() == "yes")
    answers = [found.get(number, set()) for number in range(1, count + 1)]
    return [next(iter(each)) if len(each) == 1 else None for each in answers]


def cut_batches(items: Sequence[T], length: Callable[[T], int], size: int) -> list[list[T]]:
    """Items in order, in batches of so many, fewer where their texts are long."""
    batches: list[list[T]] = []
    room = 0
    for item in items:
        if not batches or len(batches[-1]) == size or length(item) > room:
            batches.append([])
            room = BATCH_CHARACTERS
        batches[-1].append(item)
        room -= length(item)
    return batches


def numbered(texts: Sequence[str]) -> str:
    """A line for each text, with its number."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


ROLE = "matcher"
TEMPLATE = "same"
MATCHING = GenerateConfig(temperature=0.0, max_tokens=2048, attempt_timeout=120, max_retries=2)
_MAX_TEXT = 600
"""Characters of a header or cell that the model sees."""
_NO_MARKS = str.maketrans("«»", "<>")


async def align_by_model(
    prompts: PromptSet,
    gold: LiteratureTable,
    system: LiteratureTable,
    topic: str,
    model: Model,
) -> tuple[LiteratureTable, dict[str, Any]]:
    """The system's table in gold words wherever the model says that they mean the same.

    Args:
        prompts: The family's templates.
        gold: The gold table.
        system: The table under test.
        topic: Subject of the table, for the model.
        model: The model of the role.

    Returns:
        The table, and a record of the pairs that were put to the model with its answers; None where
        it gave none, which counts as different.
    """
    said: dict[Pair, bool | None] = {}
    waiting: set[Pair] = set()

    def judge(pair: Pair) -> bool:
        if pair not in said:
            waiting.add(pair)
        return bool(said.get(pair))

    # Cells are compared once their columns are paired, so that headers come first.
    while True:
        aligned = align_by_meaning(gold, system, Meaning(judge=judge))
        if not waiting:
            break
        said |= await ask_matcher(prompts, topic, sorted(waiting, key=_order), model)
        waiting.clear()
    record = [[*pair, said[pair]] for pair in sorted(said, key=_order)]
    return aligned, {"matcher": str(model), "prompts": prompts.sha256, "pairs": record}


async def ask_matcher(
    prompts: PromptSet, topic: str, pairs: Sequence[Pair], model: Model
) -> dict[Pair, bool | None]:
    """The model's answer about each pair of one table; None where it gave none."""

    async def ask(lines: Sequence[str], attempt: int) -> str | None:
        reply = await send(model, prompts, same_request(topic, lines), attempt=attempt)
        return None if reply.fault else reply.text

    answers = await ask_yes_or_no({pair: pair_line(pair) for pair in pairs}, ask)
    return {pair: answers.get(pair) for pair in pairs}


def same_request(topic: str, lines: Sequence[str]) -> Request:
    """The request for some pairs, each on one line."""
    usual = numbered(["yes"] * len(lines))
    slots = {"topic": topic, "pairs": numbered(lines)}
    return Request(TEMPLATE, slots, {"count": len(lines)}, usual=usual)


def pair_line(pair: Pair) -> str:
    """A pair as the model sees it."""
    one, other, header = pair
    place = "columns" if header is None else f"values of the column {_shown(header)}"
    return f"{place}: {_shown(one)} / {_shown(other)}"


def _shown(text: str) -> str:
    return f"«{text[:_MAX_TEXT].translate(_NO_MARKS)}»"


def _order(pair: Pair) -> tuple[bool, str, str, str]:
    one, other, header = pair
    return header is not None, header or "", one, other
