"""Lookup of one work's metadata at arXiv or Crossref, by its id or its title.

`viva ingest pdf --enrich` looks up papers that only PDFs describe, by id or else by title. An
answer to a title counts only if it has the same title. Answers are kept below `downloads/`, so no
work is asked for twice.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urlencode

from vivavoce.corpus.ingestion.downloads import (
    DOWNLOADS,
    finish_reading,
    is_sound,
    open_downloads,
    read_downloads,
)
from vivavoce.corpus.ingestion.imports import Progress
from vivavoce.corpus.matching import title_key
from vivavoce.corpus.reading import load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Document, Fault, Paper
from vivavoce.sources.catalogues import crossref
from vivavoce.sources.catalogues.arxiv import read_feed
from vivavoce.sources.catalogues.arxiv.search import API, by_ids, find_page
from vivavoce.sources.http.client import BadReplyError, BadStatusError, Client, HttpError
from vivavoce.sources.json_records import Fields
from vivavoce.store import Row, canonical_json, hash_file, hash_of, write_bytes

SUFFIXES = {"arxiv": ".atom.xml", "crossref": crossref.SUFFIX}
"""File suffix of answers, by service; the source that reads them has the service's name."""
CROSSREF = "https://api.crossref.org/works"
HOSTS = frozenset({"api.crossref.org", "export.arxiv.org"})
GOT, UNKNOWN = "got", "unknown"
_CANDIDATES = 5
"""Number of results compared per search by title."""
_WORD = re.compile(r"\w+")
_MAX_WORDS = 30

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkKey:
    """Key for the look-up of a work: its ids if known, else its title."""

    title: str
    arxiv_id: str | None = None
    doi: str | None = None


class Lookup:
    """Asks for works one at a time; `base` replaces the usual addresses of both services."""

    def __init__(self, client: Client, base: str | None) -> None:
        self._client = client
        self._base = base

    def keep(self, service: str, wanted: WorkKey, corpus: Path, file: str) -> Row:
        """Ask a service for a work, and save the answer as a file that its source reads.

        An answer to a title counts only if no other result has that title. The returned row holds
        `got` with the file's path in the corpus and its hash, or `unknown`. `file` has no suffix.
        """
        body = self._of_arxiv(wanted) if service == "arxiv" else self._of_crossref(wanted)
        if body is None:
            return {"outcome": UNKNOWN}
        name = f"{file}{SUFFIXES[service]}"
        write_bytes(corpus / name, body)
        return {"outcome": GOT, "file": name, "sha256": hash_file(corpus / name)}

    def _of_arxiv(self, wanted: WorkKey) -> bytes | None:
        api = f"{self._base}/api/query" if self._base else API
        try:
            name = wanted.arxiv_id or self._arxiv_id(wanted, api)
            body = by_ids(self._client, [name], api=api) if name else None
        except BadReplyError as error:
            if is_refusal(error):
                return None
            raise
        entries = read_feed(body).entries if body else ()
        return body if any(isinstance(entry, Document) for entry in entries) else None

    def _arxiv_id(self, wanted: WorkKey, api: str) -> str | None:
        """Id of the result with the wanted title; None unless exactly one result has this title."""
        words = _WORD.findall(wanted.title)[:_MAX_WORDS]
        query = f'ti:"{" ".join(words)}"'
        results = read_feed(find_page(self._client, query, _CANDIDATES, api=api)).entries
        named = [
            e.arxiv_id for e in results if isinstance(e, Document) and _is_same(e.title, wanted)
        ]
        return named[0] if len(named) == 1 else None

    def _of_crossref(self, wanted: WorkKey) -> bytes | None:
        base = f"{self._base}/works" if self._base else CROSSREF
        if wanted.doi:
            url = f"{base}/{quote(wanted.doi, safe='')}"
        else:
            asked = {"query.bibliographic": wanted.title, "rows": _CANDIDATES}
            url = f"{base}?{urlencode(asked)}"
        try:
            works = crossref.read_answer(self._client.get(url, check=crossref.read_answer))
        except BadStatusError as error:
            if error.status == 404:
                return None
            raise
        fitting = works if wanted.doi else list(_bearing(works, wanted))
        if len(fitting) != 1:
            return None
        answer = {"status": "ok", "message-type": "work", "message": fitting[0]}
        return canonical_json(answer).encode()


def _bearing(works: list[Fields], wanted: WorkKey) -> Iterator[Fields]:
    """Works that have the wanted title."""
    for work in works:
        try:
            document = crossref.read_work(work)
        except InputError:
            continue
        if _is_same(document.title, wanted):
            yield work


def _is_same(title: str | None, wanted: WorkKey) -> bool:
    return bool(title) and title_key(title or "") == title_key(wanted.title)


def ask_in_turn(
    todo: Sequence[T], ask: Callable[[T], None], progress: Progress | None
) -> str | None:
    """Ask for items one by one; stop if a service fails, and return the reason."""
    for done, item in enumerate(todo, start=1):
        try:
            ask(item)
        except HttpError as error:
            return str(error)
        if progress:
            progress(done, len(todo))
    return None


def is_lost(corpus: Path, row: Row) -> bool:
    """Check whether an answer came but its file is missing or damaged."""
    return row["outcome"] == GOT and not is_sound(corpus, row)


def read_answers(corpus: Path, rows: Iterable[Row]) -> list[Fault]:
    """Read into the corpus the undamaged files listed in the rows of an index."""
    files: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["outcome"] == GOT:
            files.setdefault(row.get("service", "arxiv"), {})[row["file"]] = row
    names = {
        service: sorted(name for name, row in answers.items() if is_sound(corpus, row))
        for service, answers in files.items()
    }
    names = {service: sound for service, sound in names.items() if sound}
    return read_downloads(corpus, names).faults if names else []


def is_refusal(error: BadReplyError) -> bool:
    """Check whether arXiv refused the request rather than sending a bad answer."""
    cause = error.__cause__
    return isinstance(cause, BadStatusError) and cause.status == 400


SERVICES = tuple(SUFFIXES)
INDEX = "enriched.jsonl"


@dataclass(frozen=True, slots=True)
class EnrichReport:
    """Counts of an enrichment."""

    service: str
    lacking: int
    """Number of papers described only by PDFs."""
    asked: int
    found: int
    """Number of papers for which metadata were found."""
    unknown: tuple[str, ...]
    """Papers that the service does not know; they are not asked for again."""
    dated: int
    """Number of dated papers in the corpus afterwards."""
    papers: int
    stopped: str | None
    """Reason why the lookup ended early; None if it was not cut short."""
    index: str


def enrich(
    corpus: Path,
    client: Client,
    service: str,
    *,
    base: str | None = None,
    progress: Progress | None = None,
) -> EnrichReport:
    """Ask a service for the metadata of papers that only PDFs describe; resume an earlier run.

    The service is one of `SERVICES`; `base` replaces its usual address. `progress` is called with
    (papers done, all papers).

    Raises:
        InputError: The folder holds no corpus, or the service does not exist.
        LockedError: Another process fetches for this corpus, or has locked it.
    """
    if service not in SERVICES:
        raise InputError(f"No service is called {service!r}. There are: {', '.join(SERVICES)}.")
    with open_downloads(corpus, INDEX, ("service", "paper"), None, "papers") as index:
        finish_reading(corpus)
        papers = [paper for paper in load_corpus(corpus).papers if paper.source == "pdf"]
        lookup, came = Lookup(client, base), dict[str, bool]()

        def is_open(paper: Paper) -> bool:
            """Check whether a paper must still be asked for with its current ids and title."""
            row = index.get(service, paper.paper_id)
            return row is None or row["query"] != _query(paper) or is_lost(corpus, row)

        def ask(paper: Paper) -> None:
            wanted = WorkKey(paper.title or "", paper.arxiv_id, paper.doi)
            file = f"{DOWNLOADS}/enriched/{hash_of(paper.paper_id)[:16]}"
            kept = lookup.keep(service, wanted, corpus, file)
            named = {"service": service, "paper": paper.paper_id}
            index.note([{**named, "query": _query(paper), **kept}])
            came[paper.paper_id] = kept["outcome"] == GOT

        todo = [paper for paper in papers if paper.title and is_open(paper)]
        stopped = ask_in_turn(todo, ask, progress)
        if any(came.values()):
            read_answers(corpus, (row for row in index.rows() if row["service"] == service))
        after = load_corpus(corpus).papers
    return EnrichReport(
        service=service,
        lacking=len(papers),
        asked=len(came),
        found=sum(came.values()),
        unknown=tuple(name for name, is_there in came.items() if not is_there),
        dated=sum(paper.first_public is not None for paper in after),
        papers=len(after),
        stopped=stopped,
        index=str(index.path),
    )


def _query(paper: Paper) -> str:
    """Key for the look-up of a paper."""
    return json.dumps([paper.arxiv_id, paper.doi, paper.title])
