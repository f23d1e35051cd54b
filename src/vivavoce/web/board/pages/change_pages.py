"""What changed from build to build, ready to show: the file, the page, and rows struck through."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from vivavoce.results.logs.records import PLACE
from vivavoce.web.board.model import BoardOf, Site
from vivavoce.web.board.names import label
from vivavoce.web.board.page import Page, file_of, page_of
from vivavoce.web.board.pages.changes import KINDS, PATH, History, place_of
from vivavoce.web.printing import counted, figure, visible

PAGE = "changes.html"
_MOST_SHOWN = 200
_LONGEST_NAME = 80
_LONGEST_REASON = 300
_WORDS = {"added": "Added", "removed": "Removed", "rescored": "Scored again"}


def removed_from(history: History, board: BoardOf) -> list[tuple[str, str]]:
    """Rows that a board has lost: the name to strike through, and what to say beside it."""
    gone = history.gone.get(place_of(*board.group.place), {})
    return [(_name(entry), _lost(entry, _when(build))) for build, entry in gone.values()]


def pages(site: Site, history: History) -> list[Page]:
    """The history as a file and as a page."""
    whole = history.as_dict()

    def values() -> dict[str, Any]:
        shown = list(_shown(history))
        total = sum(len(build["entries"]) for build in history.builds)
        return {"builds": shown, "unlisted": max(0, total - _MOST_SHOWN)}

    paths = {place_of(*board.group.place): board.path for board in site.boards}
    return [
        file_of(PATH, whole, lambda: _json(whole)),
        page_of(
            PAGE,
            "changes.html.j2",
            {"history": whole, "boards": sorted(paths)},
            lambda: {**values(), "paths": paths},
            nav=site.nav,
        ),
    ]


def _json(whole: Mapping[str, Any]) -> bytes:
    return (json.dumps(whole, sort_keys=True, indent=1, allow_nan=False) + "\n").encode("ascii")


def _name(entry: Mapping[str, Any]) -> str:
    return visible(label({name: entry[name] for name in ("method", "model")}), _LONGEST_NAME)


def _when(build: Mapping[str, Any]) -> str:
    return visible(build.get("date") or f"build {build['number']}", 40)


def _lost(entry: Mapping[str, Any], when: str) -> str:
    values = [
        f"{visible(metric, 40)} {figure(value)}"
        for metric, value in list(entry["before"].items())[:1]
        if isinstance(value, int | float)
    ]
    reason = entry.get("reason")
    told = visible(reason, _LONGEST_REASON) if reason else "no reason was given"
    return f"{', '.join([*values, f'removed in {when}'])}: {told}"


def _shown(history: History) -> Iterable[dict[str, Any]]:
    """The builds, the newest first, with as many of their entries as a page holds."""
    left = _MOST_SHOWN
    for build in reversed(history.builds):
        entries = build["entries"][:left]
        left -= len(entries)
        counts = {kind: sum(entry["kind"] == kind for entry in build["entries"]) for kind in KINDS}
        told = [f"{counts[kind]:,} {_WORDS[kind].lower()}" for kind in KINDS if counts[kind]]
        rows = build.get("rows")
        start = f"The first build: {counted(rows, 'row', 'rows')}" if isinstance(rows, int) else ""
        yield {
            "title": f"Build {build['number']}",
            "date": visible(build.get("date") or "", 40),
            "summary": ", ".join(told) or start,
            "entries": [_entry(entry) for entry in entries],
            "unlisted": len(build["entries"]) - len(entries),
        }


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": entry["kind"],
        "word": _WORDS[entry["kind"]],
        "name": _name(entry),
        "task": visible(entry["task"], 60),
        "setting": visible(entry["setting"], 40),
        "round": visible(entry["round"], 60),
        "place": place_of(*(entry[name] for name in PLACE)),
        "moved": _moved(entry),
        "reason": visible(entry["reason"], _LONGEST_REASON) if entry.get("reason") else "",
    }


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
