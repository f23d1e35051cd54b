"""A model as judge: it compares an answer with the reference, in both orders.

The judge is the model of the role `judge`: `viva run --judge MODEL`, or `inspect eval ... -T
judge=true --model-role judge=MODEL`. The compared texts are data: each is enclosed in tags that end
in a hash of all of them, so that no text can close its own block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, get_model, model_roles

from vivavoce.errors import InputError
from vivavoce.metrics.judgement import ASPECTS, Verdict, read_verdict
from vivavoce.store import hash_of
from vivavoce.tasks.prompting.fitting import fit
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered, fence_mark
from vivavoce.tasks.prompting.windows import Measure, TokenCounter, measure
from vivavoce.tasks.scoring.guard import answer_of, find_fault
from vivavoce.tasks.scoring.marks import JUDGE
from vivavoce.text.json_answer import find_json

TEMPLATE = "judge"
ATTEMPTS = 3
"""Requests for one verdict; the last one that cannot be read makes it malformed."""

_CONFIG = GenerateConfig(temperature=0.0, max_tokens=2048)
"""Decoding of a judge, where its role does not say otherwise."""
_ORDERS = (("answer", True), ("reference", False))
_KEPT_FREE = 16
"""Tokens of a window for borders that move when texts are put together."""
_is_named_later: ContextVar[bool] = ContextVar("judge_is_named_later", default=False)


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


@dataclass(frozen=True, slots=True)
class Judged:
    """Both verdicts of a judge, and who that is."""

    model: str
    comparison: Comparison
    verdicts: tuple[Verdict | None, Verdict | None]
    """With the answer first, and with the reference first; None where it was malformed."""

    def record(self) -> dict[str, Any]:
        """Record for a log, short enough for its summaries."""
        texts = {"answer": self.comparison.answer, "reference": self.comparison.reference}
        return {
            "model": self.model,
            "orders": [
                {"first": first, "verdicts": verdict or dict.fromkeys(ASPECTS)}
                for (first, _), verdict in zip(_ORDERS, self.verdicts, strict=True)
            ],
            "words": {name: len(text.split()) for name, text in texts.items()},
            "answer": hash_of(self.comparison.answer)[:12],
        }


@contextmanager
def judge_named_later() -> Iterator[None]:
    """Inside, a task may ask for a judge that its maker gives it afterwards."""
    token = _is_named_later.set(True)
    try:
        yield
    finally:
        _is_named_later.reset(token)


def check_judge(prompts: PromptSet, *, with_source: bool) -> None:
    """Raise `InputError` unless a judge is named and its template can be used.

    A template needs no slot for the paper unless the judge is shown it.
    """
    role = model_roles().get(JUDGE)
    if isinstance(role, Sequence):
        raise InputError("The role judge has several models. Give it one.")
    if role is None and not _is_named_later.get():
        raise InputError(
            "judge=true needs a judge: viva run --judge MODEL, or inspect eval ... --model-role "
            "judge=MODEL."
        )
    source = "text" if with_source else None
    _render(prompts, Comparison("title", "one", "two", source), True, attempt=1)


def judge_hash(prompts: PromptSet) -> str:
    """A short hash of the judge's template."""
    path = prompts.folder / f"{TEMPLATE}.md.j2"
    return hash_of(path.read_text("utf-8"))[:8]


async def compare(prompts: PromptSet, comparison: Comparison) -> Judged:
    """Ask the judge for both verdicts.

    Raises:
        InputError: The judge's window cannot hold its instructions.
    """
    judge = get_model(role=JUDGE, required=True, config=_CONFIG)
    measured = measure(str(judge), judge.api)
    reserved = (judge.config.max_tokens or 0) + measured.overhead
    comparison = _cut(prompts, comparison, measured, reserved)
    verdicts = [
        await _ask(judge, prompts, comparison, is_answer_first) for _, is_answer_first in _ORDERS
    ]
    return Judged(str(judge), comparison, (verdicts[0], verdicts[1]))


async def _ask(
    judge: Model, prompts: PromptSet, comparison: Comparison, is_answer_first: bool
) -> Verdict | None:
    """One verdict, asked for again while it is malformed."""
    for attempt in range(1, ATTEMPTS + 1):
        prompt = _render(prompts, comparison, is_answer_first, attempt=attempt)
        output = await judge.generate([ChatMessageUser(content=prompt.text)])
        if find_fault(output) == "overflow":
            return None  # the same words again would not fit either
        found = find_json(answer_of(output), lambda value: read_verdict(value) is not None)
        if (verdict := read_verdict(found)) is not None:
            return verdict
    return None


def _render(
    prompts: PromptSet, comparison: Comparison, is_answer_first: bool, *, attempt: int
) -> Rendered:
    texts = [comparison.answer, comparison.reference]
    first, second = texts if is_answer_first else reversed(texts)
    slots = {"answer_1": first, "answer_2": second}
    if comparison.source is not None:
        slots["source"] = comparison.source
    values = {"kind": comparison.kind, "mark": comparison.mark, "attempt": attempt}
    return prompts.render(TEMPLATE, slots, values)


def _cut(
    prompts: PromptSet, comparison: Comparison, measured: Measure, reserved: int
) -> Comparison:
    """The comparison cut to the judge's window: the source first, then the longer text.

    Both orders show the same, so it is cut once.
    """
    if measured.window is None:
        return comparison
    source = comparison.source
    bare = Comparison(comparison.kind, "", "", None if source is None else "")
    fixed = measured.counter.count(_render(prompts, bare, True, attempt=ATTEMPTS).text)
    room = measured.window - reserved - fixed - _KEPT_FREE
    answer, reference = _share(comparison.answer, comparison.reference, room, measured.counter)
    shared = Comparison(comparison.kind, answer, reference, source)
    fitted = fit(
        _render(prompts, shared, True, attempt=ATTEMPTS),
        [] if source is None else ["source"],
        measured.counter,
        window=measured.window,
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


def target_source(prompt: str, spans: Mapping[str, Sequence[int]]) -> str:
    """Text of the paper itself in a sample's prompt: its slots but for those of examples.

    The works it cites come last, so that they are the first to be cut.
    """
    shown = [name for name in spans if not name.startswith("example")]
    shown.sort(key=lambda name: (name == "works", spans[name][0]))
    return "\n\n".join(
        f"{name.replace('_', ' ').capitalize()}:\n{prompt[slice(*spans[name])]}" for name in shown
    )
