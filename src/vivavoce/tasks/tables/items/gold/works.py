"""What is known of the works in gold tables, those outside of the corpus too."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from vivavoce.corpus import Corpus
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
    """Whether an id is one of `work_id`."""
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
    """What an entry of a list of references says of the work it cites.

    The work has the id of the paper of the corpus that it resolves to, if any.
    """
    title, year = _title_of(row), row["year"]
    return Work(
        paper_id=row["cited_paper_id"] or work_id(title, row["raw"]),
        title=title,
        abstract=None,
        published=f"{year:04}" if year is not None and 1000 <= year <= 9999 else None,
        has_text=False,
    )


def _title_of(row: Row) -> str:
    """The title that a reference gives; empty where it is an address, a venue or no word."""
    title = plain_words(row["title"] or "")
    return "" if _NO_TITLE.match(title) or not normalise_title(title) else title


class Works:
    """Gathers works: papers of the corpus once, others from every entry that cites them."""

    def __init__(self, papers: Mapping[str, Paper], texts: Collection[str]) -> None:
        self._papers = papers
        self._texts = texts
        self._found: dict[str, Work] = {}

    def add_all(self, works: Iterable[Work]) -> None:
        """Add works; what the corpus says of one goes before what its citations say."""
        for work in works:
            self._add(work)

    def by_id(self) -> dict[str, Work]:
        """All that were added, sorted by id."""
        return {name: self._found[name] for name in sorted(self._found)}

    def _add(self, work: Work) -> None:
        name = work.paper_id
        known = self._found.get(name)
        if known is None:
            paper = self._papers.get(name)
            known = work if paper is None else work_of_paper(paper, self._texts)
        self._found[name] = replace(
            known,
            title=known.title or work.title,
            published=known.published or work.published,
        )


def corpus_works(corpus: Corpus) -> dict[str, Work]:
    """Every paper of a corpus that has a title, by id."""
    texts = {row["paper_id"] for row in corpus.rows("sections")}
    works = (
        work_of_paper(paper, texts) for paper in corpus.papers if "not_a_paper" not in paper.gates
    )
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
