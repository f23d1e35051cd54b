"""Figures, tables and algorithms: their captions and contents, separated from the text."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from vivavoce.sources.fulltext.pdf.beside import CAPTION_LABEL, FLOAT
from vivavoce.sources.fulltext.pdf.furniture import FURNITURE
from vivavoce.sources.fulltext.pdf.layout import Layout
from vivavoce.sources.fulltext.pdf.lines import Rule
from vivavoce.sources.fulltext.pdf.runs import Line
from vivavoce.text.headings import read_numbers, role_of_heading

CAPTION = "caption"
TABLE = "table"
FIGURE = "figure"

_TIGHT = 1.45
"""Maximum distance between lines of one caption, as a multiple of the font size."""
_MAX_CAPTION = 40
_NEAR_RULE = 4.0
"""Multiple of the font size: the first rule of a table is no further from its caption."""
_STEMS = {TABLE: ("tab", "cuadro", "quadro"), FIGURE: ("fig", "abb")}
_LISTINGS = frozenset({"algorithm", "listing", "box"})


@dataclass(slots=True)
class Float:
    """A caption with the lines of its table."""

    kind: str
    caption: list[Line]
    body: list[Line] = field(default_factory=list)
    strays: list[Line] = field(default_factory=list)
    """Lines level with a table that overlap it without being in its body."""

    @property
    def is_aligned(self) -> bool:
        """True if the body is above or below the caption, without strays."""
        heights = {line.y > self.caption[0].y for line in self.body}
        return len(heights) == 1 and not self.strays


def _sides(lines: Sequence[Line]) -> tuple[float, float]:
    return min(line.x0 for line in lines), max(line.x1 for line in lines)


@dataclass(frozen=True, slots=True)
class Measure:
    """Left and right edges of the text of a column."""

    left: float
    right: float

    @property
    def width(self) -> float:
        """Width of the column."""
        return max(self.right - self.left, 1.0)


class Columns:
    """Separates running text from lines that are set otherwise."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.known: dict[tuple[int, int], Measure] = {}
        groups: dict[tuple[int, int], list[Line]] = {}
        for line in layout.lines:
            if abs(line.size - layout.body.size) < 0.3 and line.runs == 1:
                groups.setdefault((line.page, line.column), []).append(line)
                groups.setdefault((-1, line.column), []).append(line)
        for key, lines in groups.items():
            if len(lines) >= 6:
                self.known[key] = _measure(lines)

    def of(self, line: Line) -> Measure:
        """The column of a line, or the part of it that a float leaves."""
        if line.measure is not None:
            return Measure(*line.measure)
        return self.known.get((line.page, line.column)) or self.usual(line)

    def usual(self, line: Line) -> Measure:
        """The column of a line as it is on most pages."""
        measure = self.known.get((-1, line.column))
        if measure is not None:
            return measure
        width = self.layout.widths[line.page]
        sides = [0.1 * width, *self.layout.gutters, 0.9 * width]
        if not line.column:
            return Measure(sides[0], sides[-1])
        return Measure(*sides[line.column - 1 : line.column + 1])

    def is_prose(self, line: Line) -> bool:
        """Check whether a line is set like running text and fills its column."""
        column = self.of(line)
        size = self.layout.body.size
        return (
            abs(line.size - size) < 0.6
            and (line.runs == 1 or len(line.text) > 0.4 * column.width / (0.5 * size))
            and column.left - 0.6 * size <= line.x0 <= column.left + 4 * size
            and line.width >= 0.6 * column.width
            and len(line.text.split()) >= 4
        )


def _measure(lines: Sequence[Line]) -> Measure:
    lefts = Counter(round(line.x0) for line in lines)
    enough = max(3.0, 0.08 * len(lines))
    near = {x: lefts[x - 1] + lefts[x] + lefts[x + 1] for x in list(lefts)}
    usual = [x for x in near if near[x] >= enough and lefts[x] >= near[x] / 2]
    left = min(usual, default=min(lefts))
    rights = sorted(line.x1 for line in lines)
    return Measure(float(left), rights[int(0.9 * (len(rights) - 1))])


def find_floats(columns: Columns) -> list[Float]:
    """Mark the lines of every float and return the tables and figures in reading order."""
    lines = columns.layout.lines
    floats: list[Float] = []
    beside: set[int] = set()
    place = 0
    while place < len(lines):
        kind = _caption(lines, place, columns.layout)
        if kind is None:
            place += 1
            continue
        stop = _caption_end(lines, place, columns)
        is_beside = lines[place].kind == FLOAT
        for line in lines[place:stop]:
            line.kind = CAPTION
        floats.append(Float(kind, lines[place:stop]))
        if is_beside:
            beside.add(id(floats[-1]))
        place = stop
    index = {id(line): place for place, line in enumerate(lines)}
    sides = [
        bool(below)
        for item in floats
        if item.kind == TABLE
        for above, below in [[_ruled(item.caption, columns, side) for side in (False, True)]]
        if bool(above) != bool(below)
    ]
    is_below = None if 2 * sum(sides) == len(sides) else 2 * sum(sides) > len(sides)
    for item in floats:
        start, stop = index[id(item.caption[0])], index[id(item.caption[-1])]
        if id(item) in beside:
            apart = _of_float(lines, start, -1) + _of_float(lines, stop, 1)
            _set_body(item, apart, TABLE if item.kind == TABLE else FIGURE)
        else:
            _take_body(item, lines, start, stop, columns, is_below)
    for line in lines:
        if line.kind == FLOAT:  # its supposed caption is none
            line.kind = ""
    return floats


def _of_float(lines: Sequence[Line], place: int, step: int) -> list[Line]:
    """The lines next to a caption that are set beside text."""
    taken: list[Line] = []
    place += step
    while 0 <= place < len(lines) and lines[place].kind == FLOAT:
        taken.append(lines[place])
        place += step
    return taken


def _caption(lines: Sequence[Line], place: int, layout: Layout) -> str | None:
    line = lines[place]
    if line.kind not in {"", FLOAT}:
        return None
    match = CAPTION_LABEL.match(line.text)
    if match is None or not match["kind"][0].isupper():
        return None
    kind = match["kind"].casefold().split()[-1]
    label = line.words[0].font
    is_styled = (label.bold and not layout.body.bold) or line.size < layout.body.size - 0.4
    is_alone = match.end() >= len(line.text)
    is_opened = (
        match["mark"] in {":", ".", "|", "—", "–"}
        or is_alone
        or is_styled
        or (label.small_caps or label.italic or line.text[: match.end("kind")].isupper())
    )
    if not is_opened:
        return None
    if line.gap < 1.15 * layout.leading and match["mark"] not in {":", "|"} and not is_styled:
        return None  # a sentence that happens to start a line
    return next((name for name, stems in _STEMS.items() if kind.startswith(stems)), kind)


def _caption_end(lines: Sequence[Line], start: int, columns: Columns) -> int:
    first = lines[start]
    stop = start + 1
    while stop < min(len(lines), start + _MAX_CAPTION):
        line, before = lines[stop], lines[stop - 1]
        gap = line.y - before.y
        if line.kind != first.kind or line.page != first.page or CAPTION_LABEL.match(line.text):
            break
        if any(
            before.y < rule.y < line.y - 0.5 * line.size and rule.x0 < line.x1 and rule.x1 > line.x0
            for rule in columns.layout.rules[line.page]
        ):
            break
        if not 0 < gap <= _TIGHT * max(first.size, 7.0) or abs(line.size - first.size) > 0.4:
            break
        short = 0.25 if before.text.endswith(".") else 0.15
        column = columns.of(before)
        if before.x1 < column.right - short * column.width and line.runs > 1:
            break
        stop += 1
    return stop


def _take_body(
    item: Float,
    lines: Sequence[Line],
    start: int,
    stop: int,
    columns: Columns,
    is_below: bool | None,
) -> None:
    def choose(sides: list[list[Line]], weight: Callable[[Sequence[Line]], int]) -> list[Line]:
        usual = sides[is_below] if is_below is not None else []
        return usual or max(reversed(sides), key=weight)

    enclosed: list[Line] = []
    if item.kind == TABLE:
        enclosed = choose([_ruled(item.caption, columns, side) for side in (False, True)], len)
    if enclosed:
        _set_body(item, enclosed, TABLE)
    else:
        above = _walk(lines, start - 1, -1, item, columns)
        below = _walk(lines, stop + 1, 1, item, columns)
        if item.kind in {"figure", "scheme", "chart", "plate"}:
            body, kind = above, FIGURE
        elif item.kind in _LISTINGS:
            body, kind = below, FIGURE
        else:
            body, kind = choose([above, below], lambda own: sum(line.runs for line in own)), TABLE
        _set_body(item, body, kind)
    if item.body and item.kind == TABLE:
        _take_row_ends(item, lines)


def _take_row_ends(item: Float, lines: Sequence[Line]) -> None:
    """Add the lines in the rows of a table with a wide caption; other level lines are strays."""
    (left, right), own = _sides(item.caption), set(map(id, item.body))
    x0, x1 = _sides(item.body)
    page, top, bottom = item.body[0].page, item.body[0].y - 2, item.body[-1].y + 2
    level = [line for line in lines if line.page == page and top <= line.y <= bottom]
    level = [line for line in level if id(line) not in own and line.kind in {"", TABLE, FIGURE}]
    ends = [line for line in level if not line.kind and left <= line.x0 and line.x1 <= right]
    are_in_rows = all(
        any(abs(line.y - other.y) < 0.2 * line.size for other in item.body) for line in ends
    )
    if item.caption[0].column == 0 and are_in_rows:
        _set_body(item, [*item.body, *ends], TABLE)
        level = [line for line in level if line not in ends]
        x0, x1 = _sides(item.body)
    item.strays = [line for line in level if line.x0 < x1 and line.x1 > x0]


def _set_body(item: Float, body: Sequence[Line], kind: str) -> None:
    for line in body:
        line.kind = kind
    item.body = sorted(body, key=lambda line: (line.y, line.x0))


def _ruled(caption: Sequence[Line], columns: Columns, is_below: bool) -> list[Line]:
    """The lines of a table that lie between rules of one length, on one side of its caption."""
    first, last = caption[0], caption[-1]
    own = [line for line in columns.layout.lines if line.page == first.page]
    left, right = _sides(caption)
    reach = _NEAR_RULE * max(first.size, 7.0)
    groups: dict[tuple[int, int], list[Rule]] = {}
    for rule in columns.layout.rules[first.page]:
        if rule.x0 < right and rule.x1 > left:
            groups.setdefault((round(rule.x0 / 3), round(rule.x1 / 3)), []).append(rule)
    best: list[Line] = []
    for rules in groups.values():
        x0, x1 = rules[0].x0 - 3, rules[0].x1 + 3
        across = [line for line in own if line.x0 < x1 and line.x1 > x0]
        ys = {rule.y for rule in rules if (rule.y > last.y) == is_below}
        ends = sorted(ys, reverse=not is_below)
        near = last.y if is_below else first.y
        if len(ends) > 1 and abs(ends[0] - near) <= reach:
            lines = _enclosed(across, ends, columns)
            best = max(best, [one for one in lines if one.x0 >= x0 and one.x1 <= x1], key=len)
    return best


def _enclosed(own: Sequence[Line], ends: Sequence[float], columns: Columns) -> list[Line]:
    """The lines between the first rule and the last rule before any running text."""
    taken: list[Line] = []
    for start, end in pairwise(ends):
        low, high = sorted((start, end))
        inside = [line for line in own if low < line.y - 1 and line.y <= high + 1]
        if any(line.kind == CAPTION for line in inside):
            break
        prose = sum(line.runs == 1 and columns.is_prose(line) for line in inside)
        if len(inside) > 3 and prose > 0.7 * len(inside):
            break
        # A table head at the top of several pages looks like a running title.
        taken += [line for line in inside if line.kind in {"", FURNITURE}]
    return taken


def _walk(
    lines: Sequence[Line], place: int, step: int, item: Float, columns: Columns
) -> list[Line]:
    """The lines next to a caption that belong to its float."""
    caption = item.caption[0] if step < 0 else item.caption[-1]
    size = columns.layout.body.size
    taken: list[Line] = []
    last = caption
    while 0 <= place < len(lines):
        line = lines[place]
        if line.page != caption.page or line.kind in {CAPTION, TABLE, FIGURE}:
            break
        if line.kind:
            place += step
            continue
        if line.column != caption.column and caption.column != 0:
            break
        distance = abs(line.y - last.y)
        is_figure = item.kind == "figure"
        if not is_figure and distance > (2.4 if item.kind in _LISTINGS else 4.5) * size:
            break
        if columns.is_prose(line) and (line.runs == 1 or is_figure):
            break
        if _is_heading_like(line, size, columns):
            break
        taken.append(line)
        last = line
        place += step
    return taken


def _is_heading_like(line: Line, size: float, columns: Columns) -> bool:
    left = columns.of(line).left
    if line.font.bold and line.size > size + 0.8 and line.runs == 1:
        return True
    is_numbered = re.match(r"(?:\d{1,2}|[IVX]{1,5}|[A-Z])(?:\.\d{1,2}){0,3}\.?\s+[A-Z]", line.text)
    is_distinct = line.font.bold or line.size > size + 0.8
    if is_distinct and any(role_of_heading(number.text) for number in read_numbers(line.text)):
        return True
    return bool(
        is_distinct
        and line.size >= size - 0.1
        and abs(line.x0 - left) < 3
        and (is_numbered or line.runs == 1)
        and line.gap > 1.2 * columns.layout.leading
    )
