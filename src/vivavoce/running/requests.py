"""Requests of a run between models and providers: their replies kept, and their cost held.

Inspect writes finished samples, ten at a time. A run that is killed would pay again for these and
for every reply of the samples under way. So `replies.jsonl` beside the logs gets each reply as it
arrives, and the next run of the same kind takes replies from there. A request has to have the same
words, for the same try at the same sample, in the same order. Requests that were under way are
asked again.

`spending.jsonl` beside the logs gets a line for every reply that was paid. Before a request is
sent, its highest possible cost is set aside. A request that does not fit waits for those under way.
When nothing is under way any more, the run ends. It goes on with a larger budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import anyio
from pydantic_core import to_jsonable_python

from vivavoce.errors import VivaError
from vivavoce.running.logs import LineFile
from vivavoce.store import Row, hash_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec
    from inspect_ai.model import (
        ChatMessage,
        GenerateConfig,
        Model,
        ModelCall,
        ModelCost,
        ModelOutput,
    )


JOURNAL = "replies.jsonl"
_TRANSPORT = frozenset(
    ("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "batch")
)
"""Settings of a request that change no answer."""
_UNNAMED = frozenset(("id", "metadata", "model", "source"))
"""Fields of a message that are drawn anew each time or say nothing to the model."""

_CURRENT: ContextVar[Attempt | None] = ContextVar("vivavoce_attempt", default=None)

Reply: TypeAlias = "ModelOutput | tuple[ModelOutput | Exception, ModelCall]"
Send = Callable[[], Awaitable[Reply]]
"""Sends a request on to the provider."""


class Request(NamedTuple):
    """A request to a model, as its provider gets it."""

    input: list[ChatMessage]
    tools: Any
    tool_choice: Any
    config: GenerateConfig


def intercept(model: Model, answer: Callable[[Request, Send], Awaitable[Reply]]) -> None:
    """Let a function answer all requests to a model; it may send them on."""
    generate = model.api.generate

    async def answered(
        input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> Reply:
        request = Request(input, tools, tool_choice, config)

        async def send() -> Reply:
            return await generate(**request._asdict())

        return await answer(request, send)

    # Inspect looks the provider's method up on the object for every request.
    vars(model.api)["generate"] = answered


def _output_of(reply: Reply) -> ModelOutput | None:
    """The output in a reply of a provider; None for an error."""
    from inspect_ai.model import ModelOutput

    output = reply[0] if isinstance(reply, tuple) else reply
    return output if isinstance(output, ModelOutput) else None


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
            self._keep(model)

    def _keep(self, model: Model) -> None:
        async def kept(request: Request, send: Send) -> Reply:
            attempt = current_attempt()
            if attempt is None or attempt.log not in self._tasks:
                return await send()
            words = [
                [str(model), model.role, request.tool_choice],
                [message.model_dump(exclude=set(_UNNAMED)) for message in request.input],
                [tool.model_dump() for tool in request.tools],
                request.config.model_dump(exclude_none=True, exclude=set(_TRANSPORT)),
            ]
            return await self._answer(attempt, _hash(words), send)

        intercept(model, kept)

    async def _answer(self, attempt: Attempt, words: str, send: Send) -> Reply:
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
        output = _output_of(reply)
        if output is not None:
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
        # Inspect hands over a traceback alone: the class of what ended the try stands there.
        is_cancelled = "CancelledError" in error
        if not error or is_want or is_cancelled or attempt.log not in self._tasks:
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


SPENDING = "spending.jsonl"
_BYTES_A_TOKEN = 2
"""Fewer than tokens of English have: a request must not cost more than was set aside."""
_OF_A_MESSAGE, _LONGEST_ANSWER = 32, 8192
"""Tokens that a provider adds to a message, and of an answer without a limit."""


class Meter:
    """Dollars spent by a folder's requests, and those that they may yet cost."""

    def __init__(self, folder: Path, budget: float | None) -> None:
        """Read what was spent before; logs from before the first line count once and for all."""
        self._file = LineFile(folder / SPENDING, "usd", "of")
        self.budget = budget
        self._under_way: list[float] = []
        self._is_over = False
        self._changed = anyio.Condition()
        self.spent = sum(float(line["usd"]) for line in self._file.lines())
        if not self._file.path.exists():
            self._add(_cost_of_logs(folder), "logs before")

    def report(self) -> Row:
        """Dollars spent, and the budget."""
        return {"usd": self.spent, "budget": self.budget}

    def _add(self, usd: float, what: str) -> None:
        self.spent += usd
        self._file.add({"usd": usd, "of": what})

    def close(self) -> None:
        """Stop writing."""
        self._file.close()

    def watch(self, models: Iterable[Model]) -> None:
        """Meter all requests of these models whose price is known."""
        from inspect_ai.model import get_model_info

        for model in models:
            info = get_model_info(model)
            if info is not None and info.cost is not None:
                self._watch(model, info.cost)

    def _watch(self, model: Model, cost: ModelCost) -> None:
        from inspect_ai.model._model import compute_model_cost

        async def metered(request: Request, send: Send) -> Reply:
            most = _most(request, cost)
            await self._take(most)
            paid = 0.0
            try:
                reply = await send()
                output = _output_of(reply)
                if output is not None and output.usage is not None:
                    paid = compute_model_cost(cost, output.usage)
                return reply
            finally:
                with anyio.CancelScope(shield=True):
                    await self._give_back(most, paid, str(model))

        intercept(model, metered)

    async def _take(self, most: float) -> None:
        async with self._changed:
            while self.budget is not None:
                left = self.budget - self.spent - sum(self._under_way)
                if self._is_over or (most > left and not self._under_way):
                    self._is_over = True
                    self._changed.notify_all()
                    raise VivaError(
                        f"The budget of {self.budget:g} dollars is used up: {self.spent:.4f} are "
                        f"spent, and the next request may cost {most:.4f}. Run again with a larger "
                        "budget."
                    )
                if most <= left:
                    break
                await self._changed.wait()
            self._under_way.append(most)

    async def _give_back(self, most: float, paid: float, model: str) -> None:
        async with self._changed:
            self._under_way.remove(most)
            if paid:
                self._add(paid, model)
            self._changed.notify_all()


def _most(request: Request, cost: ModelCost) -> float:
    said = "".join(message.text for message in request.input)
    shown = len(said.encode("utf-8", "surrogatepass")) + len(str(request.tools))
    taken = shown / _BYTES_A_TOKEN + _OF_A_MESSAGE * len(request.input)
    dearest = max(cost.input, cost.input_cache_write, cost.input_cache_read)
    given = (request.config.max_tokens or _LONGEST_ANSWER) * (request.config.num_choices or 1)
    return (taken * dearest + given * cost.output) / 1_000_000


def spent_below(folder: Path) -> float:
    """Dollars that the requests of all folders of logs below one have cost."""
    files = (LineFile(path, "usd", "of") for path in sorted(folder.rglob(SPENDING)))
    return sum((float(line["usd"]) for file in files for line in file.lines()), 0.0)


def _cost_of_logs(folder: Path) -> float:
    """Dollars of all answers in a folder's logs, each counted once."""
    from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries

    costs: dict[str, float] = {}
    for info in list_eval_logs(str(folder)):
        for summary in read_eval_log_sample_summaries(info):
            used = (summary.model_usage or {}).values()
            costs[summary.uuid or str(len(costs))] = sum(each.total_cost or 0.0 for each in used)
    return sum(costs.values())
