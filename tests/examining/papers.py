"""Papers of the sample corpus as files that people have: PDFs, and pages as arXiv makes them."""

from pathlib import Path

from tests.servers.living_arxiv import submissions
from tests.servers.scripted import Ask, Reply, answer, slot
from tests.sources.pdf_pages import BOLD, TEXT, Paper

from vivavoce.records import Document
from vivavoce.sources.sample import read_papers
from vivavoce.store import hash_of

DAYS = 365
BOTTOM = 600.0
LONG, SHORT = 150, 15


def save_pages(folder: Path, papers: int) -> Path:
    """Write papers as HTML, each under the arXiv id of the month it appeared in."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in submissions(papers, DAYS):
        (folder / f"{one.name}v1.html").write_bytes(one.page)
    return folder


def save_pdfs(folder: Path, papers: int) -> Path:
    """Typeset papers, each under an arXiv id."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, document in enumerate(read_papers(papers)):
        typeset(document, folder / f"2301.{place:05d}v1.pdf")
    return folder


def typeset(document: Document, path: Path) -> None:
    """Set a paper in one column."""
    paper = Paper(path)
    _title(paper, document.title or "")
    paper.centred(", ".join(author.name for author in document.authors), TEXT, 10)
    paper.centred("Abstract", BOLD, 12, 30)
    _paragraphs(paper, document.abstract or "")
    for number, section in enumerate(document.sections, 1):
        _break(paper)
        paper.heading(f"{number} {section.heading}")
        _paragraphs(paper, section.text)
    _break(paper)
    paper.heading("References")
    for reference in document.references:
        _paragraphs(paper, f"[{reference.ordinal}] {reference.raw}")
    paper.save()


def _title(paper: Paper, title: str) -> None:
    words = title.split()
    for start in range(0, len(words), 6):
        paper.centred(" ".join(words[start : start + 6]))


def _paragraphs(paper: Paper, text: str) -> None:
    for paragraph in text.split("\n\n"):
        words = paragraph.split()
        for start in range(0, len(words), 120):
            _break(paper)
            paper.paragraph(" ".join(words[start : start + 120]))
        paper.y += 4


def _break(paper: Paper) -> None:
    if paper.y > BOTTOM:
        paper.page()


def quality(ask: Ask) -> Reply:
    """Answer as well as the model's name says, from the request alone.

    `fine` and `twin` write the opening of the paper as long as an abstract is, `weak` a few words
    of it; `even` and `odd` do the one or the other, as a coin falls for each prompt. `strong` puts
    the problem, from the first sentences, before the paragraph that says what the paper does.
    """
    words = slot(ask.prompt, "paper").split()
    name = ask.model.rpartition("/")[2]
    if name == "strong":
        parts = [part for part in slot(ask.prompt, "paper").split("\n\n") if part.endswith(".")]
        problem = [part.partition(". ")[0] for part in parts[:2]]
        return answer(". ".join([*problem, parts[2]]))
    is_long = name in ("fine", "twin")
    if name in ("even", "odd"):
        is_long = int(hash_of([ask.prompt, name]), 16) % 2 == 0
    return answer(" ".join(words[: LONG if is_long else SHORT]))
