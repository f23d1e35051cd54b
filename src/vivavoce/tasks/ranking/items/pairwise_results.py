"""Pairwise results of papers: lines of tables, and sentences, that state scores of papers.

A row is a table with the lines that stand for papers of interest, or a sentence of a paper with the
scores that it states for itself. The subject of each paper has a row of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import TypeAdapter

from vivavoce.columns import columns_of
from vivavoce.corpus import Corpus
from vivavoce.networks.tables import column_batches
from vivavoce.readers.claims import find_claims
from vivavoce.readers.entries import Entries, read_entries
from vivavoce.readers.row_attribution import AMBIGUOUS, Names, RowAttributor, own_names
from vivavoce.store import Row
from vivavoce.text.dates import is_over

ABOUT = -1
"""Ordinal of the row that has a paper's title and abstract as its caption, and no lines."""
_FIRST_CLAIM = -2
"""Ordinal of a paper's first sentence; those of the others follow downwards."""
_OF_A_REFERENCE = ["paper_id", "ordinal", "raw", "title", "year", "first_author", "cited_paper_id"]
_MAX_CAPTION = 1_000
_MAX_ABOUT = 1_500
_MARK, _OWN, _NAME, _REST, _CLAIM = "mark", "own", "name", "rest", "claim"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table that stands for a paper."""

    paper_id: str
    label: str
    group: str
    """Heading of the group of lines that it belongs to."""
    told_by: str
    """Evidence for the paper: `mark` a printed citation, `own` by words or its own name, `name`
    of a method cited elsewhere, `rest` a line without any citation among lines that have one,
    `claim` a sentence of the paper itself."""
    numbers: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results of papers in one table or sentence."""

    paper_id: str
    ordinal: int
    published: str
    caption: str
    headers: tuple[str, ...]
    """One a column; a single one where the columns' own cannot be told."""
    lines: tuple[Line, ...]


COMPARISONS = pa.schema(columns_of(Comparison))
"""Sorted by paper and ordinal. A table keeps its ordinal in the corpus."""


def find_comparisons(corpus: Corpus, papers: Collection[str], before: date) -> list[Row]:
    """Rows of `COMPARISONS`: what tables and sentences from before a day tell of papers.

    Args:
        corpus: Whose tables, sections and abstracts are read.
        papers: Ids of the papers of interest; lines of others are left out.
        before: What is not over by this day is not read: the end of the window.
    """
    wanted = frozenset(papers)
    dates = {
        paper.paper_id: paper.first_public
        for paper in corpus.papers
        if paper.first_public is not None and is_over(paper.first_public, before)
    }
    found = [*_tables(corpus, wanted, dates), *_claims(corpus, wanted, dates)]
    sources = {one.paper_id for one in found}
    for paper in corpus.papers:
        if paper.paper_id in sources:
            about = f"{paper.title or ''} {paper.abstract or ''}"[:_MAX_ABOUT]
            found.append(Comparison(paper.paper_id, ABOUT, dates[paper.paper_id], about, (), ()))
    found.sort(key=lambda one: (one.paper_id, one.ordinal))
    return [asdict(one) for one in found]


def read_comparisons(rows: Iterable[Row]) -> list[Comparison]:
    """The comparisons that rows of `COMPARISONS` hold."""
    return TypeAdapter(list[Comparison]).validate_python(list(rows))


# --- tables ---


_Table = tuple[Row, list[Entries]]
"""A table of the corpus, and the ways to read it."""


def _tables(
    corpus: Corpus, wanted: frozenset[str], dates: Mapping[str, str]
) -> Iterator[Comparison]:
    tables = [
        (row, readings)
        for row in corpus.rows("tables")
        if row["paper_id"] in dates and (readings := read_entries(row["cells"]))
    ]
    attributors = _attributors(corpus, {row["paper_id"] for row, _ in tables})
    names = _names(tables, attributors)
    for row, readings in tables:
        paper_id = row["paper_id"]
        lines: list[Line] = []
        best = readings[0]
        for entries in readings:
            told = _lines(row, entries, attributors[paper_id], names, wanted)
            if _extent(told) > _extent(lines):
                best, lines = entries, told
        if lines:
            caption = f"{row['caption']} {best.prose}".strip()[:_MAX_CAPTION]
            ordinal, date = row["ordinal"], dates[paper_id]
            yield Comparison(paper_id, ordinal, date, caption, best.headers, tuple(lines))


def _extent(lines: list[Line]) -> tuple[int, int]:
    return len({line.paper_id for line in lines}), len(lines)


def _attributors(corpus: Corpus, sources: set[str]) -> dict[str, RowAttributor]:
    references: dict[str, list[Row]] = defaultdict(list)
    wanted = pa.array(sorted(sources), pa.string())
    for rows in column_batches(corpus, "references", _OF_A_REFERENCE):
        for row in rows.filter(pc.is_in(rows["paper_id"], value_set=wanted)).to_pylist():
            references[row["paper_id"]].append(row)
    return {
        paper.paper_id: RowAttributor(
            paper.paper_id,
            own_names(paper.title or "", paper.abstract or ""),
            references[paper.paper_id],
        )
        for paper in corpus.papers
        if paper.paper_id in sources
    }


def _names(tables: Iterable[_Table], attributors: Mapping[str, RowAttributor]) -> Names:
    names = Names()
    for row, readings in tables:
        attributor = attributors[row["paper_id"]]
        for entries in readings:
            for entry in entries.entries:
                cited = attributor.cited_in(entry.label, row["cited"])
                if len(cited) == 1 and cited[0] != AMBIGUOUS:
                    names.add(entry.label, cited[0])
    return names


def _lines(
    row: Row, entries: Entries, attributor: RowAttributor, names: Names, wanted: frozenset[str]
) -> list[Line]:
    """The lines of a table that stand for papers of interest."""
    told: list[Line] = []
    cites = False
    for entry in entries.entries:
        cited = attributor.cited_in(entry.label, row["cited"])
        work, told_by = row["paper_id"], _REST
        if len(cited) == 1:
            work, told_by = cited[0], _MARK
        elif attributor.is_own(entry.label):
            told_by = _OWN
        elif cited or not attributor.may_be_own(entry.label):
            continue
        elif (named := attributor.named(entry.label, names)) is not None:
            work, told_by = named, _OWN if named == row["paper_id"] else _NAME
        cites = cites or told_by in (_MARK, _NAME)
        told.append(Line(work, entry.label, entry.group, told_by, entry.numbers))
    return [one for one in told if one.paper_id in wanted and (one.told_by != _REST or cites)]


# --- sentences ---


def _claims(
    corpus: Corpus, wanted: frozenset[str], dates: Mapping[str, str]
) -> Iterator[Comparison]:
    """Claims of the papers of interest, the abstract before the sections."""
    abstracts = {
        paper.paper_id: paper.abstract
        for paper in corpus.papers
        if paper.paper_id in wanted and paper.paper_id in dates and paper.abstract
    }
    for paper_id, sections in corpus.sections():
        if paper_id in wanted and paper_id in dates:
            texts = [abstracts.pop(paper_id, ""), *(section.text for section in sections)]
            yield from _claims_of(paper_id, texts, dates)
    for paper_id, abstract in abstracts.items():
        yield from _claims_of(paper_id, [abstract], dates)


def _claims_of(paper_id: str, texts: list[str], dates: Mapping[str, str]) -> Iterator[Comparison]:
    for place, claim in enumerate(find_claims(texts)):
        ordinal, line = _FIRST_CLAIM - place, Line(paper_id, "", "", _CLAIM, claim.numbers)
        yield Comparison(paper_id, ordinal, dates[paper_id], claim.sentence, claim.near, (line,))
