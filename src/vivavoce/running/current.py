"""The sample that is being answered or scored, told to whatever runs on its behalf."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one sample of one epoch."""

    log: str
    """Inspect's name of the evaluation."""
    sample: str
    epoch: int
    number: int
    """1 for the first try."""


_CURRENT: ContextVar[Attempt | None] = ContextVar("vivavoce_attempt", default=None)


def current_attempt() -> Attempt | None:
    """The try under way in this task of the event loop; None outside of any."""
    return _CURRENT.get()


def follow_attempts() -> None:
    """Keep `current_attempt` up to date from now on."""
    from inspect_ai.hooks import Hooks, SampleAttemptStart, hooks

    # Hooks cannot be taken back, but one of the same name replaces the one before. Inspect awaits
    # it where it then starts the solver and the scorers, which inherit what is set here.
    @hooks(name="vivavoce/attempts", description="Tells which sample is under way.")
    class AttemptHooks(Hooks):
        async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
            summary = data.summary
            _CURRENT.set(Attempt(data.eval_id, str(summary.id), summary.epoch, data.attempt))
