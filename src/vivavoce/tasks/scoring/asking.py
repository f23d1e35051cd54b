"""Structured requests to judges.

`send` fills a template, cuts texts to the model's window, and sends it once. `ask` reads the reply
and asks again while it is malformed. Texts are data: each is in tags that end in a hash of all of
them, so no text can close its own block.

A run stores every reply by the hash of model, settings and request, so an interrupted run resumes
and pays for nothing twice. The budget of a run includes judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, model_roles

from vivavoce.errors import InputError
from vivavoce.tasks.prompting import PromptSet, Rendered, fence_mark
from vivavoce.tasks.prompting.fitting import Group, fit_to_model
from vivavoce.tasks.scoring import JUDGE, check_votes
from vivavoce.tasks.scoring.guard import answer_of, find_fault
from vivavoce.text.json_answer import find_json

ATTEMPTS = 3
"""Maximum requests for one answer."""
REFUSED = ("refusal",)
"""Faults that are the judge's own decision, counted separately from malformed replies."""
JUDGING = GenerateConfig(temperature=0.0, max_tokens=2048)
"""Default decoding of judges."""

_is_named_later: ContextVar[bool] = ContextVar("judge_is_named_later", default=False)
_under_way: ContextVar[Request | None] = ContextVar("request_under_way", default=None)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """A template and its content."""

    template: str
    slots: Mapping[str, str]
    """Untrusted texts."""
    values: Mapping[str, object] = field(default_factory=dict)
    cut: Sequence[Group] = ()
    """Slots that may be cut, in order."""
    usual: str = ""
    """A typical reply, for cost estimates."""

    def fill(self, prompts: PromptSet, attempt: int = 1) -> Rendered:
        """Fill the template; `InputError` if it has no such slot."""
        mark = fence_mark(self.slots.values())
        values = {"mark": mark, "attempt": attempt, **self.values}
        return prompts.render(self.template, self.slots, values)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply to one request."""

    text: str
    """The final answer; empty without one."""
    fault: str | None
    is_cut: bool
    """True if the prompt was cut."""


async def send(
    model: Model,
    prompts: PromptSet,
    request: Request,
    *,
    attempt: int = 1,
    config: GenerateConfig | None = None,
    usual: GenerateConfig | None = None,
) -> Reply:
    """Send a request once; `InputError` if the model's window is too small for the fixed parts.

    `attempt` is the request's number for this answer, which the template may use. Settings in
    `config` override the model's, and these override `usual`.
    """
    settings = (usual or GenerateConfig()).merge(model.config).merge(config or GenerateConfig())
    filled, answer = request.fill(prompts, attempt), settings.max_tokens or 0
    fitted = fit_to_model(filled, request.cut, model, answer=answer)
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
    """The request being sent, for estimates that count requests without sending them."""
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
    """Ask until the reply's JSON can be read; return the answer and the last reply.

    `read` makes the answer from decoded JSON; None if that has another form.
    """
    for attempt in range(1, attempts + 1):
        reply = await send(model, prompts, request, attempt=attempt, usual=usual)
        decoded = find_json(reply.text, lambda value: read(value) is not None)
        answer = read(decoded) if decoded is not None else None
        # The same request would not fit again.
        if answer is not None or reply.fault == "overflow":
            break
    return answer, reply


@contextmanager
def judge_named_later() -> Iterator[None]:
    """Context in which a task may be made before its judge is known."""
    token = _is_named_later.set(True)
    try:
        yield
    finally:
        _is_named_later.reset(token)


def open_judges() -> list[Model]:
    """The models of the role `judge`; `InputError` for none, or for an even number."""
    named = model_roles().get(JUDGE)
    judges = named if isinstance(named, list) else [] if named is None else [named]
    if not judges and not _is_named_later.get():
        raise InputError(
            "judge=true needs a judge: viva run --judge MODEL, or inspect eval ... --model-role "
            "judge=MODEL."
        )
    check_votes(judges)
    return judges
