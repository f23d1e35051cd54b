"""Full texts of single papers: HTML, e-print or PDF from arXiv, PDF from the ACL Anthology.

A response is validated by its bytes, never by the name the server gives it.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.latex.archives import is_tar
from vivavoce.sources.http.client import (
    Answer,
    BadStatusError,
    Client,
    HttpError,
    RefusedAddressError,
    TooLargeError,
)
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import clean_line, clean_text

KINDS = ("html", "eprint", "pdf")
"""Kinds of text to request, in this order, until one is available."""
SOURCES = ("html", "latex", "pdf")
"""Sources that read the fetched texts."""
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
_MAX_REASON = 300

_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_PDF = b"%PDF-"
_PDF_WITHIN = 1024
_PEEK = 4096
_MIN_PARAGRAPHS = 5
"""A page that only points at a PDF has one paragraph."""
_LARGEST_NOTICE = 256 << 10
_SHOWN = 60
_MAX_LICENCE = 200
_TOO_MANY_REQUESTS = 429

_NOTICES = (
    b"no html for",
    b"html is not available for the source",
    b"no file for",
    b"file unavailable",
    b"pdf unavailable",
    b"source unavailable",
)
_WITHDRAWN = re.compile(rb"(?:has been|was|been|is|paper|article|submission) withdrawn")
_ABSTRACT_PAGE = (b'name="citation_arxiv_id"', b'id="abs"', b'class="abs-license"')
_LICENCE = re.compile(rb"""id=["']license-tr["'][^<>]{0,600}>([^<>]{1,600})<""")
_WATERMARK = re.compile(rb"""id=["']watermark-tr["'][^<>]{0,600}>([^<>]{1,600})<""")
_TEX = re.compile(rb"\\(?:documentclass|documentstyle|begin[ \t]{0,9}\{document\})")


@dataclass(frozen=True, slots=True)
class ValidText:
    """A text in a format that a source reads."""

    source: str
    """The source that reads it: `html`, `latex` or `pdf`."""
    suffix: str
    licence: str | None = None
    """Licence as the page states it."""
    named: tuple[str, str | None] | None = None
    """The arXiv id and version printed on the page."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Reason why there is no text."""

    outcome: str
    """`missing`, `withdrawn`, `unusable`, `too_large` or `refused`; `failed` may be temporary."""
    reason: str
    status: int | None = None
    """Status of the server's answer."""

    @property
    def is_busy(self) -> bool:
        """Check whether the server limits the rate of requests."""
        return self.status == _TOO_MANY_REQUESTS


Validator = Callable[[bytes], ValidText | Missing]


@dataclass(frozen=True, slots=True)
class Addresses:
    """Address of each kind of text, to which the paper's id is appended."""

    html: str = "https://arxiv.org/html/"
    ar5iv: str = "https://ar5iv.labs.arxiv.org/html/"
    eprint: str = "https://export.arxiv.org/e-print/"
    pdf: str = "https://export.arxiv.org/pdf/"
    acl: str = "https://aclanthology.org/"
    acl_suffix: str = ".pdf"

    @classmethod
    def at(cls, base: str) -> Addresses:
        """All addresses on one server, for tests."""
        root = base.rstrip("/")
        return cls(
            f"{root}/html/", f"{root}/ar5iv/", f"{root}/e-print/", f"{root}/pdf/", f"{root}/"
        )


@dataclass(frozen=True, slots=True)
class WantedText:
    """One kind of text of one paper."""

    kind: str
    """`html`, `ar5iv`, `eprint` or `pdf` for arXiv, or `acl`."""
    name: str
    """The paper's id, with its version if known."""
    url: str


@dataclass(frozen=True, slots=True)
class Text:
    """A fetched text."""

    valid: ValidText
    content: bytes
    url: str
    """The address at the end of the redirects."""
    version: str | None
    """Version of the paper on arXiv, such as `v2`."""


def texts_wanted(
    arxiv_id: str | None,
    version: str | None,
    acl_id: str | None,
    kinds: tuple[str, ...] = KINDS,
    addresses: Addresses | None = None,
) -> list[WantedText]:
    """Texts to ask for, in order; the Anthology's PDF comes last."""
    servers = addresses or Addresses()
    wanted = []
    if arxiv_id:
        # ar5iv keeps one version of a paper and does not say which.
        names = dict.fromkeys(kinds, arxiv_id + (version or "")) | {"ar5iv": arxiv_id}
        wanted = [
            WantedText(kind, names[kind], getattr(servers, kind) + names[kind]) for kind in kinds
        ]
    if acl_id and "pdf" in kinds:
        wanted.append(WantedText("acl", acl_id, servers.acl + acl_id + servers.acl_suffix))
    return wanted


def fetch_text(client: Client, wanted: WantedText) -> Text | Missing:
    """Fetch a text; a failed request is returned as `Missing`, not raised."""
    validate = _VALIDATORS[wanted.kind]
    try:
        fetched = client.fetch(wanted.url, check=validate)
    except BadStatusError as error:
        try:
            answer = validate(error.body)
        except InputError:
            answer = None
        notice = answer if isinstance(answer, Missing) else None
        if notice is not None and notice.outcome == WITHDRAWN:
            return Missing(WITHDRAWN, notice.reason, error.status)
        if error.status in _GONE or notice is not None:
            # For a text that it cannot make, arXiv sends a server error with a page that says so.
            return Missing(MISSING, notice.reason if notice else _shown(error), error.status)
        is_passing = error.status >= 500 or error.status in {408, 425, _TOO_MANY_REQUESTS}
        return Missing(FAILED if is_passing else REFUSED, _shown(error), error.status)
    except TooLargeError as error:
        return Missing(TOO_LARGE, _shown(error))
    except RefusedAddressError as error:
        return Missing(REFUSED, _shown(error))
    except HttpError as error:
        return Missing(FAILED, _shown(error))
    valid = validate(fetched.body)
    if isinstance(valid, Missing):
        return replace(valid, status=200)
    if valid.named is not None:
        (name, version), asked = valid.named, find_arxiv_id(wanted.name) or (wanted.name, None)
        if name != asked[0] or (None not in (version, asked[1]) and version != asked[1]):
            return Missing(UNUSABLE, f"the server sent {name}{version or ''}", 200)
    return Text(valid, fetched.body, fetched.url, _version(wanted, valid, fetched))


def _version(wanted: WantedText, valid: ValidText, fetched: Answer) -> str | None:
    """Version from the page, the request, the file's name or the address, in this order."""
    if wanted.kind == "acl":
        return None
    witnesses = (wanted.name, fetched.headers.get("content-disposition", ""), fetched.url)
    known = [valid.named] if valid.named else []
    known += [identity for text in witnesses if (identity := find_arxiv_id(text[:400]))]
    asked = find_arxiv_id(wanted.name) or (wanted.name, None)
    return next((version for name, version in known if name == asked[0] and version), None)


def _shown(error: HttpError) -> str:
    return str(error)[:_MAX_REASON]


def validate_html(body: bytes) -> ValidText | Missing:
    """Validate a page made by LaTeXML; raises `InputError` if it is neither that nor a notice."""
    if b"ltx_document" in body:
        if body.count(b"ltx_para") < _MIN_PARAGRAPHS:
            return Missing("unusable", "the page holds no running text")
        licence, mark = _LICENCE.search(body), _WATERMARK.search(body)
        named = find_arxiv_id(_plain(mark[1])) if mark else None
        return ValidText("html", ".html", _licence(_plain(licence[1])) if licence else None, named)
    if any(sign in body for sign in _ABSTRACT_PAGE):
        return Missing("missing", "the server sent the abstract page instead")
    return _notice(body, "a page that LaTeXML made")


def validate_eprint(body: bytes) -> ValidText | Missing:
    """Validate sources in tar, gzip or zip, one LaTeX file, or a PDF; else raises `InputError`."""
    if body.startswith(_ZIP):
        return ValidText("latex", ".zip")
    if not body.startswith(_GZIP):
        return _validate_unpacked(body, "") or _notice(body, "an e-print")
    try:
        start = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(body, _PEEK)
    except zlib.error as error:
        raise InputError(f"its gzip data are damaged: {error}") from error
    return _validate_unpacked(start, ".gz") or ValidText("latex", ".gz")


def validate_pdf(body: bytes) -> ValidText | Missing:
    """Validate a PDF; raises `InputError` if the body is neither that nor a notice."""
    if _PDF in body[:_PDF_WITHIN]:
        return ValidText("pdf", ".pdf")
    return _notice(body, "a PDF")


def _validate_unpacked(start: bytes, packing: str) -> ValidText | Missing | None:
    """The format that the first bytes of an e-print show; None if they do not settle it."""
    if start.startswith(_PDF):
        if packing:
            return Missing("unusable", "it is a PDF in a gzip file")
        return ValidText("pdf", ".pdf")
    if start.startswith(b"%!PS"):
        return Missing("unusable", "it is PostScript")
    if b"%auto-ignore" in start[:_PDF_WITHIN]:
        return Missing("withdrawn", "the e-print says that the paper was withdrawn")
    if is_tar(start):
        return ValidText("latex", f".tar{packing}")
    if not packing and b"\0" not in start and not _is_markup(start) and _TEX.search(start):
        return ValidText("latex", ".tex")
    return None


def _is_markup(body: bytes) -> bool:
    return body[:_PEEK].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def _notice(body: bytes, asked: str) -> Missing:
    """Read a page that says why there is no text; raises `InputError` if it does not."""
    if _is_markup(body) and len(body) <= _LARGEST_NOTICE:
        text = body.lower()
        if _WITHDRAWN.search(text):
            return Missing("withdrawn", "a page says that the paper was withdrawn")
        if any(notice in text for notice in _NOTICES):
            return Missing("missing", "a page says that there is no such text")
    opening = clean_text(body[:_SHOWN].decode("utf-8", "replace"))
    raise InputError(f"it is not {asked} but starts with {opening!r}")


def _plain(markup: bytes) -> str:
    return clean_line(html.unescape(markup.decode("utf-8", "replace")))


def _licence(text: str) -> str | None:
    for word in ("License:", "Licence:"):
        text = text.removeprefix(word)
    return text.strip()[:_MAX_LICENCE] or None


_VALIDATORS: dict[str, Validator] = {
    "html": validate_html,
    "ar5iv": validate_html,
    "eprint": validate_eprint,
    "pdf": validate_pdf,
    "acl": validate_pdf,
}
