"""New papers brought into a corpus before a round is updated, and the requests that it took.

A listing by date is asked for, so the requests depend on new papers and not on the number of known
authors. The answers are saved in the corpus' folder `downloads/updates`, one folder an update, and
ingested from there.
"""

from __future__ import annotations

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
"""Later updates that ask again for a text that was not there on the day of its paper."""
PAGE = 1_000
"""Results of the query API in one request."""
_UPDATES = "updates"


@dataclass(slots=True)
class Service:
    """Servers to ask."""

    client: Client
    base: str | None = None
    """A server on the loopback interface that stands for all of them."""

    @property
    def api(self) -> str:
        """The address of the query API."""
        return f"{self.base}/api/query" if self.base else search.API

    @property
    def addresses(self) -> Addresses | None:
        """The addresses of texts, where they are not the usual ones."""
        return Addresses.at(self.base) if self.base else None


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Counts of papers and texts that came into a corpus."""

    listing: int
    """Requests that listed papers."""
    texts: int
    """Requests for their texts."""
    listed: int
    """Records that came; some of them may have been there."""
    papers_before: int
    papers: int
    again: int
    """Texts asked for again that a server did not have at an update before."""
    failed: tuple[str, ...]
    """Records and texts that did not go in, and why."""


def open_service(base: str | None = None, contact: str | None = None, tries: int = 5) -> Service:
    """A client for arXiv's services that counts requests.

    Args:
        base: A loopback server to ask instead.
        contact: An address that the servers can write to.
        tries: How often one request is sent before it counts as failed.
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
    """Bring what is new from a day on into a corpus, and its networks up to date.

    Args:
        corpus: The corpus folder.
        since: The first day that is asked for.
        until: The first day that is not.
        oai: A set of arXiv's OAI-PMH repository, such as `cs`: records changed in that time.
        arxiv: A query of arXiv's API, such as `cat:cs.CL`: papers submitted in that time.
        metadata: A newer file or folder of metadata.
        texts: Also fetch a text for each paper of the corpus that has an id and none.
        service: Whom to ask; arXiv by default.

    Raises:
        VivaError: A server put an end to the fetch of texts; what came is kept.
        InputError: More than one origin is given, or the days are in the wrong order.
        HttpError: A listing could not be had whole; ask again.
        LockedError: Another process holds the corpus.
    """
    if sum(origin is not None for origin in (oai, arxiv, metadata)) > 1:
        raise InputError("Papers come from one place: a set, a query or a file.")
    if (oai is not None or arxiv is not None) and since > until:
        raise InputError(f"Nothing lies between {since} and {until}.")
    if since == until:
        oai = arxiv = None  # that day is done
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
    """The number of papers of a corpus; 0 where nothing has come yet or an ingest was cut short."""
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
        found = harvest.harvest(
            service.client, folder, base=base, set=oai or None, start=since, until=last
        )
        return ingest("oai", folder, corpus) if found.files or found.records else None
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
