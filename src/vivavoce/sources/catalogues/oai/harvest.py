"""Harvest of an OAI-PMH repository, saved page by page: all records asked for, or an error.

Progress is kept beside the pages: an interrupted harvest resumes at the page where it stopped, and
a later one requests only records changed since. `viva ingest oai` reads the pages.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from urllib.parse import urlencode

from vivavoce.errors import DamagedError, InputError, VivaError
from vivavoce.sources.catalogues.oai import STATE, Page, read_page
from vivavoce.sources.http.client import BadReplyError, BadStatusError, Client
from vivavoce.store import hash_of, lock, read_sealed, write_bytes, write_sealed
from vivavoce.text.dates import parse_date

_REMEDY = (
    "Delete it to start a new harvest from a date of your choice; all pages that are already "
    "saved are kept."
)
BASE = "https://oaipmh.arxiv.org/oai"
HOSTS = frozenset({"oaipmh.arxiv.org", "export.arxiv.org", "arxiv.org"})
"""Host of the base, and hosts of earlier bases that redirect to it."""
FORMAT = "arXivRaw"
_SET = re.compile(r"[A-Za-z0-9_.!~*'()-]{1,60}(?::[A-Za-z0-9_.!~*'()-]{1,60}){0,9}")
_NO_FILE_NAME = re.compile(r"[^A-Za-z0-9.-]")
_LATER_OR_FRESH = "Run the same command again later, or with --fresh to start this harvest over."
_NOTHING = "noRecordsMatch"
_BAD_TOKEN = "badResumptionToken"
Update = Callable[[int, int], None]
"""Called with (records received, records expected so far)."""


@dataclass(slots=True)
class Progress:
    """A harvest that is being fetched page by page."""

    start: str | None
    """First day requested; None for all records."""
    until: str | None
    """Last day requested, inclusive."""
    since: str | None
    """The first day of the request that `token` continues."""
    token: str | None = None
    received: int = 0
    """Number of records received since that request."""
    newest: str | None = None
    """Latest day on which a received record was changed."""
    is_ordered: bool = True
    """True when no record so far was older than one before it."""


@dataclass(slots=True)
class Listing:
    """State of one repository and set."""

    base: str
    set: str | None
    newest: str | None = None
    """Latest day on which a record of the finished harvests was changed."""
    open: Progress | None = None
    """The unfinished harvest."""


@dataclass(slots=True)
class State:
    """The content of the state file."""

    next: int = 1
    """Number of the next page to be written."""
    lists: list[Listing] = field(default_factory=list)

    def find(self, base: str, set: str | None) -> Listing:
        """The list of a repository and set, added if it is new."""
        for one in self.lists:
            if (one.base, one.set) == (base, set):
                return one
        self.lists.append(Listing(base, set))
        return self.lists[-1]


def load_state(folder: Path) -> State:
    """Read the state of a folder; raises `DamagedError` if its file was changed."""
    path = folder / STATE
    if not path.exists():
        return State()
    value = read_sealed(path, _REMEDY)
    try:
        lists = [
            Listing(**{**entry, "open": Progress(**entry["open"]) if entry["open"] else None})
            for entry in value["lists"]
        ]
        return State(int(value["next"]), lists)
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{path} is not the state of a harvest. {_REMEDY}") from error


def save_state(folder: Path, state: State) -> None:
    """Write the state whole or not at all."""
    write_sealed(folder / STATE, asdict(state))


@dataclass(frozen=True, slots=True)
class HarvestReport:
    """Result of a harvest."""

    folder: Path
    files: tuple[str, ...]
    """Pages written, by name."""
    records: int
    """Number of records in these pages; a record may count twice after a restart."""
    deleted: int
    """Number of these records that the repository marks as deleted."""
    start: str | None
    """First day requested; None for all records."""
    until: str | None
    newest: str | None
    """Latest day on which a record was changed; the next harvest starts there."""
    resumed: bool
    """True when an unfinished harvest was finished."""
    restarts: int
    """Number of restarts after the repository lost its place in the list."""


def harvest(
    client: Client,
    folder: Path,
    *,
    base: str = BASE,
    set: str | None = None,
    start: date | None = None,
    until: date | None = None,
    fresh: bool = False,
    progress: Update | None = None,
) -> HarvestReport:
    """Save every page of a listing into a folder, which several harvests may share.

    Args:
        client: Fetches one page at a time.
        folder: Made when it does not exist.
        base: The repository's address.
        set: A part of the repository, such as `cs` or `math:math:NA`.
        start: Records changed on this day or later; by default the newest day already harvested.
        until: Records changed on this day or earlier.
        fresh: Drop an unfinished harvest instead of finishing it.
        progress: Called after each page.

    Raises:
        InputError: The set name is invalid, or the days are in the wrong order.
        LockedError: Another process harvests into the folder.
        VivaError: An unfinished harvest covers other days.
        HttpError: A page could not be fetched whole; the error carries its offset.
    """
    if set is not None and not _SET.fullmatch(set):
        raise InputError(f"{set[:80]!r} is not a set such as cs or math:math:NA.")
    if start and until and start > until:
        raise InputError(f"{start} is after {until}: choose a start on or before the end.")
    days = (start.isoformat() if start else None, until.isoformat() if until else None)
    with lock(folder):
        state = load_state(folder)
        listing = state.find(base, set)
        resumed = listing.open is not None and not fresh
        if listing.open is None or fresh:
            first = days[0] or listing.newest
            listing.open = Progress(start=first, until=days[1], since=first)
        elif days[0] not in {None, listing.open.start} or days[1] not in {None, listing.open.until}:
            raise VivaError(
                f"An unfinished harvest in {folder} covers {listing.open.start or 'the beginning'} "
                f"to {listing.open.until or 'the newest'}. Finish it with these days, or drop it "
                "with --fresh."
            )
        run = _Run(client, folder, state, listing, listing.open)
        run.ask_all(progress)
        return run.report(resumed=resumed)


@dataclass(slots=True)
class _Run:
    """One run of a harvest."""

    _client: Client
    _folder: Path
    _state: State
    _list: Listing
    _open: Progress
    _files: list[str] = field(default_factory=list)
    _records: int = 0
    _deleted: int = 0
    _restarts: int = 0
    _restarted_at: str = ""
    _used: set[str] = field(default_factory=set)

    def ask_all(self, progress: Update | None) -> None:
        """Fetch pages until the list ends."""
        opened = self._open
        while True:
            page, body = self._ask()
            if page.error:
                if opened.token is None:
                    break  # nothing matches
                self._restart(page.error[0])
                continue
            self._keep(page, body)
            if progress:
                more = 0 if page.token is None else len(page.entries)
                progress(opened.received, page.total or opened.received + more)
            if page.token is None:
                break
        self._list.newest = max(self._list.newest or "", opened.newest or "") or None
        self._list.open = None
        save_state(self._folder, self._state)

    def report(self, *, resumed: bool) -> HarvestReport:
        """Report the result."""
        return HarvestReport(
            folder=self._folder,
            files=tuple(self._files),
            records=self._records,
            deleted=self._deleted,
            start=self._open.start,
            until=self._open.until,
            newest=self._list.newest,
            resumed=resumed,
            restarts=self._restarts,
        )

    def _ask(self) -> tuple[Page, bytes]:
        """Fetch the next page; its error may say that the list is empty or was forgotten."""
        opened, url = self._open, self._address()
        codes: list[str] = []

        def check(body: bytes) -> None:
            page = read_page(body)
            codes[:] = page.error[:1] if page.error else []
            problem = _problem(page, opened)
            if problem:
                raise InputError(problem)

        try:
            body = self._client.get(url, check=check, offset=opened.received)
        except BadStatusError as error:
            body = error.body
            try:
                is_answer = read_page(body).error is not None
            except InputError:
                is_answer = False
            if not is_answer:
                raise
        except BadReplyError:
            if codes != [_NOTHING]:
                raise
            return Page("", (), (_NOTHING, ""), None, None, None, 0), b""
        page = read_page(body)
        if page.error:
            self._judge(page.error, url)
        return page, body

    def _address(self) -> str:
        opened = self._open
        query = {"verb": "ListRecords"}
        if opened.token is not None:
            query["resumptionToken"] = opened.token
        else:
            asked = {"set": self._list.set, "from": opened.since, "until": opened.until}
            query["metadataPrefix"] = FORMAT
            query.update({name: value for name, value in asked.items() if value})
        return f"{self._list.base}?{urlencode(query)}"

    def _judge(self, error: tuple[str, str], url: str) -> None:
        """Raise an error of the repository, unless `ask_all` handles it."""
        opened, (code, message) = self._open, error
        if opened.token is not None and code in {_BAD_TOKEN, _NOTHING}:
            return
        if code != _NOTHING:
            what = f"the repository reports {code}: {message or 'no reason given'}"
            raise BadReplyError(what, url, "Check the request.", opened.received)
        if opened.newest is not None:
            what = f"the repository has no records from {opened.newest} on, but listed one before"
            raise BadReplyError(what, url, _LATER_OR_FRESH, opened.received)

    def _keep(self, page: Page, body: bytes) -> None:
        """Write a page, and only then the state that counts it."""
        opened, state = self._open, self._state
        if page.token is not None:
            used = hash_of(page.token)
            if used in self._used:
                what = "the list leads back to an earlier page"
                raise BadReplyError(what, self._address(), _LATER_OR_FRESH, opened.received)
            self._used.add(used)
        part = f"-{_NO_FILE_NAME.sub('_', self._list.set)}" if self._list.set else ""
        name = f"{state.next:06d}-{FORMAT}{part}.oai.xml"
        write_bytes(self._folder / name, body)
        for day in (parse_date(entry.datestamp) for entry in page.entries):
            if day:
                opened.is_ordered = opened.is_ordered and day[0] >= (opened.newest or "")
                opened.newest = max(opened.newest or "", day[0])
        opened.token = page.token
        opened.received += len(page.entries)
        state.next += 1
        save_state(self._folder, state)
        self._files.append(name)
        self._records += len(page.entries)
        self._deleted += sum(entry.is_deleted for entry in page.entries)

    def _restart(self, code: str) -> None:
        """Restart from the newest day received, or from the start if days were out of order."""
        opened = self._open
        first = opened.newest if opened.is_ordered and opened.newest else opened.start
        if self._restarts and (first or "") <= self._restarted_at:
            what = f"the repository reports {code} again, and the list has come no further"
            raise BadReplyError(what, self._address(), _LATER_OR_FRESH, opened.received)
        self._restarts += 1
        self._restarted_at = first or ""
        self._used.clear()
        opened.since, opened.token, opened.received = first, None, 0
        save_state(self._folder, self._state)


def _problem(page: Page, opened: Progress) -> str:
    """Reason why a page cannot be the one requested; empty if there is none."""
    if page.error:
        is_odd = page.error[0] == _NOTHING and opened.token is not None
        return "it says that no records are left, though more were announced" if is_odd else ""
    if page.verb != "ListRecords":
        return f"it answers {page.verb} instead of ListRecords"
    if not page.entries:
        return "it holds no records"
    if page.cursor is not None and page.cursor != opened.received:
        return f"it starts at record {page.cursor} instead of {opened.received}"
    if page.token is not None and page.token == opened.token:
        return "it names itself as the next page"
    after = opened.received + len(page.entries)
    if page.token is None and page.total is not None and after < page.total:
        return f"the list ends after {after} of {page.total} records"
    return ""
