"""Records in logs of runs that stop early: the question, and why nobody is asked any more.

A log of such a run is complete when its contestant's record stands in it, and not before.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from vivavoce.store import canonical_json

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

COMPARISON, STOPPED = "until", "stopped"
"""Metadata of the evaluation, there from the start, and of the log, there when it is settled."""

_Count = Annotated[int, Field(ge=0)]


@with_config(ConfigDict(strict=True, extra="ignore"))
class Settled(TypedDict):
    """Record of a contestant that is asked no more."""

    comparison: str
    """The same for all logs that were compared."""
    contestant: _Count
    """Number of this one among them."""
    question: str
    """`top=K` or `all`."""
    look: _Count
    looks: _Count
    items: _Count
    of: _Count
    """Items that were asked, and those of the task."""
    decided: bool
    beats: list[tuple[_Count, _Count]]
    """Numbers of contestants, the better and the worse, of all pairs decided so far."""
    reason: str


@cache
def _adapter() -> TypeAdapter[Settled]:
    return TypeAdapter(Settled)


def settled(log: EvalLog) -> Settled | None:
    """The record of a log's header; None where the whole task is asked, or the run goes on.

    Raises:
        ValueError: It is not of this form.
    """
    found = log.metadata.get(STOPPED)
    return None if found is None else _adapter().validate_json(canonical_json(found))


def answers_to_come(log: EvalLog) -> int:
    """Answers that its contestant may still be asked for; 0 unless the run goes on."""
    about = (log.eval.metadata or {}).get(COMPARISON)
    if not about or settled(log) is not None:
        return 0
    left = int(about["of"]) - (log.eval.dataset.samples or 0)
    return max(1, left * (log.eval.config.epochs or 1))


def settle(log: EvalLog, record: Settled) -> EvalLog:
    """Write a contestant's record into its log, once: a settled log never changes."""
    from inspect_ai.log import (
        MetadataEdit,
        ProvenanceData,
        edit_eval_log,
        read_eval_log,
        write_eval_log,
    )

    path = Path(log.location.removeprefix("file://"))
    header = read_eval_log(str(path), header_only=True)
    if settled(header) is not None:
        return header
    edit = MetadataEdit(metadata_set={STOPPED: dict(record)})
    said = ProvenanceData(author="viva run", reason=record["reason"])
    # Inspect would change the file in place, and a kill would leave half of it.
    copy = path.with_name(f"{path.name}.settling")
    shutil.copyfile(path, copy)
    write_eval_log(edit_eval_log(header, [edit], said), copy, "eval", header_only=True)
    Path(copy).replace(path)
    return read_eval_log(str(path), header_only=True)
