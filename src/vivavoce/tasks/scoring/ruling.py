"""Judges asked to label the lines of a question, and what becomes of their labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import Model

from vivavoce.metrics.judged_text import Ruling, read_rulings, vote
from vivavoce.tasks.prompting.prompts import PromptSet
from vivavoce.tasks.scoring.asking import (
    ATTEMPTS,
    JUDGING,
    REFUSED,
    Reply,
    Request,
    open_judges,
    send,
)
from vivavoce.tasks.scoring.marks import Values
from vivavoce.tasks.scoring.questions import Question, template_of
from vivavoce.text.json_answer import find_json


@dataclass(slots=True)
class _Labels:
    """The labels that one judge gives the lines of a question."""

    rulings: list[Ruling | None]
    refused: int = 0
    """Lines without a label whose last reply was a refusal."""
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Ruled:
    """A question, and the labels of its judges."""

    question: Question
    votes: dict[str, _Labels]
    """By the judge's name."""

    @property
    def rulings(self) -> list[Ruling | None]:
        """The rulings that count, one a line."""
        given = (labels.rulings for labels in self.votes.values())
        return [vote(line, self.question.labels) for line in zip(*given, strict=True)]

    @property
    def values(self) -> Values:
        """Metrics of the answer."""
        return self.question.score(self.rulings)

    @property
    def asked(self) -> int:
        """Labels that were asked for, of all judges."""
        return len(self.question.lines) * len(self.votes)

    @property
    def refused(self) -> int:
        """Labels that a judge refused to give."""
        return sum(labels.refused for labels in self.votes.values())

    @property
    def malformed(self) -> int:
        """Labels that nobody could read."""
        silent = sum(labels.rulings.count(None) for labels in self.votes.values())
        return silent - self.refused

    def record(self) -> dict[str, Any]:
        """Record for a log: the label of every line, and each judge's where several voted."""
        votes = {name: _labels_of(labels.rulings) for name, labels in self.votes.items()}
        return {
            "labels": _labels_of(self.rulings),
            **({"votes": votes} if len(votes) > 1 else {}),
            "malformed": self.malformed,
            "refused": self.refused,
            "cut": any(labels.is_cut for labels in self.votes.values()),
        }


def _labels_of(rulings: Sequence[Ruling | None]) -> list[str | None]:
    return [None if ruling is None else ruling.label for ruling in rulings]


async def rule(prompts: PromptSet, question: Question) -> Ruled:
    """Ask every judge for the label of every line.

    Raises:
        InputError: The window of one cannot hold its instructions.
    """
    return Ruled(
        question, {str(judge): await _label(judge, prompts, question) for judge in open_judges()}
    )


async def _label(judge: Model, prompts: PromptSet, question: Question) -> _Labels:
    found = _Labels([])
    for lines in question.batches():
        rulings, reply = await _label_batch(judge, prompts, question, lines)
        found.rulings += rulings
        found.refused += rulings.count(None) if reply.fault in REFUSED else 0
        found.is_cut |= reply.is_cut
    return found


async def _label_batch(
    judge: Model, prompts: PromptSet, question: Question, lines: Sequence[str]
) -> tuple[list[Ruling | None], Reply]:
    """Labels of the lines of one request, asked for again while one is missing; the last reply."""

    def read(value: Any) -> list[Ruling | None]:
        return read_rulings(value, len(lines), question.labels)

    rulings: list[Ruling | None] = [None] * len(lines)
    request = request_of(question, lines)
    for attempt in range(1, ATTEMPTS + 1):
        reply = await send(judge, prompts, request, attempt=attempt, usual=JUDGING)
        again = read(find_json(reply.text, lambda value: any(read(value))))
        rulings = [first or second for first, second in zip(rulings, again, strict=True)]
        # The same words again would not fit either.
        if None not in rulings or reply.fault == "overflow":
            break
    return rulings, reply


def request_of(question: Question, lines: Sequence[str]) -> Request:
    """The request for the labels of some lines."""
    shown = "\n".join(f"{number}. {' '.join(line.split())}" for number, line in enumerate(lines, 1))
    usual = json.dumps({str(number): question.labels[-1] for number in range(1, len(lines) + 1)})
    values = {**question.values, "count": len(lines)}
    slots = {**question.slots, "lines": shown}
    return Request(template_of(question.name), slots, values, question.cut, usual)
