"""Full texts of single papers: HTML, e-print or PDF from arXiv, PDF from the ACL Anthology.

A response is validated by its bytes, never by what the server calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from vivavoce.errors import InputError
from vivavoce.sources.catalogues.arxiv.validation import (
    Missing,
    ValidText,
    validate_eprint,
    validate_html,
    validate_pdf,
)
from vivavoce.sources.http.client import (
    BadStatusError,
    Client,
    Fetched,
    HttpError,
    RefusedAddressError,
    TooLargeError,
)
from vivavoce.text.identifiers import find_arxiv_id

KINDS = ("html", "eprint", "pdf")
"""Kinds of text that are asked for, in this order, until one is there."""
SOURCES = ("html", "latex", "pdf")
"""The sources that read what is fetched."""
ALL_KINDS = ("html", "ar5iv", "eprint", "pdf")
HOSTS = frozenset(
    {
        "aclanthology.org",
        "ar5iv.labs.arxiv.org",
        "arxiv.org",
        "export.arxiv.org",
        "www.aclanthology.org",
        "www.arxiv.org",
    }
)
GOT, MISSING, WITHDRAWN, UNUSABLE = "got", "missing", "withdrawn", "unusable"
TOO_LARGE, REFUSED, FAILED = "too_large", "refused", "failed"
_GONE = frozenset({404, 410})
_BUSY = 429
_MAX_REASON = 300

_Validator = Callable[[bytes], ValidText | Missing]
_VALIDATORS: dict[str, _Validator] = {
    "html": validate_html,
    "ar5iv": validate_html,
    "eprint": validate_eprint,
    "pdf": validate_pdf,
    "acl": validate_pdf,
}


@dataclass(frozen=True, slots=True)
class Addresses:
    """Address of each kind of text; the name of the paper follows."""

    html: str = "https://arxiv.org/html/"
    ar5iv: str = "https://ar5iv.labs.arxiv.org/html/"
    eprint: str = "https://export.arxiv.org/e-print/"
    pdf: str = "https://export.arxiv.org/pdf/"
    acl: str = "https://aclanthology.org/"
    acl_suffix: str = ".pdf"

    @classmethod
    def at(cls, base: str) -> Addresses:
        """All of them at one server, for tests."""
        root = base.rstrip("/")
        return cls(
            f"{root}/html/", f"{root}/ar5iv/", f"{root}/e-print/", f"{root}/pdf/", f"{root}/"
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """One kind of text of one paper."""

    kind: str
    """`html`, `ar5iv`, `eprint` or `pdf` of arXiv, or `acl`."""
    name: str
    """The id, with its version where that is known."""
    url: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is there."""

    valid: ValidText
    content: bytes
    url: str
    """The address at the end of the redirects."""
    version: str | None
    """Of the paper on arXiv, such as `v2`."""


def texts_wanted(
    arxiv_id: str | None,
    version: str | None,
    acl_id: str | None,
    kinds: tuple[str, ...] = KINDS,
    addresses: Addresses | None = None,
) -> list[Wanted]:
    """Texts to ask for, in order; the Anthology's PDF comes last."""
    at = addresses or Addresses()
    wanted = []
    if arxiv_id:
        # ar5iv keeps one version of a paper and does not say which.
        names = dict.fromkeys(kinds, arxiv_id + (version or "")) | {"ar5iv": arxiv_id}
        wanted = [Wanted(kind, names[kind], getattr(at, kind) + names[kind]) for kind in kinds]
    if acl_id and "pdf" in kinds:
        wanted.append(Wanted("acl", acl_id, at.acl + acl_id + at.acl_suffix))
    return wanted


def fetch_text(client: Client, wanted: Wanted) -> Text | Missing:
    """Ask for a text; what the server says of it is never raised."""
    validate = _VALIDATORS[wanted.kind]
    try:
        fetched = client.fetch(wanted.url, check=validate)
    except BadStatusError as error:
        return _lack_of_status(error, validate)
    except TooLargeError as error:
        return Missing(TOO_LARGE, _shown(error))
    except RefusedAddressError as error:
        return Missing(REFUSED, _shown(error))
    except HttpError as error:
        return Missing(FAILED, _shown(error))
    valid = validate(fetched.body)
    if isinstance(valid, Missing):
        return replace(valid, status=200)
    if valid.named is not None and not _is_meant(wanted, *valid.named):
        return Missing(UNUSABLE, f"what came is {valid.named[0]}{valid.named[1] or ''}", 200)
    return Text(valid, fetched.body, fetched.url, _version(wanted, valid, fetched))


def _lack_of_status(error: BadStatusError, validate: _Validator) -> Missing:
    notice = _notice_of(error.body, validate)
    if notice is not None and notice.outcome == WITHDRAWN:
        return Missing(WITHDRAWN, notice.reason, error.status)
    if error.status in _GONE or notice is not None:
        # A text that cannot be made answers with a server error and a page that says so.
        return Missing(MISSING, notice.reason if notice else _shown(error), error.status)
    is_passing = error.status >= 500 or error.status in {408, 425, _BUSY}
    return Missing(FAILED if is_passing else REFUSED, _shown(error), error.status)


def _notice_of(body: bytes, validate: _Validator) -> Missing | None:
    """Read the notice about the paper on a page that came with an error."""
    try:
        valid = validate(body)
    except InputError:
        return None
    return valid if isinstance(valid, Missing) else None


def _version(wanted: Wanted, valid: ValidText, fetched: Fetched) -> str | None:
    """The version: as asked for, as the page says, or as the file or its address is called."""
    if wanted.kind == "acl":
        return None
    witnesses = (wanted.name, fetched.headers.get("content-disposition", ""), fetched.url)
    known = [valid.named] if valid.named else []
    known += [found for text in witnesses if (found := find_arxiv_id(text[:400]))]
    mine = _id_of(wanted)
    return next((version for name, version in known if name == mine and version), None)


def _is_meant(wanted: Wanted, name: str, version: str | None) -> bool:
    """Check whether a page that names itself is the one asked for."""
    asked = find_arxiv_id(wanted.name) or (wanted.name, None)
    return name == asked[0] and (None in (version, asked[1]) or version == asked[1])


def _id_of(wanted: Wanted) -> str:
    found = find_arxiv_id(wanted.name)
    return found[0] if found else wanted.name


def _shown(error: HttpError) -> str:
    return str(error)[:_MAX_REASON]
