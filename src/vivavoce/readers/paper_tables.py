"""A paper with its text: what a round's library holds and readers read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from vivavoce.readers.blocks import MAX_LINES, Block, Marks, line_blocks, read_blocks
from vivavoce.readers.lines import Line, count_values, header_in, read_line, split_stream
from vivavoce.readers.terms import terms_in
from vivavoce.text.cell_text import spread_cells

_MAX_CHARACTERS = 400_000
"""Characters of a paper's texts that are read."""


@dataclass(frozen=True, slots=True)
class LibrarySection:
    """One section of a paper."""

    heading: str | None
    text: str


@dataclass(frozen=True, slots=True)
class LibraryTable:
    """One table of a paper."""

    caption: str
    cells: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[int, ...], ...] = ()
    """The field of that name in `CitedTable`."""
    bold: tuple[tuple[int, ...], ...] = ()
    """The field of that name in `CitedTable`."""

    def shown(self) -> list[list[str]]:
        """The rows for a reader: spanning cells repeated in each place, bold ones between stars."""
        rows = spread_cells(self.cells, self.spans)
        for row, column in self.bold:
            if row < len(rows) and column < len(rows[row]) and rows[row][column]:
                rows[row][column] = f"**{rows[row][column]}**"
        return rows


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A paper as a library holds it."""

    paper_id: str
    title: str
    published: str | None
    abstract: str | None
    sections: tuple[LibrarySection, ...]
    tables: tuple[LibraryTable, ...]
    """In the corpus' order: the place of a table is its `ordinal`."""

    def texts(self, *, abstract: bool = False) -> Iterator[str]:
        """The texts of the sections, cut where a paper holds more than any real one."""
        left = _MAX_CHARACTERS
        opening = [self.abstract or ""] if abstract else []
        for text in (*opening, *(section.text for section in self.sections)):
            yield text[:left]
            left = max(0, left - len(text))


MAX_TEXT = 200_000
"""Characters of a text that are searched."""
_MAX_LABEL = 9
_MIN_ROWS = 3
_CAPTION = re.compile(r"\bTable\s?\d{1,2}\s?[:.]\s?[^\n]{0,240}")
_NEAR = 400
_MAX_RUNS = 50
_NAME = re.compile(r"[A-Z]|\w\d")
_DECIMAL = re.compile(r"\d\.\d")
_MIN_DECIMALS = 4


def blocks_in_text(text: str) -> list[tuple[str, Block]]:
    """(what stands around it, block) of each run of rows in a text."""
    if sum(1 for _ in islice(_DECIMAL.finditer(text), _MIN_DECIMALS)) < _MIN_DECIMALS:
        return []
    lines = split_stream(text[:MAX_TEXT])
    if len(lines) < _MIN_ROWS:
        return []
    parsed = [read_line(line[-1_000:]) for line in lines]
    captions = [(m.start(), m.group()) for m in _CAPTION.finditer(text[:MAX_TEXT])]
    found: list[tuple[str, Block]] = []
    start = 0
    while start < len(lines) and len(found) < _MAX_RUNS:
        end = _run_end(parsed, start)
        if end - start >= _MIN_ROWS:
            around = _around(text, lines[end - 1], captions)
            found += [(around, block) for block in line_blocks(lines[start:end])]
        start = max(end, start + 1)
    return found


def _run_end(parsed: Sequence[Line], start: int) -> int:
    """End of a run of rows with as many values as most; its first may hold a header."""
    width = len(parsed[start].values)
    if not width or not _has_decimals(parsed[start]):
        return start
    end = start + 1
    while end < len(parsed) and _is_row(parsed[end], width):
        end += 1
    needed = _MIN_ROWS if width > 1 else _MIN_ROWS + 1
    return end if end - start >= needed else start


def _is_row(line: Line, width: int) -> bool:
    return (
        abs(len(line.values) - width) <= (width > 2)
        and len(line.label.split()) <= _MAX_LABEL
        and _has_decimals(line)
        and (width > 1 or _NAME.search(line.label) is not None)
        and ". " not in line.label.replace("al. ", "")
    )


def _has_decimals(line: Line) -> bool:
    return any("." in value for value in line.values)


def _around(text: str, last: str, captions: Sequence[tuple[int, str]]) -> str:
    """The caption next to the end of a run."""
    place = text.find(last[-60:])
    near = [(abs(start - place), caption) for start, caption in captions]
    best = min(near, default=None)
    return best[1] if best is not None and best[0] <= _NEAR and place >= 0 else ""


_PAPERS = 1_000
"""Papers that are kept as they were read."""
IN_TEXT = -1
"""Place of a table that is in the running text."""
_MAX_TABLES = 200
_MAX_CELLS = 50_000
_MAX_CAPTION = 4_000
_FUSED = 8
"""Values in a caption from which it is read as a table."""
_MENTIONS = 4
_NUMBER = re.compile(r"\bTable\s?(\d{1,2})", re.IGNORECASE)
_AROUND = 300
"""Characters before and after the name of a table that may be of its sentence."""
_MAX_MENTIONS = 500
_END = re.compile(r"\. |\n")
_OWN_CAPTION = re.compile(r"\bTable\s?\d{1,2}\s?[.:]", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """A table, and the texts that describe its subject."""

    place: int
    blocks: tuple[Block, ...]
    caption: str
    """The caption and the lines of prose beside it."""
    near: str
    """Captions without a table before and after it."""
    mentions: str
    """Sentences that name it."""
    paper: str
    """Title and abstract."""
    all_terms: frozenset[str]
    """Terms of the whole paper."""

    def caption_of(self, block: Block, place: int) -> str:
        """The caption of a block; several tables may have been read as one."""
        if place and any(_OWN_CAPTION.search(line) for line in block.heads):
            return " ".join(block.heads)[:_MAX_CAPTION]
        return self.caption

    def near_of(self, place: int) -> str:
        """Captions around a block; one below it may have been read as the head of the next."""
        if place + 1 < len(self.blocks):
            below = [line for line in self.blocks[place + 1].heads if _OWN_CAPTION.search(line)]
            return " ".join([self.near, *below])[:_MAX_CAPTION]
        return self.near


@lru_cache(maxsize=_PAPERS)
def sources_of(paper: LibraryPaper) -> tuple[Source, ...]:
    """The tables of a paper, also those in its running text; read once for all boards."""
    about = f"{paper.title}\n{paper.abstract or ''}"
    mentions = _mentions(paper)
    tables = _read_all(paper.tables[:_MAX_TABLES])
    everything = _all_terms(paper)
    sources = []
    for place, (blocks, caption) in enumerate(tables):
        if not blocks:
            continue
        near = " ".join(
            tables[other][1]
            for other in (place - 1, place + 1)
            if 0 <= other < len(tables) and not tables[other][0]
        )
        numbers = dict.fromkeys(_NUMBER.findall(f"{caption} {near}"))
        named = " ".join(s for n in numbers for s in mentions.get(n, [])[:_MENTIONS])
        sources.append(Source(place, tuple(blocks), caption, near, named, about, everything))
    for section, text in zip(paper.sections, paper.texts(), strict=True):
        for around, block in blocks_in_text(text):
            caption = f"{section.heading or ''} {around}"
            sources.append(Source(IN_TEXT, (block,), caption, "", "", about, everything))
    return tuple(sources)


def _read_all(tables: Sequence[LibraryTable]) -> list[tuple[list[Block], str]]:
    """Every table, until a paper's have more cells than any real one's."""
    found: list[tuple[list[Block], str]] = []
    left = _MAX_CELLS
    for table in tables:
        if left <= 0:
            break
        found.append(_read(table))
        left -= sum(map(len, table.cells[:MAX_LINES])) + 1
    return found


def _read(table: LibraryTable) -> tuple[list[Block], str]:
    """The blocks of a table and its caption with the lines of prose beside it."""
    caption = table.caption[:_MAX_CAPTION]
    blocks = read_blocks(table.cells, header_in(caption), Marks(table.spans, table.bold))
    if not blocks and count_values(caption) >= _FUSED:
        blocks = line_blocks(split_stream(caption))
    prose = [
        line
        for row in table.cells[:12]
        if len(line := " ".join(row)[:1_000]) > 25 and count_values(line) < 2
    ]
    return blocks, " ".join([caption[:1_500], *prose])[:_MAX_CAPTION]


def _mentions(paper: LibraryPaper) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in paper.texts():
        for match in islice(_NUMBER.finditer(text), _MAX_MENTIONS):
            before = text[max(0, match.start() - _AROUND) : match.start()]
            behind = text[match.end() : match.end() + _AROUND]
            start = max(before.rfind(". "), before.rfind("\n")) + 1
            sentence = before[start:] + match.group() + _END.split(behind, maxsplit=1)[0]
            found.setdefault(match[1], []).append(sentence)
    return found


def _all_terms(paper: LibraryPaper) -> frozenset[str]:
    terms: set[str] = set()
    for text in paper.texts():
        for start in range(0, len(text), 4_000):
            terms.update(terms_in(text[start : start + 4_000]))
    return frozenset(terms)
