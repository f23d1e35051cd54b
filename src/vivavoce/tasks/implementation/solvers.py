"""Methods of the implementation tasks.

With `self_refine`, a model sees how its program failed and may answer again. It sees only the
output of the program; the gold is not used.
"""

import re
from collections.abc import Awaitable, Callable, Mapping

from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer
from vivavoce.tasks.implementation.items.formula import RESULT
from vivavoce.tasks.implementation.items.report import headings_as_methods
from vivavoce.tasks.implementation.program import find_program, read_factor, run_program
from vivavoce.tasks.implementation.scorer import architecture_trials, market_files
from vivavoce.tasks.methods.direct import (
    SOURCE_SLOT,
    baseline,
    check_context,
    direct,
    first_message,
    say,
)
from vivavoce.tasks.prompting import PromptSet, folder_at, load_prompts
from vivavoce.tasks.prompting.fitting import Window
from vivavoce.tasks.prompting.windows import measure
from vivavoce.tasks.scoring.guard import answer_of, find_fault

__all__ = ["direct", "empty", "headings", "naive", "self_refine"]

Check = Callable[[str, TaskState, int], Awaitable[str | None]]
"""Runs a sample's program with a time limit; returns its failure, or None."""

TEMPLATE = "self_refine"
NO_PROGRAM = "The answer holds no program: no fenced code block, and it is not Python itself."
_MAX_ROUNDS = 100


@solver
def self_refine(rounds: int = 3, context: int | None = None) -> Solver:
    """Ask like `direct`, then show the model how its program failed, until it runs.

    Args:
        rounds: Maximum further answers.
        context: Window in tokens; by default what the provider or the model table says.
    """
    check_context(context)
    check_numbers({"rounds": (rounds, 0, _MAX_ROUNDS)})

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model, run = get_model(), state.metadata["run"]
        window = Window(measure(str(model), model.api, context), int(state.metadata["max_tokens"]))
        check, prompts = CHECKS[run["kind"]], load_prompts(folder_at(run["prompts"]))
        _reply(prompts, state, "")  # report an unusable template before anything is paid
        state.messages = [first_message(state, context, model)]
        state = await generate(state)
        used = left_out = 0
        failure = await _failure(check, state, run["timeout"])
        while failure is not None and used < rounds:
            messages = [*state.messages, _reply(prompts, state, failure)]
            try:  # without the oldest turns if they do not fit
                state.messages, _ = window.fit(messages)
            except InputError:
                break
            left_out += len(messages) - len(state.messages)
            state = await generate(state)
            used += 1
            failure = await _failure(check, state, run["timeout"])
        state.metadata["refine"] = {"rounds": used, "left_out": left_out}
        return state

    return solve


async def _failure(check: Check, state: TaskState, timeout: int) -> str | None:
    """Failure of the last answer's program; None if it ran, or for a faulty answer."""
    if find_fault(state.output):
        return None
    program = find_program(answer_of(state.output))
    return NO_PROGRAM if program is None else await check(program, state, timeout)


def _reply(prompts: PromptSet, state: TaskState, failure: str) -> ChatMessageUser:
    # Longer than any run of backticks in the report, so that a program cannot end the block.
    fence = "`" * max([3, *(1 + len(run) for run in re.findall("`+", failure))])
    return say(state, prompts.render(TEMPLATE, {"failure": failure}, {"fence": fence}).text)


_MAX_ROWS = 1_000_000
_NO_FACTOR = (
    f"{RESULT} is not a table of a factor. It has to hold datetime and instrument, as columns or "
    "index levels, dates in the one, and numbers in all other columns."
)


@solver
def naive() -> Solver:
    """Answer with the program that ignores the instrument; without lags, with the reference."""
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


async def check_formula(program: str, state: TaskState, timeout: int) -> str | None:
    """Run a formula's program; return its failure, or None if it gave one readable column.

    Nothing is compared with the gold, not even the rows.
    """
    outcome = await run_program(program, market_files(state.metadata["run"]["round"]), timeout)
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
    """Run an architecture's module; return its failure, or None if it gave all layers.

    `timeout` is in seconds.
    """
    trial = architecture_trials(state.metadata["run"]["round"])[str(state.sample_id)]
    outcome = await run_program(program, trial.files, timeout, name="model.py", start="driver.py")
    return outcome.report() if outcome.failure else None


CHECKS: Mapping[str, Check] = {
    "formula": check_formula,
    "architecture": check_architecture,
    "reproduce": check_formula,
}
