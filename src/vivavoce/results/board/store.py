"""Cache of logs' statistics, shared between boards.

The folder holds the statistics of each log under a hash of log and code. It also holds the rows of
each group, with a hash of the group's logs. Damaged or outdated entries are computed again.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from vivavoce.errors import InputError
from vivavoce.results import hash_code
from vivavoce.results.board.groups import Group, make_group
from vivavoce.results.board.ranks import Contestant
from vivavoce.results.logs.added import mark_of
from vivavoce.results.logs.reading import find_logs, read_log, read_logs
from vivavoce.results.logs.records import ForeignLog, LogHeader, Place, RowKey, RunLog
from vivavoce.store import (
    Row,
    canonical_json,
    hash_file,
    hash_of,
    loads_fast,
    write_bytes,
)

_INDEX = "logs.json"
_HEADERS = TypeAdapter(LogHeader)
_CODE = ("results", "statistics", "metrics", "models", "tasks")

MakeRows = Callable[[Sequence[LogHeader]], list[Row]]
"""Makes the rows of a group from its logs."""


class Store:
    """Reader of logs and their statistics, with a cache if a folder is given."""

    def __init__(
        self,
        compute: Callable[[RunLog], Contestant],
        folder: Path | None,
        options: Sequence[Any],
        split: str | None = None,
    ) -> None:
        """Set up the store; `compute` returns a log's values, keyed by item, and its unranked rows.

        Args:
            compute: Function whose result depends only on the log and the options.
            folder: Folder of the cache; None for no cache.
            options: JSON values that affect the statistics.
            split: Limit answers to this split; None for all.
        """
        self._compute, self._folder, self._split = compute, folder, split
        self._options = [hash_code(*_CODE), *options, split] if folder else []

    def read(self, logs: Path) -> tuple[list[LogHeader], list[ForeignLog]]:
        """Read the logs below a folder, ours and foreign ones; unchanged files are not opened."""
        if self._folder is None:
            run_logs, foreign = read_logs(logs, self._split)
            return list(run_logs), foreign
        index = self._folder / hash_of([str(logs.resolve()), self._split])[:16] / _INDEX
        before = _load(index) or {}
        after: dict[str, Any] = {}
        for path in find_logs(logs):
            facts = Path(path).stat()
            entry = before.get(path)
            beside = mark_of(Path(path).parent)
            mark = [facts.st_size, facts.st_mtime_ns, self._options[0], *beside]
            if not entry or entry["mark"] != mark:
                entry = {"mark": mark, **self._first_look(path)}
            after[path] = entry
        if after != before:
            _save(index, after)
        heads = [
            _HEADERS.validate_python(entry["head"]) for entry in after.values() if "head" in entry
        ]
        foreign = [ForeignLog(**entry["foreign"]) for entry in after.values() if "foreign" in entry]
        return heads, foreign

    def _first_look(self, path: str) -> Row:
        log = read_log(path, self._split)
        if isinstance(log, ForeignLog):
            return {"foreign": asdict(log)}
        head = replace(log, sha256=hash_file(Path(path)))
        self._keep(head, self._compute(log))
        return {"head": _HEADERS.dump_python(head, mode="json")}

    def _path_of(self, head: LogHeader) -> Path | None:
        key = hash_of([self._options, head.sha256, head.added_sha256])
        return self._folder / "statistics" / key[:2] / f"{key}.json" if self._folder else None

    def _keep(self, head: LogHeader, made: Contestant) -> Contestant:
        if path := self._path_of(head):
            # A list keeps the order of the rows, which the values follow.
            _save(path, {**asdict(made), "rows": list(made.rows.values())})
        return made

    def statistics(self, head: LogHeader) -> Contestant:
        """A log's values by item, and its unranked rows."""
        path = self._path_of(head)
        if path is not None and (entry := _load(path)) is not None:
            return Contestant(**entry | {"rows": {row["metric"]: row for row in entry["rows"]}})
        log = head if isinstance(head, RunLog) else read_log(head.path, self._split)
        if isinstance(log, ForeignLog):
            raise InputError(f"{head.path} {log.reason}. Put back the original log.")
        return self._keep(head, self._compute(log))

    def group(
        self,
        place: Place,
        members: Sequence[LogHeader],
        runs: Mapping[RowKey, Row],
        headlines: Mapping[str, str],
        metrics: Mapping[str, Sequence[str]],
        make: MakeRows,
    ) -> Group:
        """Make a group; its rows are computed again only if one of its logs changed."""
        if self._folder is None:
            return make_group(make(members), headlines, metrics)
        facts = [
            [
                *(head.sha256, head.added_sha256, head.name, head.is_own, head.trust_reason),
                runs[head.key],
            ]
            for head in members
        ]
        order = [headlines[place[1]], metrics[place[1]]]
        key = hash_of([self._options, place, order, facts])
        path = self._folder / "groups" / f"{hash_of(place)[:24]}.json"
        entry = _load(path)
        if entry is None or entry["key"] != key:
            entry = {"key": key, "rows": make(members)}
            _save(path, entry)
        return make_group(entry["rows"], headlines, metrics, key)


def _save(path: Path, value: Any) -> None:
    """Write JSON, preceded by a hash of its bytes so that damage is noticed."""
    body = canonical_json(value).encode("utf-8", "surrogatepass")
    seal = hashlib.sha256(body).hexdigest().encode()
    write_bytes(path, seal + b"\n" + body, fsync=False)


def _load(path: Path) -> Any:
    """Read the value that `_save` wrote; None if it is missing or damaged."""
    try:
        seal, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != seal:
        return None
    return loads_fast(body)
