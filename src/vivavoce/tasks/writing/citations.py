"""The works a related-work section is written about: those it cites, and others beside them.

Cited are the references that the text of the section cites, where markers and list agree. Numbers
agree where the highest number in the whole paper is that of the last entry of the list. Surnames
and years agree where most of the section's markers fit an entry. Else all references of the paper
count as cited. Works without a title, the paper itself and second mentions are left out.

Padding are papers of the corpus that the paper does not cite, with title and abstract and not dated
after it. Those of its primary category come first, in seeded order, up to 100 works in all. Their
abstracts are shown as often as those of the cited works.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import MISSING, flat
from vivavoce.corpus import Corpus
from vivavoce.networks.graph import pair_keys, pairs_of
from vivavoce.networks.tables import column_batches, number_papers, read_columns, read_papers
from vivavoce.records import Paper
from vivavoce.store import Row, hash_of
from vivavoce.tasks.writing.demonstrations import Hashes, number_of
from vivavoce.tasks.writing.inputs import PaperText, gold_paragraphs
from vivavoce.tasks.writing.papers import primary_category
from vivavoce.text.citation_markers import (
    find_author_year_markers,
    find_numeric_markers,
    name_key,
)
from vivavoce.text.dates import day_after, period
from vivavoce.text.normalise import normalise_title
from vivavoce.text.shingles import distinct, is_retold_beside, mix, shingles_of

MAX_WORKS = 100
"""Works listed in the padded track."""
_MAX_UNREAD = 0.5
"""Share of a section's markers that may mean no entry before the text is not believed."""
_COLUMNS = ("paper_id", "ordinal", "title", "year", "first_author", "cited_paper_id")


@dataclass(frozen=True, slots=True)
class Works:
    """The works of one item."""

    rows: tuple[Row, ...]
    """`work_id`, `title`, `abstract`, `role`, `published`; in the order of the padded track."""
    by_text: bool
    """True if the text of the section told which references it cites."""

    @property
    def cited(self) -> int:
        """Number of them that the section cites."""
        return sum(row["role"] == "cited" for row in self.rows)


def read_references(corpus: Corpus, paper_ids: Collection[str]) -> dict[str, list[Row]]:
    """The reference lists of some papers, in order."""
    wanted = pa.array(sorted(paper_ids), pa.string())
    found: dict[str, list[Row]] = defaultdict(list)
    for batch in column_batches(corpus, "references", _COLUMNS):
        for row in batch.filter(pc.is_in(batch["paper_id"], wanted)).to_pylist():
            found[row["paper_id"]].append(row)
    return found


def cited_by_text(paper: PaperText, references: Sequence[Row]) -> list[Row] | None:
    """The references that the related-work section cites; None where the text does not tell."""
    section = "\n\n".join(gold_paragraphs("related_work", paper.sections))
    return _by_number(paper, section, references) or _by_author(section, references)


def _by_number(paper: PaperText, section: str, references: Sequence[Row]) -> list[Row] | None:
    numbers = {n for marker in find_numeric_markers(section) for n in marker.numbers}
    if not numbers:
        return None
    shown = (part.text for part in paper.sections if part.role != "references")
    highest = max(n for text in shown for m in find_numeric_markers(text) for n in m.numbers)
    if highest != len(references):
        return None
    return [row for place, row in enumerate(references, start=1) if place in numbers]


def _by_author(section: str, references: Sequence[Row]) -> list[Row] | None:
    entries: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in references:
        name = row["first_author"] or ""
        if row["year"] is None or not name.strip():
            continue
        for key in {name_key(name), name_key(name.split()[-1])} - {""}:
            entries[key, row["year"]].append(row)
    meant: set[int] = set()
    unread = markers = 0
    for marker in find_author_year_markers(section):
        # The first reading of the marker that has any entries.
        read = (entries.get((names[0], marker.year)) for names in marker.readings)
        found = next(filter(None, read), ())
        markers += 1
        unread += not found
        meant.update(row["ordinal"] for row in found)
    if not meant or unread > _MAX_UNREAD * markers:
        return None
    return [row for row in references if row["ordinal"] in meant]


class Library:
    """The papers of a corpus as works that can be listed."""

    def __init__(self, papers: Sequence[Paper], seed: int) -> None:
        self._seed = seed
        self._papers = {paper.paper_id: paper for paper in papers}
        self._listable = [
            paper for paper in papers if paper.title and paper.abstract and paper.first_public
        ]
        ends = (day_after(paper.first_public) for paper in self._listable)
        self._ends: npt.NDArray[np.int64] = np.fromiter(ends, np.int64, len(self._listable))
        hashes = (number_of(paper.paper_id) for paper in self._listable)
        self._hashes: Hashes = np.fromiter(hashes, np.uint64, len(self._listable))
        self._categories = np.array(
            [primary_category(paper) for paper in self._listable], np.object_
        )

    def works(
        self,
        paper: PaperText,
        category: str | None,
        references: Sequence[Row],
        relatives: Collection[str],
    ) -> Works:
        """The works of a paper, cited and padding."""
        attributed = cited_by_text(paper, references)
        used = {normalise_title(paper.title), paper.paper_id, *relatives}
        cited = list(self._cited(attributed or (), used))
        if not cited:
            attributed, cited = None, list(self._cited(references, used))
        # What is cited elsewhere in the paper is not padding either.
        for row in references:
            used |= {row["cited_paper_id"] or "", normalise_title(row["title"] or "")}
        wanted = MAX_WORKS - len(cited)
        padding = list(self._padding(paper, category, used, wanted)) if cited else []

        def shuffled(rows: Sequence[Row], name: str) -> list[Row]:
            key = [self._seed, name, paper.paper_id]
            return sorted(rows, key=lambda row: hash_of([*key, row["work_id"], row["title"]]))

        padding = shuffled(padding, "abstracts")
        # As large a share of abstracts as the cited works have: else it tells.
        have = sum(bool(row["abstract"]) for row in cited)
        kept = round(len(padding) * have / max(1, len(cited)))
        padding[kept:] = [{**row, "abstract": None} for row in padding[kept:]]
        gold = shingles_of("\n\n".join(gold_paragraphs("related_work", paper.sections)))
        listed = [
            {**row, "abstract": None} if is_retold_beside(gold, row["abstract"] or "") else row
            for row in shuffled(cited + padding, "works")
        ]
        return Works(tuple(listed), attributed is not None)

    def _cited(self, references: Sequence[Row], used: set[str]) -> Iterator[Row]:
        for row in references:
            known = self._papers.get(row["cited_paper_id"] or "")
            title = (known.title if known else None) or row["title"] or ""
            names = {normalise_title(title), *([known.paper_id] if known else [])}
            if normalise_title(title) and not names & used:
                used |= names
                yield _work(known, title, "cited")

    def _padding(
        self, paper: PaperText, category: str | None, used: set[str], wanted: int
    ) -> Iterator[Row]:
        last = day_after(paper.published)
        places = np.flatnonzero(self._ends <= last)
        order = mix(
            self._hashes[places] ^ np.uint64(number_of(self._seed, "padding", paper.paper_id))
        )
        is_other = (
            self._categories[places] != category if category else np.ones(len(places), np.bool_)
        )
        for index in np.lexsort((order, is_other)).tolist():
            if wanted <= 0:
                return
            other = self._listable[places[index]]
            names = {other.paper_id, normalise_title(other.title or "")}
            if not names & used:
                used |= names
                wanted -= 1
                yield _work(other, other.title or "", "padding")


def _work(paper: Paper | None, title: str, role: str) -> Row:
    return {
        "work_id": paper.paper_id if paper else None,
        "title": title,
        "abstract": paper.abstract if paper else None,
        "role": role,
        "published": paper.first_public if paper else None,
    }


class Citing:
    """The citation network between the papers of a corpus, with the day of each citation."""

    def __init__(self, corpus: Corpus) -> None:
        papers = read_papers(corpus, "first_public")
        ids = flat(papers["paper_id"])
        entries = read_columns(corpus, "references", ["paper_id", "cited_paper_id"])
        citing = number_papers(flat(entries["paper_id"]), ids)
        cited = number_papers(flat(entries["cited_paper_id"]), ids)
        known = (citing != MISSING) & (cited != MISSING) & (citing != cited)
        keys = distinct(pair_keys(cited[known], citing[known], len(ids)))
        cited, citing = pairs_of(keys, len(ids))
        days = np.array([day_after(one) for one in papers["first_public"].to_pylist()], np.int64)
        order = np.lexsort((days[citing], cited))
        self._days: list[int] = days[citing[order]].tolist()
        self._ends = np.cumsum(np.bincount(cited, minlength=len(ids))).tolist()
        self._places = {name: place for place, name in enumerate(ids.to_pylist())}

    def days(self, paper_id: str) -> list[int]:
        """Days on which the papers that cite a paper were over, as numbers in order."""
        place = self._places[paper_id]
        start = self._ends[place - 1] if place else 0
        return self._days[start : self._ends[place]]


def count_before(days: Sequence[int], published: str) -> int:
    """Number of citations by papers that were over before a date began."""
    return bisect_right(days, period(published)[0].toordinal())
