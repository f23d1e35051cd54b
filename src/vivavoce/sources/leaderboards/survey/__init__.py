"""Reader of literature surveys in Markdown, with HTML tables and a printed list of references.

A text is read as parts: headings, paragraphs, and tables with their captions.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document
from vivavoce.sources import Source, holds_in_text, read_with
from vivavoce.sources.fulltext.assemble import build_sections
from vivavoce.sources.fulltext.model import Block
from vivavoce.sources.fulltext.outline import find_sections
from vivavoce.sources.leaderboards.survey.entries import ListedCitations, read_list
from vivavoce.text.cell_text import unescape_entities
from vivavoce.text.headings import role_of_heading, split_heading
from vivavoce.text.normalise import clean_text
from vivavoce.text.table_parsing import HTML_START, html_end, html_rows, parse_tables

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_IMAGE = re.compile(r"!\[[^\[\]]{0,500}\]\([^()\s]{0,2000}\)")
_FIGURE_CAPTION = re.compile(r"[*_\s]{0,4}fig(?:ure|\.)?\s?[0-9IVX]", re.IGNORECASE)
_TABLE_CAPTION = re.compile(
    r"[*_\s]{0,4}tab(?:le|\.)\s?(?:[0-9]|[IVX]+\b|[A-Z]\.?[0-9])", re.IGNORECASE
)
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_TRAILING_MARKS = re.compile(r"[ \t]#{1,6}[ \t]*$")
_MAX_CELLS = 400_000
"""Most cells in all HTML tables of a text."""

Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MarkdownHeading:
    """A heading and its number of `#` marks."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class MarkdownTable:
    """A table and its caption, which is empty if there is none."""

    cells: Cells
    caption: str = ""


Part = MarkdownHeading | MarkdownTable | str
"""A paragraph is a text: lines without a blank one between them, joined."""


def read_parts(text: str) -> list[Part]:
    """Parts of a text in order, without pictures and their captions."""
    parts: list[Part] = []
    left = _MAX_CELLS
    position = 0
    while (start := HTML_START.search(text, position)) is not None:
        parts += _plain_parts(text[position : start.start()])
        position = html_end(text, start.start())
        cells = _cells(html_rows(text[start.start() : position]), left)
        left -= sum(map(len, cells))
        if cells:
            parts.append(MarkdownTable(cells))
    parts += _plain_parts(text[position:])
    # Move each caption into its table: the one before the table, else the one after it.
    taken: set[int] = set()
    captions: dict[int, int] = {}
    for step in (-1, 1):
        for place, part in enumerate(parts):
            beside = place + step
            if not isinstance(part, MarkdownTable) or place in captions or beside in taken:
                continue
            if 0 <= beside < len(parts) and _is_caption(parts[beside]):
                captions[place] = beside
                taken.add(beside)
    kept: list[Part] = []
    for place, part in enumerate(parts):
        if isinstance(part, MarkdownTable) and place in captions:
            kept.append(MarkdownTable(part.cells, plain(str(parts[captions[place]]))))
        elif place not in taken:
            kept.append(part)
    return kept


def plain(text: str) -> str:
    """Remove the emphasis from a line of Markdown."""
    return " ".join(_EMPHASIS.sub("", text).split())


def _plain_parts(text: str) -> Iterator[Part]:
    lines: list[str] = []
    is_fenced = after_image = False
    for line in [*text.split("\n"), ""]:
        heading = None if is_fenced else _HEADING.fullmatch(line)
        if _FENCE.match(line):
            is_fenced = not is_fenced
        if line.strip() and heading is None:
            lines.append(line)
            continue
        if lines:
            has_image = _IMAGE.search(lines[0]) is not None
            yield from _run(lines, after_image)
            after_image = has_image and len(lines) == 1
            lines = []
        if heading is not None:
            after_image = False
            words = plain(_TRAILING_MARKS.sub("", heading[2]))
            if words:
                yield MarkdownHeading(len(heading[1]), words)


def _run(lines: Sequence[str], after_image: bool) -> Iterator[Part]:
    """Lines without a blank one between them: a table of pipes, or a paragraph."""
    if len(lines) > 1 and all(line.lstrip().startswith("|") for line in lines):
        for table in parse_tables("\n".join(lines)).tables:
            yield MarkdownTable((table.header, *table.rows))
        return
    kept: list[str] = []
    below_image = after_image
    for line in lines:
        words = _IMAGE.sub(" ", line)
        if words != line:
            below_image = True
        if words.strip() and not (below_image and _FIGURE_CAPTION.match(words)):
            kept.append(words)
            below_image = False
    paragraph = " ".join(" ".join(kept).split())
    if paragraph:
        yield paragraph


def _cells(rows: Iterator[list[str]], most: int) -> Cells:
    """Rows that are not empty, until they would have more than `most` cells."""
    cells: list[tuple[str, ...]] = []
    count = 0
    for row in rows:
        count += len(row)
        if count > most:
            break
        if any(row):  # some converters escape twice
            cells.append(tuple(unescape_entities(cell) for cell in row))
    return tuple(cells)


def _is_caption(part: Part) -> bool:
    return isinstance(part, str) and _TABLE_CAPTION.match(part) is not None


_LABEL = re.compile(r"[*_]{0,3}abstract[*_]{0,3}\s{0,2}[.:—–-]{0,3}[*_]{0,3}\s{0,2}", re.IGNORECASE)
_AFTER = re.compile(
    r"[*_]{0,3}(?:key ?words|index terms|ccs concepts|categories and subject|general terms"
    r"|additional key|acm reference|general chair|date:|received|\d* ?introduction\b)",
    re.IGNORECASE,
)
_MIN_WORDS = 60
_SENTENCE_END = (".", "!", "?", ")", "”")
_SUFFIXES = (".md", ".markdown")
_LARGEST_FILE = 32 << 20
_MAX_HEADINGS = 5_000
_REFERENCES = re.compile(
    rb"^ {0,3}#{1,6}[ \t][^\n]{0,20}(?:references|bibliography|works cited)",
    re.IGNORECASE | re.MULTILINE,
)


def split_front(parts: Sequence[Part]) -> tuple[str | None, str, list[Part]]:
    """Split parts into the title, the abstract, and the parts from the first section onwards.

    The abstract is below its heading, begins with that word, or is the first running text.
    """
    headings = {p: part.text for p, part in enumerate(parts) if isinstance(part, MarkdownHeading)}
    title = next(iter(headings), None)
    if title is not None and role_of_heading(headings[title]) is not None:
        title = None  # the first heading is that of a section
    sections = (p for p, text in headings.items() if p != title and not _is_front(text))
    first = next(sections, len(parts))
    front = [part for place, part in enumerate(parts[:first]) if place != title]
    name = None if title is None else headings[title]
    return name, _abstract(front), list(parts[first:])


def _is_front(heading: str) -> bool:
    """Check whether a heading belongs to the first page, such as the abstract or key words."""
    role = role_of_heading(heading)
    return role == "abstract" or (role is None and _AFTER.match(heading) is not None)


def _abstract(front: Sequence[Part]) -> str:
    for place, part in enumerate(front):
        if isinstance(part, MarkdownHeading) and role_of_heading(part.text) == "abstract":
            if below := _joined(front[place + 1 :]):
                return below
            break
    texts = {place: part for place, part in enumerate(front) if isinstance(part, str)}
    for place, text in texts.items():
        if (label := _LABEL.match(text)) is not None:
            rest = text[label.end() :]
            first = [rest] if rest else []
            if labelled := _joined([*first, *front[place + 1 :]]):
                return labelled
            break
    prose = next((place for place, text in texts.items() if _is_prose(text)), len(front))
    return _joined(front[prose:])


def _joined(parts: Sequence[Part]) -> str:
    """Join the first paragraphs of prose; one that is cut off continues in the next."""
    paragraphs: list[str] = []
    is_cut = False
    for part in parts:
        if not isinstance(part, str) or _AFTER.match(part):
            break
        if is_cut:
            paragraphs[-1] += f" {part}"
        elif not paragraphs or _is_prose(part):
            paragraphs.append(part)
        else:
            break
        is_cut = not part.endswith(_SENTENCE_END)
    return "\n\n".join(paragraphs)


def _is_prose(text: str) -> bool:
    """Check whether a paragraph is running text rather than a list of names and places."""
    words = [word for word in text.split() if word[:1].isalpha()]
    small = sum(word[0].islower() for word in words)
    return len(words) >= _MIN_WORDS and small >= 0.6 * len(words)


def _matches(path: Path) -> bool:
    """Check whether a Markdown file has a heading above a list of references."""
    if not path.name.lower().endswith(_SUFFIXES) or path.name.lower().startswith("readme"):
        return False
    return holds_in_text(path, _REFERENCES, _LARGEST_FILE)


def _read_survey(content: bytes, name: str) -> Iterator[Document]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: {error.reason} at byte {error.start}") from error
    parts = read_parts(clean_text(text))
    if sum(isinstance(part, MarkdownHeading) for part in parts) > _MAX_HEADINGS:
        raise InputError(f"over {_MAX_HEADINGS:,} headings, which no survey has")
    document = _document(parts, name)
    if not document.sections:
        raise InputError("the text has no sections: no heading with text below it")
    yield document


def _document(parts: Sequence[Part], name: str) -> Document:
    title, abstract, body = split_front(parts)
    body, listed = _split_references(body)
    entries = read_list(listed)
    citations = ListedCitations(entries)
    sections, abstract = build_sections(_blocks(body, title), abstract)
    tables = [part for part in body if isinstance(part, MarkdownTable)]
    return Document(
        kind="survey",
        key=name,
        source_file=name,
        title=title,
        abstract=abstract or None,
        sections=sections,
        references=tuple(entry.reference for entry in entries),
        tables=tuple(
            CitedTable(ordinal, table.caption, table.cells, *citations.cited_in(table))
            for ordinal, table in enumerate(tables)
        ),
    )


def _split_references(parts: Sequence[Part]) -> tuple[list[Part], list[str]]:
    """Split off the paragraphs of the last reference list, which stray parts may interrupt."""
    heads = [
        place
        for place, part in enumerate(parts)
        if isinstance(part, MarkdownHeading) and role_of_heading(part.text) == "references"
    ]
    if not heads:
        return list(parts), []
    start, first = heads[-1], heads[-1] + 1
    end = _next_heading(parts, first)
    texts = {place: part for place, part in enumerate(parts) if isinstance(part, str)}
    if texts.keys().isdisjoint(range(first, end)):
        first = next((p for p, text in texts.items() if p >= end and text.startswith("[1]")), end)
        end = _next_heading(parts, first) if first > end else end
    listed = [text for place, text in texts.items() if first <= place < end]
    tables = [part for part in parts[first:end] if isinstance(part, MarkdownTable)]
    return [*parts[:start], *parts[start + 1 : first], *tables, *parts[end:]], listed


def _next_heading(parts: Sequence[Part], start: int) -> int:
    following = (p for p in range(start, len(parts)) if isinstance(parts[p], MarkdownHeading))
    return next(following, len(parts))


def _blocks(parts: Sequence[Part], title: str | None) -> list[Block]:
    levels = Counter(part.level for part in parts if isinstance(part, MarkdownHeading))
    repeated = [level for level, times in levels.items() if times > 1]
    base = min(repeated or levels, default=1)  # the level of the top sections
    blocks: list[Block] = []
    for part in parts:
        if isinstance(part, MarkdownHeading):
            heading = part.text.rstrip(". ") or part.text
            blocks.append(Block(heading, depth=max(0, part.level - base)))
        elif isinstance(part, str):
            if not blocks:
                blocks.append(Block())
            blocks[-1].add(part)
    if any(split_heading(block.heading or "")[0] for block in blocks):
        for block in blocks:
            block.depth = 0  # printed numbers say more than the marks do
    return find_sections(blocks, title or "")


SOURCE = Source(
    kind="survey",
    summary="literature surveys in Markdown (.md) with HTML tables and a list of references",
    matches=_matches,
    read=read_with(_read_survey, _LARGEST_FILE, "survey"),
    reader_version="6",
)
