"""Long texts of strangers as a page may show them: every character visible, the size bounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from vivavoce.web.printing import visible

_BREAKS = ("\r\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x85")
_ROWS = 12
"""Criteria of a judge that are shown."""
_WORDS = {"answer": "answer", "reference": "gold", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The start of a text."""

    text: str
    length: int
    """Characters of the whole text."""
    rest: int
    """Those of them that are not shown."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of an answer and the gold, by one criterion."""

    criterion: str
    outcome: str
    answer_first: str
    gold_first: str


def excerpt(text: str, size: int) -> Excerpt:
    """As much of a text from its start as takes no more than `size` bytes of a page."""
    kept = text[:size]
    shown = _spelled(kept)
    while (taken := _bytes(shown)) > size:
        kept = kept[: min(len(kept) - 1, int(len(kept) * size / taken))]
        shown = _spelled(kept)
    return Excerpt(shown, len(text), len(text) - len(kept))


def verdicts(judgement: Mapping[str, object] | None) -> list[Verdict]:
    """The verdicts in a judge's note, the overall one first; none where it is of another form."""
    orders = (judgement or {}).get("orders")
    if not isinstance(orders, Sequence) or isinstance(orders, str):
        return []
    said: dict[str, dict[str, object]] = {}
    for order in orders:
        found = order.get("verdicts") if isinstance(order, Mapping) else None
        if isinstance(found, Mapping) and str(order.get("first")) in _WORDS:
            said[str(order["first"])] = {str(name): place for name, place in found.items()}
    names = sorted({name for found in said.values() for name in found})
    names.sort(key=lambda name: name != "overall")
    return [_verdict(name, said) for name in names[:_ROWS]]


def _verdict(name: str, said: Mapping[str, Mapping[str, object]]) -> Verdict:
    winners = [_winner(first, said.get(first, {}).get(name)) for first in ("answer", "reference")]
    known = [winner for winner in winners if winner]
    if len(known) < 2:
        outcome = "no verdict"
    elif known[0] == known[1]:
        outcome = _WORDS[known[0]]
    else:
        outcome = _WORDS["tie"]
    told = [_WORDS[winner] if winner else "no verdict" for winner in winners]
    return Verdict(visible(name, 60).replace("_", " "), outcome, *told)


def _winner(first: str, place: object) -> str:
    """Whose text stood in the place that won; empty without a verdict."""
    second = "reference" if first == "answer" else "answer"
    return {"first": first, "second": second}.get(str(place), "")


def _spelled(text: str) -> str:
    for found in _BREAKS:
        text = text.replace(found, "\n")
    return "\n".join(visible(line, limit=None) for line in text.split("\n"))


def _bytes(text: str) -> int:
    return len(escape(text).encode("utf-8"))
