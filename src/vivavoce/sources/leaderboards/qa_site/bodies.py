"""The text of a post, which is HTML, and the papers that it links to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from lxml import etree

from vivavoce.records import Reference
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_text

_BREAKS = frozenset(
    {"blockquote", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"}
    | {"table", "tr", "ul", "dd", "dt"}
)
_SILENT = frozenset({"script", "style"})
_URL = re.compile(r"https?://[^\s<>\"'()\[\]{}]{4,500}")
_MAX_BODY = 2_000_000
_MAX_LINKS = 500
_MIN_TITLE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Body:
    """Text of a post, paragraphs separated by blank lines, and its links in order."""

    text: str
    links: tuple[tuple[str, str], ...]
    """(Address, the words that carry it); no words for an address that is printed."""


def read_body(html: str) -> Body:
    """The text and the links of a post."""
    content = clean_text(html[:_MAX_BODY]).strip()
    if not content:
        return Body("", ())
    parser = etree.HTMLParser(
        no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    try:
        root = etree.fromstring(content.encode("utf-8"), parser)
    except etree.XMLSyntaxError:
        root = None  # nothing in it is text
    if root is None:
        return Body("", ())
    writer = _Writer()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        writer.take(event, element)
    text = "\n\n".join(writer.paragraphs())
    printed = [(found[0].rstrip(".,;:!?"), "") for found in _URL.finditer(text)]
    return Body(text, tuple([*writer.links, *printed][:_MAX_LINKS]))


def paper_links(bodies: Sequence[Body]) -> Iterator[Reference]:
    """The papers linked to, each once: by arXiv id, DOI or Anthology id."""
    seen: set[str] = set()
    for body in bodies:
        for address, words in body.links:
            found = _paper_at(address)
            if found is None or found[0] in seen:
                continue
            name, arxiv, doi = found
            seen.add(name)
            words = " ".join(words.split())
            is_title = len(words.split()) >= _MIN_TITLE_WORDS and "://" not in words
            yield Reference(
                ordinal=len(seen) - 1,
                raw=f"{words} {address}" if words and words != address else address,
                title=words if is_title else None,
                arxiv_id=arxiv,
                doi=doi,
            )


def _paper_at(address: str) -> tuple[str, str | None, str | None] | None:
    """(A name for it, its arXiv id, its DOI) of the paper at an address; None for all else."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    if host in ("arxiv.org", "ar5iv.org") or host.endswith((".arxiv.org", ".labs.arxiv.org")):
        arxiv = find_arxiv_id(f"arXiv:{parts.path.rpartition('/abs/')[2]}") or find_arxiv_id(
            address
        )
        return (f"arxiv:{arxiv[0]}", arxiv[0], None) if arxiv else None
    if host in ("doi.org", "dx.doi.org"):
        doi = find_doi(address)
        return (f"doi:{doi}", None, doi) if doi else None
    if host == "aclanthology.org" or (host == "aclweb.org" and "/anthology/" in parts.path):
        acl = find_acl_id(address)
        return (f"acl:{acl}", None, None) if acl else None
    return None


class _Writer:
    """Writes out the text of elements as they start and end."""

    def __init__(self) -> None:
        self.links: list[tuple[str, str]] = []
        self._done: list[str] = []
        self._words: list[str] = []
        self._link: tuple[str, list[str]] | None = None
        self._verbatim = 0
        self._silent = 0

    def paragraphs(self) -> list[str]:
        """The text so far, without empty paragraphs."""
        self._break()
        return self._done

    def take(self, event: str, element: etree._Element) -> None:
        tag = element.tag
        is_start = event == "start"
        if tag in _SILENT:
            self._silent += 1 if is_start else -1
        if tag in _BREAKS:
            self._break()
        if tag == "pre":
            self._verbatim += 1 if is_start else -1
        if tag == "a":
            self._at_link(element, is_start=is_start)
        if tag == "br" and is_start:
            self._say("\n")
        if tag == "img" and is_start:
            self._say(element.get("alt") or "")
        self._say((element.text if is_start else element.tail) or "")

    def _at_link(self, element: etree._Element, *, is_start: bool) -> None:
        if self._link is not None:
            address, words = self._link
            self.links.append((address, "".join(words)))
            self._link = None
        if is_start and element.get("href"):
            self._link = (str(element.get("href")).strip(), [])

    def _say(self, words: str) -> None:
        if self._silent:
            return
        self._words.append(words)
        if self._link is not None:
            self._link[1].append(words)

    def _break(self) -> None:
        text = "".join(self._words)
        if not self._verbatim:
            lines = (" ".join(line.split()) for line in text.split("\n"))
            text = " ".join(line for line in lines if line)
        text = text.strip("\n")
        if text.strip():
            self._done.append(text)
        self._words = []
