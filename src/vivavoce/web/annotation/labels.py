"""What a campaign says in the form that rounds and audits read: the rows of `labels.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from vivavoce.store import Row

if TYPE_CHECKING:
    from vivavoce.web.annotation.records import DecisionRecord, ItemRecord

Wanted = Mapping[str, str | None]
"""By field, the value that speaks for an item."""
LabelRows = Callable[["ItemRecord", Sequence["DecisionRecord"], Wanted], list[Row]]
"""Takes an item and the decisions on it that stand."""


def final_label(item: ItemRecord, decisions: Sequence[DecisionRecord], wanted: Wanted) -> list[Row]:
    """{id, and a value for every field}; nothing for an item that is not done."""
    return [{"id": item.key, **item.final}] if item.final is not None else []


def paper_decision(
    item: ItemRecord, decisions: Sequence[DecisionRecord], wanted: Wanted
) -> list[Row]:
    """{id, table, paper, decision}; table and paper as far as the item names them."""
    named = {name: item.content[name] for name in ("table", "paper") if name in item.content}
    return [row | named for row in final_label(item, decisions, wanted)]


def acceptance(item: ItemRecord, decisions: Sequence[DecisionRecord], wanted: Wanted) -> list[Row]:
    """{id, accepted, and a value for every field}: accepted when all speak for the item."""
    return [
        row | {"accepted": all(row[field] == value for field, value in wanted.items())}
        for row in final_label(item, decisions, wanted)
    ]


def verdicts(item: ItemRecord, decisions: Sequence[DecisionRecord], wanted: Wanted) -> list[Row]:
    """{id, a, b, verdict} of each of the first pair, as `viva audit judge --human` reads them.

    The second pair is left out: it has seen only what the first was split on.
    """
    source = item.content.get("source")
    place = dict(source) if isinstance(source, dict) else {"id": item.key}
    names = item.content.get("names")
    sides = dict(names) if isinstance(names, dict) else {"a": "a", "b": "b"}
    return [
        {**place, **sides, "verdict": decision.label["verdict"]}
        for decision in decisions
        if decision.stage == "first"
    ]
