"""Methods of the implementation tasks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from inspect_ai.solver import Solver, TaskState, solver

from vivavoce.rounds import load_round
from vivavoce.tasks.implementation.items.formula import RESULT
from vivavoce.tasks.implementation.items.gold import architecture_trials, market_files
from vivavoce.tasks.implementation.items.report import headings_as_methods
from vivavoce.tasks.methods.direct import SOURCE_SLOT, baseline, direct
from vivavoce.tasks.methods.self_refine import Check, refine
from vivavoce.tasks.programs.program import run_program
from vivavoce.tasks.programs.result_files import read_factor
from vivavoce.tasks.scoring.marks import FaultyAnswer

__all__ = ["direct", "empty", "headings", "naive", "self_refine"]

_MAX_ROWS = 1_000_000
_NO_FACTOR = (
    f"{RESULT} is no table of a factor. It has to hold datetime and instrument, as columns or "
    "index levels, dates in the one, and numbers in all other columns."
)


@solver
def naive() -> Solver:
    """Answer with the program that forgets the instrument; the reference where no lag is taken."""
    return baseline("naive", lambda state: state.metadata["naive"] or state.target.text)


@solver
def empty() -> Solver:
    """Answer with nothing."""
    return baseline("empty", lambda state: "")


@solver
def headings() -> Solver:
    """Answer with the deepest headings of the report as methods."""

    def answer(state: TaskState) -> str:
        start, end = state.metadata["spans"][SOURCE_SLOT]
        return headings_as_methods(state.input_text[start:end])

    return baseline("headings", answer)


@solver
def self_refine(rounds: int = 3, context: int | None = None) -> Solver:
    """Ask as `direct` does, then show the model how its program failed, until it runs.

    Args:
        rounds: Further answers at most.
        context: Window in tokens; by default what the provider or the model table says.
    """
    return refine(CHECKS, rounds, context)


async def check_formula(program: str, state: TaskState, timeout: int) -> str | None:
    """Run a formula's program; how it failed, or None when it left one readable column.

    Nothing is compared with the gold, not even the rows.
    """
    outcome = await run_program(program, _tables(state.metadata["run"]["round"]), timeout)
    if outcome.failure:
        return outcome.report()
    try:
        frame = await read_factor(RESULT, max_rows=_MAX_ROWS, timeout=timeout)
    except FaultyAnswer as error:
        reasons = {"no_file": f"It ended without an error, but there is no file {RESULT}."}
        return reasons.get(error.fault, f"{RESULT} cannot be read as a Parquet file.")
    if frame is None:
        return _NO_FACTOR
    if len(frame.values) != 1:
        return f"{RESULT} has {len(frame.values)} columns of values. It has to have exactly one."
    return None if len(frame) else f"{RESULT} has no rows."


async def check_architecture(program: str, state: TaskState, timeout: int) -> str | None:
    """Run an architecture's module; how it failed, or None when all of its layers are there.

    `timeout` is in seconds.
    """
    files = _driven(state.metadata["run"]["round"])[str(state.sample_id)]
    outcome = await run_program(program, files, timeout, name="model.py", start="driver.py")
    return outcome.report() if outcome.failure else None


CHECKS: Mapping[str, Check] = {
    "formula": check_formula,
    "architecture": check_architecture,
    "reproduce": check_formula,
}
"""Trial runs of each task's programs, for methods that make them."""


@lru_cache(maxsize=4)
def _tables(folder: str) -> dict[str, bytes]:
    """The market of a round, read once for all of its samples."""
    return market_files(load_round(Path(folder)))


@lru_cache(maxsize=4)
def _driven(folder: str) -> dict[str, dict[str, bytes]]:
    """Files that the architectures of a round are run with, by item; without the gold."""
    trials = architecture_trials(load_round(Path(folder)))
    return {name: trial.files for name, trial in trials.items()}
