"""The steps of a build, run here, on all cores through Daft, or on a Ray cluster through Daft.

A step is a function of one task, a plain row, that reads and writes files below the corpus and
leaves a completion marker. Where it runs makes no difference to what it writes. A small build runs
in this process and never loads Daft; a large one is a dataframe of tasks with a column that a
batch function fills in worker processes, one task a batch. On a cluster every machine has to see
the folder of the corpus under the same path.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from vivavoce import errors
from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.store import Row, canonical_json

Step = Callable[[Row], Row]

NATIVE, RAY = "native", "ray"
TRIES = 4
"""How often a step is begun when workers die."""
PARTS_PER_MACHINE = 3
"""Of the tasks of a step on a cluster: more of them share the work better and start more often."""
FEW_DOCUMENTS = 40_000
"""Tasks of so many documents together are done here: starting workers would be felt."""
_QUIET = {"DAFT_PROGRESS_BAR": "0", "DAFT_ANALYTICS_ENABLED": "0", "DO_NOT_TRACK": "true"}
_RAY_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
_WORKER = b"daft.execution.udf_worker"
_MAX_END = 15.0
"""Seconds that worker processes are given to end."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Where the steps of a build run."""

    name: str = NATIVE
    address: str | None = None
    """Of a Ray cluster; None starts one on this machine."""
    few_documents: int = FEW_DOCUMENTS
    """Native: work on up to so many documents is done in this process, without Daft."""

    def __post_init__(self) -> None:
        if self.name not in (NATIVE, RAY):
            raise InputError(f"No engine is called {self.name!r}. There are: {NATIVE}, {RAY}.")
        if self.address is not None and self.name != RAY:
            raise InputError("An address is that of a Ray cluster: add --engine ray.")
        if self.name == RAY and find_spec("ray") is None:
            raise MissingExtra("ray", "ray", "--engine ray")

    def run(self, step: Step, tasks: Sequence[Row], documents: int) -> None:
        """Do every task; raises what went wrong with the first that failed.

        Args:
            step: What to do.
            tasks: What to do it with.
            documents: How many documents the tasks are about.
        """
        if not tasks:
            return
        if self.name == NATIVE and documents <= self.few_documents:
            for task in tasks:
                step(task)
            return
        for outcome in self._outcomes(step, [canonical_json(task) for task in tasks]):
            _raise(outcome)

    def _outcomes(self, step: Step, tasks: Sequence[str]) -> list[Row]:
        """What became of each task; a query that lost a worker is put again."""
        with _daft(self) as daft:
            for tried in range(1, TRIES + 1):
                try:
                    return _query(daft, step, tasks, spread=self.name == RAY)
                except Exception as error:
                    # Daft and Ray raise many types when a worker dies; an error of a step is not
                    # raised but returned. What was done has its marker and is not done again.
                    if tried == TRIES:
                        raise VivaError(
                            f"The {self.name} engine gave up after {TRIES} tries: {error}. "
                            "Run the same command again to go on where it stopped."
                        ) from error
        raise AssertionError("unreachable")


def attempt(step: Step, task: str) -> str:
    """Do one task in a worker; what goes wrong is returned, so that it fails no other task."""
    gc.set_threshold(100_000)  # as in a process of our own: records make no cycles
    try:
        step(json.loads(task))
    except VivaError as error:
        return canonical_json({"error": str(error), "type": type(error).__name__})
    except Exception as error:  # any fault of one task must reach the user as that task's
        return canonical_json({"error": f"{type(error).__name__}: {error}", "type": "VivaError"})
    return canonical_json({})


def _query(daft: Any, step: Step, tasks: Sequence[str], *, spread: bool) -> list[Row]:
    def attempts(batch: Any) -> list[str]:
        return [attempt(step, task) for task in batch.to_pylist()]

    as_column = daft.func.batch(
        return_dtype=daft.DataType.string(), batch_size=1, use_process=True
    )(attempts)
    frame = daft.from_pydict({"task": list(tasks)})
    if spread:
        # Worker processes are started for each part, so there are to be few of them.
        frame = frame.into_partitions(min(len(tasks), PARTS_PER_MACHINE * _count_machines()))
    done = frame.select(as_column(daft.col("task")).alias("outcome")).to_pydict()
    return [json.loads(outcome) for outcome in done["outcome"]]


@contextmanager
def _daft(engine: Engine) -> Iterator[Any]:
    """Daft with the runner of an engine; its worker processes are gone afterwards."""
    for name, value in {**_QUIET, **(_RAY_QUIET if engine.name == RAY else {})}.items():
        os.environ.setdefault(name, value)
    import daft

    with warnings.catch_warnings(), redirect_stdout(sys.stderr):
        # Ray prints what becomes of its machines, and standard output is for the results.
        # Daft leaves the pipes to its worker processes to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        _choose_runner(daft, engine)
        try:
            yield daft
        finally:
            _await_workers()
            gc.collect()


def _choose_runner(daft: Any, engine: Engine) -> None:
    """Set the runner, which a process has one of."""
    try:
        if engine.name == RAY:
            _join_cluster(engine.address)
            daft.set_runner_ray(noop_if_initialized=True)
        else:
            daft.set_runner_native()
    except daft.exceptions.DaftCoreException as error:
        if daft.get_or_infer_runner_type() != engine.name:
            raise VivaError(
                f"This process has used another engine than {engine.name}: start a new one."
            ) from error


def _join_cluster(address: str | None) -> None:
    """Connect to a Ray cluster, or start one; its workers are to be as quiet as this process."""
    ray = import_module("ray")
    if ray.is_initialized():
        return
    try:
        ray.init(
            address=address,
            runtime_env={"env_vars": _QUIET},
            include_dashboard=False if address is None else None,
            logging_level=logging.ERROR,
            log_to_driver=False,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise VivaError(
            f"No Ray cluster answers at {address or 'this machine'}: {error}. "
            "Start one with: ray start --head"
        ) from error


def _count_machines() -> int:
    nodes = import_module("ray").nodes()
    return max(sum(bool(node["Alive"]) for node in nodes), 1)


def _await_workers() -> None:
    """Wait for worker processes: ending this one beside them can crash it."""
    end = time.monotonic() + _MAX_END
    while _has_workers() and time.monotonic() < end:
        time.sleep(0.02)


def _has_workers() -> bool:
    found = Path("/proc/self/task").glob("*/children")
    try:
        children = {child for path in found for child in path.read_text().split()}
        return any(_WORKER in Path(f"/proc/{c}/cmdline").read_bytes() for c in children)
    except OSError:  # one ended while it was looked at
        return True


def _raise(outcome: Mapping[str, str]) -> None:
    if "error" in outcome:
        kind = getattr(errors, outcome["type"], VivaError)
        raise (kind if kind in (errors.DamagedError, errors.StaleError) else VivaError)(
            outcome["error"]
        )
