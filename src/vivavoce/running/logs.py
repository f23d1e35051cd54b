"""Logs that a run leaves: which are damaged or not complete and why, and the values in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from math import fsum, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog


def set_aside_damaged(folder: Path) -> list[str]:
    """Rename logs that cannot be read, such as one whose writing was killed: they stop a run."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    renamed = []
    for info in list_eval_logs(str(folder)):
        try:
            read_eval_log(info, header_only=True)
        except Exception:  # a damaged archive fails in many ways, inside Inspect
            path = Path(info.name.removeprefix("file://"))
            renamed.append(str(path.rename(path.with_name(f"{path.name}.damaged"))))
    return renamed


def why_incomplete(log: EvalLog) -> str | None:
    """The reason why a log is not complete; None when every sample of it has a score."""
    results = log.results
    missing = results.total_samples - results.completed_samples if results else 0
    if log.status == "success" and not missing:
        return None
    lacks = f", lacks {missing} of {results.total_samples} answers" if results else ""
    cause = log.error.message if log.error else _sample_error(log.location)
    return f"{log_path(log)} ended as {log.status}{lacks}{f': {cause}' if cause else ''}"


def log_path(log: EvalLog) -> str:
    """Path of a log; Inspect names a log it found, unlike one it made, by an address."""
    return log.location.removeprefix("file://")


def _sample_error(location: str) -> str | None:
    """The error that most samples of a log ended with."""
    from inspect_ai.log import read_eval_log_sample_summaries

    summaries = read_eval_log_sample_summaries(location)
    errors = Counter(summary.error for summary in summaries if summary.error)
    return errors.most_common(1)[0][0] if errors else None


Progress = Callable[[int, int], None]
"""Called with (samples done, samples in all)."""


def listen(progress: Progress | None, total: int) -> None:
    """Tell `progress` of every sample that ends from now on; None to stop telling."""
    from inspect_ai.hooks import Hooks, SampleEnd, hooks

    ended: set[tuple[str, str]] = set()

    # Hooks cannot be taken back, but one of the same name replaces the one before.
    @hooks(name="vivavoce/progress", description="Counts samples for a progress bar.")
    class ProgressHooks(Hooks):
        async def on_sample_end(self, data: SampleEnd) -> None:
            ended.add((data.eval_id, data.sample_id))
            if progress:
                progress(min(len(ended), total), total)


def item_values(
    path: str, metric: str, items: Collection[str] | None, pooling: Mapping[str, Any] | None
) -> dict[str, float]:
    """Each item's mean over its defined answers; NaN where none is defined.

    `pooling` says how the values of a metric add up that is no mean over items.
    """
    from inspect_ai.log import read_eval_log_sample_summaries

    from vivavoce.statistics.ratios import spread
    from vivavoce.tasks.scoring.guard import our_scores

    answers: dict[str, list[Any]] = {}
    for summary in sorted(read_eval_log_sample_summaries(path), key=lambda each: each.epoch):
        item = str(summary.id)
        if summary.scores and not summary.error and (items is None or item in items):
            answers.setdefault(item, []).append(our_scores(summary.scores)[0])
    if pooling and answers:
        counts = [[(one.metadata or {})["counts"] for one in each] for each in answers.values()]
        found = spread(counts, pooling["how"], pooling["averages"])
        if metric in found:
            return dict(zip(answers, map(float, found[metric]), strict=True))
    return {item: _mean([one.as_dict()[metric] for one in each]) for item, each in answers.items()}


def _mean(values: list[Any]) -> float:
    known = [float(value) for value in values if value is not None and value == value]
    return fsum(known) / len(known) if known else nan
