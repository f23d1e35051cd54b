"""A co-author network that grows with time: new papers, new authors, and what is dropped again.

A node is an author together with the papers that list them first. An update goes as AcademicEval's
live update does, over a corpus in place of a search service. Known authors get their new papers.
From the most active of them the walk goes on to their new co-authors until enough new papers came.
Then stale papers and inactive authors leave. A paper counts as new when it was not surely out at
the last update and is now.

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
"""Ways in which a paper came: new by a known author; new by an unknown one; found only now."""


@dataclass(frozen=True, slots=True)
class Members:
    """Papers and authors of a network."""

    papers: frozenset[str]
    authors: frozenset[str]
    """Keys of authors who are nodes."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules by which a network is brought up to date."""

    quota: int | None = None
    """New papers after which the walk ends; None takes every paper of the corpus, by anyone."""
    keep_days: int | None = None
    """Papers that were out so many days before are dropped."""
    inactive_days: int | None = None
    """Authors whose latest paper was out so many days before are dropped with their papers."""

    @property
    def selects(self) -> bool:
        """True if a network under these rules may hold less than the corpus."""
        return self != Rules()


@dataclass(frozen=True, slots=True)
class Growth:
    """A network after an update."""

    members: Members
    came: Mapping[str, str]
    """Papers that came and stay -> how."""
    left: Mapping[str, tuple[str, str]]
    """Papers of the corpus that the network does not hold -> (short reason, detail)."""
    counts: Row
    """Counts of what was done."""


def members_until(facts: History, end: date) -> Members:
    """Every paper that was surely out before a day, and their first authors."""
    papers = facts.end <= end.toordinal()
    return facts.members(papers, facts.leaders(papers))


def grow(facts: History, before: Members, since: date, until: date, rules: Rules) -> Growth:
    """Bring a network up to date.

    Papers surely out before `since` were there at the last update; those not surely out before
    `until` do not count yet.
    """
    return _Update(facts, before, (since, until), rules).run()


class History:
    """Authorship of a corpus, and the date of each paper."""

    def __init__(self, corpus: Corpus) -> None:
        self.all = read_authorships(corpus)
        self.dates = flat(read_papers(corpus, "first_public")["first_public"]).to_pylist()
        self.end = np.array([day_after(text) for text in self.dates], dtype=np.int64)
        """The day after each paper's last possible one; of undated papers, never."""
        self.papers, self.authors = len(self.dates), self.all.authors.num_rows
        self.lead = np.full(self.papers, MISSING, dtype=np.int32)
        self.lead[self.all.paper[self.all.is_first]] = self.all.author[self.all.is_first]
        self.wrote = Groups(self.all.author, self.all.paper, self.authors)
        self.led, self.written_by = self.all.led(), self.all.written_by()

    def leaders(self, papers: Flags) -> Flags:
        """The first authors of some papers: a flag for each author, out of one for each paper."""
        flags = np.zeros(self.authors, dtype=np.bool_)
        lead = self.lead[papers]
        flags[lead[lead != MISSING]] = True
        return flags

    def are_led_by(self, authors: Flags) -> Flags:
        """The papers whose first author is one of some: a flag for each paper."""
        flags: Flags = np.append(authors, False)[self.lead]  # MISSING takes the last
        return flags

    def members(self, papers: Flags, authors: Flags) -> Members:
        """Numbers turned into ids."""
        keys = flat(self.all.authors["key"]).take(np.flatnonzero(authors))
        return Members(
            frozenset(self.all.paper_ids.take(np.flatnonzero(papers)).to_pylist()),
            frozenset(keys.to_pylist()),
        )

    def find(self, members: Members) -> tuple[Flags, Flags]:
        """Ids turned into numbers; those of papers and authors that are gone are skipped."""
        return (
            _flags(self.all.paper_ids, members.papers),
            _flags(flat(self.all.authors["key"]), members.authors),
        )


class _Update:
    """One update."""

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
        """New papers of each author, at any place of the list."""
        self.added: list[tuple[str, int]] = []
        self.adopted = self.considered = self.levels = 0

    def run(self) -> Growth:
        facts = self.facts
        self._update_nodes()
        if self.rules.quota is not None:
            self._walk(self.rules.quota)
        newest = np.zeros(facts.authors, dtype=np.int64)
        rows = self.known[facts.all.paper]
        np.maximum.at(newest, facts.all.author[rows], facts.end[facts.all.paper[rows]])
        inactive = self.node & self._is_over(newest, self.rules.inactive_days)
        led = facts.are_led_by(inactive)
        dropped = self.paper & (self.stale | led)
        self.paper &= ~dropped
        self.node &= ~inactive
        ids = facts.all.paper_ids
        return Growth(
            members=facts.members(self.paper, self.node),
            came={ids[p].as_py(): how for how, p in self.added if self.paper[p]},
            left=self._why_not(led),
            counts=self._counts(dropped, inactive),
        )

    def _update_nodes(self) -> None:
        """Add what known authors lead; without a quota, whatever there is."""
        come = self.known & ~self.paper & ~self.stale
        led = self.facts.are_led_by(self.node)
        self._add(np.flatnonzero(come & led), KNOWN)
        if self.rules.quota is None:
            self._add(np.flatnonzero(come & ~led), NEW)
            leaders = self.facts.leaders(come) & ~self.node
            self.adopted = int(leaders.sum())
            self.node |= leaders

    def _walk(self, quota: int) -> None:
        """Go on to co-authors, level by level, the co-authors of the most active first."""
        missing = quota - sum(how != LATE for how, _ in self.added)
        seen = self.node.copy()
        candidates = self._first_candidates()
        while candidates and missing > 0:
            self.levels += 1
            found: dict[int, int] = {}
            # Of equals who has more new papers, then by key, in whose order authors are numbered.
            order = sorted(candidates, key=lambda a: (-candidates[a], -int(self.activity[a]), a))
            for author in order:
                if missing <= 0:
                    break
                seen[author] = True
                self.considered += 1
                papers = self._papers_of(author)
                if not len(papers):
                    continue
                self.node[author] = True
                self.adopted += 1
                new = papers[self.fresh[papers]][:missing]
                missing -= len(new)
                self._add(new, NEW)
                self._add(papers[~self.fresh[papers]], NEW)
                for other in self._coauthors_of(author):
                    if not seen[other]:
                        found[other] = max(found.get(other, 0), int(self.activity[author]))
            candidates = {author: n for author, n in found.items() if not seen[author]}

    def _first_candidates(self) -> dict[int, int]:
        """Authors who share a new paper with a known one -> new papers of the most active."""
        every = self.facts.all
        rows = np.flatnonzero(self.fresh[every.paper])
        author, paper = every.author[rows], every.paper[rows]
        known = self.node[author]
        most = np.zeros(self.facts.papers, dtype=np.int64)
        np.maximum.at(most, paper[known], self.activity[author[known]])
        priority = np.zeros(self.facts.authors, dtype=np.int64)
        np.maximum.at(priority, author[~known], most[paper[~known]])
        return {int(a): int(priority[a]) for a in np.flatnonzero(priority)}

    def _papers_of(self, author: int) -> Longs:
        """Papers that an author leads and the network may hold, the newest first, then by id."""
        led = np.sort(self.facts.led.of(author))
        led = led[self.known[led] & ~self.stale[led] & ~self.paper[led]]
        return led[np.argsort(-self.facts.end[led], kind="stable")].astype(np.int64)

    def _coauthors_of(self, author: int) -> list[int]:
        wrote = self.facts.wrote.of(author)
        return [
            int(other)
            for paper in wrote[self.fresh[wrote]].tolist()
            for other in self.facts.written_by.of(paper)
        ]

    def _add(self, papers: Longs, how: str) -> None:
        self.paper[papers] = True
        self.added += [(how if self.fresh[p] else LATE, p) for p in papers.tolist()]

    def _is_over(self, end: Longs, days: int | None) -> Flags:
        """Flags of what ended so many days ago; none for None."""
        limit = -1 if days is None else self.until - days
        return np.asarray(end <= limit, dtype=np.bool_)

    def _why_not(self, led: Flags) -> dict[str, tuple[str, str]]:
        """Reasons why papers of the corpus are not held; the first cause that holds."""
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

    def _counts(self, dropped: Flags, inactive: Flags) -> Row:
        ways = [how for how, _ in self.added]
        papers, nodes = self.before
        return {
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
        }


def _flags(ids: object, wanted: Collection[str]) -> Flags:
    found = as_numbers(pc.index_in(ids, value_set=text_column(sorted(wanted))))
    return np.asarray(found != MISSING, dtype=np.bool_)
