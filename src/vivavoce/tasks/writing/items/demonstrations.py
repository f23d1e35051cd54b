"""Papers shown as examples, with their gold, before the target.

A demonstration is a paper that could be a target of the task itself (quality gates, gold, no second
copy of another paper). It is strictly earlier than the target's first version, is not its kin, and
does not retell its gold.
`random` ones share the target's primary category. `coauthor` ones have one of the target's authors
as first author, without being by the same group as a whole. Names that may be several people's
connect nobody.

Every candidate of an item has a place that depends on the round's seed, the item, the kind and
the candidate's id alone; the first ones that are fit are shown. So papers that come to the corpus
change the choice only where they are chosen themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vivavoce.tasks.writing.items.activity import Authors, number_of
from vivavoce.tasks.writing.items.inputs import PaperText, demonstration_text
from vivavoce.tasks.writing.items.near_duplicates import Hashes, Kinship
from vivavoce.tasks.writing.items.papers import Pool, Reason, gold_of, why_no_gold
from vivavoce.text.dates import day_after, earlier, period
from vivavoce.text.shingles import is_retold_beside, mix, shingles_of

KINDS = ("random", "coauthor")
_FIRST_LOOK = 32
"""Candidates put in order at first; more only when these do not suffice."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The demonstrations of one kind for one item."""

    shown: tuple[str, ...]
    """Paper ids, in the order shown."""
    rejected: str
    """The first candidate that was rejected, with the reason; empty where one is shown."""


@dataclass(slots=True)
class _Shelf:
    """Papers of one category, the oldest first."""

    ids: list[str]
    ends: npt.NDArray[np.int64]
    """The day after each may have appeared."""
    hashes: Hashes


@dataclass(slots=True)
class Demonstrations:
    """Chooses demonstrations from the papers of a corpus."""

    pool: Pool
    authors: Authors
    seed: int
    count: int
    kinship: Kinship = field(default_factory=Kinship)
    _shelves: dict[str, dict[str, _Shelf]] = field(default_factory=dict)
    _led: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for name in sorted(self.pool.texts):
            if name in self.authors.first:
                self._led[self.authors.first[name]].append(name)

    def choose(self, task: str, kind: str, target: PaperText) -> Choice:
        """The demonstrations of one kind: at most `count`, the first places first."""
        candidates = (self._random if kind == "random" else self._coauthor)(task, target)
        shown: list[str] = []
        rejected = ""
        for candidate in candidates:
            if len(shown) == self.count:
                break
            reason = self._why_not(task, kind, target, candidate)
            if reason is None:
                shown.append(candidate)
            else:
                rejected = rejected or f"{candidate}: {reason[0]}, {reason[1]}"
        return Choice(tuple(shown), "" if shown else rejected or "no paper of the kind")

    def _random(self, task: str, target: PaperText) -> Iterator[str]:
        """Earlier papers of the target's category that have the gold, in their places."""
        if task not in self._shelves:
            self._shelves[task] = self._make_shelves(task)
        shelf = self._shelves[task].get(self.pool.categories[target.paper_id] or "")
        if shelf is None:
            return
        start = period(target.published)[0].toordinal()
        last = int(np.searchsorted(shelf.ends, start, side="right"))
        places = mix(shelf.hashes[:last] ^ self._key(task, "random", target))
        for index in _ascending(places):
            yield shelf.ids[index]

    def _coauthor(self, task: str, target: PaperText) -> Iterator[str]:
        """Papers led by an author of the target, in their places; the fit ones are few."""
        mine = self.authors.certain(target.paper_id)
        led = {name for author in mine for name in self._led.get(author, ())}
        names = sorted(led - {target.paper_id})
        hashes = np.array([number_of(name) for name in names], np.uint64)
        for index in _ascending(mix(hashes ^ self._key(task, "coauthor", target))):
            yield names[index]

    def _why_not(self, task: str, kind: str, target: PaperText, candidate: str) -> Reason | None:
        """Reason why a candidate of the kind is not shown."""
        theirs = self.pool.texts[candidate]
        if kin := self.kinship.between(target, theirs):
            return kin
        works = self.pool.works
        if candidate in works and works[candidate] == works.get(target.paper_id):
            return "near_copy", f"both are the work {works[candidate]}"
        if kept := self.pool.duplicates.get(candidate):
            return "duplicate_title", f"same title or work as {kept}"
        if not earlier(theirs.published, target.published):
            return "not_earlier", f"{theirs.published}, the target {target.published}"
        if gold_of(task, theirs) is None:
            return why_no_gold(task, theirs)
        mine = self.authors.of_paper.get(target.paper_id)
        if kind == "coauthor" and mine == self.authors.of_paper.get(candidate):
            return "same_group", "the target's authors, all of them and nobody else, wrote it"
        gold = shingles_of(gold_of(task, target) or "")
        if task != "title" and is_retold_beside(gold, demonstration_text(task, theirs)):
            return "gold_retold", "it says what the target's gold says"
        return None

    def _make_shelves(self, task: str) -> dict[str, _Shelf]:
        grouped: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for name, paper in self.pool.texts.items():
            category = self.pool.categories[name]
            if category and name not in self.pool.duplicates and gold_of(task, paper) is not None:
                grouped[category].append((day_after(paper.published), name))
        return {
            category: _Shelf(
                [name for _, name in sorted(found)],
                np.array([end for end, _ in sorted(found)], np.int64),
                np.array([number_of(name) for _, name in sorted(found)], np.uint64),
            )
            for category, found in grouped.items()
        }

    def _key(self, task: str, kind: str, target: PaperText) -> np.uint64:
        return np.uint64(number_of(self.seed, task, kind, target.paper_id))


def _ascending(places: Hashes) -> Iterator[int]:
    """Indexes of the smallest places first; most callers stop early."""
    if len(places) > _FIRST_LOOK:
        first = np.argpartition(places, _FIRST_LOOK)[:_FIRST_LOOK]
        yield from first[np.argsort(places[first])].tolist()
        yield from np.argsort(places)[_FIRST_LOOK:].tolist()
    else:
        yield from np.argsort(places, kind="stable").tolist()
