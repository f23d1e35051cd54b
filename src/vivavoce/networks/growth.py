"""Growth of a co-author network over time: papers and authors come and leave.

A node is an author with the papers that list this author first. An update follows AcademicEval's
live update, but over a corpus instead of a search service. Known authors get their new papers. From
the most active of these authors, a walk continues to new co-authors until there are enough new
papers. Then stale papers and inactive authors leave. A paper is new if it is certainly public now
but was not at the last update.

Source: AcademicEval §3.3.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
import pyarrow.compute as pc

from vivavoce.columns import MISSING, Flags, Groups, Longs, as_numbers, flat, text_column
from vivavoce.corpus import Corpus
from vivavoce.networks.authors import read_authorships
from vivavoce.networks.tables import read_papers
from vivavoce.store import Row
from vivavoce.text.dates import day_after

KNOWN, NEW, LATE = "known_author", "new_author", "late"
"""Ways in which a paper came: new by a known author, new by a new author, or older but unseen."""


@dataclass(frozen=True, slots=True)
class Members:
    """The papers and authors in a network."""

    papers: frozenset[str]
    authors: frozenset[str]
    """Keys of the authors who are nodes."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules for updating a network."""

    quota: int | None = None
    """Number of new papers at which the walk ends; None takes every paper of the corpus."""
    keep_days: int | None = None
    """Papers at least this many days old are dropped; None keeps all."""
    inactive_days: int | None = None
    """Authors whose latest paper is at least this many days old are dropped with their papers."""

    @property
    def selects(self) -> bool:
        """True if these rules may leave out papers of the corpus."""
        return self != Rules()


@dataclass(frozen=True, slots=True)
class Growth:
    """A network after an update."""

    members: Members
    came: Mapping[str, str]
    """Maps each paper that came and stays to the way in which it came."""
    left: Mapping[str, tuple[str, str]]
    """Maps each paper of the corpus outside the network to (short reason, detail)."""
    counts: Row
    """Counts of the update's changes."""


def members_until(facts: History, end: date) -> Members:
    """The papers that were certainly public before a day, and their first authors."""
    papers = facts.end <= end.toordinal()
    return facts.members(papers, facts.leaders(papers))


def grow(facts: History, before: Members, since: date, until: date, rules: Rules) -> Growth:
    """Update a network.

    Papers certainly public before `since` count as present at the last update. Papers not certainly
    public before `until` do not count yet.
    """
    return _Update(facts, before, (since, until), rules).run()


class History:
    """Authorships of a corpus, and the date of each paper."""

    def __init__(self, corpus: Corpus) -> None:
        self.all = read_authorships(corpus)
        self.dates = flat(read_papers(corpus, "first_public")["first_public"]).to_pylist()
        self.end = np.array([day_after(text) for text in self.dates], dtype=np.int64)
        """For each paper, the day after its last possible date; `NEVER` for undated papers."""
        self.papers, self.authors = len(self.dates), self.all.authors.num_rows
        self.lead = np.full(self.papers, MISSING, dtype=np.int32)
        self.lead[self.all.paper[self.all.is_first]] = self.all.author[self.all.is_first]
        self.wrote = Groups(self.all.author, self.all.paper, self.authors)
        self.led, self.written_by = self.all.led(), self.all.written_by()

    def leaders(self, papers: Flags) -> Flags:
        """Flag the first authors of flagged papers."""
        flags = np.zeros(self.authors, dtype=np.bool_)
        lead = self.lead[papers]
        flags[lead[lead != MISSING]] = True
        return flags

    def are_led_by(self, authors: Flags) -> Flags:
        """Flag the papers whose first author is flagged."""
        flags: Flags = np.append(authors, False)[self.lead]  # MISSING (-1) indexes the added False
        return flags

    def members(self, papers: Flags, authors: Flags) -> Members:
        """Turn flags into ids."""
        keys = flat(self.all.authors["key"]).take(np.flatnonzero(authors))
        return Members(
            frozenset(self.all.paper_ids.take(np.flatnonzero(papers)).to_pylist()),
            frozenset(keys.to_pylist()),
        )

    def find(self, members: Members) -> tuple[Flags, Flags]:
        """Turn ids into flags; papers and authors that no longer exist are skipped."""
        return (
            _flags(self.all.paper_ids, members.papers),
            _flags(flat(self.all.authors["key"]), members.authors),
        )


class _Update:
    """The state of one update."""

    def __init__(
        self, facts: History, before: Members, span: tuple[date, date], rules: Rules
    ) -> None:
        self.facts, self.rules = facts, rules
        since, self.until = (day.toordinal() for day in span)
        self.paper, self.node = facts.find(before)
        self.before = self.paper.copy(), self.node.copy()
        self.known = facts.end <= self.until
        self.fresh = self.known & (facts.end > since)
        self.stale = self._is_over(facts.end, rules.keep_days)
        rows = self.fresh[facts.all.paper]
        self.activity = np.bincount(facts.all.author[rows], minlength=facts.authors)
        """Number of new papers of each author, at any position in the author list."""
        self.added: list[tuple[str, int]] = []
        self.adopted = self.considered = self.levels = 0

    def run(self) -> Growth:
        facts = self.facts
        come = self.known & ~self.paper & ~self.stale
        led = self.facts.are_led_by(self.node)
        self._add(np.flatnonzero(come & led), KNOWN)
        if self.rules.quota is not None:
            self._walk(self.rules.quota)
        else:
            self._add(np.flatnonzero(come & ~led), NEW)
            leaders = self.facts.leaders(come) & ~self.node
            self.adopted = int(leaders.sum())
            self.node |= leaders
        newest = np.zeros(facts.authors, dtype=np.int64)
        rows = self.known[facts.all.paper]
        np.maximum.at(newest, facts.all.author[rows], facts.end[facts.all.paper[rows]])
        inactive = self.node & self._is_over(newest, self.rules.inactive_days)
        led = facts.are_led_by(inactive)
        dropped = self.paper & (self.stale | led)
        self.paper &= ~dropped
        self.node &= ~inactive
        ids = facts.all.paper_ids
        ways = [how for how, _ in self.added]
        papers, nodes = self.before
        return Growth(
            members=facts.members(self.paper, self.node),
            came={ids[p].as_py(): how for how, p in self.added if self.paper[p]},
            left=self._why_not(led),
            counts={
                "papers_before": int(papers.sum()),
                "authors_before": int(nodes.sum()),
                "by_known_authors": ways.count(KNOWN),
                "by_new_authors": ways.count(NEW),
                "late": ways.count(LATE),
                "authors_considered": self.considered,
                "authors_adopted": self.adopted,
                "levels": self.levels,
                "stale_papers": int((dropped & self.stale).sum()),
                "inactive_authors": int(inactive.sum()),
                "papers_of_inactive_authors": int((dropped & ~self.stale).sum()),
                "papers": int(self.paper.sum()),
                "authors": int(self.node.sum()),
            },
        )

    def _walk(self, quota: int) -> None:
        """Walk to co-authors level by level; co-authors of the most active authors come first."""
        missing = quota - sum(how != LATE for how, _ in self.added)
        seen = self.node.copy()
        candidates: dict[int, int] = {}
        for author in np.flatnonzero(self.node & (self.activity > 0)).tolist():
            self._reach(author, candidates)
        candidates = {author: n for author, n in candidates.items() if not seen[author]}
        while candidates and missing > 0:
            self.levels += 1
            reached: dict[int, int] = {}
            # Ties go to the author with more new papers, then by key, since numbers follow keys.
            order = sorted(candidates, key=lambda a: (-candidates[a], -int(self.activity[a]), a))
            for author in order:
                if missing <= 0:
                    break
                seen[author] = True
                self.considered += 1
                # The author's first-author papers that may be added, newest first, then by id.
                led = np.sort(self.facts.led.of(author))
                led = led[self.known[led] & ~self.stale[led] & ~self.paper[led]]
                papers = led[np.argsort(-self.facts.end[led], kind="stable")].astype(np.int64)
                if not len(papers):
                    continue
                self.node[author] = True
                self.adopted += 1
                new = papers[self.fresh[papers]][:missing]
                missing -= len(new)
                self._add(new, NEW)
                self._add(papers[~self.fresh[papers]], NEW)
                self._reach(author, reached)
            candidates = {author: n for author, n in reached.items() if not seen[author]}

    def _reach(self, author: int, reached: dict[int, int]) -> None:
        """Note the authors of an author's new papers, with that author's activity if higher."""
        wrote = self.facts.wrote.of(author)
        for paper in wrote[self.fresh[wrote]].tolist():
            for other in self.facts.written_by.of(paper).tolist():
                reached[other] = max(reached.get(other, 0), int(self.activity[author]))

    def _add(self, papers: Longs, how: str) -> None:
        self.paper[papers] = True
        self.added += [(how if self.fresh[p] else LATE, p) for p in papers.tolist()]

    def _is_over(self, end: Longs, days: int | None) -> Flags:
        """Flag days that are at least `days` days ago; none if `days` is None."""
        limit = -1 if days is None else self.until - days
        return np.asarray(end <= limit, dtype=np.bool_)

    def _why_not(self, led: Flags) -> dict[str, tuple[str, str]]:
        """For each paper of the corpus outside the network, the first reason that applies."""
        facts = self.facts
        keys = flat(facts.all.authors["key"])
        left: dict[str, tuple[str, str]] = {}
        for place in np.flatnonzero(~self.paper).tolist():
            lead = int(facts.lead[place])
            who = keys[lead].as_py() if lead != MISSING else "nobody known"
            if not self.known[place]:
                reason = "outside_window", str(facts.dates[place])
            elif self.stale[place]:
                reason = "stale_paper", str(facts.dates[place])
            elif led[place]:
                reason = "inactive_author", who
            else:
                reason = "author_not_reached", who
            left[facts.all.paper_ids[place].as_py()] = reason
        return left


def _flags(ids: object, wanted: Collection[str]) -> Flags:
    places = as_numbers(pc.index_in(ids, value_set=text_column(sorted(wanted))))
    return np.asarray(places != MISSING, dtype=np.bool_)
