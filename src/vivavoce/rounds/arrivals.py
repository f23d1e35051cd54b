"""Arrivals: new papers listed by date and ingested before a round is updated.

The number of requests depends on new papers, not on known authors. Responses are saved in the
corpus's folder `downloads/updates`, in one folder per update, and ingested from there.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from vivavoce.corpus import ingest
from vivavoce.corpus.ingestion import lookup
from vivavoce.corpus.ingestion.downloads import DOWNLOADS
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
    hosts = harvest.HOSTS | lookup.HOSTS | TEXT_HOSTS
    client = polite_client(hosts, base, contact, tries)
    return Service(client, base.rstrip("/") if base else None)


def list_papers(
    corpus: Path,
    kind: Literal["arxiv", "oai"],
    query: str,
    since: date,
    until: date,
    service: Service,
) -> tuple[int, int]:
    """Ingest the papers that a service lists for a range of days.

    `arxiv` lists papers submitted from `since` until before `until`, for a query of arXiv's API
    such as `cat:cs.CL`. `oai` lists records changed on these days, for a set such as `cs`.

    Returns:
        The number of records, including known papers, and the number of requests.

    Raises:
        HttpError: The listing is incomplete; try again.
        LockedError: Another process has locked the corpus.
    """
    client, last = service.client, until - timedelta(days=1)
    folder = corpus / DOWNLOADS / _UPDATES / f"{since}-{last}-{kind}"
    before = client.requests
    if kind == "oai":
        repository = service.repository
        harvested = harvest.harvest(
            client, folder, base=repository, set=query or None, start=since, until=last
        )
        is_new = bool(harvested.files or harvested.records)
    else:
        asked = dated(query, since, until)
        is_new = bool(save_search(client, asked, folder, page=PAGE, api=service.api).files)
    requests = client.requests - before
    return (ingest(kind, folder, corpus).read if is_new else 0), requests
