"""What models reply about tables in use: answers, other wordings, columns that mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.metrics.tables.cell_matching import folded
from vivavoce.metrics.tables.question_wording import Question

BATCH_CHARACTERS = 8_000
"""Of the questions of one request, unless a single one is longer."""
_LINE = re.compile(r"\W{0,8}(?:q?(\d{1,4})\W{1,8})?(yes|no)\b", re.IGNORECASE)
_MAX_REPLY = 100_000
_CHARACTERS_ADDED = 400
"""How much longer another wording may be."""


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


def is_other_wording(text: object, question: Question) -> bool:
    """Whether a text is one question on one line that names what the question names."""
    if not isinstance(text, str) or len(text) > len(question.text) + _CHARACTERS_ADDED:
        return False
    words = one_line(text)
    said = folded(words)
    names = [folded(name) for name in question.mentioned()]
    return words.endswith("?") and "\n" not in text.strip() and all(name in said for name in names)


def read_pairs(
    found: Mapping[str, Any] | None,
    gold: Sequence[str],
    system: Sequence[str],
    known: Mapping[int, int],
) -> dict[int, int]:
    """The pairs of a reply that name columns which are still free, each once."""
    here = {one_line(name): place for place, name in enumerate(gold) if place not in known}
    there = {
        one_line(name): place for place, name in enumerate(system) if place not in known.values()
    }
    pairs: dict[int, int] = {}
    listed = found.get("pairs") if found else None
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict):
            first = here.pop(str(each.get("first")), None)
            second = there.get(str(each.get("second")))
            if first is not None and second is not None and second not in pairs.values():
                pairs[first] = second
    return pairs


def cut_batches(questions: Sequence[Question], size: int) -> list[list[Question]]:
    """Questions in order, in batches of so many, fewer where they are long."""
    batches: list[list[Question]] = []
    room = 0
    for question in questions:
        if not batches or len(batches[-1]) == size or len(question.text) > room:
            batches.append([])
            room = BATCH_CHARACTERS
        batches[-1].append(question)
        room -= len(question.text)
    return batches


def numbered(texts: Sequence[str]) -> str:
    """A line for each text, with its number."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())
