"""Replies and batches of a run, kept until its logs hold them.

Inspect writes finished samples ten at a time. A run started again after a kill would pay again for
samples not yet written and for every reply of those under way. So each reply goes to
`replies.jsonl` beside the logs as soon as it arrives, and the next run of the same kind takes
replies from there. A reply serves only the same words for the same sample, asked in the same order.
Requests that were under way are sent again.

A provider answers a batch within hours, at half the price. Inspect makes the batches and waits for
them. Each batch sent adds a line to `batches.jsonl` beside the logs, with a hash of every request.
The next run asks the provider for the results instead of sending the requests again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from pydantic_core import to_jsonable_python

from vivavoce.errors import InputError, VivaError
from vivavoce.running.logs import LineFile
from vivavoce.running.meter import (
    Attempt,
    Meter,
    Reply,
    Request,
    Send,
    SetAside,
    current_attempt,
    follow_attempts,
    intercept,
    output_of,
)
from vivavoce.store import hash_of, write_jsonl

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec
    from inspect_ai.model import Model


JOURNAL = "replies.jsonl"
TRANSPORT = (
    *("max_retries", "attempt_timeout", "timeout", "stream_idle_timeout", "max_connections"),
    *("adaptive_connections", "batch", "cache", "cache_prompt"),
)
"""Settings of a request that change no answer."""
_UNNAMED = frozenset(("id", "metadata", "model", "source"))
"""Fields of a message that change each time or that the model does not see."""


class Journal:
    """Replies by sample and request; `keep` puts the journal between a model and its provider."""

    def __init__(self, path: Path, meter: Meter) -> None:
        """Read the lines of an earlier run, except a last line that a kill cut off."""
        self._file = LineFile(path, "sample")
        self._meter = meter
        self._replies: dict[str, dict[str, Any]] = {}
        self._tasks: dict[str, str] = {}
        self._asked: Counter[tuple[Attempt, str]] = Counter()
        self._fresh: set[Attempt] = set()
        """Tries that got a new reply, which no earlier try had."""
        self._failed: set[Attempt] = set()
        """Tries with a request that got no reply."""
        self._unsent: set[Attempt] = set()
        """Tries with a request that was not sent, for lack of budget."""
        for line in self._file.lines():
            self._take(line)

    def _take(self, line: dict[str, Any]) -> None:
        if line.get("void"):
            self._replies.pop(line["sample"], None)
        elif "reply" in line:
            self._replies.setdefault(line["sample"], {})[line["request"]] = line["reply"]

    def _add(self, line: dict[str, Any]) -> None:
        self._take(line)
        self._file.add(line)

    def keep(self, model: Model) -> None:
        """Let a model take replies from the journal, and write new ones into it."""
        from inspect_ai.model import ModelOutput

        async def kept(request: Request, send: Send) -> Reply:
            attempt = current_attempt()
            if attempt is None or attempt.log not in self._tasks:
                return await self._meter.pay(model, request, send)
            words = [
                [str(model), model.role, request.tool_choice],
                [message.model_dump(exclude=set(_UNNAMED)) for message in request.input],
                [tool.model_dump() for tool in request.tools],
                request.config.model_dump(exclude_none=True, exclude=set(TRANSPORT)),
            ]
            hashed = _hash(words)
            self._asked[attempt, hashed] += 1
            name = f"{hashed}-{self._asked[attempt, hashed]}"
            known = self._replies.get(self._sample(attempt), {}).get(name)
            if known is not None:  # paid for before
                return ModelOutput.model_validate(known)
            aside = self._meter.set_aside(model, request, f"{self._sample(attempt)}/{name}")
            return await self._ask(attempt, name, aside, send)

        intercept(model, kept)

    async def _ask(self, attempt: Attempt, name: str, aside: SetAside, send: Send) -> Reply:
        try:
            async with aside as settle:
                reply = await send()
                # Nothing below is awaited, so the reply is kept whatever ends the run.
                if (output := output_of(reply)) is None:
                    self._failed.add(attempt)
                else:
                    self._fresh.add(attempt)
                    content = output.model_dump(mode="json", exclude_none=True)
                    sample = self._sample(attempt)
                    self._add({"sample": sample, "request": name, "reply": content})
                settle(reply)
                return reply
        except VivaError:  # from the budget, before the request was sent
            self._unsent.add(attempt)
            raise
        except BaseException:  # cancellation too: in every case there is no reply
            self._failed.add(attempt)
            raise

    def _sample(self, attempt: Attempt) -> str:
        """A name that all tries at a sample share, in every run."""
        return f"{self._tasks[attempt.log]}/{_hash([attempt.sample, attempt.epoch])}"

    def know_task(self, log: str, spec: EvalSpec, steps: Any) -> None:
        """Record the task, method and model of an evaluation: only these may reuse its replies."""
        given = {"args": spec.task_args_passed, "version": str(spec.task_version), "steps": steps}
        model = {"model": spec.model, "args": spec.model_args, "about": spec.metadata}
        self._tasks[log] = _hash([spec.task, given, model])

    def end_attempt(self, attempt: Attempt, error: str) -> None:
        """Forget the replies of a try that failed because of them: it would fail again with them.

        A try keeps its replies if it was cancelled or lacked budget, or if it lacked a reply after
        it had got new ones. Otherwise its replies may be the cause.
        """
        got_further = attempt in self._failed and attempt in self._fresh
        is_want = attempt in self._unsent or got_further
        # Inspect hands over only a traceback, which names the class of the error.
        is_cancelled = "CancelledError" in error
        if not error or is_want or is_cancelled or attempt.log not in self._tasks:
            return
        if (sample := self._sample(attempt)) in self._replies:
            self._add({"sample": sample, "void": True})

    def close(self, *, finished: bool) -> None:
        """Stop writing; if the run finished, remove its replies, since its logs hold them."""
        self._file.close()
        if not finished:
            return
        of_run = set(self._tasks.values())
        left = [line for line in self._file.lines() if line["sample"].split("/")[0] not in of_run]
        if left:
            write_jsonl(self._file.path, left)
        else:
            self._file.path.unlink(missing_ok=True)


def open_journal(folder: Path, meter: Meter) -> Journal:
    """Open the journal of a log folder and let it follow runs; the caller holds the lock."""
    from inspect_ai.hooks import Hooks, SampleAttemptEnd, TaskStart, hooks

    follow_attempts()
    journal = Journal(folder / JOURNAL, meter)

    # Hooks cannot be removed, but a new one replaces the old one of the same name.
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


BATCHES = "batches.jsonl"
_CHECKS = 20
"""Consecutive failed checks after which a batch of an earlier run counts as lost."""

Streams = dict[str, Any]


def check_batches(models: Iterable[Model]) -> None:
    """Raise `InputError` for a model whose provider offers no batches."""
    for model in models:
        if not any("batcher" in name for name in vars(model.api)):
            raise InputError(
                f"{model} cannot be asked in batches: its provider has none. Leave out --batch, or "
                "choose a provider that has them, such as openai/, anthropic/ or google/."
            )


class Book:
    """Record of batches in flight and the requests in them."""

    def __init__(self, path: Path) -> None:
        self._file = LineFile(path, "batch")
        self.requests: dict[str, dict[str, str]] = {}
        """Hashes of requests, by batch and then by number of the request."""
        self._waiting: dict[str, list[tuple[str, str]]] = defaultdict(list)
        done = set()
        for line in self._file.lines():
            self.requests[line["batch"]] = line.get("requests") or self.requests[line["batch"]]
            if "done" in line:
                done.add((line["batch"], line["done"]))
        for batch, requests in self.requests.items():
            for number, key in requests.items():
                if (batch, number) not in done:
                    self._waiting[key].append((batch, number))

    def take(self, key: str) -> tuple[str, str] | None:
        """Take (batch, number) of an earlier run's request by its hash; None if none is left."""
        return self._waiting[key].pop(0) if self._waiting[key] else None

    def add(self, batch: str, requests: dict[str, str]) -> None:
        """Record a batch that was sent."""
        self._file.add({"batch": batch, "requests": requests})
        self.requests[batch] = requests

    def end(self, batch: str, number: str) -> None:
        """Record that a request has its result."""
        self._file.add({"batch": batch, "done": number})

    def close(self, *, finished: bool) -> None:
        """Stop writing; if the run finished, delete the file, since the logs hold all results."""
        self._file.close()
        if finished:
            self._file.path.unlink(missing_ok=True)


@contextmanager
def kept_batches(folder: Path) -> Iterator[Book]:
    """Record every batch that is sent, and collect the results of batches of earlier runs."""
    from inspect_ai.model._providers.util.batch import Batcher

    book = Book(folder / BATCHES)
    # Inspect offers no hook here: it makes a batcher on the first request.
    create, ask = Batcher._wrapped_create_batch, Batcher.generate_for_request
    streams: dict[str, Streams] = {}

    async def create_and_note(self: Any, batch: list[Any]) -> str:
        keys = [_key(self, entry.request) for entry in batch]
        name: str = await create(self, batch)
        # The provider's library may renumber the requests while it sends them.
        book.add(name, {entry.custom_id: key for entry, key in zip(batch, keys, strict=True)})
        return name

    async def ask_once(self: Any, request: dict[str, Any]) -> Any:
        known = book.take(_key(self, request))
        if known is not None:
            batch, number = known
            if batch not in streams:
                streams[batch] = _attach(self, batch, book.requests[batch])
            result = await streams[batch].pop(number).receive()
            book.end(batch, number)
            if not isinstance(result, Exception):
                return result
        return await ask(self, request)

    Batcher._wrapped_create_batch = create_and_note  # type: ignore[method-assign]
    Batcher.generate_for_request = ask_once  # type: ignore[method-assign]
    try:
        yield book
    finally:
        Batcher._wrapped_create_batch = create  # type: ignore[method-assign]
        Batcher.generate_for_request = ask  # type: ignore[method-assign]


def _attach(batcher: Any, batch: str, requests: dict[str, str]) -> Streams:
    """Make Inspect wait for a batch of an earlier run; return a stream for each result."""
    from inspect_ai._util.background import run_in_background
    from inspect_ai.model._providers.util.batch import Batch, BatchRequest

    sends, receives = {}, {}
    for number in requests:
        sends[number], receives[number] = anyio.create_memory_object_stream[Any](1)
    waiting = {n: BatchRequest({}, send, custom_id=n) for n, send in sends.items()}
    failed = batcher._max_consecutive_check_failures - _CHECKS
    batcher._inflight_batches[batch] = Batch(batch, waiting, failed)
    if not batcher._is_batch_worker_running:
        batcher._is_batch_worker_running = True
        run_in_background(batcher._batch_worker)
    return receives


def _key(batcher: Any, request: dict[str, Any]) -> str:
    words = {name: value for name, value in request.items() if name != "extra_headers"}
    return _hash([type(batcher).__name__, words])
