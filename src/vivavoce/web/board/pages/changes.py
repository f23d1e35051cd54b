"""Changes from build to build: rows that came, went, or were scored again.

`changes.json` in the folder of a site keeps the whole history, and with it which boards the last
build had. A row that is gone stays on its board's page, struck through, with the reason where one
was given, until it comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID

from vivavoce.errors import InputError
from vivavoce.results.board.groups import KEY, by_contestant
from vivavoce.results.logs.records import PLACE
from vivavoce.store import Row, canonical_json, hash_of, read_json
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.names import label
from vivavoce.web.board.page import Page, json_file, page_of
from vivavoce.web.printing import counted, figure, visible

PATH = "changes.json"
SCHEMA_VERSION = 1
KINDS = ("added", "removed", "rescored")

Entry = dict[str, Any]
"""`kind`, the fields of a row's key, `values` and `before` by metric, `reason`."""


@dataclass(frozen=True)
class History:
    """All builds of a site."""

    boards: dict[str, str] = field(default_factory=dict)
    """Of the newest build: path of each board's page, and the hash of its rows."""
    builds: tuple[dict[str, Any], ...] = ()
    """`number`, `date`, `rows` and `entries` of each, the oldest first; the first has none."""

    @cached_property
    def gone(self) -> dict[str, dict[str, tuple[dict[str, Any], Entry]]]:
        """By place and key the rows that were removed and did not come back, with their build."""
        found: dict[str, dict[str, tuple[dict[str, Any], Entry]]] = {}
        for build in self.builds:
            for entry in build["entries"]:
                board = found.setdefault(place_of(*(entry[name] for name in PLACE)), {})
                key = canonical_json([entry[name] for name in KEY])
                board.pop(key, None)
                if entry["kind"] == "removed":
                    board[key] = (build, entry)
        return found

    def as_dict(self) -> dict[str, Any]:
        """The history as plain JSON values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "boards": self.boards,
            "builds": list(self.builds),
        }


def place_of(*parts: object) -> str:
    """One spelling for a board's round, task, version and setting."""
    return canonical_json([str(part) for part in parts])


def history_of(
    site: Site, out: Path, *, reasons: Sequence[Mapping[str, str]] = (), date: str | None = None
) -> History:
    """The history of the site in `out` with this build's changes; ask before anything is written.

    Args:
        site: What is to be written.
        out: Where it will be; the earlier build there, if any, is what it is compared with.
        reasons: Each with a `reason` and any fields of a row's key, such as `model` and `task`:
            the first whose fields all fit a changed row is its reason.
        date: The day of this build, such as 2026-01-31; None leaves it open.

    Raises:
        InputError: The date is none, or a reason has no words or names no field of a row's key.
    """
    _refuse_odd(reasons, date)
    earlier = _read(out)
    here = {board.path: board for board in site.boards}
    boards = {path: board.key for path, board in here.items()}
    if earlier.builds and boards == earlier.boards:
        return earlier
    entries: list[Entry] = []
    for path in dict.fromkeys([*boards, *earlier.boards]) if earlier.builds else ():
        if boards.get(path) != earlier.boards.get(path):
            then = _rows_of(out, path) if path in earlier.boards else []
            entries += _compare(then, here[path].rows if path in here else (), reasons)
    build = {
        "number": earlier.builds[-1]["number"] + 1 if earlier.builds else 1,
        "date": date,
        "rows": sum(len(board.group.leads) for board in site.boards),
        "entries": entries,
    }
    return History(boards, (*earlier.builds, build))


def _refuse_odd(reasons: Sequence[Mapping[str, str]], date: str | None) -> None:
    try:
        if date is not None and Date.fromisoformat(date).isoformat() != date:
            raise ValueError
    except ValueError:
        raise InputError(f"{date!r} is no date. Write it as in 2026-01-31.") from None
    for number, given in enumerate(reasons, start=1):
        words = given.get("reason") if isinstance(given, Mapping) else None
        if not isinstance(words, str) or not words.strip():
            raise InputError(f"Reason {number} has no words. Write them under `reason`.")
        named = set(given) - {"reason"}
        if not named or not named <= set(KEY):
            raise InputError(
                f"Reason {number} names {', '.join(sorted(named)) or 'no row'}. Its rows are told "
                f"by some of: {', '.join(KEY)}."
            )


def _read(out: Path) -> History:
    """The history an earlier build left; an empty one where nothing can be relied on."""
    try:
        found = read_json(out / PATH)
    except InputError:
        return History()
    if not isinstance(found, Mapping) or found.get("schema_version") != SCHEMA_VERSION:
        return History()
    boards, builds = found.get("boards"), found.get("builds")
    if not isinstance(boards, Mapping) or not isinstance(builds, list):
        return History()
    sound = [build for build in builds if _is_build(build)]
    return History(dict(boards), tuple(sound) if len(sound) == len(builds) else ())


def _is_build(build: Any) -> bool:
    """Check that a build is one of ours: the file may have been edited by anybody."""
    if not isinstance(build, Mapping) or not isinstance(build.get("number"), int):
        return False
    entries = build.get("entries")
    return isinstance(entries, list) and all(
        isinstance(entry, Mapping)
        and entry.get("kind") in KINDS
        and all(name in entry for name in KEY)
        and all(isinstance(entry.get(name), Mapping) for name in ("values", "before"))
        for entry in entries
    )


def _rows_of(out: Path, path: str) -> list[Row]:
    """Rows that an earlier build showed on a board, out of the JSON file beside its page."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or pure.suffix != ".html":
        return []
    try:
        found = read_json(out / pure.with_suffix(".json"))
    except InputError:
        return []
    rows = found.get("rows") if isinstance(found, Mapping) else None
    needed = (*KEY, "metric", "value")
    found_rows = rows if isinstance(rows, list) else []
    return [
        dict(row)
        for row in found_rows
        if isinstance(row, Mapping) and all(name in row for name in needed)
    ]


def _compare(
    then: Sequence[Row], now: Sequence[Row], reasons: Sequence[Mapping[str, str]]
) -> list[Entry]:
    before, after = by_contestant(then), by_contestant(now)
    entries = []
    for key in dict.fromkeys([*before, *after]):
        old, new = (
            {name: row["value"] for name, row in side.get(key, {}).items()}
            for side in (before, after)
        )
        if old != new:
            row = next(iter((after.get(key) or before[key]).values()))
            entry = {name: row[name] for name in KEY}
            entry |= {"kind": "rescored" if old and new else "added" if new else "removed"}
            entry |= {"reason": _reason(row, reasons), "values": new, "before": old}
            entries.append(entry)
    return entries


def _reason(row: Row, reasons: Sequence[Mapping[str, str]]) -> str | None:
    for given in reasons:
        wanted = {name: value for name, value in given.items() if name != "reason"}
        if wanted and all(str(row.get(name)) == value for name, value in wanted.items()):
            return str(given["reason"])
    return None


PAGE = "changes.html"
FEED = "changes.atom"
_MAX_SHOWN = 200
_MAX_IN_FEED = 30
_MAX_NAME = 80
_MAX_REASON = 300
_WORDS = {"added": "Added", "removed": "Removed", "rescored": "Scored again"}


def removed_from(history: History, board: BoardOf) -> list[tuple[str, str]]:
    """Rows that a board has lost: the name to strike through, and what to say beside it."""
    gone = history.gone.get(place_of(*board.group.place), {})
    return [(visible(label(e), _MAX_NAME), _lost(build, e)) for build, e in gone.values()]


def pages(site: Site, history: History) -> list[Page]:
    """The history as a file and as a page."""
    whole = history.as_dict()

    paths = {place_of(*board.group.place): board.path for board in site.boards}
    dated = [build for build in reversed(history.builds) if build.get("date")][:_MAX_IN_FEED]
    return [
        json_file(PATH, whole),
        *([_feed(dated, history)] if dated else ()),
        page_of(
            PAGE,
            "changes.html.j2",
            {"history": whole, "boards": sorted(paths), "has_feed": bool(dated)},
            lambda: {
                "builds": list(_shown(history)),
                "has_feed": bool(dated),
                "paths": paths,
                "words": _WORDS,
                "moved": _moved,
                "path_of": lambda entry: paths.get(place_of(*(entry[name] for name in PLACE))),
            },
            nav=site.nav,
        ),
    ]


def _feed(dated: Sequence[Mapping[str, Any]], history: History) -> Page:
    """The builds that have a day, as an Atom feed: a build without one has no place in time."""
    entries = [
        {
            "id": _urn(build),
            "build": build,
            "told": _summary(build),
            "changed": build["entries"][:9],
        }
        for build in dated
    ]
    values = {"id": _urn({"site": history.builds[0]}), "entries": entries}
    return page_of(FEED, "changes.atom.j2", values, lambda: {**values, "words": _WORDS})


def _urn(build: Mapping[str, Any]) -> str:
    return f"urn:uuid:{UUID(hash_of(build)[:32])}"


def _lost(build: Mapping[str, Any], entry: Entry) -> str:
    values = [
        f"{visible(metric, 40)} {figure(value)}"
        for metric, value in list(entry["before"].items())[:1]
        if isinstance(value, int | float)
    ]
    when = visible(build.get("date") or f"build {build['number']}", 40)
    told = visible(entry.get("reason") or "no reason was given", _MAX_REASON)
    return f"{', '.join([*values, f'removed in {when}'])}: {told}"


def _shown(history: History) -> Iterable[tuple[dict[str, Any], list[Entry], str]]:
    """The builds, the newest first, with as many of their entries as a page holds."""
    left = _MAX_SHOWN
    for build in reversed(history.builds):
        entries = build["entries"][:left]
        left -= len(entries)
        yield build, entries, _summary(build)


def _summary(build: Mapping[str, Any]) -> str:
    counts = {kind: sum(entry["kind"] == kind for entry in build["entries"]) for kind in KINDS}
    told = [f"{counts[kind]:,} {_WORDS[kind].lower()}" for kind in KINDS if counts[kind]]
    rows = build.get("rows")
    start = f"The first build: {counted(rows, 'row', 'rows')}" if isinstance(rows, int) else ""
    return ", ".join(told) or start


def _moved(entry: Mapping[str, Any]) -> str:
    """The first metric that moved, then how many more did."""
    names = dict.fromkeys([*entry["before"], *entry["values"]])
    moved = [name for name in names if entry["before"].get(name) != entry["values"].get(name)]
    if not moved:
        return ""
    first = moved[0]
    old, new = (_number(entry[side].get(first)) for side in ("before", "values"))
    told = {"added": new, "removed": old}.get(entry["kind"], f"{old} → {new}")
    more = f" and {len(moved) - 1:,} more" if entry["kind"] == "rescored" and len(moved) > 1 else ""
    return f"{visible(first, 40)} {told}{more}"


def _number(value: object) -> str:
    return figure(float(value)) if isinstance(value, int | float) else "–"
