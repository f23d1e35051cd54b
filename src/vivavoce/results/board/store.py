"""A board out of logs most of which were read before: only what is new is read and computed.

The folder of the store keeps, under the hash of a log and of the code, the statistics of that log,
and under the hashes of its logs the rows of each group. What cannot be relied on is made again.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import Cutoffs, load_cutoffs
from vivavoce.results.board import building as boards
from vivavoce.results.board.groups import Group, GroupedBoard, make_group
from vivavoce.results.board.ranks import Contestant, add_standing
from vivavoce.results.board.relaxed_gc import many_rows
from vivavoce.results.logs.header import StoredHead, head_as_row, head_from_row, head_of
from vivavoce.results.logs.ledger import count_runs
from vivavoce.results.logs.reading import ForeignLog, RunLog, find_logs, read_log
from vivavoce.results.logs.selection import choose
from vivavoce.statistics.comparison import Signs
from vivavoce.store import Row, canonical_json, hash_file, hash_of, loads_fast, write_bytes

_INDEX = "logs.json"
_CODE = ("results", "statistics", "metrics", "models", "tasks")
_SIGNS = "-=+"


@many_rows()
def stored_leaderboard(
    logs: Path,
    store: Path,
    *,
    own: Path | None = None,
    partial: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    cutoffs: Cutoffs | None = None,
) -> GroupedBoard:
    """What `leaderboard` makes of a folder of logs, with what the store holds already.

    Args:
        logs: Folder of Inspect logs.
        store: Folder of what is kept from one time to the next.
        own: Logs of the reader, whose rows are marked; a published row goes before one of his.
        partial: Also show logs that lack samples.
        resamples: Bootstrap draws; 0 for no intervals.
        seed: Seed of the draws.
        cutoffs: What is known of the models' training data; None for the shipped file.

    Raises:
        InputError: No logs there.
        VivaError: As `leaderboard` says.
    """
    known = cutoffs or load_cutoffs()
    options = [_code_hash(), resamples, seed, hash_of(repr(known))]
    keeper = _Store(store, options, lambda log: boards.contestant_of(log, resamples, seed, known))
    found, foreign = keeper.read(logs)
    runs = count_runs(logs, found)
    if own is not None:
        mine, theirs = keeper.read(own)
        mine = [replace(head, is_own=True) for head in mine]
        runs = count_runs(own, mine) | runs
        published = {head.key for head in found}
        found += [head for head in mine if head.key not in published]
        foreign += theirs
    chosen, notes = choose(found, foreign, partial=partial)
    headlines = {head.key.task: head.metrics[0] for head in chosen}
    metrics = boards.metrics_of(chosen)
    by_place: dict[tuple[str, ...], list[StoredHead]] = defaultdict(list)
    for head in chosen:
        key = head.key
        by_place[key.round, key.task, key.task_version, key.setting].append(head)

    def rows_of(members: Sequence[StoredHead], memory: Memory) -> list[Row]:
        contestants = [keeper.statistics(head) for head in members]
        add_standing(contestants, resamples=resamples, seed=seed, compared=memory)
        for head, contestant in zip(members, contestants, strict=True):
            for row in contestant.rows.values():
                row["runs"] = runs[head.key]
                if head.is_own:
                    row["own"] = True
        rows = [row for contestant in contestants for row in contestant.rows.values()]
        return sorted(rows, key=boards.order_of)

    return GroupedBoard(
        groups=tuple(
            keeper.group(place, by_place[place], runs, headlines, metrics, rows_of)
            for place in sorted(by_place)
        ),
        rounds=tuple(boards.rounds_of(chosen)),
        headlines=headlines,
        metrics=metrics,
        notes=tuple(sorted([*notes, *boards.removed_notes(chosen, runs)])),
        heads=tuple(chosen),
    )


class Memory:
    """Comparisons of a group's contestants, remembered from build to build."""

    def __init__(self, found: Any = None) -> None:
        """Start from what `kept` was after an earlier build."""
        self._found: dict[str, Any] = found if isinstance(found, dict) else {}
        self.kept: dict[str, list[dict[str, Any]]] = {}

    def known(self, metric: str, contents: Mapping[str, str]) -> Signs:
        """Pairs of these names that were compared before with the same contents."""
        signs: Signs = {}
        names = {content: name for name, content in contents.items()}
        if len(names) < len(contents):  # two with equal values: which is which has no say, but
            return signs  # names do
        for group in self._found.get(metric, ()):
            places = [(at, names[one]) for at, one in enumerate(group["ids"]) if one in names]
            for at, first in places:
                line = group["signs"][at]
                for other, second in places:
                    if other > at:
                        sign = _SIGNS.index(line[other - at - 1]) - 1
                        pair = (first, second) if first < second else (second, first)
                        signs[pair] = sign if first < second else -sign
        return signs

    def keep(self, metric: str, contents: Mapping[str, str], signs: Signs) -> None:
        """Remember pairs for the next time."""
        names = sorted(contents)
        try:
            lines = [
                "".join(_SIGNS[signs[first, second] + 1] for second in names[at + 1 :])
                for at, first in enumerate(names)
            ]
        except KeyError:  # one of them has no value, or there are no intervals
            return
        entry = {"ids": [contents[name] for name in names], "signs": lines}
        self.kept.setdefault(metric, []).append(entry)


class _Store:
    """The folder."""

    def __init__(
        self, folder: Path, options: Sequence[Any], compute: Callable[[RunLog], Contestant]
    ) -> None:
        self._folder, self._options, self._compute = folder, options, compute

    def read(self, logs: Path) -> tuple[list[StoredHead], list[ForeignLog]]:
        """The heads of the logs below a folder; a file that is as it was is not opened."""
        index = self._folder / hash_of(str(logs.resolve()))[:16] / _INDEX
        before = _load(index) or {}
        after: dict[str, Any] = {}
        for path in find_logs(logs):
            facts = Path(path).stat()
            entry = before.get(path)
            mark = [facts.st_size, facts.st_mtime_ns, self._options[0]]
            if not entry or entry["mark"] != mark:
                entry = {"mark": mark, **self._first_look(path)}
            after[path] = entry
        if after != before:
            _save(index, after)
        heads = [head_from_row(entry["head"]) for entry in after.values() if "head" in entry]
        foreign = [ForeignLog(**entry["foreign"]) for entry in after.values() if "foreign" in entry]
        return heads, foreign

    def _first_look(self, path: str) -> Row:
        log = read_log(path)
        if isinstance(log, ForeignLog):
            return {"foreign": asdict(log)}
        head = head_of(log, path, hash_file(Path(path)))
        self._keep_statistics(head, log)
        return {"head": head_as_row(head)}

    def _statistics_path(self, head: StoredHead) -> Path:
        key = hash_of([self._options, head.sha256])
        return self._folder / "statistics" / key[:2] / f"{key}.json"

    def _keep_statistics(self, head: StoredHead, log: RunLog) -> Contestant:
        made = self._compute(log)
        _save(self._statistics_path(head), _as_row(made))
        return made

    def statistics(self, head: StoredHead) -> Contestant:
        """A log's rows but for their standing, and its values by item."""
        found = _load(self._statistics_path(head))
        if found is not None:
            return _from_row(found)
        log = read_log(head.path)
        if isinstance(log, ForeignLog):
            raise InputError(f"{head.path} {log.reason}. Put back the log that was there.")
        return self._keep_statistics(head, log)

    def group(
        self,
        place: tuple[str, ...],
        members: Sequence[StoredHead],
        runs: Mapping[Any, Row],
        headlines: Mapping[str, str],
        metrics: Mapping[str, Sequence[str]],
        make: Callable[[Sequence[StoredHead], Memory], list[Row]],
    ) -> Group:
        """The rows of a group; computed where one of its logs is new."""
        facts = [[head.sha256, head.name, head.is_own, runs[head.key]] for head in members]
        order = [headlines[place[1]], metrics[place[1]]]
        key = hash_of([self._options, place, order, facts])
        group = load_group(self._folder, place, key, lambda: make(members, Memory()))
        if group is None:
            compared = self._folder / "groups" / hash_of(place)[:24] / "compared.json"
            memory = Memory(_load(compared))
            rows = make(members, memory)
            _save(compared, memory.kept)
            group = save_group(self._folder, make_group(rows, headlines, metrics, key))
        return group


def save_group(store: Path, group: Group) -> Group:
    """Keep a group's rows in a store."""
    folder = store / "groups" / hash_of(group.place)[:24]
    leads = {
        "key": group.key,
        "metrics": list(group.metrics),
        "leads": list(group.leads),
        "marks": list(group.marks),
    }
    _save(folder / "rows.json", {"key": group.key, "rows": list(group.rows)})
    _save(folder / "leads.json", leads)
    return group


def load_group(
    store: Path, place: Sequence[str], key: str, again: Callable[[], Sequence[Row]]
) -> Group | None:
    """A group that a store holds, but for its rows, which are read when asked for.

    Args:
        store: The folder.
        place: Of the group.
        key: None is returned where the store holds it under another key or damaged.
        again: Computes its rows where they are found damaged.
    """
    folder = store / "groups" / hash_of(tuple(place))[:24]
    leads = _load(folder / "leads.json")
    if leads is None or leads["key"] != key:
        return None

    def load() -> Sequence[Row]:
        found = _load(folder / "rows.json")
        rows: list[Row] | None = found["rows"] if found and found["key"] == key else None
        return again() if rows is None else rows

    one, two, three, four = place
    metrics, rows, marks = (tuple(leads[name]) for name in ("metrics", "leads", "marks"))
    return Group((one, two, three, four), key, metrics, rows, marks, load)


def _as_row(made: Contestant) -> Row:
    values = {
        item: [None if np.isnan(value) else float(value) for value in column]
        for item, column in made.values.items()
    }
    return {
        "rows": made.rows,
        "order": list(made.rows),
        "family": made.family,
        "clusters": made.clusters,
        "values": values,
        "diagnostics": sorted(made.diagnostics),
        "judged": sorted(made.judged),
    }


def _from_row(found: Row) -> Contestant:
    values = {
        item: np.array([np.nan if value is None else value for value in column], dtype=float)
        for item, column in found["values"].items()
    }
    return Contestant(
        {name: found["rows"][name] for name in found["order"]},
        found["family"],
        found["clusters"],
        values,
        frozenset(found["diagnostics"]),
        frozenset(found["judged"]),
    )


def _save(path: Path, value: Any) -> None:
    """Write JSON with the hash of its bytes before it, so that damage is noticed."""
    body = canonical_json(value).encode("utf-8", "surrogatepass")
    write_bytes(path, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)


def _load(path: Path) -> Any:
    """What `_save` wrote; None where there is nothing, or it is damaged."""
    try:
        seal, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != seal:
        return None
    return loads_fast(body)


@cache
def _code_hash() -> str:
    """Sha256 of the code that statistics come from."""
    root = Path(__file__).parent.parent.parent
    files = [path for name in _CODE for path in sorted((root / name).rglob("*.py"))]
    return hash_of([[path.relative_to(root).as_posix(), hash_file(path)] for path in files])
