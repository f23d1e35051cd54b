"""Sections of a LaTeXML page in reading order, the tables between them, and the references."""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from lxml import etree

from vivavoce.sources.fulltext.assemble import without_stubs
from vivavoce.sources.fulltext.html.typeset import (
    Writer,
    classes_of,
    is_division,
    line_of,
    outermost,
    outside_divisions,
    with_class,
)
from vivavoce.sources.fulltext.model import (
    PARAGRAPH,
    RANGE,
    Block,
    Cell,
    CitationStyle,
    Entry,
    RawTable,
    Story,
    bounded,
    paragraphs_in,
)
from vivavoce.sources.fulltext.references import printed_year, read_printed, title_of_blocks
from vivavoce.sources.xml import MAX_HEIGHT, MAX_WIDTH, children, is_all_in, is_dash, span_of
from vivavoce.text.headings import split_heading
from vivavoce.text.normalise import clean_text

# As in LaTeX, everything below chapters except appendices is one level deeper.
_LEVELS = {
    "ltx_chapter": 0, "ltx_section": 1, "ltx_subsection": 2, "ltx_subsubsection": 3,
    "ltx_paragraph": 4, "ltx_subparagraph": 5,
}  # fmt: skip
_FLOATS = frozenset({"ltx_table", "ltx_figure", "ltx_float"})
_LEADING_WORD = re.compile(r"(?:appendix|chapter|section|part|annex)\b\W*", re.IGNORECASE)
_TAG_SECTION = "ltx_tag_section"


def read_table(holder: etree._Element) -> RawTable | None:
    """The table in a figure, or a lone tabular; None if neither the caption nor a cell has text."""
    captions = [line_of(caption) for caption in outside_divisions(holder, _is_caption)]
    tabulars = [holder] if is_tabular(holder) else list(outside_divisions(holder, is_tabular))
    caption = " ".join(text for text in captions if text)
    grids = bounded((_cells(row) for row in outermost(tab, _is_row)) for tab in tabulars)
    if not caption and not any(cell.text for grid in grids for row in grid for cell in row):
        return None
    return RawTable(caption, grids, list(_keys(holder)))


def is_grid(tabular: etree._Element) -> bool:
    """Check whether a tabular has two or more rows and columns; a smaller one serves layout."""
    rows = list(outermost(tabular, _is_row))
    widths = (sum(_width(cell) for cell in outermost(row, _is_cell)) for row in rows)
    return len(rows) > 1 and max(widths) > 1


def is_tabular(element: etree._Element) -> bool:
    """Check whether an element is a grid of cells, not of formulas."""
    return "ltx_tabular" in classes_of(element)


def _keys(element: etree._Element) -> Iterator[str]:
    """The works that links below an element lead to; a dash between two links is a range."""
    between = ""
    for link in outside_divisions(element, lambda below: below.tag == "a"):
        if is_dash(between):
            yield RANGE
        yield (link.get("href") or "").rpartition("#")[2]
        between = (link.tail or "") if link.getnext() is not None else ""


def _cells(row: etree._Element) -> Iterator[Cell]:
    for cell in outermost(row, _is_cell):
        yield Cell(
            text=line_of(cell),
            keys=list(_keys(cell)),
            width=_width(cell),
            height=_span(cell, "rowspan", MAX_HEIGHT),
            is_bold=is_all_in(cell, _is_bold),
        )


def _width(cell: etree._Element) -> int:
    return _span(cell, "colspan", MAX_WIDTH)


def _span(cell: etree._Element, name: str, most: int) -> int:
    """Span of a cell; cells that are not a `td` state it in a class such as `ltx_colspan_2`."""
    start = f"ltx_{name}_"
    named = (kind[len(start) :] for kind in sorted(classes_of(cell)) if kind.startswith(start))
    return span_of(cell.get(name) or next(named, "1"), most)


def _marked(name: str, *tags: str) -> Callable[[etree._Element], bool]:
    """Make a check that an element has a LaTeXML class or one of the given HTML tags."""
    return lambda element: element.tag in tags or name in classes_of(element)


_is_table = _marked("ltx_table")
_is_caption = _marked("ltx_caption", "figcaption")
_is_row = _marked("ltx_tr", "tr")
_is_cell = _marked("ltx_td", "td", "th")
_is_bold = _marked("ltx_font_bold", "b", "strong")
_is_title = _marked("ltx_title", "h1", "h2", "h3", "h4", "h5", "h6")


class Body:
    """The sections and tables of a paper, found in one walk over it."""

    def __init__(self, document: etree._Element) -> None:
        self._shift = int(next(with_class(document, "ltx_chapter"), None) is not None)
        tagged = (tag for tag in document.iter("span") if _TAG_SECTION in classes_of(tag))
        self._has_tags = next(tagged, None) is not None
        self._story = Story()
        self._role: str | None = None
        self.tables: list[RawTable] = []
        """The tables, including those inside figures."""
        self._writer = Writer(self._story.append, self._take)
        self._writer.inside(document)
        self.blocks = without_stubs(self._story.close())

    def _take(self, element: etree._Element, names: frozenset[str], depth: int) -> bool:
        level = next((_LEVELS[name] + self._shift for name in _LEVELS if name in names), None)
        if "ltx_title_document" in names:
            if self._story.current is self._story.blocks[0]:
                self._story.clear()  # permissions and the like are above the title
        elif "ltx_appendix" in names:
            self._division(element, depth, 1, "appendix")
        elif level is not None:
            self._division(element, depth, level, self._role)
        elif "ltx_acknowledgements" in names:
            before = self._story.current
            self._division(element, depth, 1, "acknowledgements")
            self._story.open(before)
        elif names & _FLOATS or element.tag == "figure":
            is_table = "ltx_table" in names
            for table in [element] if is_table else outside_divisions(element, _is_table):
                self._add(table)
            for division in outermost(element, is_division):  # left open by LaTeXML
                self._writer.element(division, depth + 1)
        elif is_tabular(element) and is_grid(element):
            self._add(element)
        else:
            return False
        return True

    def _division(self, element: etree._Element, depth: int, level: int, role: str | None) -> None:
        outer, self._role = self._role, role
        title = next(filter(_is_title, children(element)), None)
        number, heading = self._heading(title)
        self._writer.stop_line()
        self._story.open(Block(heading or None, number, max(level, 1), role))
        self._writer.inside(element, depth, without=title)
        self._writer.stop_line()
        self._role = outer

    def _heading(self, title: etree._Element | None) -> tuple[str | None, str]:
        """The printed number and the words of a heading."""
        heading = line_of(title, lambda element, names, depth: "ltx_tag" in names).rstrip(" .:")
        if title is None:
            return None, heading
        tag = next(with_class(title, "ltx_tag"), None)
        if tag is None:
            # If other headings have tags, a heading without one is printed without a number.
            return (None, heading) if self._has_tags else split_heading(heading)
        printed = clean_text(" ".join("".join(map(str, tag.itertext())).split()))
        number = _LEADING_WORD.sub("", printed, count=1).strip(" .:()")
        return number or None, heading or printed.rstrip(" .:")

    def _add(self, holder: etree._Element) -> None:
        table = read_table(holder)
        if table is not None:
            self.tables.append(table)


def read_abstract(document: etree._Element) -> str:
    """The abstract in paragraphs; if there are several, the first that has text."""
    for abstract in with_class(document, "ltx_abstract"):
        out: list[str] = []
        Writer(out.append).inside(abstract)
        text = PARAGRAPH.join(paragraphs_in("".join(out)))
        if text:
            return text
    return ""


_MAX_ENTRIES = 5_000
_MAX_RAW = 3_000
_MAX_LABEL = 1_000
_PARTICLES = frozenset("and de der den van von da di la le el".split())
# LaTeXML adds these to the printed entry: where it is cited, and addresses behind names.
_ADDED = ("External Links:", "Cited by:")


def read_entries(document: etree._Element) -> list[Entry]:
    """The entries of the reference lists, in order."""
    holders = with_class(document, "ltx_bibliography")
    items = (item for holder in holders for item in with_class(holder, "ltx_bibitem"))
    return [_entry(item, f"#{number}") for number, item in enumerate(islice(items, _MAX_ENTRIES))]


def citation_style(document: etree._Element) -> CitationStyle:
    """The citation style, judged by the labels of the entries."""
    holders = with_class(document, "ltx_bibliography")
    labels = [_label(item) for one in holders for item in with_class(one, "ltx_bibitem")]
    return CitationStyle(2 * sum(any(map(str.isalpha, one)) for one in labels) <= len(labels))


def _entry(item: etree._Element, default_key: str) -> Entry:
    blocks = with_class(item, "ltx_bibblock")
    parts = [block for block in blocks if "ltx_bib_cited" not in classes_of(block)] or [item]
    printed = [text for part in parts if (text := line_of(part))]
    texts = [text for text in printed if not text.startswith(_ADDED)]
    label = next(with_class(item, "ltx_tag_bibitem"), None)
    # For some entries, LaTeXML gives the names and the year only in the label.
    is_named = label is not None and "ltx_bib_author-year" in classes_of(label)
    raw = " ".join([line_of(label)[:_MAX_LABEL], *texts] if is_named else texts)[:_MAX_RAW]
    links = [link.get("href") or "" for part in parts for link in part.iter("a")]
    surnames = read_printed(raw).surnames
    return Entry(
        key=item.get("id") or default_key,
        raw=raw,
        titles=[_field(item, "ltx_bib_title"), _slanted(parts), title_of_blocks(texts, raw)],
        years=[_field(item, "ltx_bib_year"), _label(item), printed_year(raw)],
        surnames=surnames,
        names=(surnames[0].split() or [""])[-1],
        # A link to a place in a page leads into the paper itself.
        links=" ".join([*printed, *(link for link in links if "#" not in link)]),
    )


def _field(entry: etree._Element, name: str) -> str:
    """A field that LaTeXML marks if it made the list from a .bib file itself."""
    return line_of(next(with_class(entry, name), None)).strip(' .,()“”"')


def _slanted(parts: list[etree._Element]) -> str:
    """The title of a one-block entry, if it is in italics between the names and a comma."""
    inside = children(parts[0]) if len(parts) == 1 else iter(())
    before = parts[0].text or ""
    for child in inside:
        if child.tag == "em" or "ltx_font_italic" in classes_of(child):
            names = [part.removeprefix("and ") for part in before.strip(" ,\n").split(", ")]
            is_title = before.rstrip().endswith(",") and (child.tail or "").startswith(",")
            title = line_of(child).strip(" ,.:") if is_title and all(map(_is_person, names)) else ""
            return title if len(title.split()) > 2 else ""
        before = f"{before}{line_of(child)}{child.tail or ''}"
    return ""


def _is_person(text: str) -> bool:
    words = [word for word in text.split() if word not in _PARTICLES]
    return 0 < len(words) < 8 and all(word[0].isupper() for word in words)


def _label(entry: etree._Element) -> str:
    """The label of an entry, such as `[3]` or `Author et al. (2016a)`."""
    return line_of(next(with_class(entry, "ltx_tag_bibitem"), None))
