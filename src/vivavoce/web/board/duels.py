"""The pages of a comparison: two contestants metric by metric, and the items that differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from vivavoce.reports import Column, sheet
from vivavoce.results.logs.records import PLACE
from vivavoce.store import Row
from vivavoce.text.printing import figure, signed, visible
from vivavoce.web.board.entries import slug
from vivavoce.web.board.page import (
    Link,
    Page,
    json_file,
    link,
    markup,
    page_of,
    static_files,
    write_pages,
)
from vivavoce.web.board.samples import ItemContext, item_path, items_pages

if TYPE_CHECKING:
    from vivavoce.results.logs.sample_texts import ItemTexts

SCHEMA_VERSION = 1
"""Version of compare.json; raised when a field changes its meaning."""

_INDEX = "index.html"
_NUMBERS = "compare.json"


def write_comparison(
    comparison: Mapping[str, Any],
    items: Sequence[Sequence[ItemTexts]],
    out: Path,
) -> Path:
    """Write a comparison as a folder of pages and return the path of the first one.

    `comparison` is what `viva board compare --json` prints; `items` of its duels get pages.
    """
    made: list[Page] = []
    paths: list[dict[str, str]] = []
    for row, of_duel in zip(comparison["duels"], items, strict=True):
        around = _around(row)
        paths.append({item.id: item_path(around.folder, item.id) for item in of_duel})
        made += items_pages(of_duel, around)

    def values() -> dict[str, Any]:
        duels = [_duel(row, of) for row, of in zip(comparison["duels"], paths, strict=True)]
        return {"duels": duels, "notes": comparison["notes"], "file": _NUMBERS}

    inputs = {"found": comparison, "items": [[item.key for item in of_duel] for of_duel in items]}
    page = page_of(_INDEX, "compare.html.j2", inputs, values)
    numbers = json_file(_NUMBERS, {"schema_version": SCHEMA_VERSION, **comparison})
    write_pages([page, numbers, *made, *static_files()], out)
    return out / _INDEX


def _around(row: Row) -> ItemContext:
    place = [str(row[name]) for name in PLACE]
    sides = [row[side] for side in ("a", "b")]
    found = next((m for m in row["metrics"] if m["metric"] == row["headline"]), None)
    return ItemContext(
        folder=f"items/{slug(f'{place[1][:200]}--{place[3][:200]}', *place, sides)}",
        back=Link("The comparison", _INDEX),
        family=row["family"],
        higher_is_better=found is None or found["higher_is_better"] is not False,
    )


def _duel(row: Row, paths: Mapping[str, str]) -> dict[str, Any]:
    """Both in one round, task and setting, as `compare.html.j2` prints it."""
    size = _scale(row["metrics"])
    return {
        "row": row,
        "names": (visible(row["a"]["name"]), visible(row["b"]["name"])),
        "verdict": row["verdict"],
        "metrics": [(metric, _bar(metric, size)) for metric in row["metrics"]],
        "differ_most": sheet(
            "",
            row["differ_most"],
            Column(lambda item: _item(item, paths.get(item["id"])), "Item"),
            Column(lambda item: figure(item["a"]), "a"),
            Column(lambda item: figure(item["b"]), "b"),
            Column(lambda item: signed(item["difference"]), "a − b"),
        ),
    }


def _item(item: Row, path: str | None) -> Markup:
    """An item by its title or its id, and facts of it in small type."""
    names = (item["id"] if item["title"] else None, item["category"], item["difficulty"])
    cluster = None if item["cluster"] == item["id"] else f"of {item['cluster']}"
    known = ", ".join(str(each) for each in (*names, cluster, item["published"]) if each)
    head = visible(item["title"] or item["id"])
    if path:
        return link(_INDEX, path, head, visible(known))
    return markup("<bdi>{}</bdi> <small><bdi>{}</bdi></small>", head, visible(known))


def _scale(metrics: Sequence[Row]) -> float:
    """Difference that half the width of the plots stands for: those that rank fit into it."""
    ends = [
        abs(bound)
        for metric in metrics
        if metric["ranks"] and metric["difference"] is not None
        for bound in (metric["difference"], *(metric["ci"] or ()))
    ]
    return max(ends, default=0.0)


def _bar(row: Row, size: float) -> str:
    """Classes that place a difference and its interval in the plot; at 50% is no difference."""
    if row["difference"] is None or not size:
        return ""
    low, high = row["ci"] or (row["difference"],) * 2
    if max(abs(bound) for bound in (low, high, row["difference"])) > size:
        return ""  # a diagnostic of another size would press the metrics that rank together
    value, low, high = (round(50 + 46 * end / size) for end in (row["difference"], low, high))
    return f"v{value} l{low} h{high}"
