"""A budget for a folder of logs: what its requests have cost, and no request beyond it.

`spending.jsonl` beside the logs gets a line for every reply that was paid. Before a request is
sent, its highest possible cost is set aside. A request that does not fit waits for those under way.
When nothing is under way any more, the run ends. It goes on with a larger budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from vivavoce.errors import VivaError
from vivavoce.running.logs import LineFile
from vivavoce.store import Row

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelCost

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
                self._watch(model, info.cost, model.api.generate)

    def _watch(self, model: Model, cost: ModelCost, generate: Callable[..., Any]) -> None:
        from inspect_ai.model import ModelOutput
        from inspect_ai.model._model import compute_model_cost

        async def metered(
            input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
        ) -> Any:
            most = _most(input, tools, config, cost)
            await self._take(most)
            paid = 0.0
            try:
                reply = await generate(
                    input=input, tools=tools, tool_choice=tool_choice, config=config
                )
                output = reply[0] if isinstance(reply, tuple) else reply
                if isinstance(output, ModelOutput) and output.usage is not None:
                    paid = compute_model_cost(cost, output.usage)
                return reply
            finally:
                with anyio.CancelScope(shield=True):
                    await self._give_back(most, paid, str(model))

        # Inspect looks the provider's method up on the object for every request.
        vars(model.api)["generate"] = metered

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


def _most(
    input: Iterable[ChatMessage], tools: Any, config: GenerateConfig, cost: ModelCost
) -> float:
    """Dollars that a request may cost at most."""
    said = "".join(message.text for message in input)
    shown = len(said.encode("utf-8", "surrogatepass")) + len(str(tools))
    taken = shown / _BYTES_A_TOKEN + _OF_A_MESSAGE * len(list(input))
    dearest = max(cost.input, cost.input_cache_write, cost.input_cache_read)
    given = (config.max_tokens or _LONGEST_ANSWER) * (config.num_choices or 1)
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
