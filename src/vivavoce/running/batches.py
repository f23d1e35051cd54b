"""Batches of requests that outlive a run: after a kill, the next run collects those in flight.

A provider answers a batch within hours, at half the price. Inspect makes the batches and waits for
them. Each batch sent adds a line to `batches.jsonl` beside the logs, with a hash of every request.
The next run asks the provider for their results instead of sending the requests again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from pydantic_core import to_jsonable_python

from vivavoce.errors import InputError
from vivavoce.running.logs import LineFile
from vivavoce.store import hash_of

if TYPE_CHECKING:
    from inspect_ai.model import Model

BATCHES = "batches.jsonl"
_CHECKS = 20
"""Failed checks in a row after which a batch of an earlier run counts as lost."""

Streams = dict[str, Any]


def check_batches(models: Iterable[Model]) -> None:
    """Raise `InputError` for a model whose provider has no batches."""
    for model in models:
        if not any("batcher" in name for name in vars(model.api)):
            raise InputError(
                f"{model} cannot be asked in batches: its provider has none. Leave out --batch, or "
                "choose a provider that has them, such as openai/, anthropic/ or google/."
            )


class Book:
    """Batches in flight and the requests in them."""

    def __init__(self, path: Path) -> None:
        self._file = LineFile(path, "batch")
        self.requests: dict[str, dict[str, str]] = {}
        """Hashes of requests, by batch and then by the request's number."""
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
        """Take a request of an earlier run, in flight or answered; None if none is left."""
        return self._waiting[key].pop(0) if self._waiting[key] else None

    def add(self, batch: str, requests: dict[str, str]) -> None:
        """Record a batch that was sent."""
        self._file.add({"batch": batch, "requests": requests})
        self.requests[batch] = requests

    def end(self, batch: str, number: str) -> None:
        """Record that a request has its result."""
        self._file.add({"batch": batch, "done": number})

    def close(self, *, finished: bool) -> None:
        """Stop writing; the logs of a finished run hold all results."""
        self._file.close()
        if finished:
            self._file.path.unlink(missing_ok=True)


@contextmanager
def kept_batches(folder: Path) -> Iterator[Book]:
    """Record every batch that is sent, and collect the results of batches of earlier runs."""
    from inspect_ai.model._providers.util.batch import Batcher

    book = Book(folder / BATCHES)
    # Inspect offers no hook here: it makes a batcher when the first request comes.
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
    """Make Inspect wait for a batch of an earlier run; returns a stream for each result."""
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
    kind = type(batcher).__name__
    return hash_of(to_jsonable_python([kind, words], serialize_unknown=True))[:32]
