"""Checks of a log: findings, the log's round, and comparison with a recomputed log.

The task runs again on the recorded replies. Everything that boards, pages and audits read is
compared: facts of the run, and the question, gold, answer, notes and scores of each sample. Models,
settings and tools need no comparison: a different request has no recorded reply.

Tokens, cost and time are taken as the runner states them; only impossible values are reported.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, EvalSampleSummary
from inspect_ai.scorer import Score
from pydantic_core import to_jsonable_python

from vivavoce.errors import VivaError
from vivavoce.results.integrity.rescoring import LOGGED, replies_of
from vivavoce.results.logs.records import NOT_RECOMPUTED, RECOMPUTED, where
from vivavoce.rounds import Round, load_round
from vivavoce.store import SHORT_HASH, Row
from vivavoce.tasks.scoring import our_scores

REFUSED = "refused"
_MAX_PATH = 1024
_TOLERANCE = 1e-9
"""Tolerance, relative and absolute: other machines may add numbers in another order."""
_NAMED = 10
"""Maximum number of missing samples to list."""
_SUMMED_UP = ("id", "epoch", "metadata", "model_usage", "role_usage", "error", "working_time")
_MAX_SHOWN = 80
"""Maximum number of characters of a value shown in a message."""


@dataclass(slots=True)
class LogCheck:
    """Findings on one log."""

    name: str
    """Path of the log below the folder."""
    path: str = ""
    samples: int = 0
    round: Row = field(default_factory=dict)
    """The round that the log was checked against: `id`, `sha256`, `folder`, and `named`, true if
    the receiver named it."""
    refused: list[str] = field(default_factory=list)
    """Contradictions in the log, each with the sample that it concerns, if any."""
    unknown: list[str] = field(default_factory=list)
    """Reasons why the log cannot be recomputed; empty if it can."""
    lacking: str = ""
    """Sentence on missing answers."""
    continued_by: str = ""
    """The recomputed log in which the same run was continued to its end."""

    @property
    def status(self) -> str:
        """Status of the log: `recomputed`, `refused` or `not_recomputed`."""
        return REFUSED if self.refused else NOT_RECOMPUTED if self.unknown else RECOMPUTED

    @property
    def trust(self) -> Row:
        """Trust of the log's rows on a board: `trust`, its `reason`, and `refused`."""
        reasons = [*self.refused, *self.unknown]
        return {
            "trust": NOT_RECOMPUTED if reasons else RECOMPUTED,
            "reason": reasons[0] if reasons else None,
            "refused": bool(self.refused),
        }

    def as_dict(self) -> Row:
        """The check as plain JSON values."""
        return {
            "log": self.name,
            "path": self.path,
            "status": self.status,
            "trust": self.trust["trust"],
            "reasons": [*self.refused, *self.unknown],
            "samples": self.samples,
            "round": self.round or None,
            "continued_by": self.continued_by or None,
        }


class Rounds:
    """Rounds that a receiver named; if there are none, the rounds that the logs refer to."""

    def __init__(self, named: Sequence[Path], untrusted: Path) -> None:
        """Open the named rounds; rounds that logs refer to are not used if inside `untrusted`."""
        opened = [load_round(folder) for folder in named]
        self._named = {named_round.sha256: named_round for named_round in opened}
        self._untrusted = untrusted.resolve()

    def find(self, header: EvalLog, check: LogCheck) -> Round | None:
        """Find the round of a log; if there is none, return None and add a reason to the check."""
        facts = header.eval.metadata or {}
        sha256, name = str(facts.get("round_sha256")), str(facts.get("round"))
        opened = self._named.get(sha256)
        if opened is None and any(each.id == name for each in self._named.values()):
            check.refused.append(
                f"its round {name} ({sha256[:SHORT_HASH]}) is not the named one, which has another "
                "hash."
            )
            return None
        opened = opened or (None if self._named else self._where_it_was(header))
        if opened is None or opened.sha256 != sha256:
            check.unknown.append(
                f"its round {name} ({sha256[:12]}) was not found: name its folder with --round."
            )
            return None
        folder, is_named = str(opened.folder), bool(self._named)
        check.round = {"id": opened.id, "sha256": sha256, "folder": folder, "named": is_named}
        return opened

    def brought(self, header: EvalLog) -> Iterator[str]:
        """Yield files that came with a log and that its task would use, such as templates."""
        steps = [step.params or {} for step in header.plan.steps]
        given = {n: v for n, v in header.eval.task_args.items() if n != "round"}
        for text in filter(None, _texts([*steps, given])):
            named = Path(text[:_MAX_PATH]).resolve()
            if named.exists() and named.is_relative_to(self._untrusted):
                yield text

    def _where_it_was(self, header: EvalLog) -> Round | None:
        """The round at the path stated in the log, unless it came with the log."""
        folder = Path(str(header.eval.task_args.get("round") or "-")).resolve()
        if folder.is_relative_to(self._untrusted):
            return None
        try:
            return load_round(folder)
        except VivaError:
            return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _texts(member)
    elif isinstance(value, str):
        yield value


def compare_summary(sample: EvalSample, summary: EvalSampleSummary) -> Iterator[str]:
    """Yield differences between a sample and its summary; boards read the summary."""
    stated, true = (
        {name: getattr(one, name) for name in _SUMMED_UP} | {"scores": _scores(one.scores)}
        for one in (summary, sample.summary())
    )
    for what in differences(stated, true):
        yield f"its summary says {what}"


def compare_usage(sample: EvalSample) -> Iterator[str]:
    """Yield sentences on impossible tokens, costs and times of a sample."""
    everyone = sum(use.total_tokens for use in sample.model_usage.values())
    roles = sum(use.total_tokens for use in sample.role_usage.values())
    events = replies_of(sample)
    paid = [e.output.usage for e in events if e.output.usage and e.cache != "read"]
    used = sum(use.total_tokens for use in paid)
    if everyone < used:
        yield f"it states {everyone} tokens, its transcript has {used}."
    if roles > everyone:
        yield f"its roles used {roles} tokens, all models together {everyone}."
    usage = [*sample.model_usage.values(), *sample.role_usage.values(), *paid]
    stated = [value for use in usage for value in use.model_dump().values()]
    values = [value for value in stated if isinstance(value, int | float)]
    values += [time for time in (sample.total_time, sample.working_time) if time is not None]
    for value in values:
        if not (math.isfinite(value) and value >= 0):
            yield f"it states {value} as tokens, dollars or seconds."
            return


def missing(asked: list[str], header: EvalLog, answered: set[tuple[str, int]]) -> str | None:
    """Sentence on samples of the task that have no score in a log; None if all have one."""
    epochs = range(1, (header.eval.config.epochs or 1) + 1)
    whole = [(sample, epoch) for sample in asked for epoch in epochs]
    lacking = [where(*address) for address in whole if address not in answered]
    if not lacking and header.status == "success":
        return None
    if not lacking:
        return f"its run ended as {header.status}."
    rest = len(lacking) - _NAMED
    listed = ", ".join(lacking[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return f"{len(lacking)} of the {len(whole)} answers are missing: {listed}."


def run_of(log: EvalLog) -> Row:
    """Facts on a run that a board reads from its log, except means."""
    facts = log.eval.metadata or {}
    return {
        **{name: value for name, value in facts.items() if name not in ("alias", "reader")},
        "version": str(log.eval.task_version),
        "reducers": log.eval.config.epochs_reducer,
    }


def means_of(log: EvalLog) -> Row:
    """Means and standard errors in a log, by score, reducer and name."""
    return {
        " ".join(filter(None, (score.name, score.reducer, name))): metric.value
        for score in (log.results.scores if log.results else [])
        for name, metric in score.metrics.items()
    }


def sample_of(sample: EvalSample, moved: Mapping[str, str] | None = None) -> Row:
    """Fields of a sample that boards, pages and audits read; `moved` replaces texts in notes."""
    return {
        "input": sample.input,
        "target": sample.target,
        "answer": sample.output.completion,
        "limit": sample.limit.type if sample.limit else None,
        "metadata": _changed(_plain(sample.metadata), moved or {}),
        "scores": _scores(sample.scores),
    }


def _scores(scores: dict[str, Score] | None) -> list[Row]:
    return [
        {**score.as_dict(), "answer": score.answer, "notes": score.metadata or {}}
        for score in our_scores(scores)
    ]


def differences(stated: Any, true: Any) -> Iterator[str]:
    """Yield a sentence for each place at which two values differ."""
    yield from _differences(_changed(_plain(stated), {}), _changed(_plain(true), {}), "")


def _differences(stated: Any, true: Any, place: str) -> Iterator[str]:
    if isinstance(stated, dict) and isinstance(true, dict):
        for name in sorted({*stated, *true}):
            inner = f"{place}.{name}" if place else name
            yield from _differences(stated.get(name), true.get(name), inner)
    elif isinstance(stated, list) and isinstance(true, list) and len(stated) == len(true):
        for number, (one, other) in enumerate(zip(stated, true, strict=True)):
            yield from _differences(one, other, f"{place}.{number}" if len(true) > 1 else place)
    elif not _equal(stated, true):
        yield f"{place} {_shown(stated)}, it is {_shown(true)}."


def _equal(stated: Any, true: Any) -> bool:
    if isinstance(stated, float | int) and isinstance(true, float | int):
        if math.isnan(stated) or math.isnan(true):
            return math.isnan(stated) and math.isnan(true)
        return math.isclose(stated, true, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return bool(stated == true)


def _plain(value: Any) -> Any:
    """A value after a round trip through JSON."""
    return to_jsonable_python(value, serialize_unknown=True)


def _changed(value: Any, moved: Mapping[str, str]) -> Any:
    """A value with texts replaced, and with replayed models under their original names."""
    if isinstance(value, list):
        return [_changed(member, moved) for member in value]
    if isinstance(value, dict):
        return {name: _changed(member, moved) for name, member in value.items()}
    if not isinstance(value, str):
        return value
    return moved.get(value, value.removeprefix(f"{LOGGED}/"))


def _shown(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
