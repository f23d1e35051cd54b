"""Requests of a run on their way to a provider: attempts, interception, and cost within a budget.

`spending.jsonl` beside the logs gets two lines per request: its highest possible cost before it is
sent, and the real cost after its reply. A request without the second line counts at its highest
cost: it was under way when the run ended, and may be billed. A request that does not fit into the
budget waits for those under way. If it does not fit when none is under way, the run ends. Run again
with a larger budget to continue.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import anyio

from vivavoce.errors import VivaError
from vivavoce.running.logs import LineFile
from vivavoce.running.spec import set_prices
from vivavoce.store import Row

if TYPE_CHECKING:
    from inspect_ai.model import (
        ChatMessage,
        GenerateConfig,
        Model,
        ModelCall,
        ModelCost,
        ModelOutput,
    )


SPENDING = "spending.jsonl"
_BYTES_A_TOKEN = 2
"""Fewer than in English text: a request must not cost more than was set aside for it."""
_OF_A_MESSAGE, _MAX_ANSWER = 32, 8192
"""Tokens that a provider adds per message, and tokens assumed for an answer without a limit."""


class Meter:
    """Dollars that a folder's requests have cost, and dollars that those under way may cost."""

    def __init__(
        self, folder: Path, budget: float | None, *, is_batched: bool = False, purpose: str = ""
    ) -> None:
        """Read what was spent before; with batches, an interrupted request is recognised later.

        `purpose` follows the model's name in the lines of this meter.
        """
        self._folder, self.budget, self._is_batched = folder, budget, is_batched
        self._purpose = purpose
        self.file = LineFile(folder / SPENDING, "of")
        self._costs: dict[str, ModelCost] = {}
        self._under_way: dict[str, float] = {}
        self._is_over = False
        self._changed = anyio.Condition()
        lines = list(self.file.lines())
        paid, self._lost = _bill_of(lines)
        self.spent, self._lines = paid + sum(self._lost.values()), len(lines)

    def _write(self, line: Row) -> None:
        self.file.add(line)
        self._lines += 1

    def watch(self, models: Iterable[Model]) -> None:
        """Meter requests to models with a known price; count logs older than the meter once."""
        from inspect_ai.model import get_model_info

        for model in models:
            info = get_model_info(model)
            if info is not None and info.cost is not None:
                self._costs[str(model)] = info.cost
        if not self.file.path.exists():
            from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries

            costs: dict[str, float] = {}
            for listed in list_eval_logs(str(self._folder)):
                for summary in read_eval_log_sample_summaries(listed):
                    used = (summary.model_usage or {}).values()
                    costs[summary.uuid or str(len(costs))] = sum(
                        each.total_cost or 0.0 for each in used
                    )
            self.spent = sum(costs.values())
            self._write({"usd": self.spent, "of": "logs before"})

    @asynccontextmanager
    async def set_aside(
        self, model: Model, request: Request, name: str = ""
    ) -> AsyncIterator[Callable[[Reply], None]]:
        """Reserve the most that a request may cost until its reply settles the bill."""
        from inspect_ai.model._model import compute_model_cost

        cost = self._costs.get(str(model))
        if cost is None:
            yield lambda _: None
            return
        payer = str(model) + self._purpose
        words = "".join(message.text for message in request.input)
        shown = len(words.encode("utf-8", "surrogatepass")) + len(str(request.tools))
        taken = shown / _BYTES_A_TOKEN + _OF_A_MESSAGE * len(request.input)
        dearest = max(cost.input, cost.input_cache_write, cost.input_cache_read)
        given = (request.config.max_tokens or _MAX_ANSWER) * (request.config.num_choices or 1)
        number = await self._take((taken * dearest + given * cost.output) / 1_000_000, payer, name)

        def settle(reply: Reply | None) -> None:
            output = output_of(reply) if reply is not None else None
            usage = output.usage if output else None
            paid = compute_model_cost(cost, usage) if usage else 0.0
            self._under_way.pop(number)
            self.spent += paid
            self._write({"usd": paid, "of": payer, "request": number})

        try:
            yield settle
        except Exception:
            settle(None)  # the provider refused it
            raise
        finally:
            # The provider may bill a request that was broken off.
            self.spent += self._under_way.pop(number, 0.0)
            with anyio.CancelScope(shield=True):
                async with self._changed:
                    self._changed.notify_all()

    async def pay(self, model: Model, request: Request, send: Send) -> Reply:
        """Send a request to the provider, and settle the bill when the reply arrives."""
        async with self.set_aside(model, request) as settle:
            reply = await send()
            settle(reply)
            return reply

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


@contextmanager
def metered(
    folder: Path, budget: float | None, prices: Mapping[str, str], purpose: str
) -> Iterator[Callable[[Model], None]]:
    """Hold models asked outside a run to the budget of a log folder.

    Yields a function, which must be called with each model before the model is asked.
    """
    meter = Meter(folder, budget, purpose=purpose)

    def watch(model: Model) -> None:
        set_prices([model], prices, budget)
        if prices:
            meter.watch([model])
            intercept(model, partial(meter.pay, model))

    try:
        yield watch
    finally:
        meter.file.close()


def _bill_of(lines: Iterable[Row]) -> tuple[float, dict[str, float]]:
    """Dollars paid, and the highest cost of each request without a reply, by its number."""
    paid, under_way = 0.0, dict[str, float]()
    for line in lines:
        if "most" in line:
            under_way[line["request"]] = float(line["most"])
        else:
            under_way.pop(line.get("request", ""), None)
            paid += float(line["usd"])
    return paid, under_way


def spent_below(folder: Path, purpose: str = "") -> float:
    """Dollars that the requests of all log folders below a folder have cost, for one purpose."""
    files = (LineFile(path, "of") for path in sorted(folder.rglob(SPENDING)))
    bills = [_bill_of(one for one in f.lines() if one["of"].endswith(purpose)) for f in files]
    return sum((paid + sum(lost.values()) for paid, lost in bills), 0.0)


_CURRENT: ContextVar[Attempt | None] = ContextVar("vivavoce_attempt", default=None)

Reply: TypeAlias = "ModelOutput | tuple[ModelOutput | Exception, ModelCall]"
Send = Callable[[], Awaitable[Reply]]
"""Sends a request to the provider."""
SetAside: TypeAlias = "AbstractAsyncContextManager[Callable[[Reply], None]]"
"""Money reserved for a request until its reply shows the cost."""


class Request(NamedTuple):
    """A request to a model, in the form that its provider receives."""

    input: list[ChatMessage]
    tools: Any
    tool_choice: Any
    config: GenerateConfig


def intercept(model: Model, answer: Callable[[Request, Send], Awaitable[Reply]]) -> None:
    """Let a function answer all requests to a model; it may forward them to the provider."""
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


def output_of(reply: Reply) -> ModelOutput | None:
    """The output in a provider's reply; None if the reply is an error."""
    from inspect_ai.model import ModelOutput

    output = reply[0] if isinstance(reply, tuple) else reply
    return output if isinstance(output, ModelOutput) else None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one sample of one epoch."""

    log: str
    """Inspect's id of the evaluation."""
    sample: str
    epoch: int
    number: int
    """Number of the try, from 1."""


def current_attempt() -> Attempt | None:
    """Attempt in progress in this task of the event loop; None outside an attempt."""
    return _CURRENT.get()


def follow_attempts() -> None:
    """Keep `current_attempt` up to date from now on."""
    from inspect_ai.hooks import Hooks, SampleAttemptStart, hooks

    # Hooks cannot be removed, but a new one replaces the old one of the same name. Inspect awaits
    # the hook in the task that then starts solver and scorers, which inherit the value set here.
    @hooks(name="vivavoce/attempts", description="Tells which sample is under way.")
    class AttemptHooks(Hooks):
        async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
            summary = data.summary
            _CURRENT.set(Attempt(data.eval_id, str(summary.id), summary.epoch, data.attempt))
