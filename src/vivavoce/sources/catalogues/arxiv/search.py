"""Papers from arXiv's query API, by query or by id: either all that were asked for, or an error.

Results are requested in order of submission: new papers come last, so no paper moves from one
page to another. The pages are saved as files that `viva ingest arxiv` reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlencode

from vivavoce.errors import InputError
from vivavoce.records import Document
from vivavoce.sources.catalogues.arxiv import Feed, ReportedError, read_feed
from vivavoce.sources.http.client import BadReplyError, BadStatusError, Client
from vivavoce.store import Row, hash_file, hash_of, read_json, write_bytes, write_json
from vivavoce.text.dates import period
from vivavoce.text.identifiers import find_arxiv_id

API = "https://export.arxiv.org/api/query"
HOSTS = frozenset({"export.arxiv.org"})
LARGEST_PAGE = 2000
MAX_RESULTS = 30_000
"""Most results that the API returns for one query."""
_FIRST_DAY, _LAST_DAY = "199101010000", "210001010000"


def dated(query: str, since: date | None, until: date | None) -> str:
    """Restrict a query to papers submitted on `since` or later and before `until`, a later day."""
    if since is None and until is None:
        return query
    if since and until and since >= until:
        raise InputError(f"{since} is not before {until}: choose an earlier start or a later end.")
    first = f"{since:%Y%m%d}0000" if since else _FIRST_DAY
    last = f"{until - timedelta(days=1):%Y%m%d}2359" if until else _LAST_DAY
    return f"({query}) AND submittedDate:[{first} TO {last}]"


def find_page(
    client: Client, query: str, size: int, *, sort: str = "relevance", api: str = API
) -> bytes:
    """Fetch the feed of a query's first `size` results, by `relevance` or newest (`submittedDate`).

    Raises `InputError` for a size out of range, `HttpError` for an incomplete page.
    """
    _check_size(size)
    return _page(client, _address(api, query, sort, "descending", 0, size), 0, size)


def _address(api: str, query: str, sort: str, order: str, start: int, size: int) -> str:
    asked = {"search_query": query, "id_list": "", "sortBy": sort, "sortOrder": order}
    return f"{api}?{urlencode({**asked, 'start': start, 'max_results': size})}"


def _check_size(page: int) -> None:
    if not 1 <= page <= LARGEST_PAGE:
        raise InputError(f"A page cannot hold {page} results: choose 1 to {LARGEST_PAGE}.")


def by_ids(client: Client, ids: Sequence[str], *, api: str = API) -> bytes:
    """Fetch the feed of the papers with these arXiv ids; it leaves out those unknown to arXiv.

    An invalid id, or too many, raise `InputError` before any request is made.
    """
    wanted: list[str] = []
    for name in ids:
        identity = find_arxiv_id(name)
        if identity is None:
            raise InputError(f"{name[:80]!r} is not an arXiv id such as 1410.5401v2.")
        wanted.append(f"{identity[0]}{identity[1] or ''}")
    _check_size(len(wanted))
    # The API returns 10 results by default, even for a list of ids.
    asked = {"search_query": "", "id_list": ",".join(wanted), "start": 0}
    url = f"{api}?{urlencode({**asked, 'max_results': len(wanted)})}"
    return _page(client, url, 0, len(wanted))


def _page(client: Client, url: str, start: int, size: int) -> bytes:
    """Fetch a complete page; fetch an empty first page once more before believing it."""

    def check(body: bytes) -> Feed:
        feed = read_feed(body)
        if feed.start != start:
            raise InputError(f"it starts at result {feed.start} instead of {start}")
        due, count = min(size, max(0, feed.total - start)), len(feed.entries)
        if count != due:
            raise InputError(
                f"it holds {count} of the {due} results expected, of {feed.total} in all"
            )
        return feed

    try:
        body = client.get(url, check=check, offset=start)
        if start == 0 and not check(body).total:
            body = client.get(url, check=check, offset=start)
        return body
    except BadStatusError as error:
        try:
            read_feed(error.body)
        except ReportedError as reported:
            what = str(reported)
            raise BadReplyError(what, url, "Check the query and the ids.", start) from error
        except InputError:
            pass
        raise


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """Files and counts of a saved search."""

    folder: Path
    files: tuple[str, ...]
    """File names, in the order of the results."""
    papers: int
    total: int
    """Number of results for the whole query."""


def save_search(
    client: Client,
    query: str,
    folder: Path,
    *,
    limit: int | None = None,
    page: int = 100,
    api: str = API,
) -> SavedSearch:
    """Save every page of a query's results, or of the `limit` papers submitted first.

    The same query overwrites its files; an interrupted search resumes at the page that failed.
    Raises `InputError` for a wrong size or limit, `HttpError` for an incomplete page.
    """
    _check_size(page)
    if limit is not None and limit < 0:
        raise InputError(f"The limit cannot be {limit} results: choose 0 or more.")
    listing = _Listing(client, folder, query, limit, page, api)
    if limit != 0:
        listing.run()
    listing.finish()
    return SavedSearch(folder, listing.files, len(listing.papers), listing.total)


class _Listing:
    """A search in progress; `NAME.unfinished.json` lists the pages saved so far."""

    def __init__(
        self, client: Client, folder: Path, query: str, limit: int | None, page: int, api: str
    ) -> None:
        self._client = client
        self._folder = folder
        self._query = query
        self._limit = limit
        self._page = page
        self._api = api
        self._name = hash_of(query)[:12]
        self._state = folder / f"{self._name}.unfinished.json"
        self._before: list[Row] = read_json(self._state) if self._state.exists() else []
        self._came: list[Row] = []
        self.papers: dict[str, Document] = {}
        self.total = 0

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files, in the order of the results."""
        return tuple(row["file"] for row in self._came)

    def run(self) -> None:
        """Fetch all pages, in slices by date that stay within the API's limit of results."""
        since: date | None = None
        while (last := self._slice(since)) is not None:
            if last == since:
                what = f"{last} alone has more than {MAX_RESULTS} results, the API's limit"
                raise BadReplyError(what, self._api, "Narrow the query.", MAX_RESULTS)
            since = last

    def finish(self) -> None:
        """Remove pages of earlier answers and the list of saved pages."""
        for path in sorted(self._folder.glob(f"{self._name}-*.atom.xml")):
            if path.name not in self.files:
                path.unlink()
        self._state.unlink(missing_ok=True)

    def _slice(self, since: date | None) -> date | None:
        """Fetch papers submitted on a day or later; return the day to continue from, if any."""
        start = total = 0
        while True:
            left = self._page if self._limit is None else self._limit - len(self.papers)
            size = min(left, self._page)
            if start + size > MAX_RESULTS:
                days = (paper.published for paper in self.papers.values() if paper.published)
                return period(max(days, default="1991"))[0]
            feed = self._fetch(dated(self._query, since, None), start, size)
            papers = (entry for entry in feed.entries if isinstance(entry, Document))
            self.papers.update((paper.key, paper) for paper in papers)
            gone = max(0, total - feed.total)
            # Papers taken down meanwhile have moved the later ones up by as many places.
            start = max(0, start - gone) if gone else start + len(feed.entries)
            total = feed.total
            self.total = self.total or total
            if start >= total or len(self.papers) == self._limit:
                return None

    def _fetch(self, query: str, start: int, size: int) -> Feed:
        url = _address(self._api, query, "submittedDate", "ascending", start, size)
        body = self._saved(url)
        if body is None:
            body = _page(self._client, url, start, size)
            feed = read_feed(body)
            if feed.entries:
                file = f"{self._name}-{len(self._came):05d}.atom.xml"
                write_bytes(self._folder / file, body)
                digest = hash_file(self._folder / file)
                self._came.append({"url": url, "file": file, "sha256": digest})
                write_json(self._state, self._came)
        return read_feed(body)

    def _saved(self, url: str) -> bytes | None:
        """The page that an earlier run saved for this request; None if it must be fetched."""
        row = next(iter(self._before), None)
        path = self._folder / str(row["file"]) if row and row["url"] == url else None
        if row is None or path is None or not path.exists() or hash_file(path) != row["sha256"]:
            self._before = []  # later saved pages may not follow a new answer
            return None
        self._before = self._before[1:]
        self._came.append(row)
        return path.read_bytes()
