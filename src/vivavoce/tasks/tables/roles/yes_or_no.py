"""Numbered lines that a model answers with yes or no, in batches, and asked again where it did not.

Source: arXiv2Table, appendix B.2: the first word of a line is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

BATCH = 40
"""Lines of one request."""
ATTEMPTS = 3
"""Requests for what could not be read in the reply before."""
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
