"""Metadata asked for papers that only PDFs describe: the work of `viva ingest pdf --enrich`.

A paper is asked for by its id where it has one, else by its title, and an answer counts only where
its title is the paper's. Answers are kept below `downloads/`, so nothing is asked for twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from vivavoce.corpus.ingestion.downloads import (
    DOWNLOADS,
    Index,
    finish_reading,
    is_sound,
    open_downloads,
    read_downloads,
)
from vivavoce.corpus.ingestion.imports import Progress
from vivavoce.corpus.ingestion.lookup import GOT, SUFFIXES, Lookup, Wanted
from vivavoce.corpus.reading import load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Paper
from vivavoce.sources.http.client import Client, HttpError
from vivavoce.store import hash_of

SERVICES = tuple(SUFFIXES)
INDEX = "enriched.jsonl"


@dataclass(frozen=True, slots=True)
class EnrichReport:
    """Counts of an enrichment."""

    service: str
    lacking: int
    """Papers that only PDFs describe."""
    asked: int
    found: int
    """Papers whose metadata came."""
    unknown: tuple[str, ...]
    """Papers that the service does not know; they are not asked for again."""
    dated: int
    """Dated papers of the corpus afterwards."""
    papers: int
    stopped: str | None
    """Why it ended before its time."""
    index: str


def enrich(
    corpus: Path,
    client: Client,
    service: str,
    *,
    base: str | None = None,
    progress: Progress | None = None,
) -> EnrichReport:
    """Ask a service for the metadata of papers that only PDFs describe; resumes.

    Args:
        corpus: The corpus folder.
        client: Must be allowed to talk to the service.
        service: One of `SERVICES`.
        base: Where the service is, unless at its usual address.
        progress: Called with (papers done, papers in all).

    Raises:
        InputError: No corpus there, or no such service.
        LockedError: Another process fetches for this corpus, or holds it.
    """
    if service not in SERVICES:
        raise InputError(f"No service is called {service!r}. There are: {', '.join(SERVICES)}.")
    with open_downloads(corpus, INDEX, ("service", "paper"), None, "papers") as index:
        finish_reading(corpus)
        papers = [paper for paper in load_corpus(corpus).papers if paper.source == "pdf"]
        asking = _Asking(index, corpus, client, service, base)
        todo = [paper for paper in papers if paper.title and asking.is_open(paper)]
        stopped = None
        for done, paper in enumerate(todo, start=1):
            try:
                asking.ask(paper)
            except HttpError as error:
                stopped = str(error)
                break
            if progress:
                progress(done, len(todo))
        asking.read()
        after = load_corpus(corpus).papers
    return EnrichReport(
        service=service,
        lacking=len(papers),
        asked=asking.found + len(asking.unknown),
        found=asking.found,
        unknown=tuple(asking.unknown),
        dated=sum(paper.first_public is not None for paper in after),
        papers=len(after),
        stopped=stopped,
        index=str(index.path),
    )


class _Asking:
    """One run."""

    def __init__(
        self, index: Index, corpus: Path, client: Client, service: str, base: str | None
    ) -> None:
        self._index = index
        self._corpus = corpus
        self._lookup = Lookup(client, base)
        self._service = service
        self.found = 0
        self.unknown: list[str] = []

    def is_open(self, paper: Paper) -> bool:
        """Check whether a paper still has to be asked for with its present identifiers."""
        row = self._index.get(self._service, paper.paper_id)
        if row is None or row["query"] != _query(paper):
            return True
        return row["outcome"] == GOT and not is_sound(self._corpus, row)

    def ask(self, paper: Paper) -> None:
        """Ask for one paper and note what came."""
        wanted = Wanted(paper.title or "", paper.arxiv_id, paper.doi)
        file = f"{DOWNLOADS}/enriched/{hash_of(paper.paper_id)[:16]}"
        kept = self._lookup.keep(self._service, wanted, self._corpus, file)
        self._index.note(
            [{"service": self._service, "paper": paper.paper_id, "query": _query(paper), **kept}]
        )
        if kept["outcome"] == GOT:
            self.found += 1
        else:
            self.unknown.append(paper.paper_id)

    def read(self) -> None:
        """Read all answers of the service into the corpus."""
        rows = (row for row in self._index.rows() if row["service"] == self._service)
        files = [
            row["file"] for row in rows if row["outcome"] == GOT and is_sound(self._corpus, row)
        ]
        if files and self.found:
            read_downloads(self._corpus, {self._service: sorted(files)})


def _query(paper: Paper) -> str:
    """Key by which a paper is asked for."""
    return json.dumps([paper.arxiv_id, paper.doi, paper.title])
