"""Papers out of arXiv's query API, page by page or by id; all that were asked for, or an error.

The pages are saved as files that `viva ingest arxiv` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlencode

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources.catalogues.arxiv import Feed, ReportedError, read_feed
from vivavoce.sources.http.client import BadReplyError, BadStatusError, ChangedError, Client
from vivavoce.store import Row, hash_file, hash_of, read_json, write_bytes, write_json
from vivavoce.text.identifiers import find_arxiv_id

API = "https://export.arxiv.org/api/query"
HOSTS = frozenset({"export.arxiv.org"})
LARGEST_PAGE = 2000
MAX_RESULTS = 30_000
"""Results of one query that the API gives out."""
_FIRST_DAY, _LAST_DAY = "199101010000", "210001010000"
_AGAIN = "Search again, and the pages come from one state of arXiv."

_OVERLAP = 10
"""Every page begins with a tenth of the one before it, so that what moved between them is seen."""
_SWEEPS = 3
"""Times that a listing is gone through in search of results that moved."""


class Pages:
    """Saved pages of a search that was cut short; this one keeps none."""

    def get(self, url: str) -> bytes | None:
        """The body that the next request was answered with; None where it has to be asked for."""

    def keep(self, url: str, feed: Feed, body: bytes) -> None:
        """Save the answer of a request."""


def dated(query: str, since: date | None, until: date | None) -> str:
    """A query for papers submitted from a day on, up to another one that is not included.

    Raises:
        InputError: The days are in the wrong order.
    """
    if since is None and until is None:
        return query
    if since and until and since >= until:
        raise InputError(f"Nothing lies between {since} and {until}.")
    first = f"{since:%Y%m%d}0000" if since else _FIRST_DAY
    last = f"{until - timedelta(days=1):%Y%m%d}2359" if until else _LAST_DAY
    return f"({query}) AND submittedDate:[{first} TO {last}]"


def search(
    client: Client,
    query: str,
    *,
    limit: int | None = None,
    page: int = 100,
    sort: str = "relevance",
    order: str = "descending",
    api: str = API,
    pages: Pages | None = None,
) -> Iterator[Document | Fault]:
    """Every result of a query once, or the first `limit` of them, in the API's order.

    Pages overlap and are compared by id: results that move between two pages while papers arrive
    or go are neither lost nor doubled. What arrives meanwhile comes last.

    Raises:
        InputError: More results than the API gives out and no limit, or a page size beyond its.
        HttpError: A page could not be had whole; the error carries its offset.
    """
    if not 1 <= page <= LARGEST_PAGE:
        raise InputError(f"pages of {page} results: choose 1 to {LARGEST_PAGE}.")
    if limit is not None and not 0 <= limit <= MAX_RESULTS:
        raise InputError(f"a limit of {limit} results: choose 0 to {MAX_RESULTS}.")
    if limit == 0:
        return iter(())
    asked = {"search_query": query, "id_list": "", "sortBy": sort, "sortOrder": order}
    return _Listing(client, f"{api}?{urlencode(asked)}", limit, page, pages or Pages()).run(query)


class _Listing:
    """A search on its way through its pages."""

    def __init__(
        self, client: Client, url: str, limit: int | None, page: int, pages: Pages
    ) -> None:
        self._client = client
        self._url = url
        self._limit = limit
        self._page = page
        self._pages = pages
        self._overlap = -(-page // _OVERLAP) if page > 1 else 0
        self._seen: set[str] = set()
        self._total = 0

    def run(self, query: str) -> Iterator[Document | Fault]:
        for sweep in range(_SWEEPS):
            before = len(self._seen), self._total
            yield from self._sweep(query, is_first=not sweep)
            # A second sweep that finds nothing new has seen all there is.
            if self._is_complete() or before == (len(self._seen), self._total):
                return
        what = f"{len(self._seen)} of {self._total} results were there, however often it was asked"
        raise ChangedError(what, self._url, _AGAIN, 0)

    def _is_complete(self) -> bool:
        return len(self._seen) >= self._goal()

    def _is_enough(self, *, is_first: bool) -> bool:
        """The first sweep goes to the end, since what was seen may be gone and not be counted."""
        if is_first:
            return len(self._seen) == self._limit
        return self._is_complete()

    def _goal(self) -> int:
        return self._total if self._limit is None else min(self._total, self._limit)

    def _end(self) -> int:
        return min(self._total, MAX_RESULTS)

    def _sweep(self, query: str, *, is_first: bool) -> Iterator[Document | Fault]:
        """Every page from the first on; what was seen before is not given again."""
        start = steps_back = 0
        while start == 0 or (start < self._end() and not self._is_enough(is_first=is_first)):
            feed = self._fetch(start, self._size(start, is_first=is_first))
            self._total = feed.total
            if is_first and start == 0:
                _check_depth(feed.total, self._limit, query)
            if start and self._overlap and not self._is_joined(feed):
                # What moved up by more than the overlap is on the pages before this one.
                steps_back += 1
                if steps_back > _SWEEPS:
                    what = f"no result of the page before is on the page from offset {start}"
                    raise ChangedError(what, self._url, _AGAIN, start)
                start = max(0, start - self._page)
                continue
            yield from self._fresh(feed, start)
            start += len(feed.entries)
            if start >= self._end():
                return
            start -= self._overlap

    def _size(self, start: int, *, is_first: bool) -> int:
        """Results to ask for at once: not more than are left to the limit, and the overlap."""
        if self._limit is None or not is_first:
            return min(self._page, MAX_RESULTS - start)
        left = self._limit - len(self._seen) + (self._overlap if start else 0)
        return min(self._page, left, MAX_RESULTS - start)

    def _fetch(self, start: int, size: int) -> Feed:
        url = f"{self._url}&{urlencode({'start': start, 'max_results': size})}"
        saved = self._pages.get(url)
        if saved is not None:
            return _checked(saved, start, size)
        feed, body = _page(self._client, url, start, size)
        self._pages.keep(url, feed, body)
        return feed

    def _is_joined(self, feed: Feed) -> bool:
        return any(_name_of(entry) in self._seen for entry in feed.entries)

    def _fresh(self, feed: Feed, start: int) -> Iterator[Document | Fault]:
        for entry in feed.entries:
            if _name_of(entry) in self._seen or len(self._seen) == self._limit:
                continue
            self._seen.add(_name_of(entry))
            yield entry
        if feed.replaced:
            reason = f"characters that are no text, now U+FFFD: {feed.replaced}"
            yield Fault(f"offset {start}", reason)


def _name_of(entry: Document | Fault) -> str:
    return entry.key if isinstance(entry, Document) else entry.reason


def by_ids(
    client: Client, ids: Sequence[str], *, page: int = 100, api: str = API
) -> Iterator[Document | Fault]:
    """The papers of arXiv ids, in batches; a fault for each id that arXiv does not know.

    An id with a version asks for that version, one without for the latest. `InputError` for an
    invalid arXiv id, before anything is asked.
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
    """A page that holds all it should; a page that does not is asked for again by the client.

    So is a first page without any result, once, before it is believed.
    """

    def check(body: bytes) -> Feed:
        return _checked(body, start, size)

    try:
        body = client.get(url, check=check, offset=start)
        if start == 0 and not check(body).total:
            body = client.get(url, check=check, offset=start)
        return check(body), body
    except BadStatusError as error:
        said = _words(error.body)
        if said is None:
            raise
        raise BadReplyError(said, url, "Check the query and the ids.", start) from error


def _checked(body: bytes, start: int, size: int) -> Feed:
    """The feed of a page; `InputError` when it is not the one asked for, or not whole."""
    feed = read_feed(body)
    if feed.start != start:
        raise InputError(f"it starts at result {feed.start} instead of {start}")
    due = min(size, max(0, feed.total - start))
    if len(feed.entries) != due:
        raise InputError(
            f"it holds {len(feed.entries)} of the {due} results due, of {feed.total} in all"
        )
    return feed


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

    The same query writes the same names again, and pages of an earlier, longer answer go. One
    that was cut short goes on at its offset. Errors are those of `search`; the pages before the
    one that failed stay.
    """
    name = hash_of([query, sort, order])[:12]
    pages = _SavedPages(folder, name)
    found = search(
        client, query, limit=limit, page=page, sort=sort, order=order, api=api, pages=pages
    )
    papers = sum(isinstance(entry, Document) for entry in found)
    pages.finish()
    return SavedSearch(folder, pages.files, papers, pages.total)


class _SavedPages(Pages):
    """Pages in files; until the search is done, `NAME.unfinished.json` lists those that came."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._state = folder / f"{name}.unfinished.json"
        self._before: list[Row] = read_json(self._state) if self._state.exists() else []
        self._came: list[Row] = []
        self.total = 0

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files, in the order of the requests."""
        return tuple(row["file"] for row in self._came)

    def get(self, url: str) -> bytes | None:
        row = next(iter(self._before), None)
        path = self._folder / str(row["file"]) if row and row["url"] == url else None
        if row is None or path is None or not path.exists() or hash_file(path) != row["sha256"]:
            self._before = []  # nothing after another answer can be told to fit it
            return None
        self._before = self._before[1:]
        self._came.append(row)
        body = path.read_bytes()
        self.total = read_feed(body).total
        return body

    def keep(self, url: str, feed: Feed, body: bytes) -> None:
        self.total = feed.total
        if feed.entries:
            file = f"{self._name}-{len(self._came):05d}.atom.xml"
            write_bytes(self._folder / file, body)
            digest = hash_file(self._folder / file)
            self._came.append({"url": url, "file": file, "sha256": digest})
            write_json(self._state, self._came)

    def finish(self) -> None:
        """Remove pages of earlier answers, and the list of those that came."""
        for path in sorted(self._folder.glob(f"{self._name}-*.atom.xml")):
            if path.name not in self.files:
                path.unlink()
        self._state.unlink(missing_ok=True)
