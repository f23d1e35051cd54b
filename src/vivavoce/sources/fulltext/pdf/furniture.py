"""Text around the main text of a page: running heads, page numbers, footnotes, contents."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from vivavoce.sources.fulltext.pdf.layout import Layout
from vivavoce.sources.fulltext.pdf.runs import Line, join_words
from vivavoce.text.headings import role_of_heading

FURNITURE = "furniture"
FOOTNOTE = "footnote"
CONTENTS = "contents"

_HEAD = 0.115
_FOOT = 0.9
_HIGH_FOOT = 0.75
"""Share of the height: further down, a lone number below all text is a page number."""
_SAME_ROW = 4.0
_KEY = 8
"""Fewest letters of a repeated row that lies inside the usual margins."""
_HEAD_ROWS, _FOOT_ROWS = 3, 4
"""Number of rows in a page's margins that may be repeated on other pages."""
_INSIDE = 5
"""Further rows that may be repeated if space separates them from the text, such as a licence."""
_BOTH = 2
"""Pages that may share a large line at the head: an appendix may repeat a heading of the paper."""
_APART, _MAX_HEAD = 1.5, 16
_PAGES_OF_HEADS, _SHARE_OF_HEADS = 4, 0.25
"""Least number and least share of pages that open with a running head."""
_CAPTION = re.compile(r"(?:table|tab|figure|fig|algorithm)\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—|\s]*(?:[a-z]?\d{1,5}|[ivxl]{1,6})[-–—|\s]*(?:(?:of|/)\s*\d{1,5})?",
    re.IGNORECASE,
)
_IMPRINT = re.compile(
    r"proceedings of|©|\(c\) ?(?:19|20)\d\d|copyright|permission to make|all rights reserved"
    r"|licen[cs]ed under|creative commons|preprint (?:submitted|\. under review)"
    r"|^\W*preprint\b|under (?:double.blind )?review|published (?:as|by|in|online)|to appear in"
    r"|^\W*(?:corresponding author|received|accepted)\b|\bissn\b|\bisbn\b"
    r"|(?:conference|workshop|symposium) on .*\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"^(?:[*∗†‡§¶‖#✉⋆⇤\u2217\u22c6]|\d{1,2}(?=\D|$))")
_ABSTRACT = re.compile(
    r"\W*(?:abstract|summary|摘\s*要|要旨|요약|аннотация|(?:ال)?ملخص|چکیده|résumé|zusammenfassung|resumen|resumo)"
    r"(?![^\W\d_])\s*[.:：—–-]*\s*",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:[.·…]\s?){4,}\s*\d{1,4}$")
_ENTRY = re.compile(r"(?:[A-Z]|\d{1,2})(?:\.\d{1,2}){0,3}\.?\s.*\s\d{1,4}$")
_CONTENTS = re.compile(r"(?:table of )?contents\W*", re.IGNORECASE)


def mark_furniture(layout: Layout) -> None:
    """Set the kind of the lines that are not part of the text, and drop footnote marks."""
    pages = {n: list(lines) for n, lines in groupby(layout.lines, key=lambda line: line.page)}
    rows = {n: _rows(lines) for n, lines in pages.items()}
    wider = {n: _rows(lines, _INSIDE) for n, lines in pages.items()}
    repeated: dict[tuple[int, str], list[float]] = defaultdict(list)
    """Heights of the rows with the same words, one per page."""
    for edges in wider.values():
        heights = {(place, key): row[0].y for place, row in edges if (key := _key(row))}
        for own, y in heights.items():
            repeated[own].append(y)
    for number, edges in rows.items():
        height = layout.heights[number]
        lowest = next((row for place, row in edges if not place), None)
        for place, row in edges:
            y, text = row[0].y, _text(row)
            is_outer = _is_outer(y, place, height)
            is_number = _PAGE_NUMBER.fullmatch(text.strip()) is not None
            is_last = not place and row is lowest and y > _HIGH_FOOT * height
            is_heading = all(line.size > layout.body.size + 1 for line in row)
            same = sum(_is_outer(o, place, height) for o in repeated[place, _key(row)])
            if (
                (is_outer and same > (_BOTH if is_heading else 1))
                or (is_number and (is_outer or is_last))
                or (is_outer and number == 0 and _IMPRINT.search(text) is not None)
            ):
                for line in row:
                    line.kind = FURNITURE
    enough = max(_BOTH, _SHARE_OF_HEADS * len(pages))
    for edges in wider.values():
        for end in (0, 1):
            _mark_inside(
                [row for place, row in edges if place == end], end, repeated, enough, layout
            )
    _mark_heads(pages, layout)
    _set_gaps(layout)
    _mark_contents(layout)
    for lines in pages.values():
        for _, column in groupby(
            sorted((line for line in lines if not line.kind), key=lambda line: line.column),
            key=lambda line: line.column,
        ):
            _mark_footnotes(sorted(column, key=lambda line: line.y), layout)
    _drop_marks(layout)


def _mark_inside(
    rows: Sequence[list[Line]],
    place: int,
    repeated: Mapping[tuple[int, str], Sequence[float]],
    enough: float,
    layout: Layout,
) -> None:
    """Mark rows near the margins, apart from the text, that other pages have at the same height."""
    for number, (row, after) in enumerate(pairwise(rows), start=1):
        y, key = row[0].y, _key(row)
        same = sum(abs(other - y) < _SAME_ROW / 2 for other in repeated.get((place, key), ()))
        is_heading = all(line.size > layout.body.size + 1 for line in row)
        if not row[0].kind and (same < enough or len(key) < _KEY or is_heading):
            return
        if abs(after[0].y - y) > _APART * layout.leading:
            is_done = any(not own[0].kind for own in rows[:number])
            for line in (line for own in rows[:number] for line in own):
                line.kind = FURNITURE
            if is_done:
                return


def _mark_heads(pages: dict[int, list[Line]], layout: Layout) -> None:
    """Mark rows in usual type that open many pages at one height, with space before the text."""
    heads: dict[int, list[list[Line]]] = defaultdict(list)
    for lines in pages.values():
        ordered = sorted((line for line in lines if not line.kind), key=lambda line: line.y)
        row = [line for line in ordered if line.y - ordered[0].y <= _SAME_ROW]
        below = ordered[len(row) : len(row) + 1]
        is_apart = bool(below) and below[0].y - row[0].y > _APART * layout.leading
        is_usual = all(line.size < layout.body.size + 0.5 and not line.font.bold for line in row)
        is_short = len(_text(row).split()) <= _MAX_HEAD
        if is_apart and is_usual and is_short and not _CAPTION.match(_text(row)):
            heads[round(row[0].y)].append(row)
    for y, rows in heads.items():
        count = sum(len(heads.get(near, ())) for near in (y - 1, y, y + 1))
        if count >= max(_PAGES_OF_HEADS, _SHARE_OF_HEADS * len(pages)):
            for line in (line for row in rows for line in row):
                line.kind = FURNITURE


def _set_gaps(layout: Layout) -> None:
    last: dict[tuple[int, int], Line] = {}
    columns = range(len(layout.gutters) + 2)
    for line in sorted(layout.lines, key=lambda line: (line.page, line.y)):
        if line.kind:
            continue
        above = [
            last.get((line.page, column))
            for column in ((0, line.column) if line.column else columns)
        ]
        known = [before.y for before in above if before is not None]
        if known:
            line.gap = line.y - max(known)
        last[line.page, line.column] = line


def _rows(lines: Sequence[Line], more: int = 0) -> list[tuple[int, list[Line]]]:
    """The outermost rows at the head (place 1) and foot (place 0) of a page, plus `more` each."""
    ordered = sorted(lines, key=lambda line: line.y)
    rows: list[list[Line]] = []
    for line in ordered:
        if rows and line.y - rows[-1][0].y <= _SAME_ROW:
            rows[-1].append(line)
        else:
            rows.append([line])
    heads, feet = rows[: _HEAD_ROWS + more], rows[: -_FOOT_ROWS - more - 1 : -1]
    return [(1, row) for row in heads] + [(0, row) for row in feet]


def _is_outer(y: float, place: int, height: float) -> bool:
    """Check whether a height is in the usual margin at the head or the foot of a page."""
    return y < _HEAD * height if place else y > _FOOT * height


def _text(row: Sequence[Line]) -> str:
    return " ".join(line.text for line in sorted(row, key=lambda line: line.x0))


def _key(row: Sequence[Line]) -> str:
    return "".join(filter(str.isalpha, _text(row).casefold()))


def _mark_contents(layout: Layout) -> None:
    """Mark the lines of a table of contents, which end in page numbers."""
    counts: dict[int, list[int]] = defaultdict(list)
    for place, line in enumerate(layout.lines):
        if line.kind or not line.text[-1].isdigit():
            continue
        if _LEADERS.search(line.text) or (line.runs > 1 and _ENTRY.match(line.text)):
            counts[line.page].append(place)
    for place, line in enumerate(layout.lines):
        if line.kind or not _CONTENTS.fullmatch(line.text):
            continue
        end = place
        for other in (n for page in range(3) for n in counts[line.page + page]):
            if 0 < other - end <= 4:
                for own in layout.lines[end : other + 1]:
                    own.kind = CONTENTS
                end = other


def abstract_label(line: Line) -> str:
    """The label of an abstract that a line is or starts with; empty if it has none."""
    match = _ABSTRACT.match(line.text)
    if match is None:
        return ""
    label = match[0].strip()
    is_set_apart = line.words[0].font.bold > line.words[-1].font.bold or label == label.upper()
    is_label = match.end() == len(line.text) or label[-1] in ".:—–-" or is_set_apart
    return match[0] if is_label else ""


def _mark_footnotes(column: Sequence[Line], layout: Layout) -> None:
    """Mark the small lines at the foot of a column, from the first that starts with a mark."""
    start = len(column)
    while start and column[start - 1].size < layout.body.size - 0.55:
        start -= 1
    tail = column[start:]
    if start and role_of_heading(column[start - 1].text) == "references":
        return
    if any(abstract_label(line) for line in tail):
        return
    if not tail or len(tail) == len(column):
        return
    for place, line in enumerate(tail):
        if line.y < 0.45 * layout.heights[line.page]:
            continue
        is_apart = line.page == 0 and line.gap > 1.4 * layout.leading
        if _is_marked(line) or is_apart:
            for note in tail[place:]:
                note.kind = FOOTNOTE
            return


def _drop_marks(layout: Layout) -> None:
    """Remove the raised marks of a page's footnotes from its text."""
    marks: dict[int, set[str]] = defaultdict(set)
    for line in layout.lines:
        if line.kind == FOOTNOTE and _is_marked(line):
            marks[line.page].add(line.words[0].text)
    for line in layout.lines:
        if line.kind or line.page not in marks or len(line.words) < 2:
            continue
        kept = [
            word
            for place, word in enumerate(line.words)
            if not (
                place
                and word.text in marks[line.page]
                and word.font.size < 0.85 * line.size
                and word.y < line.y - 0.1 * line.size
            )
        ]
        if len(kept) < len(line.words):
            line.words = kept
            line.text = join_words(kept)


def _is_marked(line: Line) -> bool:
    """Check whether a line starts with a raised number or a sign."""
    first = line.words[0]
    if _MARKED.match(first.text) is None:
        return False
    is_raised = first.font.size < 0.85 * line.size or first.y < line.y - 0.1 * line.size
    return is_raised or not first.text[0].isdigit()
