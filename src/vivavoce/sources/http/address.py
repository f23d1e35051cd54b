"""Which addresses may be fetched."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from vivavoce.errors import InputError
from vivavoce.sources.http.errors import RefusedAddressError

_LOOPBACK = "http://127.0.0.1:"


@dataclass(frozen=True, slots=True)
class Allowed:
    """The hosts a client may talk to, over https and its usual port only."""

    hosts: frozenset[str]
    loopback: str | None = None
    """For tests: one address such as `http://127.0.0.1:8000`, of which everything may be read."""

    def __post_init__(self) -> None:
        if self.loopback is not None and not self.loopback.startswith(_LOOPBACK):
            raise InputError(f"{self.loopback!r} is no loopback address such as {_LOOPBACK}8000.")

    def host_of(self, url: str, asked: str, offset: int | None) -> str:
        """The host to talk to; `RefusedAddressError` when `url`, reached from `asked`, may not."""
        if not (url.isascii() and url.isprintable()) or " " in url or "\\" in url:
            raise self._refusal(url, asked, offset, "with characters that no address has")
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower(), parts.port
        except ValueError as error:
            raise self._refusal(url, asked, offset, f"no address ({error})") from error
        if self.loopback is not None and f"{parts.scheme}://{parts.netloc}" == self.loopback:
            return host
        if parts.scheme != "https":
            raise self._refusal(url, asked, offset, "not https")
        if parts.username is not None or parts.password is not None:
            raise self._refusal(url, asked, offset, "an address with a user name")
        if host not in self.hosts:
            raise self._refusal(url, asked, offset, "a host that is not allowed")
        if port not in {None, 443}:
            raise self._refusal(url, asked, offset, "a port other than that of https")
        return host

    def _refusal(self, url: str, asked: str, offset: int | None, why: str) -> RefusedAddressError:
        shown = f"{url[:200]!r} is refused, {why}"
        if url != asked:
            shown += ", and was redirected to from"
        hosts = ", ".join(sorted(self.hosts)) or "none"
        return RefusedAddressError(shown, asked, f"Use an https address of: {hosts}.", offset)
