"""Sections of a LaTeXML page in reading order, the tables between them, and the references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from lxml import etree

from vivavoce.records import CitedTable, Reference, Section
from vivavoce.sources.fulltext.html.citing import CitedKeys
from vivavoce.sources.fulltext.html.typeset import (
    Writer,
    classes_of,
    is_division,
    line_of,
    outermost,
    outside_divisions,
    with_class,
)
from vivavoce.sources.fulltext.latex.typeset import Draft, finish, paragraphs_of
from vivavoce.sources.xml import MAX_HEIGHT, MAX_WIDTH, Cell, Grid, children, is_all_in, span_of
from vivavoce.text.headings import split_heading
from vivavoce.text.identifiers import arxiv_id_in, find_doi
from vivavoce.text.normalise import clean_text

_MAX_RANGE = 50
_DASH = re.compile(r"\s*[\])]?\s*[-‐–—−]\s*[\[(]?\s*")
# As in LaTeX: below chapters everything but appendices is one level deeper.
_LEVELS = {
    "ltx_chapter": 0, "ltx_section": 1, "ltx_subsection": 2, "ltx_subsubsection": 3,
    "ltx_paragraph": 4, "ltx_subparagraph": 5,
}  # fmt: skip
_FLOATS = frozenset({"ltx_table", "ltx_figure", "ltx_float"})
_LEADING_WORD = re.compile(r"(?:appendix|chapter|section|part|annex)\b\W*", re.IGNORECASE)
_TAG_SECTION = "ltx_tag_section"


def read_table(
    holder: etree._Element, ordinal: int, ordinals: Mapping[str, int]
) -> CitedTable | None:
    """The table in a figure, or a tabular alone; None where there is neither caption nor cell."""
    captions = [line_of(caption) for caption in outside_divisions(holder, _is_caption)]
    tabulars = [holder] if is_tabular(holder) else list(outside_divisions(holder, is_tabular))
    caption = " ".join(text for text in captions if text)
    cited = tuple(sorted(set(_mentions(holder, ordinals))))
    cells: list[tuple[str, ...]] = []
    row_cited: list[tuple[int, ...]] = []
    spans: list[tuple[int, ...]] = []
    bold: list[tuple[int, ...]] = []
    known = frozenset(cited)
    room = Grid().room
    for tabular in tabulars:
        grid = Grid(room)
        for row in outermost(tabular, _is_row):
            if grid.room < 0:
                break
            grid.add_row(_cells(row, ordinals))
        spans += [(row + len(cells), *rest) for row, *rest in grid.spans]
        bold += [(row + len(cells), column) for row, column in grid.bold]
        cells += grid.rows
        row_cited += grid.citations.by_row(known)
        room = grid.room
    if not caption and not cells:
        return None
    return CitedTable(
        ordinal, caption, tuple(cells), cited, tuple(row_cited), tuple(spans), tuple(bold)
    )


def is_grid(tabular: etree._Element) -> bool:
    """Check whether a tabular has two rows and two columns: a smaller one was used for layout."""
    rows = list(outermost(tabular, _is_row))
    widths = (sum(_width(cell) for cell in outermost(row, _is_cell)) for row in rows)
    return len(rows) > 1 and max(widths) > 1


def is_tabular(element: etree._Element) -> bool:
    """Check whether an element is a grid of cells and not one of formulas."""
    return "ltx_tabular" in classes_of(element)


def _mentions(element: etree._Element, ordinals: Mapping[str, int]) -> Iterator[int]:
    """The references that links below an element lead to; a dash between two links is a range."""
    last, between = -1, ""
    for link in outside_divisions(element, lambda below: below.tag == "a"):
        here = ordinals.get((link.get("href") or "").rpartition("#")[2], -1)
        if here < 0:
            continue
        if _DASH.fullmatch(between) and 0 <= last < here <= last + _MAX_RANGE:
            yield from range(last + 1, here)
        yield here
        last, between = here, (link.tail or "") if link.getnext() is not None else ""


def _cells(row: etree._Element, ordinals: Mapping[str, int]) -> Iterator[Cell]:
    for cell in outermost(row, _is_cell):
        height = _span(cell, "rowspan", MAX_HEIGHT)
        is_bold = is_all_in(cell, _is_bold)
        yield Cell(line_of(cell), _width(cell), height, _mentions(cell, ordinals), height, is_bold)


def _width(cell: etree._Element) -> int:
    return _span(cell, "colspan", MAX_WIDTH)


def _span(cell: etree._Element, name: str, most: int) -> int:
    """Span of a cell; cells that are no `td` state it in a class, as `ltx_colspan_2`."""
    start = f"ltx_{name}_"
    named = (kind[len(start) :] for kind in sorted(classes_of(cell)) if kind.startswith(start))
    return span_of(cell.get(name) or next(named, "1"), most)


def _marked(name: str, *tags: str) -> Callable[[etree._Element], bool]:
    """Make a check whether an element has a class of LaTeXML, or is one of some tags of HTML."""
    return lambda element: element.tag in tags or name in classes_of(element)


_is_table = _marked("ltx_table")
_is_caption = _marked("ltx_caption", "figcaption")
_is_row = _marked("ltx_tr", "tr")
_is_cell = _marked("ltx_td", "td", "th")
_is_bold = _marked("ltx_font_bold", "b", "strong")
_is_title = _marked("ltx_title", "h1", "h2", "h3", "h4", "h5", "h6")


class Body:
    """Walks over a paper once."""

    def __init__(
        self, document: etree._Element, ordinals: Mapping[str, int], references: Sequence[Reference]
    ) -> None:
        self._ordinals = ordinals
        self._shift = int(next(with_class(document, "ltx_chapter"), None) is not None)
        tagged = (tag for tag in document.iter("span") if _TAG_SECTION in classes_of(tag))
        self._has_tags = next(tagged, None) is not None
        self._drafts = [Draft(1, None, None, None)]
        self._current = self._drafts[0]
        self._role: str | None = None
        self._tables: list[CitedTable] = []
        labels = [_label(entry) for entry in _entries(document)]
        is_numeric = 2 * sum(any(map(str.isalpha, label)) for label in labels) <= len(labels)
        cited = CitedKeys(references, is_numeric=is_numeric)
        self._writer = Writer(lambda text: self._current.out.append(text), self._take, cited)
        self._writer.inside(document)

    def sections(self) -> tuple[tuple[Section, ...], str]:
        """The sections, and the text of one that is headed as the abstract."""
        found, abstract = finish(self._drafts)
        cleaned = (replace(section, text=clean_text(section.text)) for section in found)
        return tuple(cleaned), clean_text(abstract)

    def tables(self) -> tuple[CitedTable, ...]:
        """The tables, those inside of figures as well."""
        return tuple(self._tables)

    def _take(self, element: etree._Element, names: frozenset[str], depth: int) -> bool:
        level = next((_LEVELS[name] + self._shift for name in _LEVELS if name in names), None)
        if "ltx_title_document" in names:
            if self._current is self._drafts[0]:
                self._current.out.clear()  # permissions and the like stand above the title
        elif "ltx_appendix" in names:
            self._division(element, depth, 1, "appendix")
        elif level is not None:
            self._division(element, depth, level, self._role)
        elif "ltx_acknowledgements" in names:
            before = self._current
            self._division(element, depth, 1, "acknowledgements")
            self._current = before
        elif names & _FLOATS or element.tag == "figure":
            self._float(element, names, depth)
        elif is_tabular(element) and is_grid(element):
            self._add(element)
        else:
            return False
        return True

    def _float(self, element: etree._Element, names: frozenset[str], depth: int) -> None:
        """The tables of a float, and the sections inside one that LaTeXML has left open."""
        for table in [element] if "ltx_table" in names else outside_divisions(element, _is_table):
            self._add(table)
        for division in outermost(element, is_division):
            self._writer.element(division, depth + 1)

    def _division(self, element: etree._Element, depth: int, level: int, role: str | None) -> None:
        outer, self._role = self._role, role
        title = next(filter(_is_title, children(element)), None)
        number, heading = self._heading(title)
        self._writer.stop_line()
        self._current = Draft(max(level, 1), heading or None, number, role)
        self._drafts.append(self._current)
        self._writer.inside(element, depth, without=title)
        self._writer.stop_line()
        self._role = outer

    def _heading(self, title: etree._Element | None) -> tuple[str | None, str]:
        """The printed number and the words of a heading."""
        heading = line_of(title, _is_tag).rstrip(" .:")
        if title is None:
            return None, heading
        tag = next(with_class(title, "ltx_tag"), None)
        if tag is None:
            # Where other headings have numbers, one without is printed without.
            return (None, heading) if self._has_tags else split_heading(heading)
        printed = clean_text(" ".join("".join(map(str, tag.itertext())).split()))
        number = _LEADING_WORD.sub("", printed, count=1).strip(" .:()")
        return number or None, heading or printed.rstrip(" .:")

    def _add(self, holder: etree._Element) -> None:
        table = read_table(holder, len(self._tables), self._ordinals)
        if table is not None:
            self._tables.append(table)


def read_abstract(document: etree._Element) -> str:
    """The abstract by paragraphs; of several the first that has text."""
    for abstract in with_class(document, "ltx_abstract"):
        out: list[str] = []
        Writer(out.append).inside(abstract)
        text = clean_text(paragraphs_of("".join(out)))
        if text:
            return text
    return ""


def _is_tag(element: etree._Element, names: frozenset[str], depth: int) -> bool:
    return "ltx_tag" in names


_MAX_ENTRIES = 5_000
_MAX_RAW = 3_000
_MAX_GUESS = 600
_MAX_LABEL = 1_000
_LABEL_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)[a-z]?(?!\d)")
_YEAR = re.compile(r"(?<![\d.:/–-])((?:19|20)\d\d)[a-z]?(?![\d–-]|\.\d)")
_PLAIN_YEAR = re.compile(r"\W*(?:19|20)\d\d[a-z]?\W*")
_QUOTED = re.compile(r"“([^“”]{8,400})”")
_NO_TITLE = re.compile(
    r"(?:in:?|proc\w*\.?|arxiv\S*|corr|https?:\S*|doi\S*|url\S*"
    r"|(?:ph\.? ?d\.?|master\S*|doctoral) thesis,?)(?:\s|$)",
    re.IGNORECASE,
)
# Author, A., Other, B.: Title. Venue
_AFTER_COLON = re.compile(r"[^:]{3,400}?\.\s?:\s+([^.?!]{8,400}[?!]?)(?:[.?!]\s|$)")
# A Book (Its Press, Town, 2012)
_PRESS = re.compile(r"\s\([^()]{2,200},\s(?:19|20)\d\d\)$")
# A. Author, B. C. Other, Title, in: Proceedings; or: Title, Journal 10 (2) (2010)
_NAME = re.compile(
    r"(?:and )?(?:[^\W\d_]{1,2}\.[ -]?){1,4}(?:(?:de|der|den|van|von|da|di|la|le|el) ){0,3}"
    r"[^\W\d_]{2,}(?:[ '’-][^\W\d_]+){0,2}"
)
_PARTICLES = frozenset("and de der den van von da di la le el".split())
_BEFORE_IN = re.compile(r"(.{8,400}?),\s(?:in:|arXiv)")
_BEFORE_JOURNAL = re.compile(r"(.{8,400}),\s[^,]{3,120}\s\d+\s\(")
_JOURNAL = re.compile(r"\(\d{4}\)|\b(?:Phys|Lett|Rev|Nucl|Astron|Math|J)\.\s")
_VOLUME = re.compile(r"[^,]{2,120},\s[A-Z]?\d{1,5},\s[\w.–-]{1,20}")
_AFTER_IN = re.compile(r"\bin:?\s(?:\d{4}\s)?$", re.IGNORECASE)
# A Title. In Proceedings of Such Things
_VENUE = re.compile(r"(?:\.|(?<=[?!]))\s+In:?\s+[A-Z\d].*")
# What LaTeXML adds to the printed entry: where it is cited, and addresses behind names.
_ADDED = ("External Links:", "Cited by:")


def read_references(document: etree._Element) -> tuple[tuple[Reference, ...], dict[str, int]]:
    """The entries of the lists in order, and their ordinals by the name that links lead to."""
    references: list[Reference] = []
    ordinals: dict[str, int] = {}
    for entry in islice(_entries(document), _MAX_ENTRIES):
        name = entry.get("id")
        if name:
            ordinals.setdefault(name, len(references))
        references.append(_read(entry, len(references)))
    return tuple(references), ordinals


def _entries(document: etree._Element) -> Iterator[etree._Element]:
    for holder in with_class(document, "ltx_bibliography"):
        yield from with_class(holder, "ltx_bibitem")


def _read(entry: etree._Element, ordinal: int) -> Reference:
    # Imported late: it loads what reads PDF files.
    from vivavoce.sources.fulltext.pdf.references import read_reference

    blocks = with_class(entry, "ltx_bibblock")
    parts = [block for block in blocks if "ltx_bib_cited" not in classes_of(block)] or [entry]
    printed = [text for part in parts if (text := line_of(part))]
    texts = [text for text in printed if not text.startswith(_ADDED)]
    label = next(with_class(entry, "ltx_tag_bibitem"), None)
    # LaTeXML has the names and the year of some entries in their label alone.
    is_named = label is not None and "ltx_bib_author-year" in classes_of(label)
    raw = " ".join([line_of(label)[:_MAX_LABEL], *texts] if is_named else texts)[:_MAX_RAW]
    links = [link.get("href") or "" for part in parts for link in part.iter("a")]
    # An address with a place in a page leads into the paper itself.
    everything = " ".join([*printed, *(link for link in links if "#" not in link)])
    read = read_reference(raw[:_MAX_GUESS], ordinal)
    return replace(
        read,
        raw=raw,
        title=_field(entry, "ltx_bib_title") or _slanted(parts) or _title(texts, raw, read.title),
        year=_year(entry, raw),
        arxiv_id=arxiv_id_in(everything),
        doi=find_doi(raw) or find_doi(everything),
    )


def _field(entry: etree._Element, name: str) -> str:
    """A field that LaTeXML marks where it has set the list from a .bib file itself."""
    return line_of(next(with_class(entry, name), None)).strip(' .,()“”"')


def _slanted(parts: list[etree._Element]) -> str | None:
    """The title of a one-block entry that slants it between the names and a comma."""
    inside = children(parts[0]) if len(parts) == 1 else iter(())
    before = parts[0].text or ""
    for child in inside:
        if child.tag == "em" or "ltx_font_italic" in classes_of(child):
            names = [part.removeprefix("and ") for part in before.strip(" ,\n").split(", ")]
            is_title = before.rstrip().endswith(",") and (child.tail or "").startswith(",")
            title = line_of(child).strip(" ,.:") if is_title and all(map(_is_person, names)) else ""
            return title if len(title.split()) > 2 else None
        before = f"{before}{line_of(child)}{child.tail or ''}"
    return None


def _is_person(text: str) -> bool:
    words = [word for word in text.split() if word not in _PARTICLES]
    return 0 < len(words) < 8 and all(word[0].isupper() for word in words)


def _title(blocks: list[str], raw: str, guess: str | None) -> str | None:
    quoted = _QUOTED.search(raw)
    if quoted is not None:
        return quoted[1].rstrip(" .,")
    rest = [block for block in blocks[1:] if not _PLAIN_YEAR.fullmatch(block)]
    if rest and not _is_venue(rest[0]):
        return _PRESS.sub("", _VENUE.sub("", rest[0]).rstrip(" .,")) or None
    after = _AFTER_COLON.match(raw)
    if after is not None:
        return after[1].strip()
    between = _between_commas(raw[:_MAX_GUESS])
    if between or not guess:
        return between
    # A guess that opens the entry has the authors in it; one behind `in` is no title.
    before = raw.partition(guess)[0]
    return guess if before and not _AFTER_IN.search(before) and not _is_venue(guess) else None


def _is_venue(text: str) -> bool:
    """Check whether a work is named by its container: `in Proc. of`, or `Some Journal, 44, 61`."""
    return _NO_TITLE.match(text) is not None or _VOLUME.fullmatch(text.strip(" .")) is not None


def _between_commas(raw: str) -> str | None:
    """The title of an entry that sets all between commas, where what follows marks its end."""
    parts = raw.split(", ")
    is_name = [_NAME.fullmatch(part) is not None for part in parts] + [False]
    first = is_name.index(False)
    rest = ", ".join(parts[first:])
    found = _BEFORE_IN.match(rest) or _BEFORE_JOURNAL.match(rest) if first else None
    title = found[1].strip(" ,:") if found else ""
    if not title or _NO_TITLE.match(title) or _JOURNAL.search(title):
        return None
    return title


def _year(entry: etree._Element, raw: str) -> int | None:
    """The year of the field or of the label, else the last one printed."""
    label = _label(entry)
    marked = _LABEL_YEAR.search(_field(entry, "ltx_bib_year")) or _LABEL_YEAR.search(label)
    if marked is not None:
        return int(marked[1])
    years = _YEAR.findall(raw)
    return int(years[-1]) if years else None


def _label(entry: etree._Element) -> str:
    """The label of an entry, such as `[3]` or `Author et al. (2016a)`."""
    return line_of(next(with_class(entry, "ltx_tag_bibitem"), None))
