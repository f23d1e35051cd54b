"""Metadata asked for papers that only PDFs describe: the work of `viva ingest pdf --enrich`.

A paper is asked for by its id where it has one, else by its title, and an answer counts only where
its title is the paper's. Answers are kept below `downloads/`, so nothing is asked for twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from vivavoce.corpus.identity.matching import title_key
from vivavoce.corpus.ingestion.cited import KeptBody, is_refusal
from vivavoce.corpus.ingestion.downloads import (
    DOWNLOADS,
    Index,
    finish_reading,
    is_sound,
    open_downloads,
    read_downloads,
)
from vivavoce.corpus.ingestion.imports import Progress
from vivavoce.corpus.reading import load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Document, Paper
from vivavoce.sources.catalogues import crossref
from vivavoce.sources.catalogues.arxiv.search import API, by_ids, search
from vivavoce.sources.http.client import BadReplyError, BadStatusError, Client, HttpError
from vivavoce.sources.json_records import Fields
from vivavoce.store import canonical_json, hash_file, hash_of, write_bytes

SERVICES = ("arxiv", "crossref")
CROSSREF = "https://api.crossref.org/works"
HOSTS = frozenset({"api.crossref.org", "export.arxiv.org"})
INDEX = "enriched.jsonl"
GOT, UNKNOWN = "got", "unknown"
_CANDIDATES = 5
"""Results of a search by title that are looked at."""
_WORD = re.compile(r"\w+")
_MAX_WORDS = 30


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
        asking = _Asking(index, corpus, KeptBody(client), service, base)
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
        self, index: Index, corpus: Path, client: KeptBody, service: str, base: str | None
    ) -> None:
        self._index = index
        self._corpus = corpus
        self._client = client
        self._service = service
        self._base = base
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
        body = self._of_arxiv(paper) if self._service == "arxiv" else self._of_crossref(paper)
        row = {"service": self._service, "paper": paper.paper_id, "query": _query(paper)}
        if body is None:
            self.unknown.append(paper.paper_id)
            self._index.note([{**row, "outcome": UNKNOWN}])
            return
        suffix = ".atom.xml" if self._service == "arxiv" else crossref.SUFFIX
        name = f"{hash_of(paper.paper_id)[:16]}{suffix}"
        file = f"{DOWNLOADS}/enriched/{name}"
        write_bytes(self._corpus / file, body)
        self.found += 1
        self._index.note(
            [{**row, "outcome": GOT, "file": file, "sha256": hash_file(self._corpus / file)}]
        )

    def read(self) -> None:
        """Read all answers of the service into the corpus."""
        rows = (row for row in self._index.rows() if row["service"] == self._service)
        files = [
            row["file"] for row in rows if row["outcome"] == GOT and is_sound(self._corpus, row)
        ]
        if files and self.found:
            read_downloads(self._corpus, {self._service: sorted(files)})

    def _of_arxiv(self, paper: Paper) -> bytes | None:
        api = f"{self._base}/api/query" if self._base else API
        try:
            name = paper.arxiv_id or self._arxiv_id(paper, api)
            entries = list(by_ids(self._client, [name], api=api)) if name else []
        except BadReplyError as error:
            if is_refusal(error):
                return None
            raise
        known = any(isinstance(entry, Document) for entry in entries)
        return self._client.body if known else None

    def _arxiv_id(self, paper: Paper, api: str) -> str | None:
        """The one result of a search by title that bears the title."""
        words = _WORD.findall(paper.title or "")[:_MAX_WORDS]
        results = search(
            self._client, f'ti:"{" ".join(words)}"', limit=_CANDIDATES, page=_CANDIDATES, api=api
        )
        named = [
            e.arxiv_id for e in results if isinstance(e, Document) and _is_same(e.title, paper)
        ]
        return named[0] if len(named) == 1 else None

    def _of_crossref(self, paper: Paper) -> bytes | None:
        base = f"{self._base}/works" if self._base else CROSSREF
        if paper.doi:
            url = f"{base}/{quote(paper.doi, safe='')}"
        else:
            asked = {"query.bibliographic": paper.title or "", "rows": _CANDIDATES}
            url = f"{base}?{urlencode(asked)}"
        try:
            works = crossref.read_answer(self._client.get(url, check=crossref.read_answer))
        except BadStatusError as error:
            if error.status == 404:
                return None
            raise
        fitting = works if paper.doi else list(_bearing(works, paper))
        if len(fitting) != 1:
            return None
        answer = {"status": "ok", "message-type": "work", "message": fitting[0]}
        return canonical_json(answer).encode()


def _bearing(works: list[Fields], paper: Paper) -> Iterator[Fields]:
    """The works that bear the title of a paper."""
    for work in works:
        try:
            document = crossref.read_work(work)
        except InputError:
            continue
        if _is_same(document.title, paper):
            yield work


def _is_same(title: str | None, paper: Paper) -> bool:
    return bool(title) and title_key(title or "") == title_key(paper.title or "")


def _query(paper: Paper) -> str:
    """Key by which a paper is asked for."""
    return json.dumps([paper.arxiv_id, paper.doi, paper.title])
