"""Works for a related-work section: cited ones, and padding.

Cited works are the references in the section's text, if markers and list agree. Numbers agree if
the highest number in the paper is the last entry's. Surnames and years agree if most of the
section's markers match an entry. Otherwise all references of the paper count as cited. Works
without a title, the paper itself and repeated works are left out.

Padding consists of papers of the corpus with title and abstract that the paper does not cite and
that are not later. Those of its primary category come first, in random order by the seed, up to 100
works in all. Abstracts are shown for the same share of padding as of cited works.

On the open track, works are searched in a library of earlier papers: title and abstract in
`library.parquet`, with the day of each citation. An item sees papers from before its own; its
paper, other versions of it and papers with the same text are hidden.

An answer cites works in brackets by id (`[arxiv:2401.01234]`) or title, separated by semicolons or
commas. `read_citations` replaces these with numbers, as in the other tracks: first the works that
the section cites, then others of the library in order of mention, then works that are not in the
library.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import MISSING, flat
from vivavoce.corpus import Corpus
from vivavoce.networks.graph import pair_keys, pairs_of
from vivavoce.networks.tables import column_batches, number_papers, read_columns, read_papers
from vivavoce.records import Paper
from vivavoce.rounds import Round, load_round
from vivavoce.store import Row, hash_of, table_of_parquet
from vivavoce.tasks.library import describe_library, library_as_bytes, library_rows
from vivavoce.tasks.writing.demonstrations import Hashes, number_of
from vivavoce.tasks.writing.inputs import OPEN, PaperText, gold_paragraphs
from vivavoce.tasks.writing.papers import primary_category
from vivavoce.text.citation_markers import find_author_year_markers, find_numeric_markers, name_key
from vivavoce.text.dates import day_after, earlier, is_over, period
from vivavoce.text.normalise import normalise_title
from vivavoce.text.shingles import distinct, is_retold_beside, mix, shingles_of

MAX_WORKS = 100
"""Maximum works listed in the padded track."""
_MAX_UNREAD = 0.5
"""Maximum share of a section's markers without an entry, above which the text is not used."""
_COLUMNS = ("paper_id", "ordinal", "title", "year", "first_author", "cited_paper_id")


def read_references(corpus: Corpus, paper_ids: Collection[str]) -> dict[str, list[Row]]:
    """Reference lists of papers, in order."""
    wanted = pa.array(sorted(paper_ids), pa.string())
    by_paper: dict[str, list[Row]] = defaultdict(list)
    for batch in column_batches(corpus, "references", _COLUMNS):
        for row in batch.filter(pc.is_in(batch["paper_id"], wanted)).to_pylist():
            by_paper[row["paper_id"]].append(row)
    return by_paper


def cited_by_text(paper: PaperText, references: Sequence[Row]) -> list[Row] | None:
    """References that the related-work section cites; None if its text cannot be used."""
    section = "\n\n".join(gold_paragraphs("related_work", paper.sections))
    numbers = {n for marker in find_numeric_markers(section) for n in marker.numbers}
    if numbers:
        shown = (part.text for part in paper.sections if part.role != "references")
        highest = max(n for text in shown for m in find_numeric_markers(text) for n in m.numbers)
        listed = [row for place, row in enumerate(references, start=1) if place in numbers]
        if highest == len(references) and listed:
            return listed
    return _by_author(section, references)


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
        # Use the first reading of the marker with entries.
        read = (entries.get((names[0], marker.year)) for names in marker.readings)
        entries_meant = next(filter(None, read), ())
        markers += 1
        unread += not entries_meant
        meant.update(row["ordinal"] for row in entries_meant)
    if not meant or unread > _MAX_UNREAD * markers:
        return None
    return [row for row in references if row["ordinal"] in meant]


class Library:
    """Papers of a corpus that serve as padding."""

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
    ) -> list[Row]:
        """Works of a paper: cited ones and padding, in the order of the padded track.

        Rows have `work_id`, `title`, `abstract`, `role` and `published`. Empty if it cites no work.
        """
        used = {normalise_title(paper.title), paper.paper_id, *relatives}
        cited = list(self._cited(cited_by_text(paper, references) or (), used))
        if not cited and not (cited := list(self._cited(references, used))):
            return []
        # Works that the paper cites elsewhere are not padding.
        for row in references:
            used |= {row["cited_paper_id"] or "", normalise_title(row["title"] or "")}
        wanted = MAX_WORKS - len(cited)
        padding = list(self._padding(paper, category, used, wanted))

        def shuffled(rows: Sequence[Row], name: str) -> list[Row]:
            key = [self._seed, name, paper.paper_id]
            return sorted(rows, key=lambda row: hash_of([*key, row["work_id"], row["title"]]))

        padding = shuffled(padding, "abstracts")
        # The same share of abstracts as among cited works, so that it does not reveal the role.
        have = sum(bool(row["abstract"]) for row in cited)
        kept = round(len(padding) * have / len(cited))
        padding[kept:] = [{**row, "abstract": None} for row in padding[kept:]]
        gold = shingles_of("\n\n".join(gold_paragraphs("related_work", paper.sections)))
        return [
            {**row, "abstract": None} if is_retold_beside(gold, row["abstract"] or "") else row
            for row in shuffled(cited + padding, "works")
        ]

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
    """Citations between papers of a corpus, with days."""

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
        """Last possible days of the papers that cite a paper, as sorted numbers."""
        place = self._places[paper_id]
        start = self._ends[place - 1] if place else 0
        return self._days[start : self._ends[place]]


def count_before(days: Sequence[int], published: str) -> int:
    """Number of citations by papers from before a date."""
    return bisect_right(days, period(published)[0].toordinal())


FILE = "library.parquet"
TEMPLATE = "open.related_work"
_CITED_ON = pa.field("cited_on", pa.list_(pa.int64()))
_BRACKET = re.compile(r"\[([^\[\]\n]{1,500})\]")
_MIN_WORDS = 3
"""Minimum words of a title in brackets; shorter texts are remarks."""


def make_library(corpus: Corpus, citing: Citing, rows: Sequence[Row]) -> bytes | None:
    """Make the library of items with the open setting; None without such items."""
    starts = [period(row["published"])[0] for row in rows if OPEN in row["settings"]]
    if not starts:
        return None
    last = max(starts)
    names = [one.paper_id for one in corpus.papers if one.title and is_over(one.first_public, last)]
    papers = library_rows(corpus, names, texts=False)
    dated = ({**paper, _CITED_ON.name: citing.days(paper["paper_id"])} for paper in papers)
    return library_as_bytes(dated, [_CITED_ON])


def is_there(work: Row, row: Row) -> bool:
    """True if an item's library has a work that the section cites."""
    if work["role"] != "cited" or not work["published"] or work["work_id"] in row["hidden"]:
        return False
    return earlier(work["published"], row["published"])


def describe_open(row: Row, opened: Round) -> Row:
    """Metadata of an item in the open setting: its library, and the cited works in it."""
    works = [work for work in row["works"] if work["role"] == "cited"]
    place, day = ("writing", FILE), row["published"]
    return {
        "library": describe_library(
            opened, place, papers=None, cutoff=day, hidden_papers=row["hidden"]
        ),
        "template": TEMPLATE,
        "works": [work["title"] for work in works],
        "work_ids": [work["work_id"] for work in works],
        "citations": [work["citations"] for work in works],
        "cited": [number for number, work in enumerate(works, 1) if is_there(work, row)],
    }


@lru_cache(maxsize=2)
def _papers(folder: str, _sha256: str) -> tuple[Mapping[str, Row], Mapping[str, str]]:
    """Papers of a round's library by lower-case id, and ids by title."""
    content = load_round(folder).read_file("writing", FILE)
    columns = ["paper_id", "title", "abstract", "published", _CITED_ON.name]
    rows = table_of_parquet(content, columns).to_pylist()
    papers = {row["paper_id"].lower(): row for row in rows}
    return papers, {normalise_title(row["title"]): name for name, row in papers.items()}


def read_citations(text: str, row: Mapping[str, Any]) -> Row:
    """Number the citations of an answer; return titles, citation counts and ids by number."""
    entry = row["library"]
    papers, titles = _papers(entry["round"], load_round(entry["round"]).sha256)
    works, citations, ids = (list(row[name]) for name in ("works", "citations", "work_ids"))
    known = zip(row["work_ids"], row["works"], strict=True)
    numbers = {
        key: number
        for number, (paper_id, title) in enumerate(known, 1)
        for key in (normalise_title(title), (paper_id or "").lower())
        if key
    }

    def find(name: str) -> int | None:
        title, given = normalise_title(name), name.strip().lower()
        keys = (title, titles.get(title, ""), given, f"arxiv:{given}")
        if number := next((numbers[key] for key in keys if key in numbers), None):
            return number
        key = next((key for key in keys if key in papers), "")
        if not key or papers[key]["paper_id"] in entry["hidden_papers"]:
            return None
        if not earlier(papers[key]["published"], entry["cutoff"]):
            return None
        works.append(papers[key]["title"])
        ids.append(papers[key]["paper_id"])
        citations.append(count_before(papers[key][_CITED_ON.name], entry["cutoff"]))
        numbers[key] = len(works)
        return len(works)

    strangers: dict[str, int] = {}
    plain = {marker.start for marker in find_numeric_markers(text)}
    brackets = [(each, _names_in(each, find, plain)) for each in _BRACKET.finditer(text)]
    pieces, end = [], 0
    for bracket, names in brackets:
        meant = dict.fromkeys(
            find(name) or len(works) + strangers.setdefault(name, len(strangers) + 1)
            for name in names
        )
        shown = f"[{', '.join(map(str, meant))}]" if meant else bracket[0]
        pieces += [text[end : bracket.start()], shown]
        end = bracket.end()
    return {
        "read_as": "".join(pieces) + text[end:],
        "works": works,
        "citations": citations,
        "cited_ids": ids,
    }


def show_works(row: Mapping[str, Any]) -> dict[int, str]:
    """Works by number, in the form of prompts; unknown ones have only a title."""
    entry, shown = row["library"], {}
    papers, _ = _papers(entry["round"], load_round(entry["round"]).sha256)
    for number, (name, title) in enumerate(zip(row["cited_ids"], row["works"], strict=True), 1):
        paper = papers.get((name or "").lower())
        is_there = paper and earlier(paper["published"], entry["cutoff"])
        abstract = paper["abstract"] if paper and is_there else None
        shown[number] = f"[{number}] {title}" + (f"\n{abstract}" if abstract else "")
    return shown


def _names_in(
    bracket: re.Match[str], find: Callable[[str], int | None], plain: Iterable[int]
) -> list[str]:
    """Works named in brackets; empty for a remark."""
    inside = bracket[1]
    names: list[str] = []
    for part in [inside] if find(inside) else inside.split(";"):
        pieces = part.split(",")
        names += pieces if not find(part) and any(map(find, pieces)) else [part]
    names = [name.strip() for name in names if name.strip()]
    if any(map(find, names)):
        return names
    is_title = normalise_title(inside).count(" ") + 1 >= _MIN_WORDS
    return [inside] if is_title or bracket.start() in plain else []
