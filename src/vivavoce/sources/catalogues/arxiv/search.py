"""Papers out of arXiv's query API, page by page or by id; all that were asked for, or an error.

The pages are saved as files that `viva ingest arxiv` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources.catalogues.arxiv import Feed, ReportedError, read_feed
from vivavoce.sources.http.client import BadReplyError, BadStatusError, ChangedError, Client
from vivavoce.store import hash_of, write_bytes
from vivavoce.text.identifiers import find_arxiv_id

API = "https://export.arxiv.org/api/query"
HOSTS = frozenset({"export.arxiv.org"})
LARGEST_PAGE = 2000
MAX_RESULTS = 30_000
"""Results of one query that the API gives out."""
_AGAIN = "Search again, and the pages come from one state of arXiv."

OnPage = Callable[[Feed, bytes], None]
"""Called with each page and its bytes, once it fits those before it."""


def search(
    client: Client,
    query: str,
    *,
    limit: int | None = None,
    page: int = 100,
    sort: str = "relevance",
    order: str = "descending",
    api: str = API,
    on_page: OnPage | None = None,
) -> Iterator[Document | Fault]:
    """Every result of a query, or the first `limit` of them, in the API's order.

    Raises:
        InputError: More results than the API gives out and no limit, or a page size beyond its.
        HttpError: A page could not be had whole; the error carries its offset.
    """
    if not 1 <= page <= LARGEST_PAGE:
        raise InputError(f"pages of {page} results: choose 1 to {LARGEST_PAGE}.")
    if limit is not None and not 0 <= limit <= MAX_RESULTS:
        raise InputError(f"a limit of {limit} results: choose 0 to {MAX_RESULTS}.")
    base = {"search_query": query, "id_list": "", "sortBy": sort, "sortOrder": order}
    total: int | None = None
    seen: dict[str, int] = {}
    start = 0
    while total is None or start < min(total, limit if limit is not None else total):
        size = page if limit is None else min(page, limit - start)
        if size == 0:
            return
        url = f"{api}?{urlencode({**base, 'start': start, 'max_results': size})}"
        feed, body = _page(client, url, start, size)
        if total is None:
            total = feed.total
            _check_depth(total, limit, query)
        elif feed.total != total:
            what = f"the query has {feed.total} results, and had {total} on its first page"
            raise ChangedError(what, url, _AGAIN, start)
        _check_repeats(feed, seen, url)
        if on_page:
            on_page(feed, body)
        yield from feed.entries
        if feed.replaced:
            yield Fault(
                f"offset {start}", f"characters that are no text, now U+FFFD: {feed.replaced}"
            )
        start += size


def by_ids(
    client: Client, ids: Sequence[str], *, page: int = 100, api: str = API
) -> Iterator[Document | Fault]:
    """The papers of arXiv ids, in batches; a fault for each id that arXiv does not know.

    An id with a version asks for that version, one without for the latest. `InputError` for what
    is no arXiv id, before anything is asked.
    """
    if not 1 <= page <= LARGEST_PAGE:
        raise InputError(f"batches of {page} ids: choose 1 to {LARGEST_PAGE}.")
    wanted = {_spell(name): None for name in ids}
    names = list(wanted)
    for start in range(0, len(names), page):
        batch = names[start : start + page]
        # The API gives 10 results unless told otherwise, for a list of ids as well.
        asked = {"search_query": "", "id_list": ",".join(batch), "start": 0}
        url = f"{api}?{urlencode({**asked, 'max_results': len(batch)})}"
        feed, _ = _page(client, url, 0, len(batch))
        yield from feed.entries
        if feed.replaced:
            yield Fault(
                f"ids from {batch[0]} on",
                f"characters that are no text, now U+FFFD: {feed.replaced}",
            )
        there = {e.arxiv_id for e in feed.entries if isinstance(e, Document)}
        for name in batch:
            found = find_arxiv_id(name)
            if found is not None and found[0] not in there:
                yield Fault(name, "arXiv has no paper of this id")


def _page(client: Client, url: str, start: int, size: int) -> tuple[Feed, bytes]:
    """A page that holds all it should; a page that does not is asked for again by the client."""

    def check(body: bytes) -> Feed:
        feed = read_feed(body)
        if feed.start != start:
            raise InputError(f"it starts at result {feed.start} instead of {start}")
        due = min(size, max(0, feed.total - start))
        if len(feed.entries) != due:
            raise InputError(
                f"it holds {len(feed.entries)} of the {due} results due, of {feed.total} in all"
            )
        return feed

    try:
        body = client.get(url, check=check, offset=start)
        return check(body), body
    except BadStatusError as error:
        said = _words(error.body)
        if said is None:
            raise
        raise BadReplyError(said, url, "Check the query and the ids.", start) from error


def _words(body: bytes) -> str | None:
    """Message of a feed that comes with an error status; None when it is no such feed."""
    try:
        read_feed(body)
    except ReportedError as error:
        return str(error)
    except InputError:
        return None
    return None


def _check_depth(total: int, limit: int | None, query: str) -> None:
    if limit is None and total > MAX_RESULTS:
        raise InputError(
            f"The query {query!r} has {total} results, and arXiv gives out {MAX_RESULTS} of a "
            "query. Narrow it, for instance by submittedDate, or set a limit."
        )


def _check_repeats(feed: Feed, seen: dict[str, int], url: str) -> None:
    """A paper that comes twice means that another one was pushed over the edge of a page."""
    for entry in feed.entries:
        if not isinstance(entry, Document):
            continue
        if entry.key in seen:
            what = f"{entry.key} comes again after the page from offset {seen[entry.key]}"
            raise ChangedError(what, url, _AGAIN, feed.start)
        seen[entry.key] = feed.start


def _spell(name: str) -> str:
    found = find_arxiv_id(name)
    if found is None:
        raise InputError(f"{name[:80]!r} is not an arXiv id such as 1410.5401v2.")
    return f"{found[0]}{found[1] or ''}"


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """Files of a search in a folder, and counts."""

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
        api=api,
        on_page=keep,
    )
    papers = sum(isinstance(entry, Document) for entry in found)
    for path in sorted(folder.glob(f"{name}-*.atom.xml")):
        if path.name not in files:
            path.unlink()
    return SavedSearch(folder, tuple(files), papers, totals[-1])
