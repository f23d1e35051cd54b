"""Arrivals: new papers fetched into a corpus before a round is updated.

Papers are listed by date, so the number of requests depends on new papers, not on known authors.
Responses are saved in the corpus's folder `downloads/updates`, in one folder per update, and
ingested from there.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from vivavoce.corpus import IngestReport, ingest, load_corpus
from vivavoce.corpus.ingestion.downloads import DOWNLOADS
from vivavoce.corpus.ingestion.fetching import fetch_texts
from vivavoce.errors import InputError, StaleError, VivaError
from vivavoce.networks.stored import build_networks
from vivavoce.networks.tables import FOLDER as NETWORKS
from vivavoce.sources.catalogues.arxiv import search
from vivavoce.sources.catalogues.arxiv.search import dated, save_search
from vivavoce.sources.catalogues.arxiv.texts import HOSTS as TEXT_HOSTS
from vivavoce.sources.catalogues.arxiv.texts import Addresses
from vivavoce.sources.catalogues.oai import harvest
from vivavoce.sources.http import polite_client
from vivavoce.sources.http.client import Client

AGAIN = 3
"""Number of later updates that retry a text if it was not available with its paper."""
PAGE = 1_000
"""Number of results per request to the query API."""
_UPDATES = "updates"


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
    def addresses(self) -> Addresses | None:
        """Addresses of texts; None for the usual addresses."""
        return Addresses.at(self.base) if self.base else None


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Counts of papers and texts added to a corpus."""

    listing: int
    """Number of requests that listed papers."""
    texts: int
    """Number of requests for texts."""
    listed: int
    """Number of records listed, including known papers."""
    papers_before: int
    papers: int
    again: int
    """Number of texts retried because a server lacked them at an earlier update."""
    failed: tuple[str, ...]
    """Records and texts that were not ingested, each with the reason."""


def open_service(base: str | None = None, contact: str | None = None, tries: int = 5) -> Service:
    """Open a client for arXiv's services that counts requests.

    `base` is a loopback server to use instead. `contact` is an email address for the servers'
    operators. A request counts as failed after `tries` attempts.
    """
    hosts = harvest.HOSTS | search.HOSTS | TEXT_HOSTS
    client = polite_client(hosts, base, contact, tries)
    return Service(client, base.rstrip("/") if base else None)


def bring_papers(
    corpus: Path,
    since: date,
    until: date,
    *,
    oai: str | None = None,
    arxiv: str | None = None,
    metadata: Path | None = None,
    texts: bool = False,
    service: Service | None = None,
) -> Arrivals:
    """Fetch the papers from a range of days into a corpus, and update the corpus's networks.

    Args:
        corpus: The corpus folder.
        since: The first day, inclusive.
        until: The last day, exclusive.
        oai: Set of arXiv's OAI-PMH repository, such as `cs`, for records changed on these days.
        arxiv: Query of arXiv's API, such as `cat:cs.CL`, for papers submitted on these days.
        metadata: A newer file or folder of metadata.
        texts: Also fetch the text of each paper that has an arXiv id but no text.
        service: Servers to use; arXiv's by default.

    Raises:
        VivaError: The fetch of texts stopped early; texts received so far are kept.
        InputError: More than one source is given, or the days are in the wrong order.
        HttpError: A listing is incomplete; try again.
        LockedError: Another process has locked the corpus.
    """
    if sum(origin is not None for origin in (oai, arxiv, metadata)) > 1:
        raise InputError("Give only one source of papers: a set, a query or a file.")
    if (oai is not None or arxiv is not None) and since > until:
        raise InputError(f"The first day, {since}, is after the end, {until}.")
    if since == until:
        oai = arxiv = None  # there is no day to list
    service = service or open_service()
    before = _papers_of(corpus)
    so_far = service.client.requests
    came = _ingest(corpus, since, until, oai, arxiv, metadata, service)
    listing = service.client.requests - so_far
    got = None
    if texts:
        got = fetch_texts(corpus, service.client, again=AGAIN, addresses=service.addresses)
    asked = service.client.requests - so_far - listing
    if got and got.stopped:
        raise VivaError(
            f"The fetch of texts stopped before its end, so no round was made. {got.stopped} What "
            "came is kept: run the same command again later."
        )
    faults = [*(came.failed if came else ()), *((*got.failed, *got.unread) if got else ())]
    if (corpus / NETWORKS).is_dir():
        build_networks(load_corpus(corpus))
    return Arrivals(
        listing=listing,
        texts=asked,
        listed=came.read if came else 0,
        papers_before=before,
        papers=_papers_of(corpus),
        again=got.again if got else 0,
        failed=tuple(f"{fault.where}: {fault.reason}" for fault in faults),
    )


def _papers_of(corpus: Path) -> int:
    """Number of papers in a corpus; 0 if it is empty or an ingest was interrupted."""
    try:
        return len(load_corpus(corpus).papers)
    except (InputError, StaleError):
        return 0


def _ingest(
    corpus: Path,
    since: date,
    until: date,
    oai: str | None,
    arxiv: str | None,
    metadata: Path | None,
    service: Service,
) -> IngestReport | None:
    last = until - timedelta(days=1)
    folder = corpus / DOWNLOADS / _UPDATES / f"{since}-{last}"
    if metadata is not None:
        return ingest("metadata", metadata, corpus)
    if oai is not None:
        folder = folder.with_name(f"{folder.name}-oai")
        base = f"{service.base}/oai" if service.base else harvest.BASE
        harvested = harvest.harvest(
            service.client, folder, base=base, set=oai or None, start=since, until=last
        )
        return ingest("oai", folder, corpus) if harvested.files or harvested.records else None
    if arxiv is not None:
        folder = folder.with_name(f"{folder.name}-arxiv")
        saved = save_search(
            service.client,
            dated(arxiv, since, until),
            folder,
            page=PAGE,
            api=service.api,
        )
        return ingest("arxiv", folder, corpus) if saved.files else None
    return None
