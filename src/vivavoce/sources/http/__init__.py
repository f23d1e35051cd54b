"""Fetching over HTTPS, politely: one client for every source that reads from the network.

It is no source itself. Import `client` from here only where something is fetched: it loads httpx.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vivavoce.errors import InputError

if TYPE_CHECKING:
    from vivavoce.sources.http.client import Client

_LOOPBACK = "http://127.0.0.1:"


def polite_client(
    hosts: frozenset[str], base: str | None, contact: str | None = None, tries: int = 3
) -> Client:
    """A client that shares its turns with every other one on this machine.

    `base` is an address whose host may be asked too; a loopback server, for tests, is not waited
    for. `contact` is an address that the servers can write to.

    Raises:
        InputError: `base` is no address.
    """
    from vivavoce.sources.http.client import Allowed, Client, Limits
    from vivavoce.sources.http.throttle import Throttle, slots_folder

    try:
        parts = urlsplit(base or "")
    except ValueError as error:
        raise InputError(f"{base!r} is no address: {error}") from error
    allowed = Allowed(hosts | ({parts.hostname} if parts.hostname else set()))
    throttle = Throttle(shared=slots_folder())
    if base and base.startswith(_LOOPBACK):
        allowed = Allowed(hosts, loopback=f"{parts.scheme}://{parts.netloc}")
        throttle = Throttle({"127.0.0.1": 0.0})
    return Client(allowed, limits=Limits(tries=tries), throttle=throttle, contact=contact)
