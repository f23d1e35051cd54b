"""Requests of a run between models and providers: their replies kept, and their cost held.

Inspect writes finished samples, ten at a time. A run that is killed would pay again for these and
for every reply of the samples under way. So `replies.jsonl` beside the logs gets each reply as it
arrives, before anything else is done with it, and the next run of the same kind takes replies from
there. A request has to have the same words, for the same try at the same sample, in the same order.
Requests that were under way are asked again.

`spending.jsonl` beside the logs gets a line before a request is sent, with its highest possible
cost, and one with the cost of its reply. A request without the second counts with the first: it was
under way when the run ended, and may have been paid. A request that does not fit into a budget
waits for those under way. When nothing is under way any more, the run ends. It goes on with a
larger budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
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
SetAside: TypeAlias = "AbstractAsyncContextManager[Callable[[Reply], None]]"
"""Money that is held back for a request until its reply settles the bill."""


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

    def __init__(self, path: Path, meter: Meter) -> None:
        """Read what an earlier run left, but for a last line that it could not finish."""
        self._file = LineFile(path, "sample")
        self._meter = meter
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
        from inspect_ai.model import ModelOutput

        async def kept(request: Request, send: Send) -> Reply:
            attempt = current_attempt()
            if attempt is None or attempt.log not in self._tasks:
                async with self._meter.set_aside(model, request) as settle:
                    reply = await send()
                    settle(reply)
                    return reply
            words = [
                [str(model), model.role, request.tool_choice],
                [message.model_dump(exclude=set(_UNNAMED)) for message in request.input],
                [tool.model_dump() for tool in request.tools],
                request.config.model_dump(exclude_none=True, exclude=set(_TRANSPORT)),
            ]
            hashed = _hash(words)
            self._asked[attempt, hashed] += 1
            name = f"{hashed}-{self._asked[attempt, hashed]}"
            known = self._replies.get(self._sample(attempt), {}).get(name)
            if known is not None:  # it was paid before
                return ModelOutput.model_validate(known)
            aside = self._meter.set_aside(model, request, f"{self._sample(attempt)}/{name}")
            return await self._ask(attempt, name, aside, send)

        intercept(model, kept)

    async def _ask(self, attempt: Attempt, name: str, aside: SetAside, send: Send) -> Reply:
        try:
            async with aside as settle:
                reply = await send()
                # Nothing is awaited from here on: whatever ends the run, the reply is kept.
                self._note(attempt, name, reply)
                settle(reply)
                return reply
        except VivaError:  # raised here, and no reply had a part in it
            self._unsent.add(attempt)
            raise
        except BaseException:  # also a cancelled one: whatever it is, nothing was answered
            self._failed.add(attempt)
            raise

    def _note(self, attempt: Attempt, name: str, reply: Reply) -> None:
        output = _output_of(reply)
        if output is None:
            self._failed.add(attempt)
            return
        self._fresh.add(attempt)
        told = output.model_dump(mode="json", exclude_none=True)
        self._write({"sample": self._sample(attempt), "request": name, "reply": told})

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


def open_journal(folder: Path, meter: Meter) -> Journal:
    """The journal of a folder of logs, told of what runs from now on; the caller holds its lock."""
    from inspect_ai.hooks import Hooks, SampleAttemptEnd, TaskStart, hooks

    follow_attempts()
    journal = Journal(folder / JOURNAL, meter)

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

    def __init__(self, folder: Path, budget: float | None, *, is_batched: bool = False) -> None:
        """Read what was spent before; a request of a batch that was cut off is found again."""
        self._folder, self.budget, self._is_batched = folder, budget, is_batched
        self._file = LineFile(folder / SPENDING, "of")
        self._costs: dict[str, ModelCost] = {}
        self._under_way: dict[str, float] = {}
        self._is_over = False
        self._changed = anyio.Condition()
        lines = list(self._file.lines())
        paid, self._lost = _bill_of(lines)
        self.spent, self._lines = paid + sum(self._lost.values()), len(lines)

    def report(self) -> Row:
        """Dollars spent, and the budget."""
        return {"usd": self.spent, "budget": self.budget}

    def _write(self, line: Row) -> None:
        self._file.add(line)
        self._lines += 1

    def close(self) -> None:
        """Stop writing."""
        self._file.close()

    def watch(self, models: Iterable[Model]) -> None:
        """Meter requests of these models whose price is known; logs from before count once."""
        from inspect_ai.model import get_model_info

        for model in models:
            info = get_model_info(model)
            if info is not None and info.cost is not None:
                self._costs[str(model)] = info.cost
        if not self._file.path.exists():
            self.spent = _cost_of_logs(self._folder)
            self._write({"usd": self.spent, "of": "logs before"})

    @asynccontextmanager
    async def set_aside(
        self, model: Model, request: Request, name: str = ""
    ) -> AsyncIterator[Callable[[Reply], None]]:
        """Hold back the most that a request may cost until its reply settles the bill.

        Raises:
            VivaError: The budget does not reach for it.
        """
        from inspect_ai.model._model import compute_model_cost

        cost = self._costs.get(str(model))
        if cost is None:
            yield lambda _: None
            return
        number = await self._take(_most(request, cost), str(model), name)

        def settle(reply: Reply | None) -> None:
            output = _output_of(reply) if reply is not None else None
            usage = output.usage if output else None
            paid = compute_model_cost(cost, usage) if usage else 0.0
            self._under_way.pop(number)
            self.spent += paid
            self._write({"usd": paid, "of": str(model), "request": number})

        try:
            yield settle
        except Exception:
            settle(None)  # the provider refused it
            raise
        finally:
            # Of one that was broken off the provider may send a bill.
            self.spent += self._under_way.pop(number, 0.0)
            with anyio.CancelScope(shield=True):
                async with self._changed:
                    self._changed.notify_all()

    async def _take(self, most: float, model: str, name: str) -> str:
        async with self._changed:
            while self.budget is not None:
                left = self.budget - self.spent - sum(self._under_way.values())
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
            number = name if self._is_batched and name else str(self._lines)
            self.spent -= self._lost.pop(number, 0.0)
            self._write({"most": most, "of": model, "request": number})
            self._under_way[number] = most
            return number


def _bill_of(lines: Iterable[Row]) -> tuple[float, dict[str, float]]:
    """Dollars that were paid, and the most of each request that got no reply."""
    paid, under_way = 0.0, dict[str, float]()
    for line in lines:
        if "most" in line:
            under_way[line["request"]] = float(line["most"])
        else:
            under_way.pop(line.get("request", ""), None)
            paid += float(line["usd"])
    return paid, under_way


def _most(request: Request, cost: ModelCost) -> float:
    said = "".join(message.text for message in request.input)
    shown = len(said.encode("utf-8", "surrogatepass")) + len(str(request.tools))
    taken = shown / _BYTES_A_TOKEN + _OF_A_MESSAGE * len(request.input)
    dearest = max(cost.input, cost.input_cache_write, cost.input_cache_read)
    given = (request.config.max_tokens or _LONGEST_ANSWER) * (request.config.num_choices or 1)
    return (taken * dearest + given * cost.output) / 1_000_000


def spent_below(folder: Path) -> float:
    """Dollars that the requests of all folders of logs below one have cost."""
    files = (LineFile(path, "of") for path in sorted(folder.rglob(SPENDING)))
    bills = [_bill_of(file.lines()) for file in files]
    return sum((paid + sum(lost.values()) for paid, lost in bills), 0.0)


def _cost_of_logs(folder: Path) -> float:
    """Dollars of all answers in a folder's logs, each counted once."""
    from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries

    costs: dict[str, float] = {}
    for info in list_eval_logs(str(folder)):
        for summary in read_eval_log_sample_summaries(info):
            used = (summary.model_usage or {}).values()
            costs[summary.uuid or str(len(costs))] = sum(each.total_cost or 0.0 for each in used)
    return sum(costs.values())
