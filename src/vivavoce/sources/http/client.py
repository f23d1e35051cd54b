"""The client: checks addresses, waits for turns, bounds answers and retries failures."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential

from vivavoce.errors import InputError, VivaError
from vivavoce.sources.http import Turns
from vivavoce.version import __version__

AGENT = f"vivavoce/{__version__}"
_CONTACT = re.compile(r"[!-'*-~]{3,200}")
_GZIP = 16 + zlib.MAX_WBITS
_LOOPBACK = "http://127.0.0.1:"
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SECONDS = re.compile(r"[0-9]{1,9}")
_LATER = "Run the same command again later."
Check = Callable[[bytes], object]
"""Raises `InputError` for a body that is not the one requested."""


class HttpError(VivaError):
    """A failed fetch of `url`; `offset` is the first result of the page."""

    may_pass = False
    """True if the same request may succeed later."""
    wait: float | None = None
    """Seconds that the server asks to wait."""

    def __init__(self, what: str, url: str, todo: str, offset: int | None = None) -> None:
        place = url if offset is None else f"{url} (results from offset {offset})"
        super().__init__(f"{what}: {place}. {todo}")
        self.url = url
        self.offset = offset


class RefusedAddressError(HttpError):
    """An address, or the target of a redirect, that the client refuses to fetch."""


class OverdueError(HttpError):
    """The fetch did not finish within its time limit."""


class TooLargeError(HttpError):
    """A body beyond the byte limit, on the wire or after decompression."""


class UnreachableError(HttpError):
    """No complete answer arrived in any of the tries."""

    may_pass = True


class BadReplyError(HttpError):
    """The answer has a good status but is not the one requested."""

    may_pass = True


class BadStatusError(HttpError):
    """The server answered with an error; `status` is its code and `body` what came with it."""

    def __init__(self, answer: Answer, url: str, offset: int | None) -> None:
        self.status = answer.status
        self.body = answer.body
        self.may_pass = answer.status in _PASSING
        self.wait = retry_after(answer.headers) if self.may_pass else None
        todo = _LATER if self.may_pass else "Check the request."
        if self.wait is not None:
            todo = f"Run the same command again in {self.wait:g} s or later."
        super().__init__(f"the server answered with status {self.status}", url, todo, offset)


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer, decompressed."""

    status: int
    headers: Mapping[str, str]
    """Headers by lower-case name."""
    body: bytes
    url: str
    """The address at the end of the redirects."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The hosts a client may talk to, over https and its usual port only."""

    hosts: frozenset[str]
    loopback: str | None = None
    """Address of a test server that may also be fetched, such as `http://127.0.0.1:8000`."""

    def __post_init__(self) -> None:
        if self.loopback is not None and not self.loopback.startswith(_LOOPBACK):
            raise InputError(
                f"{self.loopback!r} is not a loopback address such as {_LOOPBACK}8000."
            )

    def host_of(self, url: str, asked: str, offset: int | None) -> str:
        """The host of `url`, reached from `asked`; raises `RefusedAddressError` if not allowed."""
        if not (url.isascii() and url.isprintable()) or " " in url or "\\" in url:
            raise self._refusal(url, asked, offset, "it has characters that no address has")
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower(), parts.port
        except ValueError as error:
            raise self._refusal(url, asked, offset, f"it is not an address ({error})") from error
        if self.loopback is not None and f"{parts.scheme}://{parts.netloc}" == self.loopback:
            return host
        if parts.scheme != "https":
            raise self._refusal(url, asked, offset, "it is not https")
        if parts.username is not None or parts.password is not None:
            raise self._refusal(url, asked, offset, "it names a user")
        if host not in self.hosts:
            raise self._refusal(url, asked, offset, "its host is not allowed")
        if port not in {None, 443}:
            raise self._refusal(url, asked, offset, "its port is not that of https")
        return host

    def _refusal(self, url: str, asked: str, offset: int | None, why: str) -> RefusedAddressError:
        shown = f"{url[:200]!r} is refused because {why}"
        if url != asked:
            shown += ", after a redirect from"
        hosts = ", ".join(sorted(self.hosts)) or "none"
        return RefusedAddressError(shown, asked, f"Use an https address of: {hosts}.", offset)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a fetch."""

    seconds: float = 300.0
    """Seconds for the whole fetch: turns, tries, redirects and waits."""
    tries: int = 5
    pause: float = 3.0
    """Seconds before the second try when the server names none; doubled for each further try."""
    largest: int = 64 << 20
    """Bytes of a body, on the wire and after decompression."""
    hops: int = 5


def agent_of(contact: str | None) -> str:
    """The User-Agent; `contact` is the mail address or web page of the user, else `InputError`."""
    if contact is None:
        return AGENT
    if not _CONTACT.fullmatch(contact):
        raise InputError(
            f"{contact[:80]!r} is not a contact. Give an email address or the address of a web "
            "page."
        )
    return f"{AGENT} ({'mailto:' if '@' in contact and '/' not in contact else '+'}{contact})"


class Client:
    """Fetches bodies from allowed addresses."""

    def __init__(
        self,
        allowed: Allowed,
        turns: Turns,
        *,
        limits: Limits | None = None,
        contact: str | None = None,
    ) -> None:
        self._allowed = allowed
        self._turns = turns
        self._agent = agent_of(contact)
        self._limits = limits or Limits()

    @property
    def requests(self) -> int:
        """Number of requests so far, including retries and redirects."""
        return self._turns.count

    def get(self, url: str, *, check: Check | None = None, offset: int | None = None) -> bytes:
        """The body of an address; arguments and errors are those of `fetch`."""
        return self.fetch(url, check=check, offset=offset).body

    def fetch(self, url: str, *, check: Check | None = None, offset: int | None = None) -> Answer:
        """Fetch the server's answer for an https address of an allowed host, or raise `HttpError`.

        A body that `check` refuses is fetched again; messages name `offset`, a page's first result.
        """
        self._allowed.host_of(url, url, offset)
        until = self._turns.clock() + self._limits.seconds
        doubling = wait_exponential(multiplier=self._limits.pause)

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = error.wait if isinstance(error, HttpError) else None
            return doubling(state) if asked is None else asked

        def is_over(state: RetryCallState) -> bool:
            """Check whether no tries are left, or no time for another one."""
            is_late = self._turns.clock() + state.upcoming_sleep > until
            return is_late or state.attempt_number >= self._limits.tries

        retrying = Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, HttpError) and error.may_pass),
            wait=wait,
            stop=is_over,
            sleep=self._turns.sleep,
            reraise=True,
        )
        return retrying(self._try, url, check, offset, until)

    def _try(self, url: str, check: Check | None, offset: int | None, until: float) -> Answer:
        """Follow redirects to the answer; each hop is checked and waits for its host's turn."""
        address = url
        for _ in range(self._limits.hops + 1):
            host = self._allowed.host_of(address, url, offset)
            answer = self._ask(address, host, url, offset, until)
            if answer.status in _REDIRECTS and "location" in answer.headers:
                address = _join(address, answer.headers["location"])
                continue
            if answer.status != 200:
                error = BadStatusError(answer, url, offset)
                if error.wait is not None:  # other processes wait as well
                    self._turns.hold(host, error.wait)
                raise error
            try:
                if check is not None:
                    check(answer.body)
            except InputError as problem:
                what = f"the answer cannot be used ({problem})"
                raise BadReplyError(what, url, _LATER, offset) from problem
            return answer
        what = f"more than {self._limits.hops} redirects"
        raise RefusedAddressError(what, url, "Use the address they end at.", offset)

    def _ask(self, address: str, host: str, url: str, offset: int | None, until: float) -> Answer:
        largest = self._limits.largest
        is_test = self._allowed.loopback is not None and address.startswith(self._allowed.loopback)
        try:
            with self._turns.turn(host, until) as sent:
                asked = _transfer(
                    address,
                    seconds=until - self._turns.clock(),
                    largest=largest,
                    trust_env=not is_test,
                    agent=self._agent,
                    sent=sent,
                )
                return asyncio.run(asked)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            what = f"no complete answer ({type(error).__name__}: {error})"
            raise UnreachableError(what, url, _LATER, offset) from error
        except zlib.error as error:
            what = f"no complete answer (its gzip data are damaged: {error})"
            raise UnreachableError(what, url, _LATER, offset) from error
        except TimeoutError as error:
            what = f"not finished within {self._limits.seconds:g} s"
            raise OverdueError(what, url, _LATER, offset) from error
        except _OversizeError as error:
            what = f"the answer is larger than {largest} bytes"
            raise TooLargeError(what, url, "Ask for less at a time.", offset) from error


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait; a date is measured against the server's own clock."""
    asked = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(asked):
        return float(asked)
    try:
        until, now = parsedate_to_datetime(asked), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _join(base: str, location: str) -> str:
    """Target of a redirect; text that is not an address is returned as it is, to be refused."""
    try:
        return urljoin(base, location)
    except ValueError:
        return location


class _OversizeError(Exception):
    """An answer beyond its byte limit."""


async def _transfer(
    url: str,
    *,
    seconds: float,
    largest: int,
    trust_env: bool,
    agent: str,
    sent: Callable[[], None],
) -> Answer:
    """Request an address without redirects; `sent` is called just before it is written.

    Raises `TimeoutError` after `seconds`, `_OversizeError` beyond `largest` bytes of body.
    """

    async def note(event: str, _about: object) -> None:
        if event == "http11.send_request_headers.started":
            sent()

    headers = {"User-Agent": agent, "Accept-Encoding": "gzip"}
    # httpx applies a timeout to each read, so a server that drips bytes would never hit one.
    async with (
        asyncio.timeout(seconds),
        httpx.AsyncClient(timeout=None, headers=headers, trust_env=trust_env) as client,
        client.stream("GET", url, extensions={"trace": note}) as response,
    ):
        packing = response.headers.get("content-encoding", "").strip().lower()
        if packing not in {"", "identity", "gzip", "x-gzip"}:
            raise httpx.DecodingError(f"compressed as {packing[:40]!r}, which was not asked for")
        inflate = zlib.decompressobj(_GZIP) if packing.endswith("gzip") else None
        body = bytearray()
        async for chunk in response.aiter_raw():
            room = largest + 1 - len(body)
            body += inflate.decompress(chunk, room) if inflate else chunk
            if max(len(body), response.num_bytes_downloaded) > largest:
                raise _OversizeError
        if inflate and response.num_bytes_downloaded and not inflate.eof:
            raise httpx.DecodingError("its gzip data end early")
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, headers, bytes(body), url)
