"""A paper from its tokens: header, sections, references and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from vivavoce.errors import InputError
from vivavoce.records import Author, CitedTable, Document
from vivavoce.sources.fulltext.latex.bibliography import read_references
from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.layout import (
    ABSTRACT_ENVIRONMENTS,
    ABSTRACTS,
    APPENDICES,
    AUTHORS,
    FIGURES,
    SECTIONS,
    SILENT,
    TABLES,
    TABULARS,
    THANKS,
    TITLES,
    Layout,
    Span,
)
from vivavoce.sources.fulltext.latex.macros import Expander
from vivavoce.sources.fulltext.latex.tables import read_table
from vivavoce.sources.fulltext.latex.typeset import (
    REFERENCE_END,
    REFERENCE_START,
    Draft,
    Entry,
    Hook,
    Numbering,
    Typesetter,
    finish,
    paragraphs_of,
)
from vivavoce.sources.fulltext.names import MARK, names_in

_PARTS = frozenset({"\\and", "\\And", "\\AND", "\\qquad", "\\hfill"})
_BLOCK = frozenset({"\\IEEEauthorblockN"})
_RAISED = frozenset({"\\textsuperscript", "\\inst", "\\thanks", "\\Thanks", "\\footnotemark"})
_BREAKS = frozenset({"\\\\", "\\newline"})
_GAPS = frozenset({"\\quad", "\\hspace"})
_MAX_AUTHORS = 3_000


def read_authors(setter: Typesetter, arguments: Sequence[Span]) -> tuple[Author, ...]:
    r"""The authors named in the arguments of `\author` commands, each once."""
    names: dict[str, None] = {}
    for argument in arguments:
        for name in _names(setter, argument):
            names.setdefault(name)
    return tuple(Author(name) for name in list(names)[:_MAX_AUTHORS])


def _names(setter: Typesetter, argument: Span) -> Iterator[str]:
    layout = setter.layout
    blocks = [
        layout.group(place + 1) for place in layout.find(_BLOCK, argument.start, argument.end)
    ]
    for block in blocks or [argument]:
        if block is None:
            continue
        for part in _split(layout, block, _PARTS):
            lines = _split(layout, part, _BREAKS)
            yield from names_in(_line(setter, line) for line in lines)


def _split(layout: Layout, span: Span, at: frozenset[str]) -> Iterator[Span]:
    start = span.start
    for place in layout.find(at, span.start, span.end):
        yield Span(start, place, place)
        start = layout.past_options(place + 1)
    yield Span(start, span.end, span.end)


def _line(setter: Typesetter, span: Span) -> str:
    """The text of a line with marks for raised parts: numbers of affiliations and notes."""
    layout = setter.layout
    out: list[str] = []
    place = span.start
    while place < span.end:
        token = layout.tokens[place]
        if token in _RAISED:
            group = layout.group(layout.past_options(place + 1))
            place = group.after if group and token in {*SILENT, "\\textsuperscript"} else place + 1
            out.append(MARK)
            continue
        if token == "$":
            place = 1 + next(layout.find(frozenset({"$"}), place + 1, span.end), span.end)
            out.append(MARK)
            continue
        if token in _GAPS:
            out.append(",")
            place = layout.past_groups(layout.past_options(place + 1), SILENT.get(token, 0))
            continue
        following = place + 1
        while following < span.end and layout.tokens[following] not in {*_RAISED, "$", *_GAPS}:
            following += 1
        setter.walk(place, following, out, 1)
        place = following
    return "".join(out).replace("\n", " ")


_REFERENCE = re.compile(f"{REFERENCE_START}([+-])([^{REFERENCE_END}]*){REFERENCE_END}")
_ROMAN_CLASS = re.compile(r"IEEEtran|revtex", re.IGNORECASE)
_LABEL = frozenset({"\\label"})
_CAPTION = frozenset({"\\caption"})
_DEFAULT_DEPTH = 3
_HEADER = TITLES | AUTHORS | ABSTRACTS


@dataclass(slots=True)
class _Label:
    kind: str
    number: str


@dataclass(slots=True)
class _Reader:
    """Walks over a paper once."""

    layout: Layout
    setter: Typesetter
    numbering: Numbering
    shift: int
    """1 where chapters are the top level."""
    drafts: list[Draft] = field(default_factory=lambda: [Draft(1, None, None, None)])
    titles: list[str] = field(default_factory=list)
    authors: list[Span] = field(default_factory=list)
    abstracts: list[str] = field(default_factory=list)
    tables: list[CitedTable] = field(default_factory=list)
    labels: dict[str, _Label] = field(default_factory=dict)
    current: _Label = field(default_factory=lambda: _Label("", ""))
    figures: int = 0
    table_count: int = 0
    layout_end: int = 0
    """End of the last tabular that was no table; those inside it are none either."""

    def read(self) -> None:
        tokens = self.layout.tokens
        start = next((p + 1 for p, token in enumerate(tokens) if token == "\\begin{document}"), 0)
        hooks = self._hooks()
        place = 0
        while place < start:
            hook = hooks.get(tokens[place]) if tokens[place] in _HEADER else None
            place = max(hook(place, []) if hook else place, place + 1)
        out = _Sink(self.drafts)
        self.setter.walk(start, len(tokens), out, 0, hooks)

    def _hooks(self) -> dict[str, Hook]:
        hooks: dict[str, Hook] = dict.fromkeys(SECTIONS, self._section)
        hooks |= dict.fromkeys(TITLES, self._title)
        hooks |= dict.fromkeys(AUTHORS, self._author)
        hooks |= dict.fromkeys(ABSTRACTS, self._abstract)
        hooks |= {_begin(name): self._abstract for name in ABSTRACT_ENVIRONMENTS}
        hooks |= {_begin(name): self._table for name in (*TABULARS, *TABLES)}
        hooks |= {_begin(name): self._figure for name in FIGURES}
        hooks |= dict.fromkeys(APPENDICES, self._appendix)
        hooks |= {_begin(name): self._thanks for name in THANKS}
        hooks["\\label"] = self._label
        return hooks

    def _section(self, place: int, out: list[str]) -> int:
        token = self.layout.tokens[place]
        found = self.layout.required(place)
        if found is None or token == "\\part":
            return found.after if found else place + 1
        level = SECTIONS[token] + self.shift
        after_star = self.layout.past_spaces(place + 1)
        is_starred = self.layout.tokens[after_star : after_star + 1] == ["*"]
        number = None if is_starred else self.numbering.step(level)
        heading = self.setter.line(found.start, found.end).rstrip(" .:") or None
        role = "appendix" if self.numbering.in_appendix else None
        self.drafts.append(Draft(level, heading, number, role))
        self.current = _Label("Section", number or "")
        self._note_labels(found.start, found.end, self.current)
        return found.after

    def _title(self, place: int, out: list[str]) -> int:
        found = self.layout.required(place)
        if found is None:
            return place + 1
        title = self.setter.line(found.start, found.end)
        if title:
            self.titles.append(title)
        return found.after

    def _author(self, place: int, out: list[str]) -> int:
        found = self.layout.required(place)
        if found is None:
            return place + 1
        self.authors.append(found)
        if self.layout.tokens[place] == "\\icmlauthor":
            affiliation = self.layout.group(found.after)
            return affiliation.after if affiliation else found.after
        return found.after

    def _abstract(self, place: int, out: list[str]) -> int:
        if self.layout.tokens[place].startswith("\\begin"):
            end = self.layout.ends.get(place)
            found = None if end is None else Span(self.layout.past_options(place + 1), end, end + 1)
        else:
            found = self.layout.required(place)
        if found is None:
            return place + 1
        text: list[str] = []
        self.setter.walk(found.start, found.end, text, 1)
        self.abstracts.append(paragraphs_of("".join(text)))
        return found.after

    def _appendix(self, place: int, out: list[str]) -> int:
        self.numbering.start_appendix()
        return place + 1

    def _thanks(self, place: int, out: list[str]) -> int:
        level = SECTIONS["\\section"] + self.shift
        self.drafts.append(Draft(level, "Acknowledgements", None, None))
        return self.layout.past_options(place + 1)

    def _label(self, place: int, out: list[str]) -> int:
        found = self.layout.required(place)
        # Further on in the text a label means a theorem or an item, whose number is not known.
        is_at_heading = not self.drafts[-1].has_text
        self._note_labels(place, place + 1, self.current if is_at_heading else _Label("", ""))
        return found.after if found else place + 1

    def _note_labels(self, start: int, end: int, label: _Label) -> None:
        for place in self.layout.find(_LABEL, start, end):
            key = self.layout.required(place)
            if key is not None:
                self.labels.setdefault(self.layout.source(key).strip(), label)

    def _figure(self, place: int, out: list[str]) -> int:
        end = self.layout.ends.get(place)
        if end is None:
            return place + 1
        self.figures += any(True for _ in self.layout.find(_CAPTION, place, end))
        self._note_labels(place, end, _Label("Figure", str(self.figures)))
        return end + 1

    def _table(self, place: int, out: list[str]) -> int:
        """Take a table out of the text; a small tabular used for layout flows on."""
        end = self.layout.ends.get(place)
        if end is None:
            return place + 1
        if end < self.layout_end:
            return self.setter.begin("tabular", place, out)
        table = read_table(self.setter, place, end, len(self.tables))
        name = self.layout.tokens[place][7:-1]
        is_float = name in TABLES
        if not is_float and (table is None or min(len(table.cells), _width(table)) < 2):
            self.layout_end = end
            return self.setter.begin(name, place, out)
        if table is not None:
            self.tables.append(table)
            self.table_count += bool(table.caption)
            self._note_labels(place, end, _Label("Table", str(self.table_count)))
        return end + 1

    def resolve(self, text: str) -> str:
        """Text with the numbers of the sections, tables and figures it refers to."""
        return _REFERENCE.sub(self._print_reference, text)

    def _print_reference(self, found: re.Match[str]) -> str:
        labels = [self.labels.get(key.strip()) for key in found[2].split(",")]
        known = [label for label in labels if label is not None and label.number]
        numbers = " and ".join(label.number for label in known)
        return f"{known[0].kind} {numbers}" if known and found[1] == "+" else numbers


class _Sink(list[str]):
    """Adds text to the section that was opened last."""

    def __init__(self, drafts: list[Draft]) -> None:
        self._drafts = drafts

    def append(self, text: str) -> None:
        draft = self._drafts[-1]
        draft.has_text = draft.has_text or not text.isspace()
        draft.out.append(text)


def _begin(name: str) -> str:
    return f"\\begin{{{name}}}"


def _width(table: CitedTable) -> int:
    return max((len(row) for row in table.cells), default=0)


def read_paper(files: PaperFiles, main: str) -> Document:
    """The paper that starts in a file; key and identifiers are left to the caller.

    `InputError` says why there is none.
    """
    layout = Layout(Expander(files).expand(main))
    if not any(token == "\\begin{document}" for token in layout.tokens):
        raise InputError(f"{main} has no \\begin{{document}}: name the main file of the paper")
    entries, citations = read_references(files, main, layout)
    reader = _Reader(
        layout,
        Typesetter(layout, citations),
        Numbering(depth=_depth(layout), is_roman=_ROMAN_CLASS.match(_class(layout)) is not None),
        shift=int("\\chapter" in layout.tokens),
    )
    reader.read()
    return _document(reader, entries)


def _document(reader: _Reader, entries: list[Entry]) -> Document:
    sections, headed_abstract = finish(reader.drafts)
    abstract = "\n\n".join(text for text in reader.abstracts[:1] if text) or headed_abstract
    title = reader.titles[-1] if reader.titles else None
    if not (title or abstract or sections or entries or reader.tables):
        raise InputError("it holds no title, no abstract, no text and no references")
    return Document(
        kind="latex",
        key="",
        title=reader.resolve(title) if title else None,
        abstract=reader.resolve(abstract) or None,
        authors=read_authors(reader.setter, reader.authors),
        sections=tuple(
            replace(
                section,
                text=reader.resolve(section.text),
                heading=reader.resolve(section.heading) if section.heading else None,
            )
            for section in sections
        ),
        references=tuple(entry.reference for entry in entries),
        tables=tuple(
            replace(
                table,
                caption=reader.resolve(table.caption),
                cells=tuple(tuple(map(reader.resolve, row)) for row in table.cells),
            )
            for table in reader.tables
        ),
    )


def _class(layout: Layout) -> str:
    for place in layout.find(frozenset({"\\documentclass", "\\documentstyle"})):
        found = layout.required(place)
        if found is not None:
            return layout.source(found).strip()
    return ""


def _depth(layout: Layout) -> int:
    """Number of levels of sections that have numbers."""
    for place in layout.find(frozenset({"\\setcounter"})):
        name = layout.group(place + 1)
        value = layout.group(name.after) if name else None
        if name and value and layout.source(name).strip() == "secnumdepth":
            number = layout.source(value).strip()
            return int(number) if number in {"0", "1", "2", "3", "4", "5"} else 0
    return 2 if _class(layout) == "llncs" else _DEFAULT_DEPTH
