"""Inspect's logs: what of them is compared, and copies with times and names always the same."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Even = Callable[[str], str]
"""Makes a text equal between recordings."""

LATELY = "2026-01-01T00:00:00+00:00"


def read_samples(path: Path, even: Even) -> str:
    """Write what is compared of a log as JSON Lines: a head, then its samples by id and epoch."""
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(path))
    lines = [_head(log, even)]
    for sample in sorted(log.samples or [], key=lambda each: (str(each.id), each.epoch)):
        dumped = sample.model_dump(mode="json")
        output = dumped["output"]
        kept = {name: dumped[name] for name in ("id", "epoch", "target", "metadata", "error")}
        kept["input"] = _said(dumped["input"])
        kept["messages"] = _said(dumped["messages"])
        kept["output"] = {name: output.get(name) for name in ("completion", "error", "metadata")}
        kept["stops"] = [choice["stop_reason"] for choice in output["choices"]]
        kept["scores"] = {
            name: {part: score.get(part) for part in ("value", "answer", "explanation", "metadata")}
            for name, score in (dumped["scores"] or {}).items()
        }
        kept["usage"] = dumped["model_usage"]
        lines.append(kept)
    return even(
        "".join(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in lines)
    )


def log_name(path: Path, even: Even) -> str:
    """Name a log by what was run: the task, the model and a hash of all arguments."""
    from inspect_ai.log import read_eval_log

    return _name(_head(read_eval_log(str(path), header_only=True), even))


def even_out(folder: Path, out: Path, work: Path, even: Even) -> None:
    """Copy a folder of logs with equal times and names that tell what was run.

    Paths in the working folder become relative to it.
    """
    from inspect_ai.log import read_eval_log, write_eval_log

    out.mkdir(parents=True)
    for path in sorted(folder.rglob("*.eval")):
        log = read_eval_log(str(path))
        name = _name(_head(log, even))
        log.eval.created = log.stats.started_at = log.stats.completed_at = LATELY
        log.eval.eval_id = log.eval.run_id = log.eval.task_id = name
        for told in (log.eval.task_args, log.eval.task_args_passed):
            told |= json.loads(json.dumps(told).replace(f"{work}/", ""))
        for sample in log.samples or []:
            sample.working_time = sample.total_time = 1.0
        write_eval_log(log, str(out / f"2026-01-01T00-00-00-00-00_{name}.eval"))


def _head(log: Any, even: Even) -> dict[str, Any]:
    dumped = log.eval.model_dump(mode="json")
    asked = ("task", "task_version", "task_args", "model", "model_args", "metadata", "config")
    scores = log.results.model_dump(mode="json")["scores"] if log.results else None
    plan = log.plan.model_dump(mode="json")
    told = {"status": log.status, "scores": scores, "plan": plan}
    head = told | {name: dumped[name] for name in asked}
    evened: dict[str, Any] = json.loads(even(json.dumps(head, ensure_ascii=False)))
    return evened


def _name(head: dict[str, Any]) -> str:
    asked = {name: value for name, value in head.items() if name not in ("scores", "status")}
    mark = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:10]
    words = [head["task"].split("/")[-1], head["model"].split("/")[-1], mark]
    return "-".join(word.replace("_", "-") for word in words)


def _said(messages: Any) -> Any:
    if isinstance(messages, str):
        return messages
    return [[message["role"], message["content"]] for message in messages]
