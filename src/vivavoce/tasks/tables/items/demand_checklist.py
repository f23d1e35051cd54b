"""The checklist for demands: self-contained, goal-oriented, concise, not leaking.

Source: arXiv2Table, Table 13. These are tests of words. They find demands that are plainly at
fault, and are no substitute for the spot checks of people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from vivavoce.tasks.tables.items.demand_leaks import (
    LeakIndex,
    leak_index,
    stem_of,
    stems_of,
    telling_words,
)
from vivavoce.tasks.tables.items.table_items import GoldTable
from vivavoce.text.data import read_data, read_patterns
from vivavoce.text.sentences import split_sentences

CHECKS = ("self_contained", "goal_oriented", "concise", "non_leaking")
MAX_SENTENCES = 2
MAX_WORDS = 90
MAX_ITEMS = 6
"""Items of one enumeration; a longer one reads like a list of columns."""
_MAX_REASONS = 8

_PATTERNS = read_patterns(__file__, "demand_patterns.toml")
_POINTING = _PATTERNS["pointing"]
_WORDS = read_data(__file__, "demand_words.toml")
_ASKING = tuple(_WORDS["asking"])
_AIMS = tuple(_WORDS["aims"])
_CLAUSES = re.compile(r"[.!?;:()]")
_ITEM_MARK = re.compile(r",|\band\b|\bor\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Check:
    """Outcome of one point of the checklist."""

    name: str
    """One of `CHECKS`."""
    passed: bool
    reason: str
    """Why it failed; empty where it passed."""


def check_demand(
    demand: str, table: GoldTable, titles: Sequence[str], index: LeakIndex | None = None
) -> tuple[Check, ...]:
    """Go through the checklist."""
    reasons = {
        "self_contained": _not_self_contained(demand, table.caption, titles),
        "goal_oriented": _not_goal_oriented(demand),
        "concise": _not_concise(demand),
        "non_leaking": _leaking(demand, index or leak_index(table, titles)),
    }
    return tuple(Check(name, not reasons[name], reasons[name]) for name in CHECKS)


def failures(checks: Sequence[Check]) -> str:
    """The reasons of the points that failed, in one line; empty where all passed."""
    return " ".join(check.reason for check in checks if not check.passed)


def _not_self_contained(demand: str, caption: str, titles: Sequence[str]) -> str:
    if pointing := _POINTING.search(demand):
        return f"It points to something that a reader does not have: '{pointing[0]}'."
    known = {*stems_of(telling_words(caption))}
    known.update(stem for title in titles for stem in stems_of(telling_words(title)))
    said = set(stems_of(telling_words(demand))) - _stems(_ASKING) - _stems(_AIMS)
    return "" if said & known else "It does not say what the papers are about."


def _not_goal_oriented(demand: str) -> str:
    stems = set(stems_of(telling_words(demand)))
    if not stems & _stems(_ASKING):
        return "It does not ask for a table, an overview or a comparison."
    return "" if stems & _stems(_AIMS) else "It does not say what the table is for."


@cache
def _stems(words: tuple[str, ...]) -> frozenset[str]:
    """Worked out when first needed: stemming takes seconds to import."""
    return frozenset(stem_of(word) for word in words)


def _not_concise(demand: str) -> str:
    sentences, words = len(split_sentences(demand)), len(demand.split())
    if not 0 < sentences <= MAX_SENTENCES:
        return f"It has {sentences} sentences; 1 or {MAX_SENTENCES} are asked for."
    if words > MAX_WORDS:
        return f"It has {words} words; {MAX_WORDS} are allowed."
    if any(len(_ITEM_MARK.findall(part)) > MAX_ITEMS for part in _CLAUSES.split(demand)):
        return f"It enumerates more than {MAX_ITEMS} things."
    return ""


def _leaking(demand: str, index: LeakIndex) -> str:
    leaks = index.leaks(demand)
    if not leaks:
        return ""
    shown = "; ".join(str(leak) for leak in leaks[:_MAX_REASONS])
    more = f"; and {len(leaks) - _MAX_REASONS} more" if len(leaks) > _MAX_REASONS else ""
    return f"It gives parts of the table away: {shown}{more}."
