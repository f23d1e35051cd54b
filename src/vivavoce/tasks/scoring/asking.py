"""One way to put a structured question to models that judge.

`send` fills a template, cuts the texts that may be cut to the model's window, and sends it once.
`ask` reads the reply and asks again while it is malformed. The texts are data: each is in tags that
end in a hash of all of them, so that no text can close its own block.

A run keeps every reply by the hash of model, settings and request: one that was interrupted goes on
where it stopped, and nothing is judged or paid twice. The budget of a run holds for judges too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, model_roles

from vivavoce.errors import InputError
from vivavoce.tasks.prompting.fitting import Group, fit
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered, fence_mark
from vivavoce.tasks.prompting.windows import measure
from vivavoce.tasks.scoring.guard import answer_of, find_fault
from vivavoce.tasks.scoring.marks import JUDGE, check_votes
from vivavoce.text.json_answer import find_json

ATTEMPTS = 3
"""Requests for one answer; the last one that cannot be read makes it malformed."""
REFUSED = ("refusal",)
"""Faults of a reply that are the judge's own decision, and counted apart from malformed ones."""
JUDGING = GenerateConfig(temperature=0.0, max_tokens=2048)
"""Decoding of a judge, where its role does not say otherwise."""

_is_named_later: ContextVar[bool] = ContextVar("judge_is_named_later", default=False)
_under_way: ContextVar[Request | None] = ContextVar("request_under_way", default=None)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """A template, and what it is filled with."""

    template: str
    slots: Mapping[str, str]
    """Texts that may be anybody's."""
    values: Mapping[str, object] = field(default_factory=dict)
    cut: Sequence[Group] = ()
    """Slots that may be cut, the first first."""
    usual: str = ""
    """A reply of the usual length and form, for estimates of costs."""

    def fill(self, prompts: PromptSet, attempt: int = 1) -> Rendered:
        """The prompt; `InputError` where the template lacks a slot."""
        mark = fence_mark(self.slots.values())
        values = {"mark": mark, "attempt": attempt, **self.values}
        return prompts.render(self.template, self.slots, values)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply to one request."""

    text: str
    """The final answer; empty where there is none."""
    fault: str | None
    is_cut: bool
    """True where the prompt had to be cut."""


async def send(
    model: Model,
    prompts: PromptSet,
    request: Request,
    *,
    attempt: int = 1,
    config: GenerateConfig | None = None,
    usual: GenerateConfig | None = None,
) -> Reply:
    """Send a request once.

    Args:
        model: The model.
        prompts: The templates.
        request: The texts.
        attempt: Number of the request for this answer, which its template may mention.
        config: Settings of this request.
        usual: Settings that hold where the model has none of its own.

    Raises:
        InputError: The model's window cannot hold what is never cut.
    """
    settings = (usual or GenerateConfig()).merge(model.config).merge(config or GenerateConfig())
    measured = measure(str(model), model.api)
    fitted = fit(
        request.fill(prompts, attempt),
        request.cut,
        measured.counter,
        window=measured.window,
        reserved=(settings.max_tokens or 0) + measured.overhead,
    )
    token = _under_way.set(request)
    try:
        output = await model.generate(
            [ChatMessageUser(content=fitted.prompt.text)], config=settings
        )
    finally:
        _under_way.reset(token)
    fault = find_fault(output)
    return Reply("" if fault else answer_of(output), fault, bool(fitted.cuts))


def request_under_way() -> Request | None:
    """The structured request that is being sent, for who counts requests without sending them."""
    return _under_way.get()


async def ask(
    model: Model,
    prompts: PromptSet,
    request: Request,
    read: Callable[[Any], T | None],
    *,
    usual: GenerateConfig | None = None,
    attempts: int = ATTEMPTS,
) -> tuple[T | None, Reply]:
    """An answer read from a reply's JSON, asked for again while it is malformed; the last reply.

    Args:
        model: The model.
        prompts: The templates.
        request: The texts.
        read: The answer in decoded JSON, None where it is not of the form asked for.
        usual: Settings that hold where the model has none of its own.
        attempts: Requests at most.

    Raises:
        InputError: The model's window cannot hold what is never cut.
    """
    for attempt in range(1, attempts + 1):
        reply = await send(model, prompts, request, attempt=attempt, usual=usual)
        found = find_json(reply.text, lambda value: read(value) is not None)
        answer = read(found) if found is not None else None
        # The same words again would not fit either.
        if answer is not None or reply.fault == "overflow":
            break
    return answer, reply


@contextmanager
def judge_named_later() -> Iterator[None]:
    """Inside, a task may ask for a judge that its maker gives it afterwards."""
    token = _is_named_later.set(True)
    try:
        yield
    finally:
        _is_named_later.reset(token)


def open_judges() -> list[Model]:
    """The models of the role `judge`, whose votes count.

    Raises:
        InputError: There is none, or they are an even number: then a vote has no majority.
    """
    named = model_roles().get(JUDGE)
    judges = named if isinstance(named, list) else [] if named is None else [named]
    if not judges and not _is_named_later.get():
        raise InputError(
            "judge=true needs a judge: viva run --judge MODEL, or inspect eval ... --model-role "
            "judge=MODEL."
        )
    check_votes(judges)
    return judges
