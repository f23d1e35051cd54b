"""One value of a log altered: any value, in any way that still makes a log."""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from math import inf
from pathlib import Path
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from tests.results.integrity.forging import Forged, rewrite_ledger

Place = tuple[str | int, ...]
_READ = ("id", "epoch", "input", "target", "metadata", "output", "scores", "limit", "events")
"""Parts of a sample that boards and pages read, and the transcript it is recomputed from."""

_ARGUMENTS = ("eval.task_args", "plan.steps.*.params")
"""Arguments: their effect is compared instead, so one that equals its default may be left out."""


def values_of(log: EvalLog) -> dict[str, list[Place]]:
    """Places of the values of a log that boards may read, by their names without numbers."""
    found = defaultdict(list)
    header = {"eval": log.eval, "plan": log.plan, "results": log.results}
    for name, part in header.items():
        for place in _places(part.model_dump(mode="json"), (name,)):
            found[_name(place)].append(place)
    for number, sample in enumerate(log.model_dump(mode="json")["samples"]):
        for part in _READ:
            for place in _places(sample[part], ("samples", number, part)):
                found[_name(place)].append(place)
    return {name: places for name, places in found.items() if not name.startswith(_ARGUMENTS)}


def _places(value: Any, place: Place) -> Iterator[Place]:
    members = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        members = enumerate(value)
    for key, member in members:
        yield from _places(member, (*place, key))
    if not isinstance(value, dict) and value not in (None, []):
        yield place


def _name(place: Place) -> str:
    return ".".join("*" if isinstance(key, int) else key for key in place)


def alter(data: st.DataObject, path: Path, round: Path) -> None:
    """Alter one value of a log, and write the log and its ledger so that they fit."""
    log = read_eval_log(str(path), resolve_attachments=True)
    values = values_of(log)
    name = data.draw(st.sampled_from(sorted(values)), "value")
    place = data.draw(st.sampled_from(values[name]), "place")
    content = log.model_dump(mode="json")
    others = [_at(content, place) for place in values[name]]
    altered = deepcopy(content)
    parent, key = _at(altered, place[:-1]), place[-1]
    if isinstance(key, str) and data.draw(st.booleans(), "is removed"):
        del parent[key]
    else:
        parent[key] = data.draw(_other(parent[key], others), "altered")
    try:
        forged = Forged(path, EvalLog.model_validate(altered), round, round)
        forged.sums()
    except (ValueError, LookupError):
        assume(False)  # it is no log any more
    write_eval_log(forged.log, str(path))
    rewrite_ledger(path.parent)


def _at(value: Any, place: Place) -> Any:
    for key in place:
        value = value[key]
    return value


def _other(value: Any, others: list[Any]) -> st.SearchStrategy[Any]:
    """Other values of the same type."""
    if isinstance(value, bool):
        return st.just(not value)
    if isinstance(value, int | float):
        return st.sampled_from([value + 1, -value - 1, value / 2 + 0.25, inf])
    if isinstance(value, list):
        return st.just(value[:-1])
    return st.sampled_from([f"{value} too", *(one for one in others if one != value)])
