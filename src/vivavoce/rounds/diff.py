"""How two rounds differ: spec, items of each task, files beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vivavoce.rounds.anchors import SPLIT, anchors_of
from vivavoce.rounds.lineage import items_of
from vivavoce.rounds.reading import Round
from vivavoce.store import Row


def diff_rounds(one: Round, other: Round) -> Row:
    """What the second of two rounds has that the first has not, and the other way round.

    Items are compared by id, then column by column; those that differ in their split alone ask the
    same. `spec` maps each value of the spec that
    differs to the pair of them; `files` names what differs beside the items.
    """
    tasks = sorted({*one.tasks(), *other.tasks()})
    return {
        "a": _describe(one),
        "b": _describe(other),
        "b_follows_a": other.manifest.get("parent") == {"id": one.id, "manifest": one.sha256},
        "spec": _differences(one.spec, other.spec),
        "tasks": {f"{f}/{t}": _diff_task(one, other, f, t) for f, t in tasks},
        "files": _diff_files(one, other),
    }


def _describe(opened: Round) -> Row:
    names = ("id", "window", "corpus", "code")
    return {**{name: opened.manifest[name] for name in names}, "manifest": opened.sha256}


def _diff_task(one: Round, other: Round, family: str, task: str) -> Row:
    rows_a, rows_b = _items(one, family, task), _items(other, family, task)
    shared = sorted(rows_a.keys() & rows_b.keys())
    differ = {name: _columns(rows_a[name], rows_b[name]) for name in shared}
    changed = {name: columns for name, columns in differ.items() if set(columns) - {SPLIT}}
    return {
        "a": len(rows_a),
        "b": len(rows_b),
        "same": sum(not columns for columns in differ.values()),
        "other_split": [name for name in shared if differ[name] == [SPLIT]],
        "changed": changed,
        "only_a": sorted(rows_a.keys() - rows_b.keys()),
        "only_b": sorted(rows_b.keys() - rows_a.keys()),
        "anchors": len(set(anchors_of(other).get(f"{family}/{task}", ())).intersection(shared)),
    }


def _items(opened: Round, family: str, task: str) -> dict[str, Row]:
    has_it = (family, task) in opened.tasks()
    return {str(row["id"]): row for row in opened.items(family, task)} if has_it else {}


def _columns(one: Row, other: Row) -> list[str]:
    """The columns in which two rows differ; one that a row lacks is null."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def _diff_files(one: Round, other: Round) -> list[str]:
    """Files of the families that differ and hold no items."""
    a, b = items_of(one.manifest), items_of(other.manifest)
    tables = {f"{f}/{t}.parquet" for f, t in (*one.tasks(), *other.tasks())}
    return sorted(name for name in {*a, *b} - tables if a.get(name) != b.get(name))


def _differences(one: Any, other: Any, where: str = "") -> dict[str, list[Any]]:
    """(value here, value there) of all that differs in nested tables, by dotted name."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return {} if one == other else {where: [one, other]}
    found: dict[str, list[Any]] = {}
    for name in sorted({*one, *other}):
        path = f"{where}.{name}" if where else str(name)
        found |= _differences(one.get(name), other.get(name), path)
    return found
