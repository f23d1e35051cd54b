"""The papers of a round that methods may search and read, except too recent ones.

A round has them in a Parquet file with the schema `LIBRARY`. A `Library` opens some of them for one
item, without papers from after the item's cutoff and without hidden papers. Its passages are ranked
by BM25.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.columns import columns_of
from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError
from vivavoce.readers import LibraryPaper, LibrarySection, LibraryTable
from vivavoce.retrieval import best_hits, check_limit
from vivavoce.retrieval.sparse import Bm25Retriever
from vivavoce.rounds import Round, load_round
from vivavoce.store import Row
from vivavoce.text.chunk import cut_table, cut_text, headed, short
from vivavoce.text.dates import earlier, period

PASSAGE, OVERLAP = 800, 100
"""Maximum characters of a passage, and of the overlap between neighbours."""

Passage = tuple[str, str, str]
"""(paper id, part, text)."""


class Index:
    """Passages ranked by BM25 with a non-negative idf, so that matches never lower a rank."""

    def __init__(self, papers: Mapping[str, LibraryPaper]) -> None:
        self._papers = papers
        self._lock = Lock()
        self._built: tuple[list[Passage], Bm25Retriever] | None = None

    def ranked(self, query: str) -> Iterator[tuple[float, str, str, str]]:
        """Rank the passages that share a word with a query: (score, paper id, part, text)."""
        with self._lock:
            if self._built is None:
                passages = [one for paper in self._papers.values() for one in passages_of(paper)]
                texts = (text for _, _, text in passages)
                self._built = passages, Bm25Retriever(texts, epsilon=None)
        passages, retriever = self._built
        scores = retriever.scores(query)
        for hit in best_hits(scores, int(np.count_nonzero(scores))):
            yield hit.score, *passages[hit.index]


def passages_of(paper: LibraryPaper) -> Iterator[Passage]:
    """Split a paper into passages: title and abstract, sections, tables."""
    lead = f"{paper.title}\n\n{paper.abstract or ''}"
    for text in cut_text(lead, PASSAGE, OVERLAP):
        yield paper.paper_id, "abstract", text
    for name, texts in _parts_of(paper, PASSAGE, OVERLAP):
        for text in texts:
            yield paper.paper_id, name, text


def _parts_of(paper: LibraryPaper, size: int, overlap: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Name each section and table of a paper, and split it into pieces."""
    for number, section in enumerate(paper.sections, 1):
        text = headed(section.heading, section.text)
        yield f"section {number}", cut_text(text, size, overlap)
    for number, table in enumerate(paper.tables, 1):
        yield f"table {number}", cut_table(table.caption, table.shown(), size)


LIBRARY = pa.schema(columns_of(LibraryPaper))
"""Columns of a library's file. A table's place in the list is its `ordinal` in the corpus."""

OUTLINE, ABSTRACT = "outline", "abstract"
_ROWS_AT_ONCE = 500
_FROM_ONE_PAPER = 2
"""Maximum passages of one paper among the hits of a search."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found."""

    paper_id: str
    title: str
    published: str
    part: str
    """Name for `Library.read`: `abstract`, `section 3`, `table 1`."""
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a part of a paper."""

    paper_id: str
    title: str
    published: str
    part: str
    number: int
    pages: int
    text: str


def describe_library(
    opened: Round,
    file: tuple[str, str],
    *,
    papers: Iterable[str] | None,
    cutoff: str | None,
    hidden_papers: Iterable[str] = (),
) -> dict[str, Any]:
    """Make the entry `library` of a sample's metadata, for methods that search and read papers.

    `file` is the family and the name of the file; without `papers`, all of its papers may be read.
    """
    return {
        "round": str(opened.folder.resolve()),
        "family": file[0],
        "file": file[1],
        "cutoff": cutoff,
        "papers": None if papers is None else list(papers),
        "hidden_papers": list(hidden_papers),
    }


def library_rows(corpus: Corpus, paper_ids: Iterable[str], *, texts: bool = True) -> list[Row]:
    """Rows of `LIBRARY` for papers of a corpus, sorted by id; unknown ids are skipped.

    The corpus is read as a stream, so only these papers are in memory. Without `texts`, papers have
    only title and abstract.
    """
    wanted = set(paper_ids)
    rows: dict[str, Row] = {
        paper.paper_id: {
            "paper_id": paper.paper_id,
            "title": paper.title or "",
            "published": paper.first_public,
            "abstract": paper.abstract,
            "sections": [],
            "tables": [],
        }
        for paper in corpus.papers
        if paper.paper_id in wanted
    }
    for section in corpus.rows("sections") if texts else ():
        if row := rows.get(section["paper_id"]):
            row["sections"].append({"heading": section["heading"], "text": section["text"]})
    for table in corpus.rows("tables") if texts else ():
        if row := rows.get(table["paper_id"]):
            row["tables"].append({name: table[name] for name in LibraryTable.__slots__})
    return [rows[name] for name in sorted(rows)]


def library_as_bytes(rows: Iterable[Row], more: Iterable[pa.Field] = ()) -> bytes:
    """Write a library's file, with `more` columns: the same bytes for the same rows in order."""
    schema = pa.schema([*LIBRARY, *more])
    sink = pa.BufferOutputStream()
    remaining = iter(rows)
    with pq.ParquetWriter(sink, schema, compression="zstd", write_statistics=False) as writer:
        while piece := list(islice(remaining, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(piece, schema=schema))
    return bytes(sink.getvalue().to_pybytes())


def read_library(content: bytes, wanted: Collection[str] | None = None) -> dict[str, LibraryPaper]:
    """Read the papers of a library's file by id, in file order; all by default.

    `DamagedError` if the bytes are not a library.
    """
    try:
        parquet = pq.ParquetFile(pa.BufferReader(content))
        names = None if wanted is None else frozenset(wanted)
        papers: dict[str, LibraryPaper] = {}
        for batch in parquet.iter_batches(_ROWS_AT_ONCE, columns=LIBRARY.names):
            if names is not None:
                mask = [name in names for name in batch["paper_id"].to_pylist()]
                batch = batch.filter(pa.array(mask, pa.bool_()))
            papers |= {row["paper_id"]: _paper(row) for row in batch.to_pylist()}
        return papers
    except (pa.ArrowException, OSError, KeyError, TypeError) as error:
        raise DamagedError(f"A round's library cannot be read: {error}") from error


def open_papers(folder: str, family: str, file: str) -> Mapping[str, LibraryPaper]:
    """Papers, by id, of a library in a folder's round; recent libraries are cached."""
    return _papers_of(folder, load_round(folder).sha256, family, file)


@lru_cache(maxsize=2)
def _papers_of(folder: str, _sha256: str, family: str, file: str) -> Mapping[str, LibraryPaper]:
    return read_library(load_round(folder).read_file(family, file))


def _paper(row: Row) -> LibraryPaper:
    return LibraryPaper(
        paper_id=row["paper_id"],
        title=row["title"],
        published=row["published"],
        abstract=row["abstract"],
        sections=tuple(LibrarySection(one["heading"], one["text"]) for one in row["sections"]),
        tables=tuple(
            LibraryTable(
                one["caption"],
                *(tuple(map(tuple, one.get(name) or ())) for name in ("cells", "spans", "bold")),
            )
            for one in row["tables"]
        ),
    )


class Library:
    """Papers that an item may search and read.

    A paper is in the library if its date ends before the cutoff. With the cutoff 2024-03-01, a
    paper of 2024-02 is in; papers of 2024, of 2024-03-01 or without a date are not. Hidden papers
    are never shown, but still count in the word statistics of the search.

    Args:
        papers: The papers, or a mapping to them by id.
        cutoff: First day after the item's knowledge. None if the item defines its papers itself:
            then all papers are in, including undated ones.

    Raises:
        InputError: The cutoff is not a date.
    """

    def __init__(
        self,
        papers: Mapping[str, LibraryPaper] | Iterable[LibraryPaper],
        cutoff: str | None,
    ) -> None:
        if cutoff is not None:
            period(cutoff)
        given = papers.values() if isinstance(papers, Mapping) else papers
        known = {paper.paper_id: paper for paper in given if _is_over(paper, cutoff)}
        self._known = {name: known[name] for name in sorted(known)}
        self._index = Index(self._known)
        self._papers = self._known

    def hiding(self, papers: Collection[str]) -> Library:
        """The same library with other papers hidden; it shares the index."""
        other, hidden = copy(self), frozenset(papers)
        other._papers = {name: one for name, one in self._known.items() if name not in hidden}
        return other

    def __len__(self) -> int:
        return len(self._papers)

    @property
    def papers(self) -> list[LibraryPaper]:
        """The visible papers, by id."""
        return list(self._papers.values())

    def __contains__(self, paper_id: object) -> bool:
        return paper_id in self._papers

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best passages for a query that share a word with it, at most two per paper.

        `InputError` for a k below 0.
        """
        check_limit(k)
        hits: list[Hit] = []
        taken: Counter[str] = Counter()
        for score, name, part, text in self._index.ranked(query):
            if len(hits) == k:
                break
            paper = self._papers.get(name)
            if paper and taken[name] < _FROM_ONE_PAPER:
                taken[name] += 1
                hits.append(Hit(name, paper.title, paper.published or "", part, text, score))
        return hits

    def read(self, paper_id: str, part: str = OUTLINE, page: int = 1, size: int = 4000) -> Page:
        """A page of a part of a paper; `InputError` if it does not exist.

        A part is `outline` (date, abstract, list of sections and tables), `abstract`, `section N`
        or `table N`; parts and pages are numbered from 1, and `size` is in characters.
        """
        paper = self._papers.get(paper_id)
        if paper is None:
            raise InputError(f"There is no paper {paper_id[:80]!r}. Use an id that search gave.")
        name = " ".join(part.lower().split()) or OUTLINE
        pages = self._pages(paper, name, size)
        if pages is None:
            raise InputError(
                f"Paper {paper_id} has no part {part[:80]!r}. It has: {self._names(paper)}."
            )
        if not 1 <= page <= len(pages):
            raise InputError(f"{name} of {paper_id} has no page {page}, only 1 to {len(pages)}.")
        text = pages[page - 1]
        return Page(paper_id, paper.title, paper.published or "", name, page, len(pages), text)

    def _pages(self, paper: LibraryPaper, part: str, size: int) -> list[str] | None:
        """Split a part into pages; None if it does not exist."""
        if part == OUTLINE:
            return cut_text(self._outline(paper), size) or [""]
        if part == ABSTRACT:
            return cut_text(paper.abstract or "", size) or ["(no abstract)"]
        parts = dict(_parts_of(paper, size))
        return (parts[part] or ["(empty)"]) if part in parts else None

    def _names(self, paper: LibraryPaper) -> str:
        """Short list of the parts of a paper."""
        names = [OUTLINE, ABSTRACT]
        if paper.sections:
            names.append(f"section 1 to {len(paper.sections)}")
        if paper.tables:
            names.append("table " + ", ".join(map(str, range(1, len(paper.tables[:50]) + 1))))
        return "; ".join(names)

    def _outline(self, paper: LibraryPaper) -> str:
        lines = [paper.abstract or "(no abstract)", ""]
        lines += [
            f"section {number}: {short(section.heading or '(no heading)')}"
            f" [{len(section.text)} characters]"
            for number, section in enumerate(paper.sections, 1)
        ]
        lines += [
            f"table {number}: {short(table.caption or '(no caption)')} [{len(table.cells)} rows]"
            for number, table in enumerate(paper.tables, 1)
        ]
        return "\n".join(lines)


def _is_over(paper: LibraryPaper, cutoff: str | None) -> bool:
    if cutoff is None:
        return True
    try:
        return paper.published is not None and earlier(paper.published, cutoff)
    except InputError:  # an invalid date counts as no date
        return False
