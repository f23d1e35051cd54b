"""Results of a search saved page by page, as files that `viva ingest arxiv` reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vivavoce.records import Document
from vivavoce.sources.catalogues.arxiv.feed import Feed
from vivavoce.sources.catalogues.arxiv.search import API, search
from vivavoce.sources.http.client import Client
from vivavoce.store import hash_of, write_bytes


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """What a search left in a folder."""

    folder: Path
    files: tuple[str, ...]
    """By name, in the order of the results."""
    papers: int
    total: int
    """Results of the whole query."""


def save_search(
    client: Client,
    query: str,
    folder: Path,
    *,
    limit: int | None = None,
    page: int = 100,
    sort: str = "relevance",
    order: str = "descending",
    api: str = API,
) -> SavedSearch:
    """Save the feed of every page of a search, or of its first `limit` results.

    The same query writes the same names again, and pages of an earlier, longer answer go.
    Errors are those of `search`; the pages before the one that failed stay.
    """
    name = hash_of([query, sort, order])[:12]
    files: list[str] = []
    totals = [0]

    def keep(feed: Feed, body: bytes) -> None:
        totals.append(feed.total)
        if feed.entries:
            files.append(f"{name}-{feed.start:05d}.atom.xml")
            write_bytes(folder / files[-1], body)

    found = search(
        client,
        query,
        limit=limit,
        page=page,
        sort=sort,
        order=order,
        fresh=True,
        api=api,
        on_page=keep,
    )
    papers = sum(isinstance(entry, Document) for entry in found)
    for path in sorted(folder.glob(f"{name}-*.atom.xml")):
        if path.name not in files:
            path.unlink()
    return SavedSearch(folder, tuple(files), papers, totals[-1])
