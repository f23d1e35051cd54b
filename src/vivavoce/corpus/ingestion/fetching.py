"""Fetching into a corpus: listings of new papers by date, and texts for papers that lack one.

The number of requests for a listing depends on new papers, not on known authors. Its responses are
saved in the folder `downloads/updates`, in one folder per update, and ingested from there.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from vivavoce.corpus.ingestion import lookup
from vivavoce.corpus.ingestion.downloads import (
    DOWNLOADS,
    Index,
    Reading,
    finish_reading,
    is_sound,
    open_downloads,
    read_downloads,
)
from vivavoce.corpus.ingestion.imports import Progress, ingest
from vivavoce.corpus.reading import load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Fault, Paper
from vivavoce.sources.catalogues.arxiv import search
from vivavoce.sources.catalogues.arxiv.texts import (
    ALL_KINDS,
    FAILED,
    GOT,
    HOSTS,
    KINDS,
    MISSING,
    REFUSED,
    SOURCES,
    WITHDRAWN,
    Addresses,
    Missing,
    Text,
    WantedText,
    fetch_text,
    texts_wanted,
)
from vivavoce.sources.catalogues.oai import harvest
from vivavoce.sources.http import polite_client
from vivavoce.sources.http.client import Client
from vivavoce.store import Row, write_bytes

AGAIN = 3
"""Number of later updates that retry a text if it was not available with its paper."""
PAGE = 1_000
"""Number of results per request to the query API."""
INDEX = "texts.jsonl"
UNREADABLE = "unreadable"
"""Outcome for a file that gave no text."""
MAX_IN_A_ROW = 5
"""Number of consecutive failures or refusals by a host at which the fetch stops."""
_AGAIN = (FAILED, GOT)
"""Outcomes after which a text may be asked for again; after GOT, only if its file is damaged."""


@dataclass(slots=True)
class Service:
    """The servers to fetch from."""

    client: Client
    base: str | None = None
    """A server on the loopback interface that replaces all servers."""

    @property
    def api(self) -> str:
        """The address of the query API."""
        return f"{self.base}/api/query" if self.base else search.API

    @property
    def repository(self) -> str:
        """The address of the OAI-PMH repository."""
        return f"{self.base}/oai" if self.base else harvest.BASE

    @property
    def addresses(self) -> Addresses | None:
        """Addresses of texts; None for the usual addresses."""
        return Addresses.at(self.base) if self.base else None


def open_service(base: str | None = None, contact: str | None = None, tries: int = 5) -> Service:
    """Open a client for arXiv's services, the Anthology and Crossref that counts requests.

    `base` is a loopback server to use instead. `contact` is an email address for the servers'
    operators. A request counts as failed after `tries` attempts.
    """
    client = polite_client(harvest.HOSTS | lookup.HOSTS | HOSTS, base, contact, tries)
    return Service(client, base.rstrip("/") if base else None)


def list_papers(
    corpus: Path,
    kind: Literal["arxiv", "oai"],
    query: str,
    since: date,
    until: date,
    service: Service,
) -> tuple[int, int]:
    """Ingest the papers that a service lists from `since` until before `until`.

    `arxiv` lists papers submitted on these days, for a query of arXiv's API such as `cat:cs.CL`.
    `oai` lists records changed on these days, for a set such as `cs`.

    Returns:
        The number of records, including known papers, and the number of requests.

    Raises:
        HttpError: The listing is incomplete; try again.
        LockedError: Another process has locked the corpus.
    """
    client, last = service.client, until - timedelta(days=1)
    folder = corpus / DOWNLOADS / "updates" / f"{since}-{last}-{kind}"
    before = client.requests
    if kind == "oai":
        harvested = harvest.harvest(
            client, folder, base=service.repository, set=query or None, start=since, until=last
        )
        is_new = bool(harvested.files or harvested.records)
    else:
        asked = search.dated(query, since, until)
        listed = search.save_search(client, asked, folder, page=PAGE, api=service.api)
        is_new = bool(listed.files)
    requests = client.requests - before
    return (ingest(kind, folder, corpus).read if is_new else 0), requests


@dataclass(frozen=True, slots=True)
class FetchReport:
    """Counts of a fetch of texts."""

    lacking: int
    """Number of papers with an id but without a text before the fetch."""
    asked: int
    """Number of papers for which a server was asked."""
    files: Mapping[str, int]
    """Number of files fetched, by kind."""
    size: int
    """Size of these files in bytes."""
    texts: int
    """Number of papers that gained a text."""
    without: int
    """Number of papers whose text is not available; they are not asked for again."""
    waiting: int
    """Number of papers with a fetched file that no source of this version can read."""
    failed: tuple[Fault, ...]
    """Papers to ask for again by running the same command later."""
    unread: tuple[Fault, ...]
    """Files that gave no text."""
    again: int
    """Number of texts asked for again because the server did not have them earlier."""
    left: int
    """Number of papers not asked for, because of the limit or because the fetch stopped."""
    stopped: str | None
    """Reason why the fetch ended early; None if it was not cut short."""
    index: Path


def fetch_texts(
    corpus: Path,
    client: Client,
    *,
    kinds: Sequence[str] = KINDS,
    limit: int | None = None,
    again: int = 0,
    addresses: Addresses | None = None,
    progress: Progress | None = None,
) -> FetchReport:
    """Fetch a text for each paper that has an id but no sections, and read it into the corpus.

    A killed fetch loses at most the file being fetched. The next fetch skips texts already present
    or known to be missing, and ends with the same bytes.

    Args:
        corpus: The corpus folder; files go into its folder `downloads`.
        client: A client that is allowed to reach the hosts of the addresses.
        kinds: Kinds from `ALL_KINDS` to ask for, in order. `pdf` includes the Anthology's PDF.
        limit: Maximum number of papers to ask for.
        again: Number of later fetches that may retry a text which the server did not have.
        addresses: Addresses of the texts; by default those of arXiv and the Anthology.
        progress: Called with (papers done, all papers).

    Raises:
        InputError: The folder holds no corpus, or a kind does not exist.
        LockedError: Another process fetches for this corpus, or has locked it.
    """
    unknown = [kind for kind in kinds if kind not in ALL_KINDS]
    if unknown or not kinds:
        named = ", ".join(unknown) or "nothing"
        raise InputError(f"No kind of text is called {named}. There are: {', '.join(ALL_KINDS)}.")
    key = ("paper", "kind", "name")
    with open_downloads(corpus, INDEX, key, limit, "papers") as index:
        ordered = tuple(dict.fromkeys(kinds))
        fetch = _Fetch(index, corpus, client, ordered, again, addresses or Addresses())
        return fetch.run(limit, progress)


@dataclass(slots=True)
class _Fetch:
    """One run of a fetch."""

    index: Index
    _corpus: Path
    _client: Client
    _kinds: tuple[str, ...]
    _again: int
    _addresses: Addresses
    _asked_texts: set[tuple[str, str, str]] = field(default_factory=set)
    """Texts asked for, as (paper, kind, name)."""
    _asked_again: int = 0
    _files: Counter[str] = field(default_factory=Counter)
    _asked: dict[str, None] = field(default_factory=dict)
    _size: int = 0
    _unread: list[Fault] = field(default_factory=list)
    _stopped: str | None = None
    _faults: dict[str | None, list[Row]] = field(default_factory=dict)
    """Consecutive failures and refusals per host since its last good response, as rows."""

    def run(self, limit: int | None, progress: Progress | None) -> FetchReport:
        self._judge(finish_reading(self._corpus))
        lacking = self._lacking()
        todo = [paper for paper in lacking if self._next(paper)]
        # Papers that failed before come last, so that a few that always fail do not block others.
        todo.sort(key=lambda paper: FAILED in self._outcomes(paper))
        todo = todo if limit is None else todo[:limit]
        while True:
            for done, paper in enumerate(todo, start=1):
                self._asked[paper.paper_id] = None
                self._ask(paper)
                if progress:
                    progress(done, len(todo))
                if self._stopped is not None:
                    break
            # This also reads files that an earlier run fetched before it was killed.
            todo = [paper for paper in self._read() if self._next(paper)]
            if not todo or self._stopped is not None:
                return self._report(lacking)

    def _lacking(self) -> list[Paper]:
        papers = load_corpus(self._corpus).papers
        return [p for p in papers if "no_text" in p.gates and (p.arxiv_id or p.acl_id)]

    def _asked_before(self, paper: Paper) -> list[tuple[WantedText, Row | None]]:
        """The texts wanted for a paper, in order, each with its row in the index."""
        wanted = texts_wanted(
            paper.arxiv_id, paper.version, paper.acl_id, self._kinds, self._addresses
        )
        return [(text, self.index.get(paper.paper_id, text.kind, text.name)) for text in wanted]

    def _next(self, paper: Paper) -> list[WantedText]:
        """The texts of a paper still to be asked for, in order."""
        rows = self._asked_before(paper)
        if WITHDRAWN in self._outcomes(paper):
            return []
        if any(row and row["outcome"] == GOT and is_sound(self._corpus, row) for _, row in rows):
            return []  # the file waits for a source that can read it
        return [
            wanted
            for wanted, row in rows
            if row is None or row["outcome"] in _AGAIN or self._may_have_come(row)
        ]

    def _may_have_come(self, row: Row) -> bool:
        """Check whether to ask once more for a text that a server did not have."""
        is_new = (row["paper"], row["kind"], row["name"]) not in self._asked_texts
        is_missing = row["outcome"] == MISSING and row["status"] == HTTPStatus.NOT_FOUND
        return is_new and is_missing and row.get("again", 0) < self._again

    def _outcomes(self, paper: Paper) -> list[str]:
        return [row["outcome"] for _, row in self._asked_before(paper) if row]

    def _ask(self, paper: Paper) -> None:
        for wanted in self._next(paper):
            before = self.index.get(paper.paper_id, wanted.kind, wanted.name)
            result = fetch_text(self._client, wanted)
            row = self._row(paper, wanted, result)
            if before and before["outcome"] == MISSING:
                self._asked_again += 1
                row["again"] = before.get("again", 0) + 1
            self._asked_texts.add((paper.paper_id, wanted.kind, wanted.name))
            self.index.note([row])
            self._watch(wanted, result, row)
            if isinstance(result, Text) or result.outcome == WITHDRAWN or self._stopped is not None:
                return

    def _watch(self, wanted: WantedText, outcome: Text | Missing, row: Row) -> None:
        """Stop if a host asks for a pause or `MAX_IN_A_ROW` consecutive texts from it fail."""
        host = urlsplit(wanted.url).hostname
        if isinstance(outcome, Text) or outcome.outcome not in (FAILED, REFUSED):
            self._faults.pop(host, None)
            return
        faults = self._faults.setdefault(host, [])
        faults.append(row)
        if outcome.is_busy:
            self._stopped = f"The server asks for a pause. {outcome.reason}"
        elif len(faults) >= MAX_IN_A_ROW:
            # A host that refuses everything says nothing about these papers: ask for them again.
            self.index.note({**fault, "outcome": FAILED} for fault in faults)
            self._stopped = (
                f"{host} failed or refused {MAX_IN_A_ROW} texts in a row, the last with: "
                f"{outcome.reason}"
            )

    def _row(self, paper: Paper, wanted: WantedText, outcome: Text | Missing) -> Row:
        row: Row = {
            "paper": paper.paper_id,
            "kind": wanted.kind,
            "name": wanted.name,
            "licence": paper.licence,
        }
        if isinstance(outcome, Missing):
            failure = {"reason": outcome.reason, "status": outcome.status, "url": wanted.url}
            return {**row, "outcome": outcome.outcome, **failure}
        name = wanted.name.replace("/", "")
        if outcome.version and not name.endswith(outcome.version):
            name += outcome.version
        file = f"{DOWNLOADS}/{outcome.valid.source}/{name}{outcome.valid.suffix}"
        write_bytes(self._corpus / file, outcome.content)
        self._files[wanted.kind] += 1
        self._size += len(outcome.content)
        return {
            **row,
            "outcome": GOT,
            "url": outcome.url,
            "file": file,
            "sha256": hashlib.sha256(outcome.content).hexdigest(),
            "bytes": len(outcome.content),
            "source": outcome.valid.source,
            "stated_licence": outcome.valid.licence,
            "version": outcome.version,
        }

    def _waiting(self, papers: Iterable[Paper]) -> list[tuple[Paper, Row]]:
        """Fetched files that were not read, each with its paper, for papers without a text."""
        fetched: dict[str, list[Row]] = {}
        for row in self.index.rows():
            if row["outcome"] == GOT:
                fetched.setdefault(row["paper"], []).append(row)
        pairs = ((paper, row) for paper in papers for row in fetched.get(paper.paper_id, ()))
        return [(paper, row) for paper, row in pairs if is_sound(self._corpus, row)]

    def _read(self) -> list[Paper]:
        """Read waiting files into the corpus; return the papers that still have no text."""
        names: dict[str, list[str]] = {}
        for _, row in self._waiting(self._lacking()):
            names.setdefault(row["source"], []).append(row["file"])
        if not names:
            return []
        ordered = {source: sorted(set(names[source])) for source in sorted(names)}
        return self._judge(read_downloads(self._corpus, ordered))

    def _judge(self, reading: Reading) -> list[Paper]:
        """Record the files that gave no text when read; return their papers."""
        reasons = {fault.where: fault.reason for fault in reading.faults}
        self._unread += [fault for fault in reading.faults if fault.where in SOURCES]
        if not reading.files:
            return []
        waiting = self._waiting(self._lacking())
        empty = [(paper, row) for paper, row in waiting if row["file"] in reading.files]
        for _, row in empty:
            name = Path(row["file"]).name
            self._unread.append(Fault(name, reasons.get(name, "it gave no sections")))
            self.index.note([{**row, "outcome": UNREADABLE, "reason": self._unread[-1].reason}])
        return [paper for paper, _ in empty]

    def _report(self, before: Sequence[Paper]) -> FetchReport:
        lacking = self._lacking()
        still = {paper.paper_id for paper in lacking}
        waiting = {paper.paper_id for paper, _ in self._waiting(lacking)}
        open_papers = [paper for paper in lacking if self._next(paper)]
        failed = [paper for paper in open_papers if paper.paper_id in self._asked]
        return FetchReport(
            lacking=len(before),
            asked=len(self._asked),
            files=dict(sorted(self._files.items())),
            size=self._size,
            texts=sum(1 for paper in before if paper.paper_id not in still),
            without=len(lacking) - len(open_papers) - len(waiting),
            waiting=len(waiting),
            failed=tuple(Fault(paper.paper_id, self._last_reason(paper)) for paper in failed),
            unread=tuple(self._unread),
            again=self._asked_again,
            left=len(open_papers) - len(failed),
            stopped=self._stopped,
            index=self.index.path,
        )

    def _last_reason(self, paper: Paper) -> str:
        rows = [row for _, row in self._asked_before(paper) if row and row["outcome"] in _AGAIN]
        return next((str(row["reason"]) for row in rows if "reason" in row), "not reached")
