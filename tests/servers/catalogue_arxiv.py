"""An arXiv with a made-up catalogue: it answers the query API from each request alone.

Terms are `au:WORD`, `cat:NAME` and `submittedDate:[FROM TO UNTIL]`, joined by AND. As on arXiv, a
word of a name matches any author of a paper, and pages are cut from the whole answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from urllib.parse import parse_qs, urlsplit

from tests.servers.arxiv_replay import Ask, Fault

_FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns="http://www.w3.org/2005/Atom">
<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>
<opensearch:totalResults>{total}</opensearch:totalResults>
<opensearch:startIndex>{start}</opensearch:startIndex>{entries}</feed>"""
_ENTRY = """<entry><id>http://arxiv.org/abs/{name}{version}</id><title>{title}</title>
<published>{day}T00:00:00Z</published><summary>{abstract}</summary>{authors}
<category term="{category}"/></entry>"""
_DAYS = re.compile(r"submittedDate:\[(\d{8})\d{4} TO (\d{8})\d{4}\]")


@dataclass(frozen=True)
class Entry:
    """A paper of the catalogue."""

    name: str
    day: date
    authors: tuple[str, ...]
    category: str = "cs.CL"
    title: str = ""
    """`A title`, with the id, where it is empty."""
    abstract: str = "Some words."
    version: str = "v1"

    @property
    def xml(self) -> str:
        """The paper in a feed."""
        authors = "".join(f"<author><name>{escape(a)}</name></author>" for a in self.authors)
        return _ENTRY.format(
            name=self.name,
            version=self.version,
            title=escape(self.title or f"A title {self.name}"),
            day=self.day,
            abstract=escape(self.abstract),
            authors=authors,
            category=self.category,
        )


class CatalogueArxiv:
    """The catalogue; papers may come and go while it is asked."""

    def __init__(self, papers: Sequence[Entry], is_one_category: bool = False) -> None:
        self.papers = papers
        self.is_one_category = is_one_category

    def __call__(self, ask: Ask) -> Fault:
        """Answer a request."""
        asked = {name: one[0] for name, one in parse_qs(urlsplit(ask.target).query).items()}
        query = asked["search_query"]
        if self.is_one_category:
            query = re.sub(r"cat:[^\s()]+", "", query)
        found = [paper for paper in self.papers if _fits(paper, query)]
        is_down = asked.get("sortOrder", "descending") == "descending"
        found.sort(key=lambda paper: (paper.day, paper.name), reverse=is_down)
        body = feed(found, ask.start, int(asked["max_results"]))
        return Fault(body, headers={"Content-Type": "application/atom+xml"})


def feed(found: Sequence[Entry], start: int = 0, size: int = 0) -> bytes:
    """A page of an answer; the whole of it without a size."""
    size = size or len(found)
    entries = "".join(paper.xml for paper in found[start : start + size])
    return _FEED.format(size=size, total=len(found), start=start, entries=entries).encode()


def _fits(paper: Entry, query: str) -> bool:
    if days := _DAYS.search(query):
        first, last = (date(int(d[:4]), int(d[4:6]), int(d[6:])) for d in days.groups())
        if not first <= paper.day <= last:
            return False
    terms = re.findall(r"(au|cat):([^\s()]+)", query)
    words = {word for name in paper.authors for word in re.findall(r"\w+", name.casefold())}
    known = {"au": words, "cat": {paper.category.casefold()}}
    return all(term.casefold() in known[field] for field, term in terms)
