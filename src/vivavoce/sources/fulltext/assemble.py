"""Turn a `Manuscript` into a `Document`: resolve references, print citations, count sections."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document, Section
from vivavoce.sources.fulltext.citing import (
    PrintedCitations,
    Row,
    TableText,
    cited_by_rows,
    find_itself,
)
from vivavoce.sources.fulltext.model import (
    CITE,
    END,
    MAX_CELLS,
    MAX_COLUMNS,
    PARAGRAPH,
    PART,
    RANGE,
    REFER,
    Block,
    Cell,
    CitationStyle,
    Entry,
    Label,
    Manuscript,
    RawTable,
)
from vivavoce.sources.fulltext.references import is_grade, read_entry
from vivavoce.text.headings import role_of_heading
from vivavoce.text.normalise import clean_text

_MAX_RANGE = 50
_MIN_WORDS = 10
_OWN_ROLES = frozenset({"acknowledgements", "references"})
_MARK = re.compile(f"([{CITE}{REFER}])([^{CITE}{REFER}{END}]*){END}")
_MAX_NESTED = 12
_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_PLAIN = str.maketrans({**_LIGATURES, **dict.fromkeys("\u00ad\u200b\u200e\u200f\u2060\ufeff")})
_JOINERS = re.compile("(?<=[\x00-\u024f])[\u200c\u200d]+")
"""Joiners behind Latin letters, which other scripts need."""
_ABSTRACT = re.compile(r"abstract\b[\s.:–—-]*", re.IGNORECASE)


def assemble(paper: Manuscript, about: Document) -> Document:
    """Assemble the document of a paper; raise `InputError` if the paper holds nothing.

    `about` is the document so far: it has the paper's identifiers, date and venue.
    """
    works = Works(paper.entries, paper.style, paper.labels)
    show = works.print
    blocks, abstract = list(paper.blocks), show(paper.abstract)
    if not abstract and blocks and blocks[0].heading is None:
        text = show(PARAGRAPH.join(blocks[0].paragraphs))
        if (label := _ABSTRACT.match(text)) is not None:
            blocks, abstract = blocks[1:], text[label.end() :]
    sections, abstract = build_sections(blocks, abstract, show)
    title = show(paper.title)
    marked = None
    if paper.marks is not None:
        marks = [(text, frozenset(works.cited_by(keys))) for text, keys in paper.marks]
        itself = find_itself(works.references, title, about.arxiv_id)
        marked = PrintedCitations(paper.entries, works.references, marks, itself)
    tables = (works.table(table, marked) for table in paper.tables)
    document = replace(
        about,
        title=title or None,
        abstract=abstract or None,
        authors=tuple(
            replace(one, name=plain_text(one.name))
            for one in paper.authors
            if not is_grade(one.name)
        ),
        sections=sections,
        references=works.references,
        tables=tuple(replace(table, ordinal=ordinal) for ordinal, table in enumerate(tables)),
    )
    if not (title or abstract or sections or document.references or document.tables):
        raise InputError("it holds no title, no abstract, no text and no references")
    return document


def plain_text(text: str) -> str:
    """Clean text without typesetting characters."""
    return clean_text(without_typesetting(text))


def without_typesetting(text: str) -> str:
    """Text without typesetting characters: ligatures, soft hyphens and zero-width spaces."""
    return text if text.isascii() else _JOINERS.sub("", text.translate(_PLAIN))


def build_sections(
    blocks: Iterable[Block], abstract: str = "", show: Callable[[str], str] | None = None
) -> tuple[tuple[Section, ...], str]:
    """The sections, counted from 0, and the abstract, which may be a section headed "Abstract".

    `abstract` is an abstract given apart from `blocks`; `show` writes out the marks in a text.
    """
    show = show or plain_text
    sections: list[Section] = []
    in_abstract = False
    for block in blocks:
        text = show(PARAGRAPH.join(block.paragraphs))
        heading = show(block.heading or "")
        is_first = block.level == 1 or not sections
        if not abstract and text and is_first and role_of_heading(heading) == "abstract":
            abstract = text
            continue
        if not abstract and is_first and role_of_heading(heading) == "abstract":
            in_abstract = True
            continue
        in_abstract = in_abstract and block.level > 1
        if in_abstract:
            abstract = PARAGRAPH.join(filter(None, (abstract, heading, text)))
            continue
        number, level = len(sections), block.level
        sections.append(Section(number, level, heading or None, block.role, text, block.number))
    return tuple(sections), abstract


def without_stubs(blocks: Iterable[Block]) -> list[Block]:
    """Drop stubs without a heading, empty reference sections, and roles that headings overrule."""
    kept: list[Block] = []
    for block in blocks:
        is_short = len(" ".join(block.paragraphs).split()) < _MIN_WORDS
        if block.heading is None and is_short and block.role != "other":
            continue
        role = role_of_heading(block.heading or "")
        if role == "references" and not block.paragraphs:
            continue
        kept.append(replace(block, role=None if role in _OWN_ROLES else block.role))
    return kept


class Works:
    """The reference list of a paper: finds the works behind keys and prints citations."""

    def __init__(
        self,
        entries: Sequence[Entry],
        style: CitationStyle | None = None,
        labels: Mapping[str, Label] | None = None,
    ) -> None:
        self.references = tuple(read_entry(entry, n) for n, entry in enumerate(entries))
        self.ordinals: dict[str, tuple[int, ...]] = {}
        """Ordinals of works, by key."""
        self._by_folded: dict[str, tuple[int, ...]] = {}
        self._entries = entries
        self._style = style or CitationStyle()
        self._labels = labels or {}
        for ordinal, entry in enumerate(entries):
            if entry.key:
                self.ordinals.setdefault(entry.key, (ordinal,))
                self._by_folded.setdefault(entry.key.casefold(), (ordinal,))
        for group, together in groupby(enumerate(entries), key=lambda pair: pair[1].group):
            if group:
                self.ordinals.setdefault(group, tuple(ordinal for ordinal, _ in together))
        self.references = tuple(
            replace(one, raw=self.print(one.raw), title=self.print(one.title or "") or None)
            for one in self.references
        )

    def cited_by(self, keys: Iterable[str]) -> list[int]:
        """The works behind keys, in the order of the keys; fill ranges and omit unknown keys."""
        works: list[int] = []
        is_range = False
        for key in keys:
            here = self.works_of(key)
            if is_range and works and here and 0 < here[0] - works[-1] <= _MAX_RANGE:
                works += range(works[-1] + 1, here[0])
            works += here
            is_range = key == RANGE
        return works

    def works_of(self, key: str) -> tuple[int, ...]:
        """The works behind a key: an exact match, else one that ignores case, as LaTeX does."""
        return self.ordinals.get(key) or self._by_folded.get(key.casefold(), ())

    def print(self, text: str) -> str:
        """Write out the citations and the references to parts of the paper in a text."""
        for _ in range(_MAX_NESTED):  # a note beside a citation may cite as well
            if END not in text:
                break
            text = _MARK.sub(self._print_mark, text)
        return plain_text(text)

    def _print_mark(self, match: re.Match[str]) -> str:
        how, *parts = match[2].split(PART)
        if match[1] == CITE:
            before, after, unknown, *keys = parts
            return self._print_citation(how, before, after, unknown, keys)
        labels = [self._labels.get(key.strip(), Label()) for key in parts[0].split(",")]
        return print_labels(labels, how)

    def _print_citation(
        self, how: str, before: str, after: str, unknown: str, keys: Sequence[str]
    ) -> str:
        works = [(unknown or key, next(iter(self.works_of(key)), None)) for key in keys]
        if how == "authors":
            return ", ".join(k if n is None else self._entries[n].names for k, n in works)
        years = [k if n is None else self._year(n) for k, n in works]
        if how.startswith("years"):
            return f"({', '.join(years)})" if how != "years" else ", ".join(years)
        is_textual = how == "text" or (how == "plain" and not self._style.cites_in_brackets)
        names = ["" if n is None else self._entries[n].names for _, n in works]
        if self._style.is_numeric:
            numbers = ", ".join(k if n is None else str(n + 1) for k, n in works)
            marker = f"[{_with_notes(before, numbers, after)}]"
            return f"{names[0]} {marker}" if how == "text" and works[0][1] is not None else marker
        if is_textual:
            return ", ".join(
                k if n is None else f"{name} ({_with_notes(before, year, after)})"
                for (k, n), name, year in zip(works, names, years, strict=True)
            )
        dated = (", ".join(filter(None, both)) for both in zip(names, years, strict=True))
        inside = _with_notes(before, "; ".join(dated), after)
        return inside if how == "bare" else f"({inside})"

    def _year(self, number: int) -> str:
        """The year of a work as citations print it."""
        return str(self.references[number].year or self._entries[number].without_year)

    def table(self, table: RawTable, marked: PrintedCitations | None = None) -> CitedTable:
        """A table with the works that it and each of its rows cite; its ordinal is left at 0.

        `marked` finds the works behind the citation marks printed in the table.
        """
        laid = _Grid(table)
        between = "\n" if all(len(row) < 2 for row in laid.rows) else "\n\n"
        printed = TableText(table.caption, laid.rows, table.notes, between_rows=between)
        mentions = list(marked.mentions_in(printed.text)) if marked else []
        by_cell = printed.by_cell(mentions)
        own = set(marked.itself) if marked else set()
        inside = (cell.keys for lines in laid.lines for row, _ in lines for _, cell in row)
        marked_works = [self.cited_by(keys) for keys in (table.keys, *inside)]
        mentioned = chain(*marked_works, *(works for _, works in mentions))
        cited = set(mentioned) - own
        by_row: list[tuple[int, ...]] = []
        for lines in laid.lines:
            rows: list[Row] = []
            place = len(by_row)
            for cells, is_kept in lines:
                row: Row = []
                for column, cell in cells:
                    works = by_cell.get((place, column), ()) if is_kept else ()
                    row.append(((*self.cited_by(cell.keys), *works), cell.height))
                rows.append(row)
                place += is_kept
            for (_, is_kept), found in zip(lines, cited_by_rows(rows), strict=True):
                if is_kept:
                    by_row.append(tuple(one for one in found if one in cited))
        return CitedTable(
            ordinal=0,
            caption=self.print(table.caption),
            cells=tuple(tuple(map(self.print, row)) for row in laid.rows),
            cited=tuple(sorted(cited)),
            row_cited=tuple(by_row),
            spans=tuple(laid.spans),
            bold=tuple(laid.bold),
        )


class _Grid:
    """The rows of a table that hold text; each place that a spanning cell covers is empty."""

    def __init__(self, table: RawTable) -> None:
        self.rows: list[tuple[str, ...]] = []
        self.spans: list[tuple[int, ...]] = []
        """Row, column, height and width of each cell that covers several places in these rows."""
        self.bold: list[tuple[int, ...]] = []
        self.lines: list[list[tuple[list[tuple[int, Cell]], bool]]] = []
        """Rows of each grid: cells with their columns, and whether the row is kept."""
        self._is_full = table.is_full
        self._room = MAX_CELLS
        for grid in table.grids:
            covered: dict[int, int] = {}
            self.lines.append([self._add(row, covered) for row in grid if self._room >= 0])

    def _add(
        self, row: Sequence[Cell], covered: dict[int, int]
    ) -> tuple[list[tuple[int, Cell]], bool]:
        """Lay out a row; `covered` maps a column to how many more rows a cell above covers."""
        texts: list[str] = []
        placed: list[tuple[int, Cell]] = []
        for cell in row:
            _pass_covered(texts, covered)
            if len(texts) + cell.width > MAX_COLUMNS:
                break
            placed.append((len(texts), cell))
            if not self._is_full:
                columns = range(len(texts), len(texts) + cell.width)
                covered.update(dict.fromkeys(columns, cell.height - 1))
            texts += [cell.text, *[""] * (cell.width - 1)]
        _pass_covered(texts, covered)
        self._room -= len(texts)
        is_kept = self._room >= 0 and any(texts)
        if is_kept:
            here = len(self.rows)
            wide = [(column, cell) for column, cell in placed if cell.width > 1 or cell.height > 1]
            self.spans += [(here, column, max(cell.height, 1), cell.width) for column, cell in wide]
            self.bold += [(here, column) for column, cell in placed if cell.is_bold and cell.text]
            self.rows.append(tuple(texts))
        return placed, is_kept


def _pass_covered(texts: list[str], covered: dict[int, int]) -> None:
    while covered.get(len(texts), 0) > 0:
        covered[len(texts)] -= 1
        texts.append("")


def print_labels(labels: Iterable[Label], how: str) -> str:
    """Numbers of parts of the paper in the form that `refer` names; unknown ones are left out.

    Parts of a kind stand together in order, three or more in a row as a range.
    """
    known = [label for label in labels if label.title or label.number]
    if how == "titles":
        return _listed([label.title for label in known])
    known = [label for label in known if label.number]
    if how == "names":
        return _listed([label.name or label.kind for label in known])
    if how == "":
        return _listed([label.number for label in known])
    texts: list[str] = []
    for kind in dict.fromkeys(label.kind for label in known):
        alike = sorted((label for label in known if label.kind == kind), key=_order)
        in_brackets = how == "brackets" or (kind == "Equation" and how != "named")
        runs = [[alike[0], alike[-1]]] if how == "range" else _runs(alike)
        shown = []
        for run in runs:
            ends = [f"({one.number})" if in_brackets else one.number for one in run]
            shown.append(" to ".join(dict.fromkeys(ends)))
        first = alike[0]
        one, many = first.name or kind, first.plural or (_plural(kind) if kind else "")
        name = "" if how in {"brackets", "numbers"} else many if len(alike) > 1 else one
        texts.append(f"{name} {_listed(shown)}".strip())
    return _listed(texts, last=", and " if len(texts) > 2 else " and ")


def _listed(texts: Sequence[str], last: str = " and ") -> str:
    return last.join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def _plural(name: str) -> str:
    ends = {"y": "ies", "x": "ces"}
    return f"{name[:-1]}{ends[name[-1]]}" if name[-1] in ends else f"{name}s"


def _order(label: Label) -> tuple[tuple[int, str], ...]:
    """Order of labels by their numbers: 2 before 10, A before B."""
    parts = re.findall(r"\d{1,9}|[^\d]+", label.number)
    return tuple((int(part), "") if part.isdecimal() else (10**9, part) for part in parts)


def _runs(labels: Sequence[Label]) -> list[list[Label]]:
    """Labels in groups of one, or of two for the ends of three or more consecutive numbers."""
    runs: list[list[Label]] = []
    for label in labels:
        if runs and _follows(runs[-1][-1].number, label.number):
            runs[-1].append(label)
        else:
            runs.append([label])
    return [
        part
        for run in runs
        for part in ([[run[0], run[-1]]] if len(run) > 2 else [[one] for one in run])
    ]


def _follows(before: str, number: str) -> bool:
    head = before.rstrip("0123456789")
    last = before[len(head) :]
    return last.isdecimal() and number == f"{head}{int(last[:9]) + 1}"


def _with_notes(before: str, inside: str, after: str) -> str:
    return f"{before} {inside}".strip() + (f", {after}" if after else "")
