"""Reading of Inspect logs into typed records: who ran what, and each sample's scores.

Only headers and summaries are read, so that long prompts do not fill the memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from vivavoce.errors import InputError
from vivavoce.models import FILE_HASH, is_same_family
from vivavoce.requests.run import is_alias
from vivavoce.results.logs.added import NewMetric, added_to
from vivavoce.results.logs.records import (
    NO_MODEL,
    ForeignLog,
    RowKey,
    RunLog,
    SampleScore,
    of_split,
)
from vivavoce.rounds.family import split_name
from vivavoce.running.logs import answers_to_come, is_log, settled
from vivavoce.running.resolving import NO_MODEL as _NOBODY
from vivavoce.statistics.intervals import defined
from vivavoce.store import SHORT_HASH, Row, hash_of
from vivavoce.tasks import short_name
from vivavoce.tasks.scoring import JUDGE, VALID, our_scores
from vivavoce.text.dates import parse_date

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSampleSummary
    from inspect_ai.model import ModelConfig, ModelUsage

DECODING = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed"),
    *("frequency_penalty", "presence_penalty"),
    *("reasoning_effort", "reasoning_tokens", "reasoning_mode", "effort", "verbosity"),
    *("system_message", "stop_seqs", "best_of", "num_choices"),
    *("logit_bias", "response_schema", "extra_body"),
)
"""Settings that change answers, in display order."""
_JUDGING = (JUDGE, "answerer", "synthesizer", "matcher")
"""Roles of models that measure answers; their usage is not counted for the contestant."""
LARGEST_PART = 256 << 20
"""Maximum unpacked bytes of a part of a log: ten times a sample with 1,000 long prompts."""
_KEPT = 300
"""Number of logs kept in memory, so that a board's tables and item pages read each log once."""
_MAX_SETTING = 24
_MAX_TITLE = 300
"""Maximum length of a setting in a row's key (longer ones are hashed), and of a title part."""


def read_logs(folder: Path, split: str | None = None) -> tuple[list[RunLog], list[ForeignLog]]:
    """Read all logs below a folder; return those of our tasks, and the others.

    With a split, our logs hold only the answers to items of that split.
    """
    logs: list[RunLog] = []
    foreign: list[ForeignLog] = []
    for path in find_logs(folder):
        log = read_log(path, split)
        if isinstance(log, RunLog):
            logs.append(log)
        else:
            foreign.append(log)
    return logs, foreign


def find_logs(folder: Path) -> list[str]:
    """The paths of all logs below a folder, sorted."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder of logs.")
    paths = sorted(str(path) for path in folder.absolute().rglob("*") if is_log(path))
    if not paths:
        raise InputError(f"{folder} has no logs. Make some with: viva run TASK --logs {folder}")
    return paths


def read_log(path: str, split: str | None = None) -> RunLog | ForeignLog:
    """Read a log, or only its answers to one split; a `ForeignLog` has the reason for no row."""
    added = added_to(Path(path).parent)
    try:
        facts = Path(path).stat()
    except OSError as error:
        return ForeignLog(Path(path).name, f"cannot be read ({error})", True)
    mark = tuple(one.sha256 for one in added)
    log = _read_log(path, facts.st_size, facts.st_mtime_ns, mark)
    return log if split is None or isinstance(log, ForeignLog) else of_split(log, split)


@lru_cache(maxsize=_KEPT)
def _read_log(path: str, _size: int, _changed: int, _added: tuple[str, ...]) -> RunLog | ForeignLog:
    """Read and cache a log; the last arguments change when its file or an added metric changes."""
    from inspect_ai._util._async import run_coroutine
    from inspect_ai.log import read_eval_log_async, read_eval_log_sample_summaries_async

    import vivavoce.sandbox.provider  # noqa: F401  # logs name it; else Inspect loads every task

    name, added = Path(path).name, added_to(Path(path).parent)
    log: RunLog | ForeignLog = ForeignLog(name, "is not a log of one of our tasks", False)

    async def read() -> None:  # Python 3.11 would print, in vain, what a coroutine returns
        nonlocal log
        header = await read_eval_log_async(path, header_only=True)
        if "round_sha256" in (header.eval.metadata or {}):
            summaries = await read_eval_log_sample_summaries_async(path)
            log = _run_log(path, header, summaries, added)

    try:
        check_size(Path(path))
        run_coroutine(read())
        return log
    except Exception as error:  # a damaged archive fails in many ways, inside Inspect
        return ForeignLog(name, f"cannot be read ({type(error).__name__}: {error})", True)


def check_size(path: Path) -> None:
    """Refuse a log with a part that is larger when unpacked than any run writes.

    Raises:
        InputError: A part is too large.
        OSError: The file cannot be opened.
        BadZipFile: The file is not an archive.
    """
    sizes = [path.stat().st_size]
    if path.suffix == ".eval":
        with ZipFile(path) as archive:
            sizes = [member.file_size for member in archive.infolist()]
    if sizes and max(sizes) > LARGEST_PART:
        raise InputError(
            f"a part of it has {max(sizes):,} bytes; at most {LARGEST_PART:,} are read"
        )


def _run_log(
    path: str, header: EvalLog, summaries: Sequence[EvalSampleSummary], beside: Sequence[NewMetric]
) -> RunLog:
    metadata = header.eval.metadata or {}
    metrics = tuple(metadata["metrics"])
    diagnostics = tuple(metadata.get("diagnostics", ()))
    shown = (*metrics, *diagnostics)
    scored = [summary.uuid for summary in summaries if summary.scores and not summary.error]
    added = [
        one
        for one in beside
        if scored and one.samples.keys() >= set(scored) and not {*one.names} & {*shown}
    ]
    key, judges = _row_key(header, metadata), _judges(header)
    total = header.eval.dataset.samples or 0
    alias, model = str(metadata.get("alias") or ""), header.eval.model
    name = model.rpartition("/")[2]
    return RunLog(
        name=Path(path).name,
        path=path,
        ids=tuple(map(str, header.eval.dataset.sample_ids or ())),
        created=str(header.eval.created),
        key=key,
        family=metadata["family"],
        metrics=(*metrics, *(name for one in added for name in one.names)),
        diagnostics=diagnostics,
        added={name: one.made_by for one in added for name in one.names},
        added_sha256=hash_of([one.sha256 for one in added]) if added else "",
        judged=tuple(metadata.get("judged", shown if key.judge else ())),
        is_own_judge=any(is_same_family(header.eval.model, each.model) for each in judges)
        if judges
        else None,
        stages=tuple(metadata.get("stages", ())),
        round_sha256=metadata["round_sha256"],
        window=tuple(metadata["window"]),
        # An alias that repeats the model's name tells nothing.
        alias=alias if is_alias(alias) and alias != name and model != _NOBODY else "",
        samples=tuple(
            score for summary in summaries if (score := sample_score(summary, shown, added))
        ),
        expected=total * (header.eval.config.epochs or 1) + answers_to_come(header),
        stopped=settled(header),
        status=header.status,
        arguments=header.eval.task_args,
        steps=tuple(
            (short_name(step.solver, header.eval.task), step.params or {})
            for step in header.plan.steps
        ),
    )


def _row_key(header: EvalLog, metadata: dict[str, Any]) -> RowKey:
    # The method reads like `self_refine(rounds=3)`. The window belongs to decoding; options that
    # are switched off are left out.
    steps = []
    for step in header.plan.steps:
        given = {name: value for name, value in (step.params or {}).items() if name != "context"}
        params = {
            name: value for name, value in given.items() if value is not None and value is not False
        }
        settings = ", ".join(f"{name}={_shown(value)}" for name, value in params.items())
        steps.append(
            short_name(step.solver, header.eval.task) + (f"({settings})" if settings else "")
        )
    has_model = header.eval.model != _NOBODY
    return RowKey(
        round=metadata["round"],
        task=metadata["task"],
        task_version=str(header.eval.task_version),
        setting=metadata["setting"],
        method="+".join(steps),
        model=header.eval.model if has_model else NO_MODEL,
        decoding=_decoding(header, has_model),
        prompt_hash=metadata["prompt_hash"],
        judge=_judge(header, str(metadata.get("judge") or "")),
    )


def _judge(header: EvalLog, judged_by: str) -> str:
    """The judges, such as `openai/gpt-4o template=1a2b3c4d`; empty if there are none.

    A task names what measures its answers (`judged_by`); if models do, their role names them.
    """
    judges = _judges(header)
    if not judges or not judged_by:
        return judged_by
    settings = [
        f"{name}={hash_of(given)[:SHORT_HASH]}"
        for each in judges
        for name, given in (
            ("settings", each.config.model_dump(include=set(DECODING), exclude_none=True)),
            ("model_args", _without_file(each.args)),
        )
        if given
    ]
    names = " + ".join(each.model for each in judges)
    return " ".join([names, f"template={judged_by}", *settings])


def _judges(header: EvalLog) -> list[ModelConfig]:
    named = (header.eval.model_roles or {}).get(JUDGE)
    return named if isinstance(named, list) else [] if named is None else [named]


def _decoding(header: EvalLog, has_model: bool) -> str:
    """Settings that an answer depends on, such as `temperature=0.0 max_tokens=128 attempts=1`."""
    config = header.plan.config.model_dump(exclude_none=True) if has_model else {}
    settings = {name: config[name] for name in DECODING if name in config}
    if has_model:
        arguments = [header.eval.task_args, *(step.params or {} for step in header.plan.steps)]
        contexts = [context for given in arguments if (context := given.get("context"))]
        settings.update({"context": contexts[-1]} if contexts else {})
        if given := _without_file(header.eval.model_args):
            settings["model_args"] = hash_of(given)[:SHORT_HASH]
    settings["attempts"] = header.eval.config.epochs or 1
    return " ".join(f"{name}={_shown(value)}" for name, value in settings.items())


def _without_file(model_args: Mapping[str, Any]) -> Row:
    """A model's arguments; another content of its file makes a later log of the same row."""
    return {name: value for name, value in model_args.items() if name != FILE_HASH}


def _shown(value: Any) -> str:
    is_short = isinstance(value, bool | int | float | str) and len(str(value)) <= _MAX_SETTING
    return str(value) if is_short else hash_of(value)[:SHORT_HASH]


def sample_score(
    summary: EvalSampleSummary, metrics: Sequence[str], added: Sequence[NewMetric] = ()
) -> SampleScore | None:
    """The scores in a summary, including added metrics; None for a sample without scores."""
    if summary.error or not summary.scores:
        return None
    # Users may have added scores by other scorers; only ours state validity.
    (score,) = our_scores(summary.scores)
    values = score.as_dict()
    is_valid = bool(values[VALID])
    everyone = summary.model_usage.values()
    judge = [use for role, use in summary.role_usage.items() if role in _JUDGING]
    cost, judge_cost = _cost(everyone), _cost(judge)
    judge_tokens = _tokens(judge)
    fault = (score.metadata or {}).get("fault")
    board = summary.metadata.get("board")
    named = board if isinstance(board, Mapping) else {}
    parts = [
        summary.metadata.get("title"),
        *(named.get(name) for name in ("task", "dataset", "metric")),
    ]
    return SampleScore(
        id=str(summary.id),
        epoch=summary.epoch,
        cluster=str(summary.metadata["cluster"]),
        values={name: defined(values[name]) for name in metrics}
        | {name: value for one in added for name, value in one.of(summary.uuid).items()},
        fault=None if is_valid else str(fault or "malformed"),
        tokens=max(0, _tokens(everyone) - judge_tokens),
        cost=cost if cost is None or judge_cost is None else max(0.0, cost - judge_cost),
        seconds=_stated(summary.working_time) or 0.0,
        category=str(summary.metadata.get("category") or ""),
        difficulty=str(summary.metadata.get("difficulty") or ""),
        judge_tokens=judge_tokens,
        judge_cost=judge_cost,
        published=(parse_date(summary.metadata.get("published")) or ("", ""))[0],
        split=split_name(summary.metadata.get("split")),
        title=" · ".join(str(part)[:_MAX_TITLE] for part in parts if part),
        fit=(score.metadata or {}).get("fit") or {},
        agent=(score.metadata or {}).get("agent") or {},
        truncated=(score.metadata or {}).get("truncated") is True,
    )


def _cost(usage: Iterable[ModelUsage]) -> float | None:
    costs = [cost for use in usage if (cost := _stated(use.total_cost)) is not None]
    return math.fsum(costs) if costs else None


def _tokens(usage: Iterable[ModelUsage]) -> int:
    return sum(max(0, use.total_tokens) for use in usage)


def _stated(value: float | None) -> float | None:
    """Dollars or seconds as recorded; None for an impossible value."""
    is_possible = value is not None and math.isfinite(value) and value >= 0
    return value if is_possible else None
