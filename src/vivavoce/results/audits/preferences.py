"""Two contestants' answers to the same items, for people to say which is better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np
from inspect_ai.log import EvalSample, read_eval_log_samples

from vivavoce.errors import InputError
from vivavoce.results.audits.verdicts import REFERENCE
from vivavoce.results.logs.records import RunLog
from vivavoce.results.logs.sample_texts import cut, input_text, target_text
from vivavoce.results.logs.selection import select_logs
from vivavoce.store import Row

MAX_LENGTH = 150_000
"""Characters of a prompt or an answer that are shown."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """Items for people to judge."""

    rows: tuple[Row, ...]
    """{id, cluster, content: {prompt, a, b, names, source}}."""
    left_out: int
    """Items to which one of the two gave no answer."""


def preference_rows(
    logs: Path,
    a: str,
    b: str,
    *,
    task: str | None = None,
    setting: str | None = None,
    draw: int | None = None,
    seed: int = 0,
    partial: bool = False,
) -> Preferences:
    """The first answers of two contestants, item by item, wherever both ran.

    With `draw`, of so many clusters of each task and setting, at random: every item says so.

    Raises:
        InputError: No logs there, no such contestant, no item of both, or several logs that a
            contestant's name could mean.
    """
    if a == b:
        raise InputError(f"{a} cannot be compared with itself.")
    found, _ = select_logs(logs, partial=partial)
    chosen = [
        log for log in found if task in (None, log.key.task) and setting in (None, log.key.setting)
    ]
    names = sorted({log.contestant for log in chosen})
    for name in (a, b):
        if name != REFERENCE and name not in names:
            raise InputError(
                f"{logs} has no contestant {name!r}. There are: {', '.join(names)}, {REFERENCE}."
            )
    rows: list[Row] = []
    left_out = 0
    place = attrgetter("key.task", "key.setting")
    for _, group in groupby(sorted(chosen, key=place), key=place):
        of_place = list(_of_place(list(group), a, b))
        answered = [row for row in of_place if row["content"]["a"] and row["content"]["b"]]
        left_out += len(of_place) - len(answered)
        rows += answered if draw is None else _drawn(answered, draw, seed)
    if not rows:
        raise InputError(f"{logs} has no item that both {a} and {b} answered.")
    return Preferences(tuple(rows), left_out)


def _drawn(rows: Sequence[Row], draw: int, seed: int) -> list[Row]:
    """The rows of clusters drawn at random, each with a record of the draw."""
    clusters = sorted({row["cluster"] for row in rows})
    order = np.random.default_rng(seed).permutation(len(clusters))
    chosen = {clusters[place] for place in order[:draw]}
    record = f"{len(chosen)} of {len(clusters)} clusters at random, seed {seed}"
    kept = [row for row in rows if row["cluster"] in chosen]
    for row in kept:
        row["content"]["source"]["draw"] = record
    return kept


def _of_place(logs: Sequence[RunLog], a: str, b: str) -> Iterator[Row]:
    """Rows of one task and setting; none where one of the two is missing."""
    samples = {}
    for name in (a, b):
        if name == REFERENCE:
            continue
        of_name = [log for log in logs if log.contestant == name]
        if not of_name:
            return
        if len(of_name) > 1:
            key = of_name[0].key
            raise InputError(
                f"{name} has {len(of_name)} logs of {key.task} in the setting {key.setting}, with "
                "other rounds, decoding, prompts or judges. Put those to compare into a folder of "
                "their own."
            )
        samples[name] = _first_samples(of_name[0])
    key = logs[0].key
    shared = sorted(set.intersection(*(set(each) for each in samples.values())))
    for item in shared:
        one = next(iter(samples.values()))[item]
        texts = {
            side: target_text(one) if name == REFERENCE else samples[name][item].output.completion
            for side, name in (("a", a), ("b", b))
        }
        yield {
            "id": f"{key.task} {key.setting} {item}",
            "cluster": str((one.metadata or {}).get("cluster", item)),
            "content": {
                "prompt": cut(input_text(one), MAX_LENGTH) or "(no prompt)",
                **{side: cut(text.strip(), MAX_LENGTH) for side, text in texts.items()},
                "names": {"a": a, "b": b},
                "source": {"id": item, "task": key.task, "setting": key.setting},
            },
        }


def _first_samples(log: RunLog) -> dict[str, EvalSample]:
    return {
        str(sample.id): sample
        for sample in read_eval_log_samples(log.path, all_samples_required=False)
        if sample.epoch == 1 and not sample.error
    }
