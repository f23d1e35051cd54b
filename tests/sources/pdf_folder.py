"""A folder of PDFs made of the sample papers: typeset here, so that nothing but the PDFs tells."""

import re
from pathlib import Path

from tests.sources.pdf_pages import BOLD, TEXT, Paper

from vivavoce.records import Document
from vivavoce.sources.sample import read_papers

_GIVEN = "Mara Tobias Ingrid Chiara Joost Ravi Lena Noor Fiona Emeka".split()
_FAMILY = (
    "Lindqvist Okafor Ferreira Yamada Marchetti Haugen Petrov Vandermeer Krishnan Dubois Ziegler"
    " Quispe Tanaka Abernathy Moreau Castellanos Thorne"
).split()
_MONTHS = (
    "January February March April May June July August September October November December"
).split()
_AUTHOR = re.compile(r"Author (\d{3})")
_FOOT = 700


def name_of(number: int) -> str:
    """The name that stands for an author of the sample corpus."""
    return f"{_GIVEN[number % len(_GIVEN)]} {_FAMILY[number % len(_FAMILY)]}"


def write_folder(folder: Path, count: int) -> list[Document]:
    """Typeset the first papers of the sample corpus; gives them back."""
    folder.mkdir()
    papers = [paper for paper in read_papers(60) if paper.sections][:count]
    for number, paper in enumerate(papers):
        _write(folder / f"{number:02d}.pdf", paper)
    return papers


def printed(text: str) -> str:
    """Words of the sample corpus with names in the place of numbers."""
    plain = _AUTHOR.sub(lambda found: name_of(int(found[1])), text)
    return plain.translate({ord(dash): "-" for dash in "–—"})


def _surnames(text: str) -> str:
    """The same with surnames alone, as citations are printed."""
    plain = _AUTHOR.sub(lambda found: name_of(int(found[1])).split()[-1], text)
    return plain.translate({ord(dash): "-" for dash in "–—"})


def _write(path: Path, paper: Document) -> None:
    page = Paper(path)
    page.centred(paper.title or "", size=14)
    page.centred(", ".join(printed(author.name) for author in paper.authors), TEXT, 11, 24)
    page.centred("Harbour University", TEXT, 10, 14)
    year, month, day = (paper.published or "2020-01-01").split("-")
    page.centred(f"{int(day)} {_MONTHS[int(month) - 1]} {year}", TEXT, 10, 16)
    page.centred("Abstract", BOLD, 12, 26)
    page.paragraph(_surnames(paper.abstract or ""))
    for section in paper.sections:
        _turn(page)
        size = 12 if section.level == 1 else 10
        page.heading(f"{section.number} {section.heading}", size=size)
        for place, text in enumerate(section.text.split("\n\n")):
            _turn(page)
            page.paragraph(_surnames(text), indent=12 if place else 0)
    page.heading("References")
    for reference in paper.references:
        _turn(page)
        page.paragraph(printed(reference.raw))
        page.y += 4
    page.save()


def _turn(page: Paper) -> None:
    if page.y > _FOOT - 120:
        page.page()
