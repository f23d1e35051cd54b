"""Factor metrics as an Inspect scorer: the answer's program is run in the sandbox first."""

from __future__ import annotations

from inspect_ai.scorer import Scorer, Target, scorer
from inspect_ai.solver import TaskState

from vivavoce.metrics.factor import FactorScore, score_factor
from vivavoce.rounds import load_round
from vivavoce.tasks.implementation.dataset import gold_values, market_files
from vivavoce.tasks.implementation.formula import RESULT
from vivavoce.tasks.shared.factor_file import read_factor
from vivavoce.tasks.shared.guard import VALID, FaultyAnswer, MalformedAnswer, guarded
from vivavoce.tasks.shared.programs import find_program, is_placeholder, run_program
from vivavoce.tasks.shared.statistics import defined_mean

NAMES = ("acc", "corr", "form", "exe")
"""`corr` is undefined, not 0, for an answer without a result."""


@scorer(metrics={name: [defined_mean()] for name in (*NAMES, VALID)})
def formula(round: str, timeout: int = 120) -> Scorer:
    """Run the program and compare its result with the gold values.

    Args:
        round: Folder of the round: it holds the data and the gold.
        timeout: Seconds a program may run.
    """
    opened = load_round(round)
    tables, gold = market_files(opened), gold_values(opened)

    async def score(answer: str, state: TaskState, target: Target) -> dict[str, float]:
        program = find_program(answer)
        if program is None:
            raise MalformedAnswer
        files = {f"{name}.parquet": tables[name] for name in state.metadata["tables"]}
        outcome = await run_program(program, files, timeout)
        if outcome.failure:
            raise FaultyAnswer("placeholder" if is_placeholder(program) else outcome.failure)
        truth = gold[str(state.sample_id)]
        frame = await read_factor(RESULT, max_rows=20 * len(truth), timeout=timeout)
        values = _values(score_factor(truth, frame))
        if is_placeholder(program):
            raise FaultyAnswer("placeholder", values)
        if not values["form"]:
            raise FaultyAnswer("wrong_shape", values)
        return values

    return guarded(NAMES, score, undefined=("corr",))


def _values(found: FactorScore) -> dict[str, float]:
    """The metrics as numbers; NaN stands for undefined."""
    values = found.values()
    return {name: float("nan") if (value := values[name]) is None else value for name in NAMES}
