"""Look-up of metadata at arXiv and Crossref: of works that a corpus cites, and of its PDFs.

Works are found by id or else by title. An answer to a title counts only if it has the same title.
Answers are kept below `downloads/`, so no work is asked for twice, and an interrupted look-up
resumes where it stopped.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from vivavoce.corpus.ingestion.downloads import (
    DOWNLOADS,
    Index,
    finish_reading,
    is_sound,
    open_downloads,
    read_downloads,
)
from vivavoce.corpus.ingestion.imports import Progress
from vivavoce.corpus.matching import is_telling, title_key
from vivavoce.corpus.reading import Corpus, load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources.catalogues import crossref
from vivavoce.sources.catalogues.arxiv import read_feed
from vivavoce.sources.catalogues.arxiv.search import API, by_ids, find_page
from vivavoce.sources.http.client import BadReplyError, BadStatusError, Client, HttpError
from vivavoce.sources.json_records import Fields
from vivavoce.store import Row, canonical_json, hash_file, hash_of, write_bytes
from vivavoce.text.identifiers import find_arxiv_id

SUFFIXES = {"arxiv": ".atom.xml", "crossref": crossref.SUFFIX}
"""File suffix of answers, by service; the source that reads them has the service's name."""
CROSSREF = "https://api.crossref.org/works"
HOSTS = frozenset({"api.crossref.org", "export.arxiv.org"})
_GOT, _UNKNOWN = "got", "unknown"
_BATCH = 100
"""Number of arXiv ids per request."""
_CANDIDATES = 5
"""Number of results compared per search by title."""
_WORD = re.compile(r"\w+")
_MAX_WORDS = 30
_NUMBERED = re.compile(r"([0-9]{5,9})\.atom\.xml")


@dataclass(frozen=True, slots=True)
class WorkKey:
    """Key for the look-up of a work: its ids if known, else its title."""

    title: str
    arxiv_id: str | None = None
    doi: str | None = None

    @property
    def query(self) -> str:
        """The key as text; a work is asked for again once its key changes."""
        return json.dumps([self.arxiv_id, self.doi, self.title])


@dataclass(frozen=True, slots=True)
class LookupReport:
    """Counts of a look-up."""

    lacking: int
    """Number of works whose metadata the corpus lacked before."""
    asked: int
    found: int
    """Number of works that were found."""
    unknown: tuple[str, ...]
    """Works that no service knows; they are not asked for again."""
    papers: int
    """Number of papers in the corpus afterwards; likewise `dated`."""
    dated: int
    left: int
    """Number of works not asked for, because of the limit or because the look-up stopped."""
    faults: tuple[Fault, ...]
    """Faults for answers that could not be read."""
    stopped: str | None
    """Reason why the look-up ended early; None if it was not cut short."""
    index: Path


Works = Mapping[str, WorkKey]
"""Works by their names in an index."""
Ask = Callable[[Index, Works], Iterable[list[Row]]]
"""Asks for works; yields rows for the index."""


def _look_up(
    corpus: Path,
    file: str,
    key: Sequence[str],
    works_of: Callable[[Corpus], Works],
    ask: Ask,
    limit: int | None,
    progress: Progress | None,
    *,
    service: str | None = None,
    size: int = 1,
) -> LookupReport:
    """Ask for works, `size` at a time; read all answers, including unread ones of earlier runs.

    The rows of the index `file` have the work's name in the last field of `key`, and the service
    in the field before if the index is of several services.
    """
    scope = [service] if service else []
    with open_downloads(corpus, file, key, limit, "works") as index:
        finish_reading(corpus)
        works = works_of(load_corpus(corpus))

        def is_open(name: str, work: WorkKey) -> bool:
            row = index.get(*scope, name)
            if row is None or row.get("query", work.query) != work.query:
                return True
            return row["outcome"] == _GOT and not is_sound(corpus, row)

        todo = [name for name, work in works.items() if is_open(name, work)]
        wanted = todo if limit is None else todo[:limit]
        came: dict[str, bool] = {}
        stopped = None
        try:
            for start in range(0, len(wanted), size):
                batch = {name: works[name] for name in wanted[start : start + size]}
                for rows in ask(index, batch):
                    index.note(rows)
                    came.update((row[key[-1]], row["outcome"] == _GOT) for row in rows)
                    if progress:
                        progress(len(came), len(wanted))
        except HttpError as error:
            stopped = str(error)
        files: dict[str, set[str]] = {}
        for row in filter(None, (index.get(*scope, name) for name in works)):
            if row["outcome"] == _GOT and is_sound(corpus, row):
                files.setdefault(row.get("service", "arxiv"), set()).add(row["file"])
        names = {source: sorted(some) for source, some in sorted(files.items())}
        faults = read_downloads(corpus, names).faults if names else []
        papers = load_corpus(corpus).papers
    unknown = tuple(name for name, is_there in came.items() if not is_there)
    return LookupReport(
        lacking=len(works),
        asked=len(came),
        found=len(came) - len(unknown),
        unknown=unknown,
        papers=len(papers),
        dated=sum(paper.first_public is not None for paper in papers),
        left=len(todo) - len(came),
        faults=tuple(faults),
        stopped=stopped,
        index=index.path,
    )


def fetch_cited(
    corpus: Path,
    client: Client,
    *,
    limit: int | None = None,
    api: str = API,
    tables: bool = False,
    progress: Progress | None = None,
) -> LookupReport:
    """Ask arXiv, a hundred ids at a time, for the cited works missing from the corpus.

    These works become papers of the corpus without a text. `limit` bounds the works asked for. With
    `tables`, only works cited in tables count. `progress` is called with (works done, all works).

    Raises:
        InputError: The folder holds no corpus.
        LockedError: Another process fetches for this corpus, or has locked it.
    """

    def missing(opened: Corpus) -> Works:
        known = {paper.arxiv_id for paper in opened.papers if paper.arxiv_id}
        ids = (find_arxiv_id(row["arxiv_id"] or "") for row in _references(opened, tables))
        names = {found[0] for found in ids if found} - known
        return {name: WorkKey("", name) for name in sorted(names)}

    def ask(index: Index, works: Works) -> Iterator[list[Row]]:
        return _ask_arxiv(client, api, corpus, index, list(works))

    key = ["arxiv_id"]
    return _look_up(corpus, "cited.jsonl", key, missing, ask, limit, progress, size=_BATCH)


def _ask_arxiv(
    client: Client, api: str, corpus: Path, index: Index, names: Sequence[str]
) -> Iterator[list[Row]]:
    """Ask for works in one request, or in halves if it is refused; yield their index rows."""
    try:
        body = by_ids(client, names, api=api)
    except BadReplyError as error:
        if not _is_refusal(error):
            raise
        if len(names) == 1:
            yield [{"arxiv_id": names[0], "outcome": _UNKNOWN, "reason": str(error)}]
            return
        # One id that arXiv refuses must not spoil the request for the others.
        middle = len(names) // 2
        yield from _ask_arxiv(client, api, corpus, index, names[:middle])
        yield from _ask_arxiv(client, api, corpus, index, names[middle:])
        return
    known = {entry.arxiv_id for entry in read_feed(body).entries if isinstance(entry, Document)}
    got = {}
    if known.intersection(names):
        files = {str(row.get("file", "")) for row in index.rows()}
        numbers = (int(match[1]) for file in files if (match := _NUMBERED.search(file)))
        file = f"{DOWNLOADS}/cited/{max(numbers, default=0) + 1:05d}.atom.xml"
        got = _keep(corpus, file, body)
    lost = {"outcome": _UNKNOWN, "reason": "arXiv has no paper with this id"}
    yield [{"arxiv_id": name, **(got if name in known else lost)} for name in names]


def _keep(corpus: Path, file: str, body: bytes) -> Row:
    """Save an answer; return the fields of its row in the index."""
    write_bytes(corpus / file, body)
    return {"outcome": _GOT, "file": file, "sha256": hash_file(corpus / file)}


def _is_refusal(error: BadReplyError) -> bool:
    """Check whether arXiv refused the request rather than sending a bad answer."""
    cause = error.__cause__
    return isinstance(cause, BadStatusError) and cause.status == 400


def _references(corpus: Corpus, tables: bool) -> Iterator[Row]:
    """References of a corpus; with `tables`, only those cited in tables."""
    cited: set[tuple[str, int]] = set()
    if tables:
        for row in corpus.rows("tables"):
            cited.update((row["paper_id"], ordinal) for ordinal in row["cited"])
    for row in corpus.rows("references"):
        if not tables or (row["paper_id"], row["ordinal"]) in cited:
            yield row


def fetch_named(
    corpus: Path,
    client: Client,
    *,
    limit: int | None = None,
    base: str | None = None,
    tables: bool = False,
    progress: Progress | None = None,
) -> LookupReport:
    """Ask for cited works without an arXiv id, one at a time.

    Titles are searched on arXiv first, since arXiv has texts. Works not found there are looked up
    at Crossref, by DOI if there is one. `base` replaces the usual addresses of both services. The
    other arguments and the errors are those of `fetch_cited`.
    """

    def missing(opened: Corpus) -> Works:
        """Works that resolve to no paper, sorted by DOI, else by title."""
        works: dict[str, WorkKey] = {}
        for row in _references(opened, tables):
            title = row["title"] or ""
            key = title_key(title) if is_telling(title) else ""
            if row["cited_paper_id"] is None and not row["arxiv_id"] and (row["doi"] or key):
                name = f"doi:{row['doi']}" if row["doi"] else f"title:{key}"
                works.setdefault(name, WorkKey(title if key else "", None, row["doi"]))
        return {name: works[name] for name in sorted(works)}

    def ask(index: Index, works: Works) -> Iterator[list[Row]]:
        for name, work in works.items():
            file = f"{DOWNLOADS}/named/{hash_of(name)[:16]}"
            row: Row = {"work": name, "outcome": _UNKNOWN, "reason": "neither service knows it"}
            for service in SUFFIXES if work.title else ("crossref",):
                if got := _ask_service(client, base, service, work, corpus, file):
                    row = {"work": name, "service": service, **got}
                    break
            yield [row]

    return _look_up(corpus, "cited_named.jsonl", ["work"], missing, ask, limit, progress)


def enrich(
    corpus: Path,
    client: Client,
    service: str,
    *,
    base: str | None = None,
    progress: Progress | None = None,
) -> LookupReport:
    """Ask a service for the metadata of papers that only PDFs describe.

    The service is one of `SUFFIXES`; `base` replaces its usual address. The other arguments and the
    errors are those of `fetch_cited`.
    """
    if service not in SUFFIXES:
        raise InputError(f"No service is called {service!r}. There are: {', '.join(SUFFIXES)}.")

    def missing(opened: Corpus) -> Works:
        papers = [paper for paper in opened.papers if paper.source == "pdf"]
        return {p.paper_id: WorkKey(p.title, p.arxiv_id, p.doi) for p in papers if p.title}

    def ask(index: Index, works: Works) -> Iterator[list[Row]]:
        for name, work in works.items():
            file = f"{DOWNLOADS}/enriched/{hash_of(name)[:16]}"
            got = _ask_service(client, base, service, work, corpus, file)
            row = {"service": service, "paper": name, "query": work.query}
            yield [{**row, **(got or {"outcome": _UNKNOWN})}]

    key = ["service", "paper"]
    file = "enriched.jsonl"
    return _look_up(corpus, file, key, missing, ask, None, progress, service=service)


def _ask_service(
    client: Client, base: str | None, service: str, work: WorkKey, corpus: Path, file: str
) -> Row | None:
    """Ask a service for a work, and save its answer as `file` with the service's suffix.

    None if it does not know the work, or if other results have that title too. `base` replaces the
    usual addresses of both services.
    """
    ask = _ask_arxiv_for if service == "arxiv" else _ask_crossref_for
    body = ask(client, base, work)
    return None if body is None else _keep(corpus, f"{file}{SUFFIXES[service]}", body)


def _ask_arxiv_for(client: Client, base: str | None, work: WorkKey) -> bytes | None:
    api = f"{base}/api/query" if base else API
    try:
        name = work.arxiv_id
        if name is None:
            query = f'ti:"{" ".join(_WORD.findall(work.title)[:_MAX_WORDS])}"'
            results = read_feed(find_page(client, query, _CANDIDATES, api=api)).entries
            documents = [entry for entry in results if isinstance(entry, Document)]
            named = [one.arxiv_id for one in documents if _is_same(one.title, work)]
            name = named[0] if len(named) == 1 else None
        body = by_ids(client, [name], api=api) if name else None
    except BadReplyError as error:
        if _is_refusal(error):
            return None
        raise
    entries = read_feed(body).entries if body else ()
    return body if any(isinstance(entry, Document) for entry in entries) else None


def _ask_crossref_for(client: Client, base: str | None, work: WorkKey) -> bytes | None:
    url = f"{base}/works" if base else CROSSREF
    if work.doi:
        url += f"/{quote(work.doi, safe='')}"
    else:
        url += f"?{urlencode({'query.bibliographic': work.title, 'rows': _CANDIDATES})}"
    try:
        found = crossref.read_answer(client.get(url, check=crossref.read_answer))
    except BadStatusError as error:
        if error.status == 404:
            return None
        raise
    fitting = found if work.doi else [one for one in found if _is_same(_title_of(one), work)]
    if len(fitting) != 1:
        return None
    answer = {"status": "ok", "message-type": "work", "message": fitting[0]}
    return canonical_json(answer).encode()


def _title_of(found: Fields) -> str | None:
    try:
        return crossref.read_work(found).title
    except InputError:
        return None


def _is_same(title: str | None, work: WorkKey) -> bool:
    return bool(title) and title_key(title or "") == title_key(work.title)
