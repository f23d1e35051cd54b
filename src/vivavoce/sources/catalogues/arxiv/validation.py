"""Validation of a response: the text asked for, a page that says there is none, or neither."""

from __future__ import annotations

import html
import re
import tarfile
import zlib
from dataclasses import dataclass

from vivavoce.errors import InputError
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import clean_text

_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_PDF = b"%PDF-"
_PDF_WITHIN = 1024
_BLOCK = 512
_PEEK = 4096
_MIN_PARAGRAPHS = 5
"""A page that only points at a PDF has one."""
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
    """A text of a kind that a source reads."""

    source: str
    """The source that reads it: `html`, `latex` or `pdf`."""
    suffix: str
    licence: str | None = None
    """As the page states it."""
    named: tuple[str, str | None] | None = None
    """The arXiv id and version that the page says it is."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no text."""

    outcome: str
    """`missing`, `withdrawn`, `unusable`, `too_large` or `refused`; `failed` may pass."""
    reason: str
    status: int | None = None
    """Of the server's answer."""

    @property
    def is_busy(self) -> bool:
        """Check whether the server asks to be left alone for a while."""
        return self.status == _TOO_MANY_REQUESTS


def validate_html(body: bytes) -> ValidText | Missing:
    """A page that LaTeXML made; `InputError` for what is neither that nor says why not."""
    if b"ltx_document" in body:
        if body.count(b"ltx_para") < _MIN_PARAGRAPHS:
            return Missing("unusable", "the page holds no running text")
        licence, mark = _LICENCE.search(body), _WATERMARK.search(body)
        named = find_arxiv_id(_plain(mark[1])) if mark else None
        return ValidText("html", ".html", _licence(_plain(licence[1])) if licence else None, named)
    if any(sign in body for sign in _ABSTRACT_PAGE):
        return Missing("missing", "the abstract's page came instead")
    return _notice(body, "a page that LaTeXML made")


def validate_eprint(body: bytes) -> ValidText | Missing:
    """Sources in tar, gzip or zip, one file of LaTeX, or a PDF; `InputError` for anything else."""
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
    """A PDF; `InputError` for what is neither that nor says why not."""
    if _PDF in body[:_PDF_WITHIN]:
        return ValidText("pdf", ".pdf")
    return _notice(body, "a PDF")


def _validate_unpacked(start: bytes, packing: str) -> ValidText | Missing | None:
    """Validate the first bytes of an e-print; None where they do not decide."""
    if start.startswith(_PDF):
        if packing:
            return Missing("unusable", "it is a PDF in a gzip file")
        return ValidText("pdf", ".pdf")
    if start.startswith(b"%!PS"):
        return Missing("unusable", "it is PostScript")
    if b"%auto-ignore" in start[:_PDF_WITHIN]:
        return Missing("withdrawn", "the e-print says that the paper was withdrawn")
    if _is_tar(start):
        return ValidText("latex", f".tar{packing}")
    if not packing and b"\0" not in start and not _is_markup(start) and _TEX.search(start):
        return ValidText("latex", ".tex")
    return None


def _is_tar(start: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(start[:_BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _is_markup(body: bytes) -> bool:
    return body[:_PEEK].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def _notice(body: bytes, asked: str) -> Missing:
    """A page that says why there is nothing."""
    if _is_markup(body) and len(body) <= _LARGEST_NOTICE:
        said = body.lower()
        if _WITHDRAWN.search(said):
            return Missing("withdrawn", "a page says that the paper was withdrawn")
        if any(notice in said for notice in _NOTICES):
            return Missing("missing", "a page says that there is none")
    opening = clean_text(body[:_SHOWN].decode("utf-8", "replace"))
    raise InputError(f"it is not {asked} but starts with {opening!r}")


def _plain(markup: bytes) -> str:
    text = html.unescape(markup.decode("utf-8", "replace"))
    return " ".join(clean_text(text).split())


def _licence(text: str) -> str | None:
    for word in ("License:", "Licence:"):
        text = text.removeprefix(word)
    return text.strip()[:_MAX_LICENCE] or None
