"""An arXiv to which papers of the sample corpus are submitted day by day.

It answers the query API (a span of days, page by page; every category holds every paper) and serves
each paper as LaTeXML would.
Papers bear arXiv ids of the month they appeared in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from tests.servers.arxiv_replay import Ask, Fault
from tests.servers.catalogue_arxiv import CatalogueArxiv, Entry, feed
from tests.servers.texts_replay import latexml_page

from vivavoce.records import Document
from vivavoce.sources.sample import read_papers

FIRST_DAY = date(2023, 1, 1)


@dataclass(frozen=True)
class Submission:
    """A paper of the archive."""

    name: str
    day: date
    document: Document

    @property
    def entry(self) -> Entry:
        """The paper in a feed."""
        made = self.document
        authors = tuple(author.name for author in made.authors)
        shown = {"title": made.title or "", "abstract": made.abstract or "None."}
        return Entry(self.name, self.day, authors, made.categories[0], **shown)

    @property
    def page(self) -> bytes:
        """The paper as HTML."""
        made = self.document
        return latexml_page(
            f"{self.name}v1",
            title=made.title or "",
            abstract=made.abstract or "",
            sections={section.heading or "": section.text for section in made.sections},
            cited=[reference.raw for reference in made.references],
            day=f"{self.day:%d %b %Y}",
            category=made.categories[0],
        )


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
            return CatalogueArxiv(self._entries(self.today), is_one_category=True)(ask)
        name = parts.path.removeprefix("/html/").removesuffix("v1")
        found = self._pages.get(name)
        if not parts.path.startswith("/html/") or found is None or found.day >= self.today:
            return Fault(b"<html>Not found</html>", 404)
        return Fault(found.page, headers={"Content-Type": "text/html"})

    def save(self, path: Path, until: date) -> None:
        """Write a feed of all papers submitted before a day, as if it had been saved then."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(feed(self._entries(until)))

    def _entries(self, until: date) -> list[Entry]:
        return [one.entry for one in self.archive if one.day < until]
