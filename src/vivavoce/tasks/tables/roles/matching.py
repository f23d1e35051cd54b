"""Headers and cells that a model takes for the same, where they are not written alike.

The model of the role `matcher` sees pairs of names of columns, or of values of one column, and what
the table is about. It sees no paper, and does not know which side is the gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessageUser, GenerateConfig, Model

from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.metrics.tables.meaning import Meaning, Pair, align_by_meaning
from vivavoce.tasks.prompting.prompts import PromptSet, fence_mark
from vivavoce.tasks.scoring.guard import find_fault
from vivavoce.tasks.tables.roles.yes_or_no import ask_yes_or_no, numbered

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
        prompt = same_prompt(prompts, topic, lines, attempt)
        output = await model.generate([ChatMessageUser(content=prompt)])
        return None if find_fault(output) else output.completion

    answers = await ask_yes_or_no({pair: pair_line(pair) for pair in pairs}, ask)
    return {pair: answers.get(pair) for pair in pairs}


def same_prompt(prompts: PromptSet, topic: str, lines: Sequence[str], attempt: int = 1) -> str:
    """The request for some pairs, each on one line."""
    slots = {"topic": topic, "pairs": numbered(lines)}
    values = {"count": len(lines), "attempt": attempt, "mark": fence_mark(slots.values())}
    return prompts.render(TEMPLATE, slots, values).text


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
