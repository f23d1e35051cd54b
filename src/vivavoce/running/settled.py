"""Records in logs of runs that stop early: the question, and why nobody is asked any more.

A log of such a run is complete when it has its contestant's record, and not before.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.store import Row

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

COMPARISON, STOPPED = "until", "stopped"
"""Metadata of the evaluation, there from the start, and of the log, there when it is settled."""


_FIELDS: Mapping[str, type] = {
    **dict.fromkeys(("comparison", "question", "reason"), str),
    **dict.fromkeys(("contestant", "look", "looks", "items", "of"), int),
}


def settled(log: EvalLog) -> Row | None:
    """The record of a log's header; None where the whole task is asked, or the run goes on.

    Raises:
        ValueError: It is not as a run writes it.
    """
    found = log.metadata.get(STOPPED)
    if found is None:
        return None
    if not all(type(found.get(name)) is kind for name, kind in _FIELDS.items()):
        raise ValueError("its record of having stopped is damaged")
    beats = [(int(better), int(worse)) for better, worse in found["beats"]]
    return {
        **{name: found[name] for name in _FIELDS},
        "decided": bool(found["decided"]),
        "beats": beats,
    }


def answers_to_come(log: EvalLog) -> int:
    """Answers that its contestant may still be asked for; 0 unless the run goes on."""
    about = (log.eval.metadata or {}).get(COMPARISON)
    if not about or settled(log) is not None:
        return 0
    left = int(about["of"]) - (log.eval.dataset.samples or 0)
    return max(1, left * (log.eval.config.epochs or 1))


def settle(log: EvalLog, record: Row) -> EvalLog:
    """Write a contestant's record into its log, once: a settled log never changes."""
    from inspect_ai import log as logs

    path = Path(log.location.removeprefix("file://"))
    header = logs.read_eval_log(str(path), header_only=True)
    if settled(header) is not None:
        return header
    edit = logs.MetadataEdit(metadata_set={STOPPED: record})
    said = logs.ProvenanceData(author="viva run", reason=str(record["reason"]))
    # Inspect would change the file in place, and a kill would leave half of it.
    copy = path.with_name(f"{path.name}.settling")
    shutil.copyfile(path, copy)
    edited = logs.edit_eval_log(header, [edit], said)
    logs.write_eval_log(edited, copy, "eval", header_only=True)
    Path(copy).replace(path)
    return logs.read_eval_log(str(path), header_only=True)
