"""A journal of replies: what a model said is on the disk before anything else is asked.

Inspect writes finished samples, ten at a time. A run that is killed would pay again for these and
for every reply of the samples under way. So `replies.jsonl` beside the logs gets each reply as it
arrives, and the next run of the same kind takes replies from there. A request has to have the same
words, for the same try at the same sample, in the same order. Requests that were under way are
asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic_core import to_jsonable_python

from vivavoce.errors import VivaError
from vivavoce.running.logs import LineFile
from vivavoce.store import hash_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelCall, ModelOutput

JOURNAL = "replies.jsonl"
_TRANSPORT = frozenset(
    ("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "batch")
)
"""Settings of a request that change no answer."""
_UNNAMED = frozenset(("id", "metadata", "model", "source"))
"""Fields of a message that are drawn anew each time or say nothing to the model."""

_CURRENT: ContextVar[Attempt | None] = ContextVar("vivavoce_attempt", default=None)

Reply: TypeAlias = "ModelOutput | tuple[ModelOutput | Exception, ModelCall]"
Generate = Callable[..., Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one sample of one epoch."""

    log: str
    """Inspect's name of the evaluation."""
    sample: str
    epoch: int
    number: int
    """1 for the first try."""


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


class Journal:
    """Replies by sample and request; `keep` puts it between models and their providers."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier run left, but for a last line that it could not finish."""
        self._file = LineFile(path, "sample")
        self._replies: dict[str, dict[str, Any]] = {}
        self._tasks: dict[str, str] = {}
        self._asked: Counter[tuple[Attempt, str]] = Counter()
        self._fresh: set[Attempt] = set()
        """Tries that got a reply which an earlier one had not."""
        self._failed: set[Attempt] = set()
        """Tries of which a request got no reply."""
        self._unsent: set[Attempt] = set()
        """Tries of which a request was not sent, for want of a budget."""
        for line in self._file.lines():
            self._take(line)

    def _take(self, line: dict[str, Any]) -> None:
        if line.get("void"):
            self._replies.pop(line["sample"], None)
        elif "reply" in line:
            self._replies.setdefault(line["sample"], {})[line["request"]] = line["reply"]

    def _write(self, line: dict[str, Any]) -> None:
        self._take(line)
        self._file.add(line)

    def keep(self, models: Iterable[Model]) -> None:
        """Let these models take replies from the journal, and write theirs into it."""
        for model in models:
            self._keep(model, model.api.generate)

    def _keep(self, model: Model, generate: Generate) -> None:
        async def kept(
            input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
        ) -> Reply:
            async def send() -> Reply:
                return await generate(
                    input=input, tools=tools, tool_choice=tool_choice, config=config
                )

            attempt = current_attempt()
            if attempt is None or attempt.log not in self._tasks:
                return await send()
            words = [
                [str(model), model.role, tool_choice],
                [message.model_dump(exclude=set(_UNNAMED)) for message in input],
                [tool.model_dump() for tool in tools],
                config.model_dump(exclude_none=True, exclude=set(_TRANSPORT)),
            ]
            return await self._answer(attempt, _hash(words), send)

        # Inspect looks the provider's method up on the object for every request.
        vars(model.api)["generate"] = kept

    async def _answer(
        self, attempt: Attempt, words: str, send: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        from inspect_ai.model import ModelOutput

        self._asked[attempt, words] += 1
        sample, request = self._sample(attempt), f"{words}-{self._asked[attempt, words]}"
        known = self._replies.get(sample, {}).get(request)
        if known is not None:
            return ModelOutput.model_validate(known)
        try:
            reply = await send()
        except VivaError:  # raised here, and no reply had a part in it
            self._unsent.add(attempt)
            raise
        except BaseException:  # also a cancelled one: whatever it is, nothing was answered
            self._failed.add(attempt)
            raise
        output = reply[0] if isinstance(reply, tuple) else reply
        if isinstance(output, ModelOutput):
            self._fresh.add(attempt)
            told = output.model_dump(mode="json", exclude_none=True)
            self._write({"sample": sample, "request": request, "reply": told})
        else:
            self._failed.add(attempt)
        return reply

    def _sample(self, attempt: Attempt) -> str:
        """The same name for all tries at a sample, in whatever run."""
        return f"{self._tasks[attempt.log]}/{_hash([attempt.sample, attempt.epoch])}"

    def know_task(self, log: str, spec: EvalSpec, steps: Any) -> None:
        """Record the task, method and model of an evaluation: replies serve the same ones only."""
        given = {"args": spec.task_args, "version": str(spec.task_version), "steps": steps}
        model = {"model": spec.model, "args": spec.model_args, "about": spec.metadata}
        self._tasks[log] = _hash([spec.task, given, model])

    def end_attempt(self, attempt: Attempt, error: str) -> None:
        """Forget the replies of a try that they made fail: it would fail again with them.

        A try that failed for want of a reply goes on where it was, once: where it got no further
        its replies may be why.
        """
        got_further = attempt in self._failed and attempt in self._fresh
        is_want = attempt in self._unsent or got_further
        if not error or is_want or "CancelledError" in error or attempt.log not in self._tasks:
            return
        if (sample := self._sample(attempt)) in self._replies:
            self._write({"sample": sample, "void": True})

    def close(self, *, finished: bool) -> None:
        """Stop writing; replies of a finished run go, since its logs hold them."""
        self._file.close()
        self._replies = {}
        if not finished:
            return
        of_run = set(self._tasks.values())
        left = [line for line in self._file.lines() if line["sample"].split("/")[0] not in of_run]
        if left:
            self._file.replace(left)
        else:
            self._file.path.unlink(missing_ok=True)


def open_journal(folder: Path) -> Journal:
    """The journal of a folder of logs, told of what runs from now on; the caller holds its lock."""
    from inspect_ai.hooks import Hooks, SampleAttemptEnd, TaskStart, hooks

    follow_attempts()
    journal = Journal(folder / JOURNAL)

    # Hooks cannot be taken back, but one of the same name replaces the one before.
    @hooks(name="vivavoce/journal", description="Keeps replies until the logs hold them.")
    class JournalHooks(Hooks):
        async def on_task_start(self, data: TaskStart) -> None:
            steps = [[step.solver, step.params] for step in data.plan.steps]
            journal.know_task(data.eval_id, data.spec, steps)

        async def on_sample_attempt_end(self, data: SampleAttemptEnd) -> None:
            summary, error = data.summary, data.error.traceback if data.error else ""
            attempt = Attempt(data.eval_id, str(summary.id), summary.epoch, data.attempt)
            journal.end_attempt(attempt, error)

    return journal


def _hash(value: Any) -> str:
    return hash_of(to_jsonable_python(value, serialize_unknown=True))[:32]
