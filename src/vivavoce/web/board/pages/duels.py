"""The pages of a comparison: two contestants metric by metric, and the items that differ most."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.results.logs.records import PLACE
from vivavoce.store import Row
from vivavoce.web.board.names import slug, title_of
from vivavoce.web.board.page import Link, Page, file_of, page_of, refuse_endless, static_files
from vivavoce.web.board.pages.item_views import Asked
from vivavoce.web.board.pages.samples import Around, item_path, items_pages
from vivavoce.web.board.state import write_pages
from vivavoce.web.printing import counted, figure, interval, visible

if TYPE_CHECKING:
    from vivavoce.results.logs.sample_texts import ItemTexts

SCHEMA_VERSION = 1
"""Of compare.json; raised when a field changes its meaning."""

_INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class Bar:
    """Where a difference and its interval stand, in percent of the plot; 50 is no difference."""

    value: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One metric of both."""

    name: str
    a: str
    b: str
    difference: str
    interval: str
    better: str
    """`a`, `b`, or empty where they cannot be told apart."""
    bar: Bar | None
    wins: str
    p: str
    n: str
    note: str


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One of the items that differ most."""

    title: str
    facts: str
    a: str
    b: str
    difference: str
    path: str
    """Of its page; empty where it has none."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Both in one round, task and setting."""

    anchor: str
    title: str
    place: str
    verdict: str
    names: tuple[str, str]
    headline: str
    lines: tuple[MetricLine, ...]
    items: tuple[ItemLine, ...]


def write_comparison(
    found: Mapping[str, Any],
    items: Sequence[Sequence[ItemTexts]],
    out: Path,
    *,
    bundle: str | None = None,
) -> Path:
    """Write a comparison as a folder of pages and return the path of the first one.

    Args:
        found: What `viva board compare --json` prints.
        items: For each of its duels, items whose answers get a page.
        out: The folder.
        bundle: Where the transcripts are, as `bundle.find_bundle` gives it.

    Raises:
        InputError: A number is not finite.
    """
    refuse_endless(found)
    pages = comparison_pages(found, items, bundle=bundle)
    write_pages([*pages, *static_files()], out)
    return out / _INDEX


def comparison_pages(
    found: Mapping[str, Any], items: Sequence[Sequence[ItemTexts]], *, bundle: str | None = None
) -> list[Page]:
    """All files of a comparison but the style sheet; none is rendered yet."""
    duels: Sequence[Row] = found["duels"]
    folders = [_folder(row) for row in duels]
    made: list[Page] = []
    shown: list[Duel] = []
    for number, (row, of_duel, folder) in enumerate(zip(duels, items, folders, strict=True)):
        paths = {item.id: item_path(folder, item.id) for item in of_duel}
        shown.append(_duel(row, number, paths))
        around = Around(folder, Link("The comparison", _INDEX), bundle=bundle)
        made += items_pages(_asked(row), of_duel, around)
    values = {
        "duels": shown,
        "names": (visible(duels[0]["a"]["name"]), visible(duels[0]["b"]["name"])),
        "notes": found["notes"],
    }
    inputs = {"found": found, "items": [[item.key for item in of_duel] for of_duel in items]}
    numbers = {"schema_version": SCHEMA_VERSION, **found}
    return [
        page_of(_INDEX, "compare.html.j2", inputs, lambda: values),
        file_of("compare.json", numbers, lambda: _json(numbers)),
        *made,
    ]


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def _folder(row: Row) -> str:
    place = [str(row[name]) for name in PLACE]
    sides = [row[side] for side in ("a", "b")]
    return f"items/{slug(f'{place[1][:200]}--{place[3][:200]}', *place, sides)}"


def _asked(row: Row) -> Asked:
    ranking = next((m for m in row["metrics"] if m["metric"] == row["headline"]), None)
    higher = ranking is None or ranking["higher_is_better"] is not False
    return Asked(
        round=str(row["round"]),
        task=str(row["task"]),
        version=str(row["task_version"]),
        setting=str(row["setting"]),
        family=row["family"],
        path="",
        higher_is_better=higher,
    )


def _duel(row: Row, number: int, paths: Mapping[str, str]) -> Duel:
    names = (visible(row["a"]["name"]), visible(row["b"]["name"]))
    size = _scale(row["metrics"])
    return Duel(
        anchor=f"duel-{number + 1}",
        title=title_of(row["task"]),
        place=" · ".join(
            [
                f"round {visible(row['round'])}",
                f"version {visible(row['task_version'])}",
                f"setting {visible(row['setting'])}",
                _items(row),
            ]
        ),
        verdict=verdict(row),
        names=names,
        headline=visible(row["headline"], 60),
        lines=tuple(_line(metric, size) for metric in row["metrics"]),
        items=tuple(_item(item, paths) for item in row["differ_most"]),
    )


def verdict(row: Row) -> str:
    """A duel in a sentence, by its headline metric."""
    found = next((m for m in row["metrics"] if m["metric"] == row["headline"]), None)
    if found is None or found["difference"] is None:
        return "They share no item with a value in the metric that ranks."
    name = visible(row["headline"], 60)
    gap = figure(abs(found["difference"]))
    if found["better"]:
        leader = visible(row[found["better"]]["name"])
        won = found[f"wins_{found['better']}"]
        ends = sorted(abs(bound) for bound in found["ci"] or ())
        between = f" (95% interval {interval((ends[0], ends[1]))})" if ends else ""
        return (
            f"{leader} is ahead by {gap} in {name}{between}, and better on {won:,} of "
            f"{counted(found['n'], 'item', 'items')}."
        )
    if found["equal"] == found["n"]:
        return f"They have the same value in {name} on all {counted(found['n'], 'item', 'items')}."
    if found["ci"] is None:
        return f"They differ by {gap} in {name}; with so little there is no interval."
    enough = found["detectable"]
    limit = f" A difference under {figure(enough)} is more than these items show." if enough else ""
    return (
        f"They cannot be told apart in {name}: a − b is {figure(found['difference'])}, and may be "
        f"{interval(found['ci'])}.{limit}"
    )


def _items(row: Row) -> str:
    told = counted(row["items"], "item", "items") + " of both"
    rest = [f"{row[f'only_{side}']:,} of {side} alone" for side in "ab" if row[f"only_{side}"]]
    return ", ".join([told, *rest])


def _scale(metrics: Sequence[Row]) -> float:
    """What half the width of the plots stands for: those that rank fit into it."""
    ends = [
        abs(bound)
        for metric in metrics
        if metric["ranks"] and metric["difference"] is not None
        for bound in (metric["difference"], *(metric["ci"] or ()))
    ]
    return max(ends, default=0.0)


def _line(row: Row, size: float) -> MetricLine:
    told = row["difference"] is not None
    is_directed = row["higher_is_better"] is not None
    return MetricLine(
        name=visible(row["metric"], 60),
        a=figure(row["a"]) if row["a"] is not None else "–",
        b=figure(row["b"]) if row["b"] is not None else "–",
        difference=_signed(row["difference"]) if told else "–",
        interval=interval(row["ci"]) if row["ci"] else "no interval" if told else "",
        better=row["better"] or "",
        bar=_bar(row, size),
        wins=f"{row['wins_a']:,} / {row['equal']:,} / {row['wins_b']:,}" if is_directed else "",
        p=chance(row["sign_p"]),
        n=f"{row['n']:,}",
        note=_note(row),
    )


def _note(row: Row) -> str:
    if row["higher_is_better"] is None:
        return "neither more nor less is better"
    return "" if row["higher_is_better"] else "lower is better"


def _bar(row: Row, size: float) -> Bar | None:
    if row["difference"] is None or not size:
        return None
    low, high = row["ci"] or (row["difference"],) * 2
    if max(abs(bound) for bound in (low, high, row["difference"])) > size:
        return None  # a diagnostic of another size would press the metrics that rank together
    return Bar(*(f"{50 + 46 * bound / size:.2f}%" for bound in (row["difference"], low, high)))


def chance(value: float | None) -> str:
    """A p in print; empty where there is none."""
    if value is None:
        return ""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _signed(value: float) -> str:
    return f"+{figure(value)}" if value >= 0.0005 else figure(value)


def _item(row: Row, paths: Mapping[str, str]) -> ItemLine:
    facts = [str(row[name]) for name in ("category", "difficulty", "published") if row[name]]
    cluster = [] if row["cluster"] == row["id"] else [f"of {row['cluster']}"]
    return ItemLine(
        title=visible(row["id"]),
        facts=visible(", ".join([*cluster, *facts])),
        a=figure(row["a"]),
        b=figure(row["b"]),
        difference=_signed(row["difference"]),
        path=paths.get(row["id"], ""),
    )
