"""Models that compare an answer with the reference, in both orders.

The judge is the model of the role `judge`: `viva run --judge MODEL`, or `inspect eval ... -T
judge=true --model-role judge=MODEL`. If there are several judges, the majority counts.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import Model

from vivavoce.errors import InputError
from vivavoce.metrics import Values
from vivavoce.metrics.judged_text import (
    ASPECTS,
    QUESTIONS,
    Ruling,
    Verdict,
    judgement_values,
    read_rulings,
    read_verdict,
    vote_labels,
    vote_verdicts,
)
from vivavoce.store import Row, hash_of
from vivavoce.tasks.prompting import SUFFIX, PromptSet, fence_mark
from vivavoce.tasks.prompting.windows import TokenCounter, measure
from vivavoce.tasks.scoring import BATCH, COMPARE, Question, template_of
from vivavoce.tasks.scoring.asking import (
    ATTEMPTS,
    JUDGING,
    REFUSED,
    Reply,
    Request,
    ask,
    open_judges,
    send,
)
from vivavoce.text.json_answer import find_json

_ORDERS = (("answer", True), ("reference", False))
_KEPT_FREE = 16
"""Reserved tokens, since token boundaries move when texts are joined."""
_USUAL = json.dumps(
    {name: {"reason": "It names what was done and leaves no step out.", "winner": 1}
     for name in ASPECTS}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """Texts for a judge to compare."""

    kind: str
    """Kind of both texts, such as `abstract`."""
    answer: str
    reference: str

    def request(self, is_answer_first: bool) -> Request:
        """The request in one of the orders."""
        texts = [self.answer, self.reference]
        first, second = texts if is_answer_first else reversed(texts)
        slots = {"answer_1": first, "answer_2": second}
        values = {"kind": self.kind, "mark": fence_mark(texts)}
        return Request(template_of(COMPARE), slots, values, usual=_USUAL)


@dataclass(frozen=True, slots=True)
class Judged:
    """Judgement of an answer by one or several judges."""

    values: Values
    record: Row
    """Record for a log, short enough for its summaries."""
    asked: int
    """Number of requested verdicts or labels, over all judges."""
    malformed: int
    refused: int


def _as_rows(verdicts: Sequence[Verdict | None]) -> list[dict[str, Any]]:
    return [
        {"first": first, "verdicts": verdict or dict.fromkeys(ASPECTS)}
        for (first, _), verdict in zip(_ORDERS, verdicts, strict=True)
    ]


def judge_hash(prompts: PromptSet, questions: Iterable[str]) -> str:
    """Short hash of the templates of questions; `InputError` if one is missing."""
    return hash_of([hash_of_template(prompts, template_of(name)) for name in questions])[:8]


def hash_of_template(prompts: PromptSet, name: str) -> str:
    """Short hash of a template; `InputError` if it is missing."""
    path = prompts.folder / f"{name}{SUFFIX}"
    if not path.exists():
        raise InputError(
            f"{path} is missing, but a judge needs it. Copy the shipped one, or name the "
            "questions to ask, such as -T questions=compare."
        )
    return hash_of(path.read_text("utf-8"))[:8]


async def compare(prompts: PromptSet, comparison: Comparison) -> Judged:
    """Ask every judge for both verdicts."""
    judges = open_judges()
    for judge in judges:  # all see the texts that fit into the smallest window
        comparison = _cut(prompts, comparison, judge)
    votes: list[list[Verdict | None]] = []
    refused = 0
    for judge in judges:
        votes.append([])
        for _, is_answer_first in _ORDERS:
            request = comparison.request(is_answer_first)
            verdict, reply = await ask(judge, prompts, request, read_verdict, usual=JUDGING)
            votes[-1].append(verdict)
            refused += verdict is None and reply.fault in REFUSED
    joint = [vote_verdicts(verdicts) for verdicts in zip(*votes, strict=True)]
    by_judge = [
        {"model": str(judge), "orders": _as_rows(verdicts)}
        for judge, verdicts in zip(judges, votes, strict=True)
    ]
    texts = {"answer": comparison.answer, "reference": comparison.reference}
    record = {
        "model": " + ".join(map(str, judges)),
        "orders": _as_rows(joint),
        **({"votes": by_judge} if len(judges) > 1 else {}),
        "words": {name: len(text.split()) for name, text in texts.items()},
        "answer": hash_of(comparison.answer)[:12],
    }
    silent = sum(verdicts.count(None) for verdicts in votes)
    asked = len(_ORDERS) * len(judges)
    return Judged(judgement_values(joint), record, asked, silent - refused, refused)


def _cut(prompts: PromptSet, comparison: Comparison, judge: Model) -> Comparison:
    """Cut a comparison to a judge's window, the same for both orders; cut the longer text."""
    measured = measure(str(judge), judge.api)
    if measured.window is None:
        return comparison
    longest = JUDGING.merge(judge.config).max_tokens or 0
    bare = Comparison(comparison.kind, "", "").request(True).fill(prompts, ATTEMPTS)
    fixed = measured.counter.count(bare.text) + longest + measured.overhead
    room = measured.window - fixed - _KEPT_FREE
    if room < 0:
        raise InputError(
            f"The window of {judge}, {measured.window} tokens, is too small for a judge's "
            "instructions. Choose a judge with a larger one."
        )
    answer, reference = _share(comparison.answer, comparison.reference, room, measured.counter)
    return Comparison(comparison.kind, answer, reference)


def _share(first: str, second: str, room: int, counter: TokenCounter) -> tuple[str, str]:
    """Cut two texts to a total number of tokens; the longer one is cut until both are equal."""
    sizes = counter.count(first), counter.count(second)
    if sum(sizes) <= room:
        return first, second
    half = max(0, room // 2)
    limit = max(half, room - min(sizes))
    texts = (text[: counter.end_of(text, limit)] for text in (first, second))
    return next(texts), next(texts)


def _record(rulings: Sequence[Ruling | None]) -> dict[str, Any]:
    return {
        "labels": [ruling and ruling.label for ruling in rulings],
        "works": [sorted(ruling.works or ()) if ruling else [] for ruling in rulings],
    }


async def rule(prompts: PromptSet, question: Question) -> Judged:
    """Ask every judge for the label of every line."""
    votes: dict[str, list[Ruling | None]] = {}
    refused, is_cut = 0, False
    for judge in open_judges():
        votes[str(judge)] = labels = list[Ruling | None]()
        for start in range(0, len(question.lines), BATCH):
            lines = question.lines[start : start + BATCH]
            rulings, reply = await _label_batch(judge, prompts, question, lines)
            labels += rulings
            refused += rulings.count(None) if reply.fault in REFUSED else 0
            is_cut |= reply.is_cut
    joint = [vote_labels(line, question.labels) for line in zip(*votes.values(), strict=True)]
    malformed = sum(labels.count(None) for labels in votes.values()) - refused
    by_judge = {name: _record(labels) for name, labels in votes.items()}
    record = {
        "lines": list(question.lines),
        "about": question.about,
        **_record(joint),
        **({"votes": by_judge} if len(votes) > 1 else {}),
        "malformed": malformed,
        "refused": refused,
        "cut": is_cut,
    }
    values = QUESTIONS[question.name].values(question.about, joint)
    return Judged(values, record, len(question.lines) * len(votes), malformed, refused)


async def _label_batch(
    judge: Model, prompts: PromptSet, question: Question, lines: Sequence[str]
) -> tuple[list[Ruling | None], Reply]:
    """Ask until no label of a request's lines is missing; also return the last reply."""

    def read(value: Any) -> list[Ruling | None]:
        return read_rulings(value, len(lines), question.labels)

    rulings: list[Ruling | None] = [None] * len(lines)
    shown = "\n".join(f"{number}. {' '.join(line.split())}" for number, line in enumerate(lines, 1))
    usual = json.dumps({str(number): question.labels[-1] for number in range(1, len(lines) + 1)})
    values = {**question.values, "count": len(lines)}
    slots = {**question.slots, "lines": shown}
    request = Request(template_of(question.name), slots, values, question.cut, usual)
    for attempt in range(1, ATTEMPTS + 1):
        reply = await send(judge, prompts, request, attempt=attempt, usual=JUDGING)
        again = read(find_json(reply.text, lambda value: any(read(value))))
        rulings = [first or second for first, second in zip(rulings, again, strict=True)]
        # The same words again would not fit either.
        if None not in rulings or reply.fault == "overflow":
            break
    return rulings, reply
