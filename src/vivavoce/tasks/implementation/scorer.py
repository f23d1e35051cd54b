"""Metrics as Inspect scorers: the answer's program is run in the sandbox first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from vivavoce.metrics.architecture import DEFAULT_GAMMA, Layers, score_tracks
from vivavoce.metrics.extraction import (
    Similarity,
    score_extraction,
    vector_similarity,
)
from vivavoce.metrics.factor import (
    FactorFrame,
    FactorScore,
    best_constant,
    score_claim,
    score_columns,
    score_columns_read,
    score_factor,
    score_skill,
)
from vivavoce.retrieval.dense import open_encoders
from vivavoce.rounds import load_round
from vivavoce.tasks.family import View
from vivavoce.tasks.implementation.family import (
    Claimed,
    architecture_trials,
    claims,
    gold_methods,
    gold_values,
    market_files,
)
from vivavoce.tasks.implementation.items.formula import RESULT
from vivavoce.tasks.implementation.items.market_dictionary import columns_among
from vivavoce.tasks.implementation.items.report import CLAIM as CLAIM
from vivavoce.tasks.implementation.items.report import (
    MINILM,
    judge_of,
    parse_methods,
    usual_threshold,
)
from vivavoce.tasks.programs import named_in
from vivavoce.tasks.programs.program import (
    find_program,
    is_placeholder,
    run_program,
    sandbox_for,
)
from vivavoce.tasks.programs.result_files import read_factor, read_layers, read_number
from vivavoce.tasks.scoring.guard import defined_mean, guarded
from vivavoce.tasks.scoring.json_answer import find_json
from vivavoce.tasks.scoring.marks import VALID, FaultyAnswer, Values

_NEEDED = {
    "formula": ("numpy", "pandas", "pyarrow"),
    "reproduce": ("numpy", "pandas", "pyarrow"),
    "architecture": ("numpy", "torch", "safetensors"),
}
"""Distributions that programs may import, by task."""


def parts(view: View[Any]) -> dict[str, Any]:
    """Scorer, sandbox and facts of a log; `InputError` for a sandbox that is none."""
    given, folder = view.given, str(view.round.folder)
    if view.task == "extract_method":
        return {
            "scorer": extract_method(folder, given.embedder, given.threshold),
            "metadata": {"judge": judge_of(given.embedder, given.threshold)},
        }
    make = {"formula": formula, "reproduce": reproduce, "architecture": architecture}[view.task]
    return {
        "scorer": make(folder, given.timeout),
        "sandbox": sandbox_for(_NEEDED[view.task], given.sandbox, given.timeout),
    }


FACTOR_NAMES = ("acc", "corr", "form", "exe")
NAMES = ("skill", *FACTOR_NAMES, "data")
"""`corr` is undefined, not 0, for an answer without a result."""


@scorer(metrics={name: [defined_mean()] for name in (*NAMES, VALID)})
def formula(round: str, timeout: int = 120) -> Scorer:
    """Run the program and compare its result with the gold values.

    Args:
        round: Folder of the round: it holds the data and the gold.
        timeout: Seconds a program may run.
    """
    opened = load_round(round)
    files, gold = market_files(opened), gold_values(opened)
    constants = {name: best_constant(values) for name, values in gold.items()}

    async def score(answer: str, state: TaskState, target: Target) -> dict[str, float]:
        program = find_program(answer)
        if program is None:
            raise FaultyAnswer("malformed")
        values = dict.fromkeys(NAMES, 0.0) | {"corr": float("nan")}
        named = columns_among(named_in(program))
        values["data"] = score_columns_read(state.metadata["columns"], named)
        outcome = await run_program(program, files, timeout)
        if outcome.failure:
            fault = "placeholder" if is_placeholder(program) else outcome.failure
            raise FaultyAnswer(fault, values)
        truth = gold[str(state.sample_id)]
        frame = await _read_factor(truth, timeout, values)
        found = score_factor(truth, frame)
        values |= _values(found)
        values["skill"] = score_skill(found.near or 0.0, constants[str(state.sample_id)])
        if values["acc"] < 1 and is_placeholder(program):
            raise FaultyAnswer("placeholder", values)
        if not values["form"]:
            raise FaultyAnswer("wrong_shape", values)
        return values

    return guarded(NAMES, score, undefined=("corr",))


async def _read_factor(
    truth: FactorFrame, timeout: int, values: dict[str, float]
) -> FactorFrame | None:
    """The factor that a program left; a fault has what the answer reached before."""
    try:
        return await read_factor(RESULT, max_rows=20 * len(truth), timeout=timeout)
    except FaultyAnswer as error:
        raise FaultyAnswer(error.fault, values) from error


def _values(found: FactorScore) -> dict[str, float]:
    """The metrics as numbers; NaN stands for undefined."""
    values = found.values()
    return {
        name: float("nan") if (value := values[name]) is None else value for name in FACTOR_NAMES
    }


ARCHITECTURE_NAMES = ("tvc", "match", "output", "tsc", "tvc_unseen", "tsc_unseen", "exe")
_SPARE_BYTES = 1 << 20
"""A result may be so much larger than 20 times its gold."""


@scorer(metrics={name: [defined_mean()] for name in (*ARCHITECTURE_NAMES, VALID)})
def architecture(round: str, timeout: int = 120, gamma: float = DEFAULT_GAMMA) -> Scorer:
    """Run the module on the item's inputs and weights and compare its layers with the gold ones.

    Args:
        round: Folder of the round: it holds inputs, weights and the gold.
        timeout: Seconds a module may run.
        gamma: How much more a deeper layer weighs than the one before.
    """
    trials = architecture_trials(load_round(round))

    async def score(answer: str, state: TaskState, target: Target) -> dict[str, float]:
        program = find_program(answer)
        if program is None:
            raise FaultyAnswer("malformed")
        trial = trials[str(state.sample_id)]
        outcome = await run_program(
            program, trial.files, timeout, name="model.py", start="driver.py"
        )
        given, given_fault = await _read_track("result.safetensors", trial.gold)
        unseen, unseen_fault = await _read_track("unseen_result.safetensors", trial.unseen_gold)
        values = score_tracks(trial.gold, given, trial.unseen_gold, unseen, gamma=gamma)
        values["exe"] = float(given_fault is None)
        is_right = _shapes(given) == _shapes(trial.gold) and (
            _shapes(unseen) == _shapes(trial.unseen_gold)
        )
        fault = outcome.failure or given_fault or unseen_fault
        fault = fault or (None if is_right else "wrong_shape")
        if values["match"] < 1 and is_placeholder(program):
            fault = "placeholder"
        if fault:
            raise FaultyAnswer(fault, values)
        return values

    return guarded(ARCHITECTURE_NAMES, score)


async def _read_track(name: str, gold: Layers) -> tuple[Layers, str | None]:
    """A track's layers, and what is wrong with their file; no layers where something is."""
    size = sum(layer.nbytes for layer in gold.values())
    try:
        return await read_layers(name, max_bytes=20 * size + _SPARE_BYTES), None
    except FaultyAnswer as error:
        return {}, error.fault


def _shapes(layers: Layers) -> dict[str, tuple[int, ...]]:
    return {key: layer.shape for key, layer in layers.items()}


REPRODUCE_NAMES = ("claim", "acc", "corr", "form", "exe", "data", "method_f1", "entity_f1")


@scorer(metrics={name: [defined_mean()] for name in (*REPRODUCE_NAMES, VALID)})
def reproduce(round: str, timeout: int = 120) -> Scorer:
    """Compare what an answer read, chose and computed with the gold of a report, stage by stage.

    Args:
        round: Folder of the round: it holds the data and the gold.
        timeout: Seconds a program may run.
    """
    opened = load_round(round)
    files, gold = market_files(opened), claims(opened)

    async def score(answer: str, state: TaskState, target: Target) -> dict[str, float]:
        said, program = find_json(answer, ("method", "columns")), _find_code(answer)
        if not isinstance(said, dict) and program is None:
            raise FaultyAnswer("malformed")
        truth = gold[str(state.sample_id)]
        values = dict.fromkeys(REPRODUCE_NAMES, 0.0) | {"corr": float("nan")}
        values |= _score_reading(truth, said if isinstance(said, dict) else {})
        if program is None:
            raise FaultyAnswer("no_program", values)
        outcome = await run_program(program, files, timeout)
        if outcome.failure:
            raise FaultyAnswer(
                "placeholder" if is_placeholder(program) else outcome.failure, values
            )
        frame = await _read_factor(truth.values, timeout, values)
        number = await read_number(CLAIM, "value", timeout=timeout)
        values |= _values(score_factor(truth.values, frame))
        values["claim"] = score_claim(truth.number, number)
        if fault := _fault(program, values, number):
            raise FaultyAnswer(fault, values)
        return values

    return guarded(REPRODUCE_NAMES, score, undefined=("corr",))


def _find_code(answer: str) -> str | None:
    """The program of an answer that holds JSON as well, which is none."""
    program = find_program(answer)
    if program is not None and program.lstrip().startswith("{"):
        # Without a block marked as Python the last one counts: look at those before the JSON.
        program = find_program(answer[: answer.rindex(program)].rpartition("```")[0])
    return None if program is None or program.lstrip().startswith("{") else program


def _score_reading(truth: Claimed, said: dict[str, Any]) -> dict[str, float]:
    """The stages before the program: the method, and the columns it needs."""
    found = score_extraction([truth.method], parse_methods([said.get("method")]) or [])
    named = said.get("columns")
    columns = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return {
        "method_f1": found.method_f1,
        "entity_f1": found.entity_f1,
        "data": score_columns(truth.columns, columns),
    }


def _fault(program: str, values: dict[str, float], number: float | None) -> str | None:
    if min(values["acc"], values["claim"]) < 1 and is_placeholder(program):
        return "placeholder"
    if not values["form"]:
        return "wrong_shape"
    return "no_number" if number is None else None


EXTRACTION_NAMES = (
    "entity_f1",
    "method_f1",
    "variable_f1",
    "description",
    "similarity",
    "inferred",
)


@scorer(metrics={name: [defined_mean()] for name in (*EXTRACTION_NAMES, VALID)})
def extract_method(
    round: str, embedder: str | None = None, threshold: float | None = None
) -> Scorer:
    """Compare the methods of an answer with those of the report.

    Args:
        round: Folder of the round, which holds the gold.
        embedder: Sentence encoder that compares descriptions, or `minilm`, which has a rule for
            texts that exclude each other; by default they are compared by their words.
        threshold: Similarity from which two descriptions say the same; by default that of the
            comparison.
    """
    gold = gold_methods(load_round(round))
    similarity = _similarity(embedder)
    limit = usual_threshold(embedder) if threshold is None else threshold

    async def score(answer: str, state: TaskState, target: Target) -> Values:
        found = parse_methods(find_json(answer))
        if found is None:
            raise FaultyAnswer("malformed")
        methods = gold[str(state.sample_id)]
        result = score_extraction(methods, found, similarity, limit)
        if result.unmarked:
            raise FaultyAnswer("unmarked", result.values())
        return result.values()

    # A fault is 0 in `inferred` too, but where there is nothing to infer.
    with_open = guarded(EXTRACTION_NAMES, score)
    without_open = guarded(EXTRACTION_NAMES, score, undefined=("inferred",))

    async def scored(state: TaskState, target: Target) -> Score | None:
        has_open = any(method.formula is None for method in gold[str(state.sample_id)])
        return await (with_open if has_open else without_open)(state, target)

    return scored


def _similarity(embedder: str | None) -> Similarity | None:
    """The comparison of descriptions; None for that of words."""
    if embedder is None:
        return None
    passages = open_encoders(embedder).passages

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return passages.embed(list(texts)).vectors.astype(np.float64)

    return vector_similarity(embed, is_strict=embedder == MINILM)
