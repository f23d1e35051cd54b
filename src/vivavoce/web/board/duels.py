"""Pages of a comparison: two contestants metric by metric, and the items that differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from vivavoce.reports import Column, Sheet, sheet
from vivavoce.results.logs.records import PLACE
from vivavoce.store import Row
from vivavoce.text.printing import counted, figure, signed, visible
from vivavoce.web.board.entries import slug, title_of
from vivavoce.web.board.page import (
    Block,
    Link,
    Page,
    Words,
    json_file,
    link,
    markup,
    static_files,
    words_page,
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
    metrics: Sequence[Sheet],
    items: Sequence[Sequence[ItemTexts]],
    out: Path,
) -> Path:
    """Write a comparison as a folder of pages and return the path of the first one.

    `comparison` is the output of `viva board compare --json`. For each of its duels, `metrics` has
    a sheet and `items` the items that get pages.
    """
    made: list[Page] = []
    paths: list[dict[str, str]] = []
    for row, of_duel in zip(comparison["duels"], items, strict=True):
        around = _around(row)
        paths.append({item.id: item_path(around.folder, item.id) for item in of_duel})
        made += items_pages(of_duel, around)

    def make() -> Words:
        duels = comparison["duels"]
        blocks = list(map(_block, duels, metrics, paths))
        if notes := comparison["notes"]:
            blocks.append(
                Block("Left out, with reasons", items=[visible(note, 600) for note in notes])
            )
        return Words(
            title="{} (a) and {} (b)".format(*(visible(duels[0][side]["name"]) for side in "ab")),
            kicker="Comparison",
            lead="Both answered the same items, and differences are taken item by item, so hard "
            "items are equally hard for both. Only this pair is tested here; a board tests "
            "all its contestants together and therefore leaves more of them undecided.",
            blocks=blocks,
            after=markup('<a href="{}" download>Download the numbers</a>', _NUMBERS),
        )

    inputs = {"found": comparison, "items": [[item.key for item in of_duel] for of_duel in items]}
    page = words_page(_INDEX, inputs, make)
    numbers = json_file(_NUMBERS, {"schema_version": SCHEMA_VERSION, **comparison})
    write_pages([page, numbers, *made, *static_files()], out)
    return out / _INDEX


def _around(row: Row) -> ItemContext:
    place = [str(row[name]) for name in PLACE]
    sides = [row[side] for side in "ab"]
    found = next((m for m in row["metrics"] if m["metric"] == row["headline"]), None)
    return ItemContext(
        folder=f"items/{slug(f'{place[1][:200]}--{place[3][:200]}', *place, sides)}",
        back=Link("The comparison", _INDEX),
        family=row["family"],
        higher_is_better=found is None or found["higher_is_better"] is not False,
    )


def _block(row: Row, metrics: Sheet, paths: Mapping[str, str]) -> Block:
    """Comparison of both in one round, task and setting."""
    alone = [f"{row[f'only_{side}']:,} of {side} alone" for side in "ab" if row[f"only_{side}"]]
    counts = ", ".join([f"{counted(row['items'], 'item', 'items')} of both", *alone])
    place = f"round {row['round']}, version {row['task_version']}, setting {row['setting']}"
    apart = sheet(
        f"Items that differ most in {visible(row['headline'], 60)}",
        row["differ_most"],
        Column(lambda item: _item(item, paths.get(item["id"])), "Item"),
        Column(lambda item: figure(item["a"]), "a"),
        Column(lambda item: figure(item["b"]), "b"),
        Column(lambda item: signed(item["difference"]), "a − b"),
    )
    metrics = replace(metrics, title=visible(f"{place}: {counts}"))
    return Block(title_of(row["task"]), sheets=[metrics, *([apart] if apart.rows else [])])


def _item(item: Row, path: str | None) -> Markup:
    """An item's title or id, with facts in small type."""
    names = (item["id"] if item["title"] else None, item["category"], item["difficulty"])
    cluster = None if item["cluster"] == item["id"] else f"of {item['cluster']}"
    known = ", ".join(str(each) for each in (*names, cluster, item["published"]) if each)
    head = visible(item["title"] or item["id"])
    if path:
        return link(_INDEX, path, head, visible(known))
    return markup("<bdi>{}</bdi> <small><bdi>{}</bdi></small>", head, visible(known))
