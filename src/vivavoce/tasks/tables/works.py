"""Works of gold tables, in and outside of the corpus, and records of arXiv2Table's files."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from vivavoce.corpus import Corpus
from vivavoce.corpus.reading import list_batches, read_raw
from vivavoce.records import Paper
from vivavoce.store import Row
from vivavoce.tasks.library import library_rows
from vivavoce.tasks.tables.item import Work
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise_title

_OUTSIDE = "work:"
_HASH = 16
_NO_TITLE = re.compile(
    r"(?:doi|arxiv|url|https?|www)\s?[:./]|url\s+http|arxiv preprint\b"
    r"|in\s+(?:the\s+)?(?:[\w-]{1,20}\s){0,6}(?:proceedings|proc|conference|workshop)\b",
    re.IGNORECASE,
)
"""Beginnings of addresses and venues that references have instead of a title."""
_KIND = "digestables"
_ENTRY, _PAPER = "arxiv2table:", "paper:"
_NUMBER = "CorpusId:"
"""Prefix of the number by which a reference identifies its work."""


def work_id(title: str, raw: str) -> str:
    """Id of a work outside of the corpus, from its title or its citation."""
    key = normalise_title(title) or " ".join(raw.split())
    return f"{_OUTSIDE}{hashlib.sha256(key.encode()).hexdigest()[:_HASH]}"


def is_outside(paper_id: str) -> bool:
    """True if an id was made by `work_id`."""
    return paper_id.startswith(_OUTSIDE)


def work_of_paper(paper: Paper, texts: Collection[str]) -> Work:
    """Work of a paper; `texts` has the ids of papers with a text."""
    return Work(
        paper_id=paper.paper_id,
        title=plain_words(paper.title or ""),
        abstract=paper.abstract or None,
        published=paper.first_public,
        has_text=paper.paper_id in texts,
    )


def work_of_reference(row: Row, numbered: Mapping[str, Work] | None = None) -> Work:
    """Work of a reference: a paper of the corpus if it is resolved.

    Args:
        row: A row of `references`.
        numbered: Works by number in arXiv2Table's files: see `read_given`.
    """
    raw = row["raw"] or ""
    if raw.startswith(_NUMBER) and (known := (numbered or {}).get(raw.removeprefix(_NUMBER))):
        return known
    title, year = plain_words(row["title"] or ""), row["year"]
    if _NO_TITLE.match(title) or not normalise_title(title):
        title = ""  # an address, a venue or no word
    return Work(
        paper_id=row["cited_paper_id"] or work_id(title, raw),
        title=title,
        abstract=None,
        published=f"{year:04}" if year is not None and 1000 <= year <= 9999 else None,
        has_text=False,
    )


def merge_works(
    works: Iterable[Work], papers: Mapping[str, Paper], texts: Collection[str]
) -> dict[str, Work]:
    """Works by id, sorted; papers of the corpus take precedence over references."""
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
    """Ids of the papers with a text."""
    return frozenset(str(row["paper_id"]) for row in corpus.rows("sections"))


def corpus_works(corpus: Corpus) -> dict[str, Work]:
    """All papers of a corpus with a title, by id."""
    texts = papers_with_text(corpus)
    works = (work_of_paper(paper, texts) for paper in corpus.papers)
    return {work.paper_id: work for work in works if work.title}


def works_library(corpus: Corpus, works: Iterable[Work]) -> list[Row]:
    """Rows of `tasks.library.LIBRARY` for works, sorted by id.

    Works outside of the corpus have a title and, if known, a year and an abstract.
    """
    known = {work.paper_id: work for work in works}
    rows = {row["paper_id"]: row for row in library_rows(corpus, known)}
    for name, work in known.items():
        row = rows.setdefault(
            name, {"paper_id": name, "abstract": work.abstract, "sections": [], "tables": []}
        )
        row["title"], row["published"] = work.title, work.published
    return [rows[name] for name in sorted(rows)]


@dataclass(frozen=True, slots=True)
class GivenDemand:
    """Demand and labels of a table in arXiv2Table's files."""

    demand: str | None
    distractors: tuple[str, ...] | None
    """Ids of works labelled as not in the table, without untitled ones; None without labels."""


def read_given(
    corpus: Corpus, papers: Mapping[str, Paper], texts: Collection[str]
) -> tuple[dict[str, GivenDemand], dict[str, Work]]:
    """Read the records of arXiv2Table files in a corpus.

    Returns: Demands and labels by paper of the corpus, and all works by their number in the files.

    Raises:
        DamagedError: The stored records were altered.
        StaleError: They were ingested by a version that did not store records.
    """
    entries = {
        f"{_KIND}:{key}": record
        for key, record in _records(corpus, _ENTRY)
        if f"{_KIND}:{key}" in papers
    }
    wanted = {
        number
        for record in entries.values()
        for name in ("input_references_id", "table_references")
        for number in _numbers(record, name)
    }
    works = _numbered_works(corpus, wanted, papers, texts) if wanted else {}
    given: dict[str, GivenDemand] = {}
    for name, record in sorted(entries.items()):
        demand, labels = record.get("user_demand"), record.get("input_references_label")
        distractors = None
        if isinstance(labels, list) and labels:
            listed = zip(_numbers(record, "input_references_id"), labels, strict=False)
            others = [number for number, label in listed if label == 0 and number in works]
            distractors = tuple(dict.fromkeys(works[number].paper_id for number in others))
        text = " ".join(demand.split()) if isinstance(demand, str) else ""
        given[name] = GivenDemand(text or None, distractors)
    return given, works


def _records(corpus: Corpus, start: str) -> Iterator[tuple[str, Row]]:
    """Records with one kind of key; later ones take precedence."""
    for batch in list_batches(corpus.folder):
        if batch.kind != _KIND or not batch.is_complete:
            continue
        for key, raw in read_raw(batch):
            if key.startswith(start) and raw is not None:
                yield key, json.loads(raw)


def _numbers(record: Row, name: str) -> list[str]:
    listed = record.get(name)
    works = listed if isinstance(listed, list) else []
    numbers = [work.get("corpus_id") if isinstance(work, dict) else work for work in works]
    return [str(number).removeprefix(_NUMBER) for number in numbers]


def _numbered_works(
    corpus: Corpus, wanted: Collection[str], papers: Mapping[str, Paper], texts: Collection[str]
) -> dict[str, Work]:
    """Works by number: papers of the corpus, found by number or title, and others."""
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
