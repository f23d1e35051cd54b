"""Facts about the works in gold tables, those outside of the corpus too."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vivavoce.corpus import Corpus
from vivavoce.corpus.reading import list_batches, read_raw
from vivavoce.records import Paper
from vivavoce.store import Row
from vivavoce.tasks.library import library_rows
from vivavoce.tasks.tables.items.table_items import Work
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise_title

_OUTSIDE = "work:"
_HASH = 16
_NO_TITLE = re.compile(
    r"(?:doi|arxiv|url|https?|www)\s?[:./]|url\s+http|arxiv preprint\b"
    r"|in\s+(?:the\s+)?(?:[\w-]{1,20}\s){0,6}(?:proceedings|proc|conference|workshop)\b",
    re.IGNORECASE,
)
"""How an address or the name of a venue begins, which lists of references print for a title."""


def work_id(title: str, raw: str) -> str:
    """The id of a work that is no paper of the corpus: by its title, else by how it is cited."""
    key = normalise_title(title) or " ".join(raw.split())
    return f"{_OUTSIDE}{hashlib.sha256(key.encode()).hexdigest()[:_HASH]}"


def is_outside(paper_id: str) -> bool:
    """Check whether an id is one of `work_id`."""
    return paper_id.startswith(_OUTSIDE)


def work_of_paper(paper: Paper, texts: Collection[str]) -> Work:
    """A paper of the corpus; `texts` are the ids of those that have one."""
    return Work(
        paper_id=paper.paper_id,
        title=plain_words(paper.title or ""),
        abstract=paper.abstract or None,
        published=paper.first_public,
        has_text=paper.paper_id in texts,
    )


def work_of_reference(row: Row) -> Work:
    """Facts of a reference entry about the work it cites.

    The work has the id of the paper of the corpus that it resolves to, if any.
    """
    title, year = plain_words(row["title"] or ""), row["year"]
    if _NO_TITLE.match(title) or not normalise_title(title):
        title = ""  # an address, a venue or no word
    return Work(
        paper_id=row["cited_paper_id"] or work_id(title, row["raw"]),
        title=title,
        abstract=None,
        published=f"{year:04}" if year is not None and 1000 <= year <= 9999 else None,
        has_text=False,
    )


def merge_works(
    works: Iterable[Work], papers: Mapping[str, Paper], texts: Collection[str]
) -> dict[str, Work]:
    """Works by id, sorted; what the corpus says of one goes before what its citations say."""
    found: dict[str, Work] = {}
    for work in works:
        name = work.paper_id
        if name not in found:
            found[name] = work_of_paper(papers[name], texts) if name in papers else work
        known = found[name]
        found[name] = replace(
            known, title=known.title or work.title, published=known.published or work.published
        )
    return {name: found[name] for name in sorted(found)}


def papers_with_text(corpus: Corpus) -> frozenset[str]:
    """Ids of the papers that have a text."""
    return frozenset(str(row["paper_id"]) for row in corpus.rows("sections"))


def corpus_works(corpus: Corpus) -> dict[str, Work]:
    """Every paper of a corpus that has a title, by id."""
    texts = papers_with_text(corpus)
    works = (work_of_paper(paper, texts) for paper in corpus.papers)
    return {work.paper_id: work for work in works if work.title}


def works_library(corpus: Corpus, works: Iterable[Work]) -> list[Row]:
    """Rows of `tasks.library.LIBRARY` for works, sorted by id.

    Works outside of the corpus have a title, a year where one is known, and maybe an abstract.
    """
    known = {work.paper_id: work for work in works}
    rows = {row["paper_id"]: row for row in library_rows(corpus, known)}
    for name, work in known.items():
        row = rows.setdefault(
            name, {"paper_id": name, "abstract": work.abstract, "sections": [], "tables": []}
        )
        row["title"], row["published"] = work.title, work.published
    return [rows[name] for name in sorted(rows)]


_KIND = "digestables"
_ENTRY, _PAPER = "arxiv2table:", "paper:"
_NUMBER = "CorpusId:"
"""How a reference without a title names its work."""


@dataclass(frozen=True, slots=True)
class Given:
    """Records that came with a table."""

    demand: str | None
    distractors: tuple[str, ...] | None
    """Ids of works labelled as not in the table, in the order listed; None without labels."""
    unknown: int
    """Works labelled so of which no title is known: they cannot be shown."""


@dataclass(frozen=True, slots=True)
class GivenTables:
    """Records that came with all tables of a corpus."""

    by_paper: Mapping[str, Given] = field(default_factory=dict)
    """By the paper of the corpus that stands for the file's entry."""
    works: Mapping[str, Work] = field(default_factory=dict)
    """By the number that the files know a work by."""

    def work_of(self, reference: Row) -> Work | None:
        """The work that a reference names by its number alone."""
        raw = reference["raw"] or ""
        return self.works.get(raw.removeprefix(_NUMBER)) if raw.startswith(_NUMBER) else None


def read_given(corpus: Corpus, papers: Mapping[str, Paper], texts: Collection[str]) -> GivenTables:
    """Records of the arXiv2Table files in a corpus beside their tables.

    Raises:
        DamagedError: What was read from them was altered.
        StaleError: They were read before their records were kept.
    """
    entries = {
        f"{_KIND}:{key}": record
        for key, record in _records(corpus, _ENTRY)
        if f"{_KIND}:{key}" in papers
    }
    if not entries:
        return GivenTables()
    wanted = {number for record in entries.values() for number in _numbers(record)}
    works = _works(corpus, wanted, papers, texts)
    return GivenTables(
        {name: _given(record, works) for name, record in sorted(entries.items())}, works
    )


def _records(corpus: Corpus, start: str) -> Iterator[tuple[str, Row]]:
    """The records with keys of one sort, as in their files; later ones go before."""
    for batch in list_batches(corpus.folder):
        if batch.kind != _KIND or not batch.is_complete:
            continue
        for key, raw in read_raw(batch):
            if key.startswith(start) and raw is not None:
                (held,) = json.loads(raw)
                record = held["record"]
                if held["as"].endswith("_by_id.jsonl"):
                    (record,) = record.values()
                yield key, record


def _numbers(record: Row) -> list[str]:
    listed = [*_list(record, "input_references_id"), *_list(record, "table_references")]
    return [_number(work.get("corpus_id") if isinstance(work, dict) else work) for work in listed]


def _works(
    corpus: Corpus, wanted: Collection[str], papers: Mapping[str, Paper], texts: Collection[str]
) -> dict[str, Work]:
    """The works with some numbers: papers of the corpus, found by number or title, and others."""
    by_title: dict[str, list[Paper]] = defaultdict(list)
    for paper in papers.values():
        by_title[normalise_title(paper.title or "")].append(paper)
    works = {
        number: work_of_paper(papers[f"s2:{number}"], texts)
        for number in sorted(wanted)
        if f"s2:{number}" in papers
    }
    for key, record in _records(corpus, _PAPER):
        number = key.removeprefix(_PAPER)
        title = plain_words(str(record.get("title") or ""))
        if number not in wanted or number in works or not normalise_title(title):
            continue
        namesakes = by_title[normalise_title(title)]
        if len(namesakes) == 1:
            works[number] = work_of_paper(namesakes[0], texts)
        else:
            abstract = str(record.get("abstract") or "") or None
            works[number] = Work(work_id(title, ""), title, abstract, None, False)
    return works


def _given(record: Row, works: Mapping[str, Work]) -> Given:
    demand = record.get("user_demand")
    labels = _list(record, "input_references_label")
    others = [
        _number(work)
        for work, label in zip(_list(record, "input_references_id"), labels, strict=False)
        if label == 0
    ]
    known = [works[number].paper_id for number in others if number in works]
    return Given(
        demand=" ".join(demand.split()) or None if isinstance(demand, str) else None,
        distractors=tuple(dict.fromkeys(known)) if labels else None,
        unknown=sum(number not in works for number in others),
    )


def _list(record: Row, name: str) -> list[Any]:
    value = record.get(name)
    return value if isinstance(value, list) else []


def _number(value: Any) -> str:
    return str(value).removeprefix(_NUMBER)
