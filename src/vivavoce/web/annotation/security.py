"""Random tokens, and the checks a request passes before anybody looks at it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

TOKEN_BYTES = 32

CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # `no-referrer` would turn the Origin of our own forms into null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def new_token() -> str:
    """A secret nobody can guess: 32 random bytes in characters that fit into a cookie."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_token(token: str) -> str:
    """What is stored of a token: whoever reads the database cannot use it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def same(given: str, expected: str) -> bool:
    """Whether two secrets are equal, in a time that tells nothing."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8"))


def is_own_form(
    *, host: str, origin: str | None, fetch_site: str | None, needs_https: bool
) -> bool:
    """Whether a form was sent by one of our own pages, by what the browser says of it.

    Old browsers say nothing; the token in the form is asked for in any case.
    """
    if fetch_site is not None and fetch_site != "same-origin":
        return False
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    schemes = ("https",) if needs_https else ("http", "https")
    return parts.scheme in schemes and parts.netloc.lower() == host.lower()


def is_known_host(host: str | None, known: Collection[str]) -> bool:
    """Whether the Host header names this server; a foreign name may be a rebound one.

    `*` among the known admits every name.
    """
    if "*" in known:
        return True
    if not host:
        return False
    bare = host.lower()
    name = bare.rpartition(":")[0] if bare.rpartition(":")[2].isdigit() else bare
    return name in known or bare in known
