"""A PDF file opened with PDFium, and the paper on its pages: front matter, sections, tables."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pypdfium2.raw as pdfium

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document, Reference
from vivavoce.sources import read_whole
from vivavoce.sources.fulltext.drafts import Draft, number_sections
from vivavoce.sources.fulltext.pdf.candidates import (
    Bookmark,
    Candidate,
    Style,
    compact,
    find_candidates,
)
from vivavoce.sources.fulltext.pdf.floats import Columns, Float, find_floats
from vivavoce.sources.fulltext.pdf.furniture import FURNITURE, mark_furniture
from vivavoce.sources.fulltext.pdf.headings import Heading, find_headings
from vivavoce.sources.fulltext.pdf.health import Facts, judge
from vivavoce.sources.fulltext.pdf.layout import Layout, Line, join_words, read_layout
from vivavoce.sources.fulltext.pdf.lines import FontBook, Page, read_page
from vivavoce.sources.fulltext.pdf.references import (
    Paragraphs,
    find_unheaded,
    mentions_in,
    read_reference,
    split_entries,
)
from vivavoce.text.dates import find_day
from vivavoce.text.headings import role_of_heading
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id
from vivavoce.text.normalise import clean_text
from vivavoce.text.row_citations import TableText

_BANNER = re.compile(
    r"^\W*(?:arxiv|journal|proceedings|published|preprint|under review|accepted|to appear|research"
    r"(?: article)?|article|review(?: article)?|original (?:article|research|paper)"
    r"|letter"
    r"|open access|contents lists|available online|https?:|doi|vol(?:ume)?\b|issn|copyright|©"
    r"|technical report|working paper|supplementary|received|manuscript)",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(
    r"\W*(?:abstract|summary|摘\s*要|要旨|요약|аннотация|(?:ال)?ملخص|résumé|zusammenfassung|resumen|resumo)"
    r"(?![^\W\d_])\s*[.:：—–-]*\s*",
    re.IGNORECASE,
)
_KEYWORDS = re.compile(
    r"\W*(?:key\s?words|index terms|ccs concepts|categories and subject|general terms|acm reference"
    r"|keywords and phrases|pacs|msc|jel|additional key words|\d{4} mathematics subject)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\w@\w|https?://|www\.")
_MIN_PROSE = 3


def read_front(
    paragraphs: Paragraphs, candidates: Sequence[Candidate], first: int, known_title: str
) -> tuple[str | None, str | None]:
    """Title and abstract; `first` is the place of the first section's heading."""
    title, behind = _title(paragraphs, known_title)
    return title, _abstract(paragraphs, candidates, max(behind, 0), first)


def _title(paragraphs: Paragraphs, known: str) -> tuple[str | None, int]:
    layout = paragraphs.layout
    groups: list[list[tuple[int, Line]]] = []
    height = layout.heights[layout.lines[0].page]
    page = layout.lines[0].page
    for place, line in enumerate(layout.lines):
        if line.page != page:
            break
        is_furniture = line.kind == FURNITURE and line.size <= layout.body.size + 0.5
        if is_furniture or line.y > 0.62 * height or _BANNER.match(line.text):
            continue
        if groups and (
            _goes_on(groups[-1][-1][1], line, layout)
            or _is_subtitle(groups[-1][-1][1], line, layout)
        ):
            groups[-1].append((place, line))
        else:
            groups.append([(place, line)])
    best: tuple[float, str, int] = (0.0, "", -1)
    for group in groups:
        lines = [line for _, line in group]
        text = _without_signs(lines, paragraphs)
        letters = sum(map(str.isalpha, text))
        if letters < 8 or len(text) > 400 or _ADDRESS.search(text):
            continue
        score = _peak(lines[0]) + (1.5 if lines[0].font.bold else 0.0)
        score -= 4.0 * (len(text.split()) < 3) + 6.0 * lines[0].y / height
        score += 3.0 * (known != "" and compact(text) == compact(known))
        if score > best[0]:
            best = (score, text, group[-1][0])
    return best[1] or None, best[2]


def _peak(line: Line) -> float:
    """The size of a line, that of the larger letters where it is set in small capitals."""
    letters: Counter[float] = Counter()
    for word in line.words:
        letters[word.font.size] += sum(map(str.isalnum, word.text))
    enough = max(2.0, 0.06 * sum(letters.values()))
    return max((size for size, count in letters.items() if count >= enough), default=line.size)


def _goes_on(before: Line, line: Line, layout: Layout) -> bool:
    spacing = max(1.9, 1.25 * layout.leading / layout.body.size)  # manuscripts are double-spaced
    return (
        line.font.name == before.font.name
        and (abs(_peak(line) - _peak(before)) < 0.3 or abs(line.size - before.size) < 0.3)
        and 0 < line.y - before.y < spacing * max(_peak(line), _peak(before))
        and line.page == before.page
    )


def _is_subtitle(before: Line, line: Line, layout: Layout) -> bool:
    """A somewhat smaller line close below a title, larger than any author's name."""
    size, above = _peak(line), _peak(before)
    return (
        line.font.name == before.font.name
        and 0.8 * above <= size <= above
        and size > layout.body.size + 3
        and 0 < line.y - before.y < 1.4 * above
    )


def _without_signs(lines: Sequence[Line], paragraphs: Paragraphs) -> str:
    text = ""
    for line in lines:
        peak = _peak(line)
        words = [
            word
            for word in line.words
            if not (word.font.size < 0.8 * peak and word.y < line.y - 0.1 * peak)
        ]
        while words and re.fullmatch(r"[*∗†‡§¶]+", words[-1].text):
            words.pop()
        printed = re.sub(r"[*∗†‡§¶]+$", "", join_words(words))
        text = paragraphs.vocabulary.join(text, printed) if text else printed
    return " ".join(text.split())


def _abstract(
    paragraphs: Paragraphs, candidates: Sequence[Candidate], start: int, first: int
) -> str | None:
    layout = paragraphs.layout
    lines = layout.lines
    heads = {c.start: c for c in candidates}
    for place in range(min(first, len(lines))):
        line = lines[place]
        found = _ABSTRACT.match(line.text)
        if line.kind or line.page > layout.lines[0].page + 1 or found is None:
            continue
        is_alone = found.end() >= len(line.text)
        is_styled = place in heads or line.words[0].font != layout.body or line.text[0] in "A摘要اА"
        if not (is_alone or (is_styled and _closes(line.text, found.end()))):
            continue
        end = _abstract_end(lines, place + 1, first, heads)
        own = [item for item in lines[place + 1 : end] if not item.kind]
        rest = line.text[found.end() :]
        text = paragraphs.text(own)
        if rest and own:
            text = paragraphs.vocabulary.join(rest, text)
        if text or rest:
            return text or rest
    return _unheaded(paragraphs, start + 1, first)


def _closes(text: str, end: int) -> bool:
    return (
        text[:end].rstrip()[-1:] in ".:—–-"
        or text[:end].strip().isupper()
        or text[end : end + 1].isupper()
    )


def _abstract_end(
    lines: Sequence[Line], start: int, first: int, heads: dict[int, Candidate]
) -> int:
    """The place behind the last line of an abstract."""
    size = lines[start].size if start < len(lines) else 0.0
    for place in range(start, min(first, len(lines))):
        line = lines[place]
        if line.kind:
            continue
        if _KEYWORDS.match(line.text):
            return place
        candidate = heads.get(place)
        is_heading = candidate is not None and not candidate.runs_in and candidate.is_strong
        if is_heading and place > start:
            return place
        if place > start + 1 and abs(line.size - size) > 0.8 and line.gap > 1.3 * line.size:
            return place
    return min(first, len(lines))


def _unheaded(paragraphs: Paragraphs, start: int, first: int) -> str | None:
    """The longest run of full lines between the title and the first section."""
    best: list[Line] = []
    run: list[Line] = []
    for line in paragraphs.layout.lines[start:first]:
        if line.kind or line.page > 1:
            continue
        goes_on = (
            bool(run)
            and 0 < line.y - run[-1].y < 1.8 * line.size
            and (abs(line.size - run[-1].size) < 0.4 and line.page == run[-1].page)
        )
        if not goes_on or _KEYWORDS.match(line.text):
            run = []
        if not _KEYWORDS.match(line.text):
            run.append(line)
        if sum(len(item.text) for item in run) > sum(len(item.text) for item in best):
            best = list(run)
    wide = [line for line in best if line.runs == 1 and len(line.text.split()) >= 6]
    return paragraphs.text(best) if len(wide) >= _MIN_PROSE else None


_MIN_LETTERS = 20
MAX_PAGES = 1000
_LARGEST_FILE = 256 << 20
_TAIL = 32 << 10
_MAX_BOOKMARKS = 2000
_MAX_BOOKMARK = 6
_UTF16 = 2


def read_pages(
    pages: Sequence[Page], name: str, bookmarks: Sequence[Bookmark] = (), known_title: str = ""
) -> Document:
    """The paper on these pages; `InputError` where they hold no text.

    Args:
        pages: In order.
        name: The name of the file, which is the key of the paper.
        bookmarks: The outline that the PDF carries.
        known_title: The title in the PDF's own description, one more witness.
    """
    letters = sum(len(word.text) for page in pages for word in page.words)
    if letters < _MIN_LETTERS * len(pages):
        raise InputError("the pages hold no text, only images: run text recognition (OCR) first")
    layout = read_layout(pages)
    mark_furniture(layout)
    columns = Columns(layout)
    floats = find_floats(columns)
    candidates = find_candidates(columns)
    outline = find_headings(candidates, layout.lines, bookmarks)
    paragraphs = Paragraphs(columns)
    body = [heading for heading in outline.headings if _role(heading) != "abstract"]
    if not any(_role(heading) == "references" for heading in body):
        body = sorted([*body, *_unheaded_list(layout)], key=lambda one: one.candidate.start)
    first = body[0].candidate.start if body else len(layout.lines)
    title, abstract = read_front(paragraphs, candidates, first, known_title)
    references = tuple(_references(body, paragraphs))
    sections = number_sections(_sections(body, paragraphs))
    health, reasons = judge(
        Facts(
            sections=sections,
            references=len(references),
            lines=layout.lines,
            letters_by_page=[sum(len(word.text) for word in page.words) for page in pages],
            features=outline.chosen.features,
            score=outline.chosen.score,
        )
    )
    stem = name[:-4] if name.lower().endswith(".pdf") else name
    stamp = find_arxiv_id(pages[0].turned)
    arxiv = find_arxiv_id(stem) or stamp
    if stamp and arxiv and stamp[0] == arxiv[0]:
        arxiv = stamp
    return Document(
        kind="pdf",
        key=name,
        source_file=name,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        stamped=find_day(pages[0].turned) if stamp and arxiv is stamp else None,
        acl_id=find_acl_id(stem),
        title=clean_text(title) if title else None,
        abstract=clean_text(abstract) if abstract else None,
        sections=sections,
        references=references,
        tables=tuple(_tables(floats, paragraphs, references)),
        health=health,
        health_reasons=reasons,
    )


def _unheaded_list(layout: Layout) -> Iterator[Heading]:
    """A heading of no lines before a list of references that has none."""
    place = find_unheaded(layout.lines)
    if place is not None:
        style = Style(layout.body.name, layout.body.size, "plain")
        candidate = Candidate(place, place, "References", style, (), [], is_apart=True)
        yield Heading(candidate, 1, "References", None, "references")


def _role(heading: Heading) -> str | None:
    return heading.role or role_of_heading(heading.text)


def _parts(
    headings: Sequence[Heading], lines: Sequence[Line]
) -> Iterator[tuple[Heading, list[Line]]]:
    """The headings with the lines of running text below each."""
    stops = [*(heading.candidate.start for heading in headings[1:]), len(lines)]
    for heading, stop in zip(headings, stops, strict=False):
        yield heading, [line for line in lines[heading.candidate.stop : stop] if not line.kind]


def _sections(headings: Sequence[Heading], paragraphs: Paragraphs) -> Iterator[Draft]:
    """Every section but the references, which are stored as entries."""
    for heading, own in _parts(headings, paragraphs.layout.lines):
        if _role(heading) != "references":
            text = clean_text(paragraphs.text(own, heading.candidate.rest))
            words = clean_text(heading.text)
            yield Draft(heading.level, words, heading.number, heading.role, [text])


def _references(headings: Sequence[Heading], paragraphs: Paragraphs) -> Iterator[Reference]:
    lists = (
        split_entries(own, paragraphs)
        for heading, own in _parts(headings, paragraphs.layout.lines)
        if _role(heading) == "references"
    )
    for ordinal, raw in enumerate(chain.from_iterable(lists)):
        yield read_reference(clean_text(raw), ordinal)


def _tables(
    floats: Sequence[Float], paragraphs: Paragraphs, references: Sequence[Reference]
) -> Iterator[CitedTable]:
    tables = [item for item in floats if item.kind == "table"]
    for ordinal, item in enumerate(tables):
        caption = clean_text(paragraphs.one(item.caption))
        cells = tuple(tuple(_cells(line)) for line in item.body)
        printed = TableText(caption, cells)
        mentions = list(mentions_in(printed.text, references))
        cited = tuple(sorted({one for _, meant in mentions for one in meant}))
        yield CitedTable(ordinal, caption, cells, cited, printed.by_row(mentions, cited))


def _cells(line: Line) -> Iterator[str]:
    cell = [line.words[0]]
    for word in line.words[1:]:
        if word.x0 - cell[-1].x1 > line.size:
            yield clean_text(join_words(cell))
            cell = []
        cell.append(word)
    yield clean_text(join_words(cell))


def read_file(path: Path, *, use_bookmarks: bool = True) -> Document:
    """The paper in a PDF file; `InputError` says why there is none.

    Runs PDFium in this process: hostile files belong into the child process.
    """
    with _opened(_content(path)) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if count > MAX_PAGES:
            raise InputError(f"{count:,} pages, more than the {MAX_PAGES:,} that are read")
        if count < 1:
            raise InputError("damaged: the file holds no page")
        bookmarks = tuple(_bookmarks(document)) if use_bookmarks else ()
        pages = list(_pages(document, count))
        return read_pages(pages, path.name, bookmarks, _known_title(document))


def _content(path: Path) -> bytes:
    content = read_whole(path, _LARGEST_FILE, "paper")
    if b"%PDF-" not in content[:1024]:
        raise InputError("not a PDF: the file does not start with %PDF-")
    if b"startxref" not in content[-_TAIL:] and b"%%EOF" not in content[-_TAIL:]:
        raise InputError("damaged: the end of the file is missing, download it again")
    return content


@contextmanager
def _opened(content: bytes) -> Iterator[object]:
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        error = pdfium.FPDF_GetLastError()
        if error == pdfium.FPDF_ERR_PASSWORD:
            raise InputError("encrypted: a password is needed to open it")
        if error == pdfium.FPDF_ERR_SECURITY:
            raise InputError("encrypted in a way that cannot be read")
        raise InputError("damaged: PDFium cannot open it")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def _pages(document: object, count: int) -> Iterator[Page]:
    fonts = FontBook()
    for number in range(count):
        page = read_page(document, number, fonts)
        if page is None:
            raise InputError(f"damaged: page {number + 1} cannot be read")
        yield page


def _known_title(document: object) -> str:
    buffer = ctypes.create_string_buffer(2048)
    size = pdfium.FPDF_GetMetaText(document, b"Title", buffer, len(buffer))
    return _decode(buffer, size)


def _bookmarks(document: object) -> Iterator[Bookmark]:
    """The outline in order; loops in a hostile one end at a bound."""
    stack = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    for _ in range(_MAX_BOOKMARKS):
        if not stack:
            return
        mark, depth = stack.pop()
        if not mark:
            continue
        buffer = ctypes.create_string_buffer(1024)
        size = pdfium.FPDFBookmark_GetTitle(mark, buffer, len(buffer))
        target = pdfium.FPDFBookmark_GetDest(document, mark)
        page = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
        yield Bookmark(depth, _decode(buffer, size), page)
        stack.append((pdfium.FPDFBookmark_GetNextSibling(document, mark), depth))
        if depth < _MAX_BOOKMARK:
            stack.append((pdfium.FPDFBookmark_GetFirstChild(document, mark), depth + 1))


def _decode(buffer: ctypes.Array[ctypes.c_char], size: int) -> str:
    if not _UTF16 < size <= len(buffer):
        return ""
    return buffer.raw[: size - _UTF16].decode("utf-16-le", "replace").strip()
