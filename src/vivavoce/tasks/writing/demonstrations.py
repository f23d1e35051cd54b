"""Choice of demonstrations: papers shown as examples with their gold.

A demonstration is a paper that could be a target of the task itself (quality gates, gold, no second
copy of another paper). It is strictly earlier than the target's first version, not a near copy, and
does not retell its gold. `random` ones share the target's primary category. `coauthor` ones have
one of the target's authors as first author, but not exactly the same authors. Ambiguous names do
not connect papers.

Every candidate of an item has a position that depends only on the round's seed, the item, the kind
and the candidate's id; the first suitable ones are shown. So new papers in the corpus change the
choice only if they are chosen themselves.

Two papers are related if they are the same paper, versions of one arXiv id, or have the same title.
They are also related if they share at least half of the distinct 13-word n-grams of their
abstracts, introductions or related-work sections (of the shorter one). N-grams are compared by
64-bit hashes.

With `author_sampling = "inverse_activity"` a paper stays a target with probability 1/n, where n is
the number of papers, among all that could be targets, of the most active of its authors. So an
author who is the most active one on all their papers is in one target on average. A paper without
known authors stays. The draw depends only on the round's seed and the paper's id, so new papers
change it only if they change n.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from vivavoce.corpus import Corpus
from vivavoce.metrics.rouge import words_of
from vivavoce.networks.authors import AMBIGUITIES, BY_ID, read_authorships
from vivavoce.store import hash_of
from vivavoce.tasks.writing.inputs import SECTION_TASKS, PaperText, demonstration_texts, gold
from vivavoce.tasks.writing.papers import RUN, Pool, Reason, gold_of, why_no_gold
from vivavoce.text import shingles
from vivavoce.text.dates import day_after, earlier, period
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import normalise_title
from vivavoce.text.shingles import is_retold_beside, mix, shingles_of


@dataclass(frozen=True, slots=True)
class Authors:
    """Authors of papers of a corpus, as numbers."""

    of_paper: Mapping[str, tuple[int, ...]]
    """Authors by paper, identified by id or else by name."""
    first: Mapping[str, int]
    """First author by paper, if known."""
    ambiguous: frozenset[int]
    """Authors without an id whose name may belong to several people."""

    def certain(self, paper_id: str) -> frozenset[int]:
        """A paper's authors without ambiguous ones."""
        return frozenset(self.of_paper.get(paper_id, ())) - self.ambiguous


def read_authors(corpus: Corpus, paper_ids: Collection[str]) -> Authors:
    """Read the authors of papers; ambiguity of names is determined over the whole corpus."""
    read = read_authorships(corpus)
    names = read.paper_ids.to_pylist()
    wanted = np.array([name in paper_ids for name in names], dtype=np.bool_)
    rows = np.flatnonzero(wanted[read.paper]) if len(names) else np.empty(0, np.int64)
    of_paper: dict[str, list[int]] = defaultdict(list)
    first: dict[str, int] = {}
    for row in rows.tolist():
        paper_id, author = names[int(read.paper[row])], int(read.author[row])
        of_paper[paper_id].append(author)
        if read.is_first[row]:
            first[paper_id] = author
    flags = [read.authors[name].to_numpy() for name in AMBIGUITIES]
    has_id = pc.starts_with(read.authors["key"], BY_ID).to_numpy()
    unsure = np.logical_or.reduce(flags) & ~has_id.astype(np.bool_)
    return Authors(
        {paper_id: tuple(sorted(listed)) for paper_id, listed in of_paper.items()},
        first,
        frozenset(np.flatnonzero(unsure).tolist()),
    )


def most_active(papers: Sequence[str], authors: Authors) -> dict[str, int]:
    """Number of papers by each paper's most active author; at least 1."""
    counts = Counter(author for paper in papers for author in authors.of_paper.get(paper, ()))
    return {
        paper: max((counts[author] for author in authors.of_paper.get(paper, ())), default=1)
        for paper in papers
    }


def draw_targets(papers: Sequence[str], authors: Authors, seed: int) -> dict[str, int]:
    """Papers not drawn as targets -> the n of their probability 1/n."""
    return {
        paper: count
        for paper, count in most_active(papers, authors).items()
        if unit(seed, paper, "target") * count >= 1
    }


def unit(seed: int, *names: str) -> float:
    """A number in [0, 1) from the hash of a seed and names."""
    return int(hash_of([seed, *names])[:13], 16) / 16**13


def number_of(*parts: str | int) -> int:
    """A number below 2^64 from the hash of names and numbers."""
    return int(hash_of(list(parts))[:16], 16)


MAX_SHARED = 0.5
"""Minimum share of common n-grams of near copies."""

Hashes: TypeAlias = npt.NDArray[np.uint64]
Relation: TypeAlias = tuple[str, str]
"""(reason, detail): `itself`, `another_version`, `same_title` or `near_copy`."""

_PARTS = ("abstract", *SECTION_TASKS)
_SAMPLED_FROM = 128
_SAMPLE = 4
"""Sampling rate of n-grams in long texts, by hash, so the same ones are sampled in every text."""
_MAX_BEARERS = 20
"""Maximum papers that share an n-gram; above, it is a common phrase."""


def hash_runs(text: str) -> Hashes:
    """Sorted hashes of a text's distinct 13-word n-grams; empty for fewer words."""
    return np.unique(shingles.hash_runs(words_of(text), RUN))


def shared_runs(first: Hashes, second: Hashes) -> float:
    """Share of the shorter text's n-grams in the other; 0 if one has none."""
    fewer = min(len(first), len(second))
    return len(np.intersect1d(first, second, assume_unique=True)) / fewer if fewer else 0.0


class Kinship:
    """Compares papers, with cached hashes of their texts."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[str, Hashes]] = {}

    def between(self, target: PaperText, candidate: PaperText) -> Relation | None:
        """Relation of two papers; None if they are different works."""
        if target.paper_id == candidate.paper_id:
            return "itself", "the target is not a demonstration of itself"
        ids = [find_arxiv_id(paper.paper_id) for paper in (target, candidate)]
        if ids[0] and ids[1] and ids[0][0] == ids[1][0]:
            return "another_version", f"both are arXiv {ids[0][0]}"
        key = normalise_title(target.title)
        if key and key == normalise_title(candidate.title):
            return "same_title", "both have the target's title"
        other = self._runs_of(candidate)
        for part, runs in self._runs_of(target).items():
            if (share := shared_runs(runs, other[part])) >= MAX_SHARED:
                name = part.replace("_", " ")
                return "near_copy", f"{share:.0%} of the 13-word runs of the {name} are shared"
        return None

    def find_all(self, papers: Sequence[PaperText]) -> dict[tuple[str, str], Relation]:
        """All related pairs, by (paper id, paper id) in both orders.

        Titles, ids and sampled n-grams select the pairs to compare in full.
        """
        alike: dict[tuple[str, str], Relation] = {}
        for first, second in sorted(self._pointed_at(papers)):
            one, other = papers[first], papers[second]
            if reason := self.between(one, other):
                alike[one.paper_id, other.paper_id] = alike[other.paper_id, one.paper_id] = reason
        return alike

    def _runs_of(self, paper: PaperText) -> dict[str, Hashes]:
        if paper.paper_id not in self._runs:
            self._runs[paper.paper_id] = {
                part: hash_runs(gold(part, paper.title, paper.abstract, paper.sections) or "")
                for part in _PARTS
            }
        return self._runs[paper.paper_id]

    def _pointed_at(self, papers: Sequence[PaperText]) -> set[tuple[int, int]]:
        """Index pairs worth comparing, the smaller first."""
        groups: dict[str, list[int]] = defaultdict(list)
        for place, paper in enumerate(papers):
            for key in _keys(paper):
                groups[key].append(place)
        pairs = {pair for group in groups.values() for pair in _pairs(group)}
        for part in _PARTS:
            runs = [self._runs_of(paper)[part] for paper in papers]
            samples = [
                one if len(one) < _SAMPLED_FROM else one[one % np.uint64(_SAMPLE) == 0]
                for one in runs
            ]
            pairs.update(p for g in shingles.holders(samples, _MAX_BEARERS) for p in _pairs(g))
        return pairs


def _keys(paper: PaperText) -> Iterator[str]:
    if key := normalise_title(paper.title):
        yield f"title {key}"
    if arxiv_id := find_arxiv_id(paper.paper_id):
        yield f"arxiv {arxiv_id[0]}"


def _pairs(group: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((a, b) for place, a in enumerate(group) for b in group[place + 1 :])


KINDS = ("random", "coauthor")
_FIRST_LOOK = 32
"""Candidates sorted at first; more are sorted only if needed."""


@dataclass(slots=True)
class _Shelf:
    """Papers of one category, the oldest first."""

    ids: list[str]
    ends: npt.NDArray[np.int64]
    """Day after the last possible day of each paper."""
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

    def choose(self, task: str, kind: str, target: PaperText) -> tuple[list[str], str]:
        """Choose at most `count` demonstrations of one kind; also return why there are none.

        The reason is that of the first rejected candidate.
        """
        if kind == "random":
            candidates = self._random(task, target)
        else:  # papers with an author of the target as first author
            certain = self.authors.certain(target.paper_id)
            led = {name for author in certain for name in self._led.get(author, ())}
            names = sorted(led - {target.paper_id})
            hashes = np.array([number_of(name) for name in names], np.uint64)
            places = mix(hashes ^ self._key(task, kind, target))
            candidates = (names[index] for index in _ascending(places))
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
        return shown, "" if shown else rejected or "no paper of the kind"

    def _random(self, task: str, target: PaperText) -> Iterator[str]:
        """Earlier papers of the target's category with the gold, in order."""
        if task not in self._shelves:
            grouped: dict[str, list[tuple[int, str]]] = defaultdict(list)
            for name, paper in self.pool.texts.items():
                category, is_copy = self.pool.category(name), name in self.pool.duplicates
                if category and not is_copy and gold_of(task, paper) is not None:
                    grouped[category].append((day_after(paper.published), name))
            self._shelves[task] = {
                category: _Shelf(
                    [name for _, name in sorted(papers)],
                    np.array([end for end, _ in sorted(papers)], np.int64),
                    np.array([number_of(name) for _, name in sorted(papers)], np.uint64),
                )
                for category, papers in grouped.items()
            }
        shelf = self._shelves[task].get(self.pool.category(target.paper_id) or "")
        if shelf is None:
            return
        start = period(target.published)[0].toordinal()
        last = int(np.searchsorted(shelf.ends, start, side="right"))
        places = mix(shelf.hashes[:last] ^ self._key(task, "random", target))
        for index in _ascending(places):
            yield shelf.ids[index]

    def _why_not(self, task: str, kind: str, target: PaperText, candidate: str) -> Reason | None:
        """Reason why a candidate of the kind is not shown."""
        text = self.pool.texts[candidate]
        if reason := self.kinship.between(target, text):
            return reason
        work = self.pool.papers[candidate].work
        if work and work == self.pool.papers[target.paper_id].work:
            return "near_copy", f"both are the work {work}"
        if kept := self.pool.duplicates.get(candidate):
            return "duplicate_title", f"same title or work as {kept}"
        if not earlier(text.published, target.published):
            return "not_earlier", f"{text.published}, the target {target.published}"
        if gold_of(task, text) is None:
            return why_no_gold(task, text)
        authors = self.authors.of_paper.get(target.paper_id)
        if kind == "coauthor" and authors == self.authors.of_paper.get(candidate):
            return "same_group", "the target's authors, all of them and nobody else, wrote it"
        gold = shingles_of(gold_of(task, target) or "")
        if task != "title" and is_retold_beside(gold, "\n\n".join(demonstration_texts(task, text))):
            return "gold_retold", "it says what the target's gold says"
        return None

    def _key(self, task: str, kind: str, target: PaperText) -> np.uint64:
        return np.uint64(number_of(self.seed, task, kind, target.paper_id))


def _ascending(places: Hashes) -> Iterator[int]:
    """Yield indices in ascending order of places; most callers stop early."""
    if len(places) > _FIRST_LOOK:
        first = np.argpartition(places, _FIRST_LOOK)[:_FIRST_LOOK]
        yield from first[np.argsort(places[first])].tolist()
        yield from np.argsort(places)[_FIRST_LOOK:].tolist()
    else:
        yield from np.argsort(places, kind="stable").tolist()
