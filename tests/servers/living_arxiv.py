"""An arXiv to which papers of the sample corpus are submitted day by day.

It answers the query API (a span of days, page by page) and serves each paper as LaTeXML would.
Papers bear arXiv ids of the month they appeared in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.servers.arxiv_replay import Ask, Fault

from vivavoce.records import Document
from vivavoce.sources.sample import read_papers

FIRST_DAY = date(2023, 1, 1)
_DAYS = re.compile(r"submittedDate:\[(\d{8})0000 TO (\d{8})2359\]")
_FEED = """<feed xmlns:o="http://a9.com/-/spec/opensearch/1.1/" xmlns="http://www.w3.org/2005/Atom">
<o:itemsPerPage>{size}</o:itemsPerPage><o:totalResults>{total}</o:totalResults>
<o:startIndex>{start}</o:startIndex>{entries}</feed>"""
_ENTRY = """<entry><id>http://arxiv.org/abs/{name}v1</id><title>{title}</title>
<published>{day}T00:00:00Z</published><summary>{abstract}</summary>
{authors}<category term="{category}"/></entry>"""
_PAGE = """<!DOCTYPE html><html lang="en"><head><title>{title}</title></head><body>
<div class="ltx_page_main"><div class="ltx_page_content"><div id="infobox">
<a id="license-tr" href="https://info.arxiv.org/help/license/">License: CC BY 4.0</a>
<div id="watermark-tr">arXiv:{name}v1 [{category}] {day}</div></div>
<article class="ltx_document"><h1 class="ltx_title ltx_title_document">{title}</h1>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>
<p class="ltx_p">{abstract}</p></div>{sections}
<section class="ltx_bibliography"><ul class="ltx_biblist">{entries}</ul></section>
</article></div></div></body></html>"""
_SECTION = """<section class="ltx_section"><h2 class="ltx_title ltx_title_section">
<span class="ltx_tag ltx_tag_section">{number} </span>{heading}</h2>{paragraphs}</section>"""
_PARAGRAPH = '<div class="ltx_para"><p class="ltx_p">{}</p></div>'
_BIBITEM = '<li class="ltx_bibitem" id="bib.{}"><span class="ltx_bibblock">{}</span></li>'


@dataclass(frozen=True)
class Submission:
    """A paper of the archive."""

    name: str
    day: date
    document: Document

    @property
    def entry(self) -> str:
        """The paper in a feed."""
        made = self.document
        authors = "".join(f"<author><name>{escape(a.name)}</name></author>" for a in made.authors)
        return _ENTRY.format(
            name=self.name,
            day=self.day,
            title=escape(made.title or ""),
            abstract=escape(made.abstract or "None."),
            authors=authors,
            category=made.categories[0],
        )

    @property
    def page(self) -> bytes:
        """The paper as HTML."""
        made = self.document
        sections = "".join(
            _SECTION.format(
                number=place,
                heading=escape(section.heading or ""),
                paragraphs="".join(
                    _PARAGRAPH.format(escape(p)) for p in section.text.split("\n\n")
                ),
            )
            for place, section in enumerate(made.sections, start=1)
        )
        entries = "".join(_BIBITEM.format(r.ordinal, escape(r.raw)) for r in made.references)
        return _PAGE.format(
            name=self.name,
            day=f"{self.day:%d %b %Y}",
            title=escape(made.title or ""),
            abstract=escape(made.abstract or ""),
            category=made.categories[0],
            sections=sections,
            entries=entries,
        ).encode()


def submissions(papers: int, days: int) -> tuple[Submission, ...]:
    """The first papers of the sample corpus, spread evenly over some days."""
    made = []
    for place, document in enumerate(read_papers(papers)):
        day = FIRST_DAY + timedelta(days=place * days // papers)
        made.append(Submission(f"{day:%y%m}.{place:05d}", day, document))
    return tuple(made)


class LivingArxiv:
    """The archive: what was submitted before `today` is there."""

    def __init__(self, archive: Sequence[Submission], today: date) -> None:
        self.archive = archive
        self.today = today
        self._pages = {one.name: one for one in archive}

    def __call__(self, ask: Ask) -> Fault:
        """Answer a request."""
        parts = urlsplit(ask.target)
        if parts.path == "/api/query":
            query = {name: value[0] for name, value in parse_qs(parts.query).items()}
            return Fault(self.listing(query["search_query"], ask.start, int(query["max_results"])))
        name = parts.path.removeprefix("/html/").removesuffix("v1")
        found = self._pages.get(name)
        if not parts.path.startswith("/html/") or found is None or found.day >= self.today:
            return Fault(b"<html>Not found</html>", 404)
        return Fault(found.page, headers={"Content-Type": "text/html"})

    def listing(self, query: str, start: int, size: int) -> bytes:
        """A page of what was submitted in the days of a query, the earliest first."""
        asked = _DAYS.search(query)
        assert asked is not None, query
        first, last = (date(int(d[:4]), int(d[4:6]), int(d[6:])) for d in asked.groups())
        there = [one for one in self.archive if first <= one.day <= last and one.day < self.today]
        return _feed(there, start, size)

    def save(self, path: Path, until: date) -> None:
        """Write a feed of all papers submitted before a day, as if it had been saved then."""
        there = [one for one in self.archive if one.day < until]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_feed(there, 0, len(there)))


def _feed(there: Sequence[Submission], start: int, size: int) -> bytes:
    entries = "".join(one.entry for one in there[start : start + size])
    return _FEED.format(size=size, total=len(there), start=start, entries=entries).encode()
