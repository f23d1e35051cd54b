"""Models that compare an answer with the reference, in both orders.

The judge is the model of the role `judge`: `viva run --judge MODEL`, or `inspect eval ... -T
judge=true --model-role judge=MODEL`. Of several judges each is asked, and the majority counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import Model

from vivavoce.errors import InputError
from vivavoce.metrics.judgement import ASPECTS, Verdict, read_verdict, vote
from vivavoce.store import hash_of
from vivavoce.tasks.prompting.fitting import fit
from vivavoce.tasks.prompting.prompts import SUFFIX, PromptSet, fence_mark
from vivavoce.tasks.prompting.windows import Measure, TokenCounter, measure
from vivavoce.tasks.scoring.asking import ATTEMPTS, JUDGING, REFUSED, Request, ask, open_judges
from vivavoce.tasks.scoring.questions import COMPARE, template_of

_ORDERS = (("answer", True), ("reference", False))
_KEPT_FREE = 16
"""Tokens of a window for borders that move when texts are put together."""
_USUAL = json.dumps(
    {name: {"reason": "It names what was done and leaves no step out.", "winner": 1}
     for name in ASPECTS}
)  # fmt: skip

Verdicts = tuple[Verdict | None, Verdict | None]
"""With the answer first, and with the reference first; None where it was malformed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Texts that a judge is shown."""

    kind: str
    """Kind of both texts, such as `abstract`."""
    answer: str
    reference: str
    source: str | None = None
    """Other text of the paper; None to show nothing of it."""

    @property
    def mark(self) -> str:
        """End of the tags around the texts: it occurs in none of them."""
        return fence_mark([self.answer, self.reference, self.source or ""])

    def request(self, is_answer_first: bool) -> Request:
        """The request in one of the orders."""
        texts = [self.answer, self.reference]
        first, second = texts if is_answer_first else reversed(texts)
        slots = {"answer_1": first, "answer_2": second}
        if self.source is not None:
            slots["source"] = self.source
        return Request(
            template_of(COMPARE), slots, {"kind": self.kind, "mark": self.mark}, usual=_USUAL
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """Both verdicts of one or several judges, and who these are."""

    models: Sequence[str]
    comparison: Comparison
    votes: Sequence[Verdicts]
    """Of each judge."""
    refused: int
    """Verdicts that a judge refused to give."""

    @property
    def asked(self) -> int:
        """Verdicts asked for."""
        return 2 * len(self.votes)

    @property
    def malformed(self) -> int:
        """Verdicts that nobody could read."""
        return sum(verdicts.count(None) for verdicts in self.votes) - self.refused

    @property
    def verdicts(self) -> Verdicts:
        """Verdicts that count."""
        first, second = (vote([votes[order] for votes in self.votes]) for order in (0, 1))
        return first, second

    def record(self) -> dict[str, Any]:
        """Record for a log, short enough for its summaries."""
        texts = {"answer": self.comparison.answer, "reference": self.comparison.reference}
        votes = [
            {"model": model, "orders": _as_rows(verdicts)}
            for model, verdicts in zip(self.models, self.votes, strict=True)
        ]
        return {
            "model": " + ".join(self.models),
            "orders": _as_rows(self.verdicts),
            **({"votes": votes} if len(votes) > 1 else {}),
            "words": {name: len(text.split()) for name, text in texts.items()},
            "answer": hash_of(self.comparison.answer)[:12],
        }


def _as_rows(verdicts: Verdicts) -> list[dict[str, Any]]:
    return [
        {"first": first, "verdicts": verdict or dict.fromkeys(ASPECTS)}
        for (first, _), verdict in zip(_ORDERS, verdicts, strict=True)
    ]


def check_judge(prompts: PromptSet, *, with_source: bool | None) -> None:
    """Raise `InputError` unless judges are named and the template that compares can be used.

    It needs no slot for the paper unless the judge is shown it; None where nothing is compared.
    """
    open_judges()
    if with_source is not None:
        texts = Comparison("title", "one", "two", "text" if with_source else None)
        texts.request(True).fill(prompts)


def judge_hash(prompts: PromptSet, questions: Iterable[str]) -> str:
    """A short hash of the templates of some questions; `InputError` where one is missing."""
    return hash_of([hash_of_template(prompts, template_of(name)) for name in questions])[:8]


def hash_of_template(prompts: PromptSet, name: str) -> str:
    """A short hash of a template; `InputError` where it is missing."""
    path = prompts.folder / f"{name}{SUFFIX}"
    if not path.exists():
        raise InputError(
            f"{path} is missing: a judge is asked with it. Copy the shipped one, or name the "
            "questions to ask, such as -T questions=compare."
        )
    return hash_of(path.read_text("utf-8"))[:8]


async def compare(prompts: PromptSet, comparison: Comparison) -> Judged:
    """Ask every judge for both verdicts.

    Raises:
        InputError: The window of one cannot hold its instructions.
    """
    judges = open_judges()
    for judge in judges:  # each is shown what fits into the smallest window
        comparison = _cut(prompts, comparison, judge)
    votes: list[Verdicts] = []
    refused = 0
    for judge in judges:
        verdicts: list[Verdict | None] = []
        for _, is_answer_first in _ORDERS:
            request = comparison.request(is_answer_first)
            verdict, reply = await ask(judge, prompts, request, read_verdict, usual=JUDGING)
            verdicts.append(verdict)
            refused += verdict is None and reply.fault in REFUSED
        votes.append((verdicts[0], verdicts[1]))
    return Judged([str(judge) for judge in judges], comparison, votes, refused)


def _cut(prompts: PromptSet, comparison: Comparison, judge: Model) -> Comparison:
    """The comparison cut to a judge's window: the source first, then the longer text.

    Both orders show the same, so it is cut once.
    """
    measured = measure(str(judge), judge.api)
    if measured.window is None:
        return comparison
    longest = JUDGING.merge(judge.config).max_tokens or 0
    return _cut_to(prompts, comparison, measured, measured.window, longest + measured.overhead)


def _cut_to(
    prompts: PromptSet, comparison: Comparison, measured: Measure, window: int, reserved: int
) -> Comparison:
    source = comparison.source
    bare = Comparison(comparison.kind, "", "", None if source is None else "")
    fixed = measured.counter.count(bare.request(True).fill(prompts, ATTEMPTS).text)
    room = window - reserved - fixed - _KEPT_FREE
    answer, reference = _share(comparison.answer, comparison.reference, room, measured.counter)
    shared = Comparison(comparison.kind, answer, reference, source)
    fitted = fit(
        shared.request(True).fill(prompts, ATTEMPTS),
        [] if source is None else ["source"],
        measured.counter,
        window=window,
        reserved=reserved + _KEPT_FREE // 2,
    ).prompt
    if source is not None:
        start, end = fitted.spans["source"]
        source = fitted.text[start:end]
    return Comparison(comparison.kind, answer, reference, source)


def _share(first: str, second: str, room: int, counter: TokenCounter) -> tuple[str, str]:
    """Two texts cut to a number of tokens together: the longer one pays until both are equal."""
    sizes = counter.count(first), counter.count(second)
    if sum(sizes) <= room:
        return first, second
    half = max(0, room // 2)
    limit = max(half, room - min(sizes))
    texts = (text[: counter.end_of(text, limit)] for text in (first, second))
    return next(texts), next(texts)
