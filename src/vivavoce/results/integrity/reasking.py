"""Logged answers held against new answers of the same contestant to some of the same items.

Logged replies may have been made up, which no recomputation shows. An honest log and new answers
are two draws from one contestant: on each item either could have been the logged one, so the
signs of the differences between the two are coin flips. `p` is the chance that such flips favour
the log as much as it is favoured, whatever the contestant's own variation is.

Source: paired randomisation test, Fisher, The Design of Experiments, 1935, section 21.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import get_model

from vivavoce.errors import InputError, VivaError
from vivavoce.results import Table
from vivavoce.results.integrity.rescoring import NO_MODEL, method_of, reopen, run_quietly
from vivavoce.results.integrity.verification import LogCheck, Rounds
from vivavoce.results.logs.reading import find_logs
from vivavoce.store import Row
from vivavoce.tasks.scoring.marks import our_scores

ALPHA = 0.01
"""Below it a log is called doubtful."""
_FLIPS = 20_000
_EXACT = 14
"""Items up to which all patterns of signs are counted."""
Ask = Callable[[Task, EvalLog], EvalLog]


def reask(
    folder: Path, rounds: Sequence[Path], count: int, *, seed: int = 0, ask: Ask | None = None
) -> Table:
    """Ask every model of a folder of logs some of its items again; the models are paid for it.

    Args:
        folder: Folder of logs.
        rounds: The receiver's own rounds; none for those that the logs lead to.
        count: Items of each log, drawn by the seed.
        seed: Seed of the draw and of the test.
        ask: Asks a task of the contestant of a log; Inspect by default.

    Returns:
        For each log of a model its headline metric on these items then and now, the difference,
        and `p`; `doubtful` where p is below 0.01. A log that cannot be asked again has a `reason`.

    Raises:
        InputError: No logs there, a round cannot be opened, or `count` is below 1.
    """
    if count < 1:
        raise InputError(f"--reask {count}: ask at least one item again.")
    opened = Rounds(rounds, folder)
    rows = []
    for name in find_logs(folder):
        header = read_eval_log(name, header_only=True)
        if header.eval.model == NO_MODEL or "round_sha256" not in (header.eval.metadata or {}):
            continue
        row: Row = {
            "log": Path(name).relative_to(folder.absolute()).as_posix(),
            "model": header.eval.model,
        }
        try:
            rows.append({**row, **_UNKNOWN, **_compare(name, opened, count, seed, ask or _ask)})
        except VivaError as error:
            rows.append({**row, **_UNKNOWN, "reason": str(error)})
    notes = (
        f"doubtful: of an honest log so high a lead over new answers has p < {ALPHA} on each log.",
        "Few items show only large differences; a model that its provider changed differs too.",
    )
    return Table(tuple(rows), notes)


_UNKNOWN: Row = {
    "metric": None, "items": 0, "logged": None, "again": None, "difference": None, "p": None,
    "doubtful": None, "reason": None,
}  # fmt: skip


def _compare(name: str, rounds: Rounds, count: int, seed: int, ask: Ask) -> Row:
    log, check = read_eval_log(name), LogCheck(name)
    found = rounds.find(log, check)
    if found is None:
        raise InputError([*check.refused, *check.unverified][0])
    task = reopen(log, found.folder)
    metric = str(((log.eval.metadata or {}).get("metrics") or ["?"])[0])
    logged = _values(log.samples or (), metric)
    ids = sorted(logged)
    drawn = np.random.default_rng(seed).permutation(len(ids))[:count]
    chosen = {ids[place] for place in drawn}
    few = task.dataset.filter(lambda sample: str(sample.id) in chosen)
    made = ask(task_with(task, dataset=few, solver=method_of(task, log)), log)
    again = _values(made.samples or (), metric)
    common = sorted(chosen & set(again))
    if not common:
        raise VivaError("no new answer has a score")
    then, now = [logged[item] for item in common], [again[item] for item in common]
    differences = [a - b for a, b in zip(then, now, strict=True)]
    p = sign_flip_p(differences, seed)
    return {
        "metric": metric,
        "items": len(common),
        "logged": fmean(then),
        "again": fmean(now),
        "difference": fmean(differences),
        "p": p,
        "doubtful": p < ALPHA,
    }


def sign_flip_p(differences: Sequence[float], seed: int) -> float:
    """One-sided p-value of a sum of differences whose signs are coin flips if nothing is amiss.

    Exact up to 14 differences, else over 20,000 seeded draws, the observed one among them.
    """
    sizes = np.abs(np.asarray(differences, dtype=float))
    observed = float(np.sum(differences))
    if len(sizes) <= _EXACT:
        patterns = np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes)) & 1
        sums = (patterns * 2 - 1) @ sizes
        return float((sums >= observed - 1e-12).mean())
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(_FLIPS, len(sizes)))
    return float((1 + (signs @ sizes >= observed - 1e-12).sum()) / (1 + _FLIPS))


def _values(samples: Sequence[EvalSample], metric: str) -> Mapping[str, float]:
    """By item, the mean over attempts; a failed answer counts 0."""
    found: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        for score in our_scores(sample.scores):
            value = score.as_dict().get(metric)
            found[str(sample.id)].append(float(value) if value is not None else 0.0)
    return {item: fmean(values) for item, values in found.items()}


def _ask(task: Task, log: EvalLog) -> EvalLog:
    """Ask the model of a log, with the settings of its requests.

    Addresses and arguments of its provider are the receiver's own: a log that could name them
    would be sent the receiver's keys.
    """
    roles = {r: str(getattr(m, "model", r)) for r, m in (log.eval.model_roles or {}).items()}
    return run_quietly(
        task,
        model=get_model(log.eval.model, memoize=False),
        model_roles=roles or None,
        **log.plan.config.model_dump(exclude_none=True),
    )
