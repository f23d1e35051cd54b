"""The prompt of a leaderboard: the question, and the chunks that it found.

Each chunk is a block that a narrow window takes out as a whole, the worst first.
"""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.store import Row
from vivavoce.tasks.leaderboards.chunks import FoundChunk
from vivavoce.tasks.leaderboards.items import TASK
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered, Span

VARIANTS = (1, 2, 3)
"""Wordings of the prompt."""

_ASKED = ("task", "dataset", "metric")
_BETWEEN = "\n\n"


def template_name(variant: int) -> str:
    """The main template in one of its wordings."""
    return TASK if variant == 1 else f"{TASK}.{variant}"


def question(prompts: PromptSet, row: Row) -> str:
    """What is asked of an item, in one sentence: also the query that chunks are found by."""
    return prompts.render("query", {name: row[name] for name in _ASKED}, {}).text


def without_excerpts(prompts: PromptSet, asked: str) -> str:
    """The question with the form of its answer, for methods that find the papers themselves."""
    return prompts.render("question", {"question": asked}, {}).text


def compose(
    prompts: PromptSet, asked: str, found: Sequence[FoundChunk], variant: int = 1
) -> Rendered:
    """Put a prompt together.

    Args:
        prompts: The templates.
        asked: The question.
        found: The chunks, best first.
        variant: The wording.

    Raises:
        InputError: A template is missing, malformed or lacks a slot.
    """
    text, places = _lay_out(prompts, found)
    slots = {"question": asked, "excerpts": text}
    main = prompts.render(template_name(variant), slots, {})
    spans = dict(main.spans)
    shift = spans.pop("excerpts")[0]  # no slot, so that no excerpt is cut in the middle
    blocks = tuple((start + shift, end + shift) for start, end in reversed(places))
    return Rendered(main.text, spans, blocks)


def _lay_out(prompts: PromptSet, found: Sequence[FoundChunk]) -> tuple[str, list[Span]]:
    """The chunks as one text, and the place of each with what parts it from the one before."""
    text = ""
    places: list[Span] = []
    for one in found:
        start = len(text)
        slots = {"source": one.chunk.source, "text": one.chunk.text}
        text += (_BETWEEN if places else "") + prompts.render("excerpt", slots, {}).text
        places.append((start, len(text)))
    return text, places
