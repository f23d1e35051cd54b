"""Authors of the targets, and a draw that is fair to them.

With `author_sampling = "inverse_activity"` a paper stays a target with probability 1/n, where n is
the number of papers, among all that could be targets, of the most active of its authors. So each
most active author is expected in one target, however many papers they have. A paper without known
authors stays. The draw of a paper depends on the round's seed and the paper's id alone, so more
papers change it only where they change n.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from vivavoce.corpus import Corpus
from vivavoce.networks.authors import AMBIGUITIES, BY_ID, read_authorships
from vivavoce.store import hash_of


@dataclass(frozen=True, slots=True)
class Authors:
    """Authors of some papers of a corpus, as numbers."""

    of_paper: Mapping[str, tuple[int, ...]]
    """Each paper's authors, told apart by id, else by name."""
    first: Mapping[str, int]
    """Each paper's first author, where one is known."""
    ambiguous: frozenset[int]
    """Authors without an id whose name may be that of several people."""

    def certain(self, paper_id: str) -> frozenset[int]:
        """A paper's authors without those who are ambiguous."""
        return frozenset(self.of_paper.get(paper_id, ())) - self.ambiguous


def read_authors(corpus: Corpus, paper_ids: Collection[str]) -> Authors:
    """The authors of some papers; whether a name is ambiguous is told by the whole corpus."""
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
        {paper_id: tuple(sorted(found)) for paper_id, found in of_paper.items()},
        first,
        frozenset(np.flatnonzero(unsure).tolist()),
    )


def most_active(papers: Sequence[str], authors: Authors) -> dict[str, int]:
    """For each paper the number of these papers by the most active of its authors; at least 1."""
    counts = Counter(author for paper in papers for author in authors.of_paper.get(paper, ()))
    return {
        paper: max((counts[author] for author in authors.of_paper.get(paper, ())), default=1)
        for paper in papers
    }


def draw(papers: Sequence[str], authors: Authors, seed: int) -> dict[str, int]:
    """Papers not drawn as targets -> the n of their probability 1/n."""
    return {
        paper: papers_of_author
        for paper, papers_of_author in most_active(papers, authors).items()
        if unit(seed, paper, "target") * papers_of_author >= 1
    }


def unit(seed: int, *names: str) -> float:
    """A number in [0, 1) that belongs to a seed and some names."""
    return int(hash_of([seed, *names])[:13], 16) / 16**13


def number_of(*parts: str | int) -> int:
    """A number below 2^64 that belongs to some names and numbers."""
    return int(hash_of(list(parts))[:16], 16)
