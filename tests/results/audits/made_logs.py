"""Logs written by hand: every value of every sample is the test's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalSample,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import ModelConfig
from inspect_ai.scorer import Score

METRICS = ("rougeL", "rouge1")
ROUND_SHA256 = "f" * 64


def judge_note(
    judge: str,
    answer_first: str | None,
    reference_first: str | None,
    *,
    words: tuple[int, int] = (100, 100),
    answer: str = "same",
    **others: str,
) -> dict[str, Any]:
    """What the judge's scorer notes: who won with the answer first, and with the reference first.

    `answer_first` and `reference_first` are the places that won; other criteria take one place
    for both orders.
    """
    return {
        "model": judge,
        "orders": [
            {"first": "answer", "verdicts": {"overall": answer_first, **others}},
            {"first": "reference", "verdicts": {"overall": reference_first, **others}},
        ],
        "words": {"answer": words[0], "reference": words[1]},
        "answer": answer,
    }


WON, LOST, TIED = ("first", "second"), ("second", "first"), ("first", "first")
"""Places that win with the answer first, then with the reference first."""


def write_log(
    folder: Path,
    values: Mapping[str, float | None] | Mapping[str, Sequence[float]],
    *,
    model: str = "lab/one",
    task: str = "title",
    setting: str = "base",
    method: str = "direct",
    params: Mapping[str, Any] | None = None,
    prompt_hash: str = "prompts",
    judge: str = "",
    notes: Mapping[str, Mapping[str, Any]] | None = None,
    rulings: Mapping[str, Mapping[str, Any]] | None = None,
    clusters: Mapping[str, str] | None = None,
    splits: Mapping[str, str] | None = None,
    round_sha256: str = ROUND_SHA256,
    round_id: str = "made",
    name: str = "",
    metrics: Sequence[str] = METRICS,
) -> Path:
    """Write a complete log: each item's value in every metric (several: one an epoch).

    `notes` are what a judge who compares texts noted, `rulings` his labels of lines.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = len(list(folder.glob("*.eval")))
    samples = []
    epochs = 1
    for item, given in values.items():
        attempts = list(given) if isinstance(given, Sequence) else [given]
        epochs = len(attempts)
        for epoch, value in enumerate(attempts, start=1):
            note = (notes or {}).get(item)
            told = {"cluster": (clusters or {}).get(item, item)}
            if splits:
                told["split"] = splits[item]
            further = {"judge": dict(note)} if note is not None else {}
            if rulings:
                further["rulings"] = rulings[item]
            samples.append(_sample(item, epoch, value, further, told, metrics))
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=f"2024-01-01T00:00:{made:02d}+00:00",
            task=f"vivavoce/{task}",
            task_version="1-A",
            task_args={"prompts": None},
            dataset=EvalDataset(samples=len(values), sample_ids=list(values)),
            model=model,
            model_roles={"judge": ModelConfig(model=judge)} if judge else None,
            config=EvalConfig(epochs=epochs),
            metadata={
                "round": round_id,
                "round_sha256": round_sha256,
                "window": ["2023-01-01", "2025-01-01"],
                "family": "writing",
                "task": task,
                "setting": setting,
                "prompt_hash": prompt_hash,
                "metrics": list(metrics),
                "diagnostics": [],
                "judged": [],
                "stages": [],
                "judge": f"{judge}#template" if judge else "",
            },
        ),
        plan=EvalPlan(steps=[EvalPlanStep(solver=f"vivavoce/{method}", params=dict(params or {}))]),
        samples=samples,
    )
    path = folder / (name or f"2024-01-01T00-00-{made:02d}_{task}_{made}.eval")
    write_eval_log(log, str(path))
    return path


def _sample(
    item: str,
    epoch: int,
    value: float | None,
    further: Mapping[str, Any],
    told: Mapping[str, str],
    metrics: Sequence[str],
) -> EvalSample:
    number = float("nan") if value is None else value
    return EvalSample(
        id=item,
        epoch=epoch,
        input="ask",
        target="the gold text",
        metadata=dict(told),
        scores={
            "writing": Score(
                value={**dict.fromkeys(metrics, number), "valid": 1.0},
                metadata={"fault": None, **further},
            )
        },
    )
