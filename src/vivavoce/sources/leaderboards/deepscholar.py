"""Reader of DeepScholar-Bench: papers with their related-work section and the works it cites.

`related_works_combined.csv` has one paper per row: arXiv id, date, title, abstract and the LaTeX
of the section. `citations.csv` beside it has one citation per row. A cited work with an abstract
becomes a paper of its own. Citation commands become the numbers of their references.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault, Reference
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.catalogues.metadata.tabular import read_rows
from vivavoce.sources.fulltext.assemble import assemble
from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.paper import read_paper
from vivavoce.sources.json_records import Fields, read_documents
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import arxiv_id_in, find_arxiv_id
from vivavoce.text.normalise import clean_line, normalise_title

PAPERS, CITATIONS = "related_works_combined.csv", "citations.csv"
_CITE = re.compile(
    r"\\[A-Za-z]{0,10}cite[A-Za-z]{0,12}\*?(?:\[[^\[\]]{0,200}\]){0,2}\{([^{}]{0,2000})\}"
)
_BEFORE = r"\documentclass{article}\begin{document}\section{Related Work}"
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    cited: dict[str, list[Fields]] = defaultdict(list)
    works: dict[str, Document] = {}
    citations = Piece(piece.path.with_name(CITATIONS))
    for where, row in read_rows(citations, {"parent_paper_arxiv_id"}):
        if isinstance(row, str):
            yield Fault(where, row)
        elif clean_line(row.get("cited_paper_title") or ""):
            cited[_id(row.get("parent_paper_arxiv_id"))].append(row)
            if row.get("cited_paper_abstract"):
                work = _work(row)
                works.setdefault(work.arxiv_id or work.key, work)
    targets = set()

    def read(row: Fields, where: str) -> Document:
        paper = _paper(row, cited[_id(row.get("arxiv_id"))], where)
        targets.add(paper.arxiv_id)
        return paper

    yield from read_documents(read_rows(piece, {"arxiv_id"}), read)
    yield from (work for key, work in works.items() if key not in targets)


def _id(text: str | None) -> str:
    """The arXiv id without its version, since the versions in the two files may differ."""
    return arxiv_id_in(text or "") or ""


def _paper(row: Fields, citations: Sequence[Fields], where: str) -> Document:
    arxiv = find_arxiv_id(row.get("arxiv_id") or "")
    if arxiv is None:
        raise InputError("the row has no arXiv id in the column arxiv_id")
    numbers: dict[str, int] = {}
    references: dict[str, Reference] = {}
    for citation in citations:
        title = clean_line(citation["cited_paper_title"])
        reference = references.setdefault(
            normalise_title(title), _reference(citation, title, len(references))
        )
        numbers[(citation.get("citation_shorthand") or "").strip()] = reference.ordinal + 1

    def shown(match: re.Match[str]) -> str:
        known = [numbers[key] for part in match[1].split(",") if (key := part.strip()) in numbers]
        return f"[{', '.join(map(str, dict.fromkeys(known)))}]" if known else ""

    latex = _CITE.sub(shown, row.get("clean_latex_related_works") or "")
    if not latex.strip():
        raise InputError("the row has no text in the column clean_latex_related_works")
    whole = "\n".join([_BEFORE, latex, "\\end{document}"])
    about = Document(kind="deepscholar", key=where)
    text = assemble(
        read_paper(PaperFiles(unpacked={"main.tex": whole.encode()}), "main.tex"), about
    )
    return Document(
        kind="deepscholar",
        key=f"arxiv:{arxiv[0]}",
        arxiv_id=arxiv[0],
        version=arxiv[1],
        title=clean_line(row.get("title") or "") or None,
        abstract=clean_line(row.get("abstract") or "") or None,
        published=date_in(row.get("publication_date")),
        sections=text.sections,
        references=tuple(references.values()),
    )


def _reference(row: Fields, title: str, ordinal: int) -> Reference:
    authors = clean_line(row.get("bib_paper_authors") or "")
    return Reference(
        ordinal=ordinal,
        raw=title,
        title=title,
        year=_year(row),
        first_author=authors.partition(" and ")[0].partition(",")[0] or None,
        arxiv_id=arxiv_id_in(row.get("cited_paper_arxiv_link") or ""),
        doi=(row.get("bib_paper_doi") or "").strip() or None,
    )


def _work(row: Fields) -> Document:
    arxiv, year = arxiv_id_in(row.get("cited_paper_arxiv_link") or ""), _year(row)
    title = clean_line(row["cited_paper_title"])
    return Document(
        kind="deepscholar",
        key=f"arxiv:{arxiv}" if arxiv else f"title:{normalise_title(title)}",
        arxiv_id=arxiv,
        title=title,
        abstract=clean_line(row["cited_paper_abstract"]),
        # The month in a preprint's id is closer to its first day than the year of a venue.
        published=None if arxiv or year is None else str(year),
    )


def _year(row: Fields) -> int | None:
    match = _YEAR.match(row.get("bib_paper_year") or "")
    return int(match[0]) if match else None


SOURCE = Source(
    kind="deepscholar",
    summary="DeepScholar-Bench: related_works_combined.csv with citations.csv beside it",
    is_metadata=True,
    dates="version",
    matches=lambda path: path.name == PAPERS,
    read=_read,
    holds_many=True,
    parts=lambda path: [Path(path.name), Path(CITATIONS)],
)
