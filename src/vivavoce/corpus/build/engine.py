"""Execution of build steps: in this process, in a process per core, or on a Ray cluster.

A step is a function of a task (a plain row) that reads and writes files below the corpus and then
writes a completion marker. Its files are the same wherever it runs. Small builds run in this
process, large ones in a pool of processes. On a cluster, every task is a Ray task, which is
repeated if its worker is lost. All machines must see the corpus under the same path, unless the
corpus has an address: then files go through its `exchange`.

With an address, the machine that hands out a task uploads the task's input files. The worker
fetches them into its own folder, does the task there, and sends the results.
"""

from __future__ import annotations

import atexit
import gc
import json
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

from vivavoce import errors
from vivavoce.corpus.places import Hashes, Place, address_of, exchange_of, stamps_of
from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.store import Row, canonical_json, hash_file


@dataclass(frozen=True)
class Exchange:
    """The folder of a build, and the place through which its files are exchanged."""

    folder: Path
    place: Place
    _sent: dict[str, str] = field(default_factory=dict)

    def pack(self, task: Row, reads: Iterable[Path]) -> str:
        """Send the input files of a task, and pack the task for `do_away`."""
        files = {path.relative_to(self.folder).as_posix(): hash_file(path) for path in reads}
        new = {name: digest for name, digest in files.items() if self._sent.get(name) != digest}
        self.place.send(self.folder, new)
        self._sent.update(new)
        folder, address = str(self.folder), self.place.address
        return canonical_json({"task": task, "folder": folder, "files": files, "address": address})

    def unpack(self, done: str) -> str:
        """Fetch the files that a task made; return the task's outcome."""
        result = json.loads(done)
        self.place.fetch(result["made"], self.folder)
        self._sent.update(result["made"])
        return str(result["outcome"])


def do_away(attempt: Callable[[str], str], packed: str) -> str:
    """Do a packed task in a folder of this process; return the input of `unpack`."""
    request = json.loads(packed)
    place, files = Place(request["address"]), request["files"]
    folder, present = _own_files()
    for name in present.keys() - files.keys():
        (folder / name).unlink()
        del present[name]
    lacking = {name: digest for name, digest in files.items() if present.get(name) != digest}
    place.fetch(lacking, folder)
    before = stamps_of(folder)
    outcome = attempt(canonical_json(_moved(request["task"], request["folder"], str(folder))))
    made: Hashes = {
        name: hash_file(folder / name)
        for name, stamp in stamps_of(folder).items()
        if before.get(name) != stamp
    }
    present.update({**files, **made})
    place.send(folder, made)
    return canonical_json({"outcome": outcome, "made": made})


@cache
def _own_files() -> tuple[Path, dict[str, str]]:
    """Folder of this process, and the sha256 of its files, which later tasks may reuse."""
    folder = Path(tempfile.mkdtemp(prefix="vivavoce-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder, {}


def _moved(value: Any, old: str, new: str) -> Any:
    """A task whose paths below one folder are moved below another."""
    if isinstance(value, str):
        return (
            new + value.removeprefix(old) if value == old or value.startswith(f"{old}/") else value
        )
    if isinstance(value, dict):
        return {name: _moved(each, old, new) for name, each in value.items()}
    return [_moved(each, old, new) for each in value] if isinstance(value, list) else value


Step = Callable[[Row], Row]
Reads = Callable[[Row], Iterable[Path]]

NATIVE, RAY = "native", "ray"
TRIES = 4
"""Maximum number of tries for a step if workers die."""
FEW_DOCUMENTS = 40_000
"""Up to this many documents, tasks run in this process, as starting workers takes longer."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The place where the steps of a build run."""

    name: str = NATIVE
    address: str | None = None
    """Address of a Ray cluster; None starts one on this machine."""
    few_documents: int = FEW_DOCUMENTS
    """Up to this many documents, the native engine works in this process."""
    exchange: Exchange | None = None
    """Exchange of files with a cluster's machines; None if they see the corpus folder."""

    def __post_init__(self) -> None:
        if self.name not in (NATIVE, RAY):
            raise InputError(f"There is no engine {self.name!r}. Available: {NATIVE}, {RAY}.")
        if self.address is not None and self.name != RAY:
            raise InputError("--address is for a Ray cluster: add --engine ray.")
        if self.name == RAY and not find_spec("ray"):
            raise MissingExtra("ray", "ray", "--engine ray")

    def at(self, corpus: Path) -> Engine:
        """The engine for one corpus; a cluster exchanges files if the corpus has an address."""
        address = address_of(corpus) if self.address else None
        if address is None:
            return self
        return replace(self, exchange=Exchange(corpus, exchange_of(address, corpus)))

    def run(self, step: Step, tasks: Sequence[Row], documents: int, reads: Reads) -> None:
        """Do a step for all tasks, given as plain rows; raise the error of the first that failed.

        `documents` is their total number. `reads` returns a task's input files below the corpus.
        """
        if not tasks:
            return
        if self.name == NATIVE and documents <= self.few_documents:
            for task in tasks:
                step(task)
            return
        pack = self.exchange.pack if self.exchange else lambda task, _: canonical_json(task)
        for outcome in self._outcomes(step, [pack(task, reads(task)) for task in tasks]):
            if "error" in outcome:
                kind = getattr(errors, outcome["type"], VivaError)
                is_known = kind in (errors.DamagedError, errors.StaleError)
                raise (kind if is_known else VivaError)(outcome["error"])

    def _outcomes(self, step: Step, tasks: Sequence[str]) -> list[Row]:
        """Run tasks and return their outcomes; if a worker is lost, submit all tasks again."""
        for tried in range(1, TRIES + 1):
            try:
                if self.name == NATIVE:
                    return _run_in_processes(step, tasks)
                return _run_on_ray(self.address, step, tasks, self.exchange)
            except VivaError:
                raise  # there is no cluster, so trying again is useless
            except Exception as error:
                # Ray raises many types when a worker dies; an error inside a step is returned,
                # not raised. Finished tasks have their marker and are not done again.
                if tried == TRIES:
                    raise VivaError(
                        f"The {self.name} engine gave up after {TRIES} tries: {error}. "
                        "Run the same command again to go on where it stopped."
                    ) from error
        raise AssertionError("unreachable")


def attempt(step: Step, task: str) -> str:
    """Do one task in a worker; return errors, so that other tasks continue."""
    gc.set_threshold(100_000)  # as in the main process: records form no cycles
    try:
        step(json.loads(task))
    except VivaError as error:
        return canonical_json({"error": str(error), "type": type(error).__name__})
    except Exception as error:  # any error must reach the user as an error of this task
        return canonical_json({"error": f"{type(error).__name__}: {error}", "type": "VivaError"})
    return canonical_json({})


def attempt_away(step: Step, task: str) -> str:
    """Do a task that was packed by an exchange."""
    return do_away(partial(attempt, step), task)


def _run_in_processes(step: Step, tasks: Sequence[str]) -> list[Row]:
    # Only Linux reports the processors that this process may use.
    processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    pool = ProcessPoolExecutor(
        min(len(processors) or os.cpu_count() or 1, len(tasks)),
        multiprocessing.get_context("spawn"),
        initializer=_begin_worker,
    )
    try:
        with _without_main():
            waiting = [pool.submit(attempt, step, task) for task in tasks]
        return [json.loads(each.result()) for each in waiting]
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    """Ignore interrupts, which the main process handles, and end when the main process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes without importing the main program, which may start a build on import."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _run_on_ray(
    address: str | None, step: Step, tasks: Sequence[str], exchange: Exchange | None
) -> list[Row]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    # Ray prints a greeting to standard output, which is for results.
    with redirect_stdout(sys.stderr):
        _join_cluster(address)
        remote = ray.remote(max_retries=TRIES)(attempt if exchange is None else attempt_away)
        done = map(ray.get, [remote.remote(step, task) for task in tasks])
        return [json.loads(each if exchange is None else exchange.unpack(each)) for each in done]


def _join_cluster(address: str | None) -> None:
    """Connect to a Ray cluster, or start one; keep the output of its workers quiet."""
    import ray
    import ray._private.worker

    if ray.is_initialized():
        return
    try:
        ray.init(
            address=address,
            include_dashboard=False if address is None else None,
            logging_level=logging.ERROR,
            log_to_driver=False,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise VivaError(
            f"No Ray cluster answers at {address or 'this machine'}: {error}. "
            "Start one with: ray start --head"
        ) from error
    # Ray prints the state of its machines at any time, even without log_to_driver, and has no
    # public switch for it. Standard output is for results.
    ray._private.worker._worker_logs_enabled = False
