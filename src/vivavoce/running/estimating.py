"""Costs of a run before anything is sent.

Every method runs on items of every task, but no request is sent. Each request is counted and
answered with the gold. Where answers cite, the gold carries the works that its paper cites.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vivavoce.requests.run import RunSpec
from vivavoce.running import run_quietly
from vivavoce.running.meter import Request, Send, current_attempt, follow_attempts, intercept
from vivavoce.running.resolving import models_of, resolve
from vivavoce.running.spec import set_prices
from vivavoce.running.stopping import step_of
from vivavoce.store import Row, hash_of
from vivavoce.tasks.family import find_kind

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import Model, ModelOutput


ITEMS = 100
"""Items tried per task: their prompts stand for those of all items."""
_BYTES_A_TOKEN = 4.3
"""Bytes per token of English prose, between 4 and 4.7; for models with an unknown vocabulary."""
_OF_A_MESSAGE = 4


@dataclass
class _Count:
    """Requests of one model for one task."""

    requests: int = 0
    input: float = 0.0
    output: float = 0.0
    most: float = 0.0
    """Output tokens if every answer had its maximum length."""
    uses_tools: bool = False
    by_template: Counter[str] = field(default_factory=Counter)
    """Tokens of structured questions, input plus output, by template."""

    def row(self, model: str, scale: float = 1.0) -> Row:
        """The counted requests and tokens with their dollars, multiplied by `scale`."""
        input, output, most = (scale * each for each in (self.input, self.output, self.most))
        return {
            "requests": round(self.requests * scale),
            "input_tokens": round(input),
            "output_tokens": round(output),
            "max_output_tokens": round(most),
            **_dollars(model, input, output, most),
            "at_least": self.uses_tools,
            "questions": {
                name: round(tokens * scale) for name, tokens in sorted(self.by_template.items())
            },
        }


@dataclass
class _Counter:
    """Requests counted per model, without being sent."""

    targets: dict[str, str]
    is_judged: bool
    counts: dict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))

    def watch(self, model: Model) -> None:
        """Count a model's requests, answering each with the gold or a judge's usual reply."""
        from inspect_ai.model import ModelOutput

        from vivavoce.tasks.prompting.windows import measure
        from vivavoce.tasks.scoring.asking import request_under_way

        measured = measure(str(model), model.api).counter

        def tokens(text: str) -> float:
            if measured.is_estimated:
                return len(text.encode("utf-8", "surrogatepass")) / _BYTES_A_TOKEN
            return measured.count(text)

        async def counted(request: Request, send: Send) -> ModelOutput:
            attempt = current_attempt()
            gold = self.targets.get(attempt.sample, "") if attempt else ""
            asked = request_under_way()
            # A judge is not asked about an answer that equals the gold, so reorder the words.
            words = gold.split()
            usual = " ".join(words[1:] + words[:1]) if self.is_judged else gold
            text = (asked and asked.usual) or usual
            count = self.counts[str(model)]
            count.requests += 1
            taken = sum(tokens(each.text) + _OF_A_MESSAGE for each in request.input)
            if request.tools:
                taken += tokens(str([tool.model_dump() for tool in request.tools]))
            given = tokens(text)
            count.input += taken
            count.output += given
            if asked:
                count.by_template[asked.template] += round(taken + given)
            count.most += request.config.max_tokens or 0
            count.uses_tools = count.uses_tools or bool(request.tools)
            return ModelOutput.from_content(str(model), text)

        intercept(model, counted)


def estimate(spec: RunSpec) -> tuple[list[Row], list[str]]:
    """Tokens and dollars by task, setting, method and model; and why tasks were skipped."""
    # No reply comes from a cache, and none of the made-up replies goes into one.
    tasks, skipped = resolve(replace(spec, cache=False))
    follow_attempts()
    return [row for task in tasks for row in _rows(task, spec)], skipped


def estimate_asking(
    name: str, prices: Mapping[str, str], ask: Callable[[Callable[[Model], None]], object]
) -> Row:
    """Tokens and dollars of the requests that `ask` makes to a model, with the usual replies.

    `ask` receives a function that it must call with the model first.
    """
    from inspect_ai.model import GenerateConfig

    counter = _Counter({}, is_judged=False)

    def watch(model: Model) -> None:
        set_prices([model], prices, None)
        # None of the made-up replies goes into a cache.
        model.config = model.config.merge(GenerateConfig(cache=False))
        counter.watch(model)

    ask(watch)
    return counter.counts[name].row(name)


def _rows(task: Task, spec: RunSpec) -> list[Row]:
    """One row for each model that a task with one method asks: its contestant and its judges."""
    facts = task.metadata or {}
    models = models_of([task])
    if not models:
        return []
    answers = min(len(task.dataset), spec.limit or len(task.dataset)) * spec.epochs
    method = step_of(task)[0]
    kind = find_kind(facts["family"], facts["task"])
    targets = {
        str(one.id): kind.usual_answer("".join(one.target), one.metadata or {})
        for one in task.dataset
    }
    counter = _Counter(targets, is_judged=bool(task.model_roles))
    from copy import copy

    from inspect_ai import task_with

    samples = sorted(task.dataset, key=lambda one: hash_of(str(one.id)))[:ITEMS]
    chosen = {str(one.id) for one in samples}
    part = task_with(copy(task), dataset=task.dataset.filter(lambda one: str(one.id) in chosen))
    for model in models:
        counter.watch(model)
    run_quietly(part, model=None, epochs=1, score=counter.is_judged, log_samples=False)
    about = {name: facts[name] for name in ("task", "setting")}
    about["method"] = method.rpartition("/")[2]
    return [
        {**about, "model": name, **count.row(name, answers / len(samples))}
        for name, count in sorted(counter.counts.items())
    ]


def _dollars(model: str, input: float, output: float, most: float) -> Row:
    """Dollars expected, and dollars for the longest answers; None if the price is not known."""
    from inspect_ai.model import get_model_info

    info = get_model_info(model)
    if info is None or info.cost is None:
        return {"usd": None, "max_usd": None}
    taken = input * info.cost.input / 1e6
    return {
        "usd": taken + output * info.cost.output / 1e6,
        "max_usd": taken + max(output, most) * info.cost.output / 1e6,
    }
