"""Logs written by hand: every value of every sample is the test's own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

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
from inspect_ai.model import ModelConfig, ModelUsage
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
    published: Mapping[str, Any] | None = None,
    round_sha256: str = ROUND_SHA256,
    round_id: str = "made",
    name: str = "",
    metrics: Sequence[str] = METRICS,
    faults: Mapping[str, str] | None = None,
    tokens: int = 0,
    seconds: float = 0.0,
    context: int | None = None,
) -> Path:
    """Write a complete log: each item's value in every metric (several: one an epoch).

    `notes` are what a judge who compares texts noted, `rulings` his labels of lines.
    """
    samples = []
    for item, given in values.items():
        attempts = list(given) if isinstance(given, Sequence) else [given]
        for epoch, value in enumerate(attempts, start=1):
            note = (notes or {}).get(item)
            metadata = {"cluster": (clusters or {}).get(item, item)}
            for fact, by_item in (("split", splits), ("published", published)):
                if by_item:
                    metadata[fact] = by_item[item]
            further = {"judge": dict(note)} if note is not None else {}
            if rulings:
                further["rulings"] = rulings[item]
            sample = _sample(
                item, epoch, value, (faults or {}).get(item), further, metadata, metrics
            )
            sample.model_usage = {model: ModelUsage(total_tokens=tokens)}
            sample.working_time = seconds
            samples.append(sample)
    return write_samples(
        folder,
        samples,
        model=model,
        task=task,
        solver=EvalPlanStep(solver=f"vivavoce/{method}", params=dict(params or {})),
        name=name,
        context=context,
        roles={"judge": ModelConfig(model=judge)} if judge else None,
        round=round_id,
        round_sha256=round_sha256,
        family="writing",
        setting=setting,
        prompt_hash=prompt_hash,
        metrics=list(metrics),
        judge=f"{judge}#template" if judge else "",
    )


def write_samples(
    folder: Path,
    samples: list[EvalSample],
    *,
    model: str,
    task: str,
    solver: EvalPlanStep,
    name: str = "",
    roles: dict[str, ModelConfig] | None = None,
    status: Literal["success", "started"] = "success",
    context: int | None = None,
    **metadata: Any,
) -> Path:
    """Write a log of these samples; metadata that a run notes may be given."""
    folder.mkdir(parents=True, exist_ok=True)
    made = len(list(folder.glob("*.eval")))
    ids = list(dict.fromkeys(sample.id for sample in samples))
    log = EvalLog(
        status=status,
        eval=EvalSpec(
            created=f"2024-01-01T00:00:{made:02d}+00:00",
            task=f"vivavoce/{task}",
            task_version="1-A",
            task_args={"prompts": None, "context": context},
            dataset=EvalDataset(samples=len(ids), sample_ids=ids),
            model=model,
            model_roles=roles,
            config=EvalConfig(epochs=max((sample.epoch for sample in samples), default=1)),
            metadata={
                "round": "made",
                "round_sha256": ROUND_SHA256,
                "window": ["2023-01-01", "2025-01-01"],
                "task": task,
                "prompt_hash": "prompts",
                "diagnostics": [],
                "judged": [],
                "stages": [],
                "judge": "",
                **metadata,
            },
        ),
        plan=EvalPlan(steps=[solver]),
        samples=samples,
    )
    path = folder / (name or f"2024-01-01T00-00-{made:02d}_{task}_{made}.eval")
    write_eval_log(log, str(path))
    return path


def _sample(
    item: str,
    epoch: int,
    value: float | None,
    fault: str | None,
    further: Mapping[str, Any],
    metadata: Mapping[str, str],
    metrics: Sequence[str],
) -> EvalSample:
    number = float("nan") if value is None else value
    return EvalSample(
        id=item,
        epoch=epoch,
        input="ask",
        target="the gold text",
        metadata=dict(metadata),
        scores={
            "writing": Score(
                value={**dict.fromkeys(metrics, number), "valid": 0.0 if fault else 1.0},
                metadata={"fault": fault, **further},
            )
        },
    )
