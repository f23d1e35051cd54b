"""A paper from its tokens: header, sections, references and tables."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.assemble import without_stubs
from vivavoce.sources.fulltext.latex.authors import read_authors
from vivavoce.sources.fulltext.latex.bibliography import read_entries
from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.layout import (
    ABSTRACT_ENVIRONMENTS,
    ABSTRACTS,
    APPENDICES,
    AUTHORS,
    FIGURES,
    MATH,
    SECTIONS,
    TABLES,
    TABULARS,
    THANKS,
    TITLES,
    Layout,
    Span,
    is_own_command,
)
from vivavoce.sources.fulltext.latex.macros import expand
from vivavoce.sources.fulltext.latex.numbering import LABEL, Counters, SectionNumbers
from vivavoce.sources.fulltext.latex.tables import read_table
from vivavoce.sources.fulltext.latex.typeset import Hook, Typesetter
from vivavoce.sources.fulltext.model import (
    PARAGRAPH,
    Block,
    Manuscript,
    RawTable,
    Story,
    paragraphs_in,
)

_CLASS = frozenset({"\\documentclass", "\\documentstyle"})
_ROMAN_CLASS = re.compile(r"IEEEtran|revtex", re.IGNORECASE)
_CAPTION = frozenset({"\\caption"})
_SUBFLOATS = frozenset(
    {"\\subfloat", "\\subfigure", "\\subtable", "\\subcaptionbox"}
    | {f"\\begin{{{name}}}" for name in ("subfigure", "subtable")}
)
_ALGORITHMS = ("algorithm", "algorithm*", "algorithm2e")
_DEFAULT_DEPTH = 3
_MIN_STATEMENT = 3
"""Fewest words of a statement behind the text of the body."""
_HEADER = TITLES | AUTHORS | ABSTRACTS


@dataclass(slots=True)
class _Reader:
    """Walks over a paper once."""

    layout: Layout
    setter: Typesetter
    numbering: SectionNumbers
    counters: Counters
    shift: int
    """1 if chapters are the top level, else 0."""
    story: Story = field(default_factory=Story)
    titles: list[str] = field(default_factory=list)
    subtitle: str = ""
    authors: list[tuple[Span, ...]] = field(default_factory=list)
    is_titled: bool = False
    """True behind the title as printed; a later one is that of a supplement."""
    abstracts: list[str] = field(default_factory=list)
    tables: list[RawTable] = field(default_factory=list)
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    current: tuple[str, str] = ("", "")
    figures: int = 0
    table_count: int = 0
    body_end: int = 0
    """Start of the last section."""
    appendix_end: int = 0
    """End of the environment of the appendix, else of the paper."""
    layout_end: int = 0
    """End of the last tabular that was not a table; tabulars inside it are not tables either."""

    def read(self) -> None:
        tokens = self.layout.tokens
        start = next((p + 1 for p, token in enumerate(tokens) if token == "\\begin{document}"), 0)
        hooks: dict[str, Hook] = dict.fromkeys(self._unknown_after_body(tokens), self._statement)
        hooks |= dict.fromkeys(SECTIONS, self._section)
        hooks |= dict.fromkeys(TITLES, self._title)
        hooks |= dict.fromkeys(AUTHORS, self._author)
        hooks["\\maketitle"] = self._print_title
        hooks |= dict.fromkeys(ABSTRACTS, self._abstract)
        hooks |= {_begin(name): self._abstract for name in ABSTRACT_ENVIRONMENTS}
        hooks |= {_begin(name): self._table for name in (*TABULARS, *TABLES)}
        hooks |= {_begin(name): self._float for name in (*FIGURES, *_ALGORITHMS)}
        hooks |= {_begin(name): self._equation for name in MATH}
        hooks |= {_begin(name): self._count for name in (*self.counters.theorems, "enumerate")}
        hooks["\\item"] = self._item
        hooks |= dict.fromkeys(APPENDICES, self._appendix)
        hooks |= {_begin(name): self._thanks for name in THANKS}
        hooks |= {f"\\{name}": self._thanks for name in THANKS}
        hooks["\\label"] = self._label
        place = 0
        while place < start:
            hook = hooks.get(tokens[place]) if tokens[place] in _HEADER else None
            place = max(hook(place, []) if hook else place, place + 1)
        self.setter.walk(start, len(tokens), self.story, 0, hooks)

    def _section(self, place: int, out: list[str]) -> int:
        token = self.layout.tokens[place]
        argument = self.layout.required(place)
        if argument is None or token == "\\part":
            return argument.after if argument else place + 1
        if place > self.appendix_end and self.numbering.in_appendix:
            self.numbering.end_appendix()
        self.is_titled = self.is_titled or bool(self.titles)
        level = SECTIONS[token] + self.shift
        after_star = self.layout.past_spaces(place + 1)
        is_starred = self.layout.tokens[after_star : after_star + 1] == ["*"]
        number = None if is_starred else self.numbering.step(level)
        heading = self.setter.line(argument.start, argument.end).rstrip(" .:") or None
        role = "appendix" if self.numbering.in_appendix else None
        self.story.open(Block(heading, number, level, role))
        self.current = ("Section", number or "")
        self.counters.enter_section(level, number)
        self._note_labels(argument.start, argument.end, self.current)
        return argument.after

    def _title(self, place: int, out: list[str]) -> int:
        argument = self.layout.required(place)
        if argument is None:
            return place + 1
        title = "" if self.is_titled else self.setter.line(argument.start, argument.end)
        if title and self.layout.tokens[place] == "\\subtitle":
            self.subtitle = title
        elif title:
            self.titles.append(title)
        return argument.after

    def _author(self, place: int, out: list[str]) -> int:
        argument = self.layout.required(place)
        if argument is None:
            return place + 1
        tokens = self.layout.tokens
        groups = [argument]
        while tokens[groups[-1].after : groups[-1].after + 1] == ["{"]:
            if (group := self.layout.group(groups[-1].after)) is None:
                break
            groups.append(group)
        # Two arguments are given names and surname; else an affiliation and more may follow.
        if not (self.is_titled and self.authors):
            self.authors.append(tuple(groups if len(groups) == 2 else groups[:1]))
        return self.layout.past_options(groups[-1].after)

    def _print_title(self, place: int, out: list[str]) -> int:
        """Drop the text before the title, which belongs to commands of the class."""
        if self.titles and not self.is_titled:
            self.is_titled = True
            self.story.clear()
        return place + 1

    def _abstract(self, place: int, out: list[str]) -> int:
        if self.layout.tokens[place].startswith("\\begin"):
            end = self.layout.ends.get(place)
            span = None if end is None else Span(self.layout.past_options(place + 1), end, end + 1)
        else:
            span = self.layout.required(place)
        if span is None:
            return place + 1
        spans = [span]
        is_command = not self.layout.tokens[place].startswith("\\begin")
        while is_command and (more := self.layout.group(spans[-1].after)) is not None:
            spans.append(more)
        text: list[str] = []
        for part in spans:
            self.setter.walk(part.start, part.end, text, 1)
            text.append(PARAGRAPH)
        self.abstracts.append(PARAGRAPH.join(paragraphs_in("".join(text))))
        return spans[-1].after

    def _appendix(self, place: int, out: list[str]) -> int:
        self.numbering.start_appendix()
        self.appendix_end = self.layout.ends.get(place, len(self.layout.tokens))
        return place + 1

    def _thanks(self, place: int, out: list[str]) -> int:
        level = SECTIONS["\\section"] + self.shift
        self.story.open(Block("Acknowledgements", level=level))
        return self.layout.past_options(place + 1)

    def _unknown_after_body(self, tokens: Sequence[str]) -> set[str]:
        """Commands that the reader does not know, used behind the last section of the body."""
        appendix = next(self.layout.find(frozenset(APPENDICES)), len(tokens))
        sections = list(self.layout.find(frozenset(SECTIONS), 0, appendix))
        numbered = [place for place in sections if tokens[place + 1 : place + 2] != ["*"]]
        self.body_end = max(numbered or sections, default=len(tokens))
        return {
            token
            for token in tokens[self.body_end :]
            if token[:1] == "\\" and token[1:].isalpha() and not is_own_command(token)
        }

    def _statement(self, place: int, out: list[str]) -> int:
        """Open a part of its own for a statement, which a class takes as an argument."""
        tokens = self.layout.tokens
        span = self.layout.group(place + 1) if place > self.body_end else None
        before = tokens[place - 1] if place else ""
        if span is None or not before[-1:].isspace() or not self._is_statement(span):
            return self.setter.command(tokens[place], place, out, 0)
        self.story.open(Block(level=SECTIONS["\\section"] + self.shift, role="other"))
        self.setter.walk(span.start, span.end, self.story, 1)
        return span.after

    def _is_statement(self, span: Span) -> bool:
        """Check whether an argument is prose, and nothing but commands follows on its line."""
        after = self.layout.past_spaces(span.after)
        following = self.layout.tokens[after : after + 1]
        text = self.setter.line(span.start, span.end)
        is_alone = not following or following[0] == PARAGRAPH or following[0][0] == "\\"
        return is_alone and len(text.split()) >= _MIN_STATEMENT

    def _label(self, place: int, out: list[str]) -> int:
        argument = self.layout.required(place)
        self._note_labels(place, place + 1, self.counters.meaning(place, self.current))
        return argument.after if argument else place + 1

    def _equation(self, place: int, out: list[str]) -> int:
        end = self.layout.ends.get(place)
        if end is not None:
            for number, first, last in self.counters.equations(place, end):
                self._note_labels(first, last, ("Equation", number))
        return self.setter.begin(self.layout.tokens[place][7:-1], place, out)

    def _count(self, place: int, out: list[str]) -> int:
        name = self.layout.tokens[place][7:-1]
        self.counters.begin(name, place)
        return self.setter.begin(name, place, out)

    def _item(self, place: int, out: list[str]) -> int:
        self.counters.item(place)
        return self.setter.command("\\item", place, out, 0)

    def _note_labels(self, start: int, end: int, label: tuple[str, str]) -> None:
        for place in self.layout.find(LABEL, start, end):
            key = self.layout.required(place)
            if key is not None:
                self.labels.setdefault(self.layout.source(key).strip(), label)

    def _float(self, place: int, out: list[str]) -> int:
        """Skip a figure or an algorithm, but note the labels inside."""
        end = self.layout.ends.get(place)
        if end is None:
            return place + 1
        if self.layout.tokens[place][7:-1] in FIGURES:
            self.figures += any(True for _ in self.layout.find(_CAPTION, place, end))
            label = ("Figure", str(self.figures))
            self._note_parts(place, end, label)
        else:
            label = self.counters.algorithm()
        self._note_labels(place, end, label)
        return end + 1

    def _note_parts(self, start: int, end: int, whole: tuple[str, str]) -> None:
        """Note the labels of the lettered parts of a figure or a table."""
        parts = self.layout.find(_SUBFLOATS, start + 1, end)
        for letter, place in zip(ascii_lowercase, parts, strict=False):
            stop = self.layout.ends.get(place)
            if stop is None:
                group = self.layout.required(place)
                stop = group.after if group else place + 1
            self._note_labels(place, stop, (whole[0], whole[1] + letter))

    def _table(self, place: int, out: list[str]) -> int:
        """Take a table out of the text; a small tabular used for layout stays in the text."""
        end = self.layout.ends.get(place)
        if end is None:
            return place + 1
        if end < self.layout_end:
            return self.setter.begin("tabular", place, out)
        table = read_table(self.setter, place, end)
        name = self.layout.tokens[place][7:-1]
        is_float = name in TABLES
        if not is_float and (table is None or not _is_grid(table)):
            self.layout_end = end
            return self.setter.begin(name, place, out)
        if table is not None:
            self.tables.append(table)
            self.table_count += bool(table.caption)
            label = ("Table", str(self.table_count))
            self._note_parts(place, end, label)
            self._note_labels(place, end, label)
        return end + 1


def _begin(name: str) -> str:
    return f"\\begin{{{name}}}"


def _is_grid(table: RawTable) -> bool:
    """Check whether a table has two or more rows and columns; a smaller one serves layout."""
    rows = [row for grid in table.grids for row in grid if any(cell.text for cell in row)]
    return len(rows) > 1 and max(sum(cell.width for cell in row) for row in rows) > 1


def read_paper(files: PaperFiles, main: str) -> Manuscript:
    """The paper that starts in a file; `InputError` says why there is none."""
    layout = Layout(expand(files, main))
    if not any(token == "\\begin{document}" for token in layout.tokens):
        raise InputError(f"{main} has no \\begin{{document}}: name the main file of the paper")
    entries, style = read_entries(files, main, layout)
    class_name = next(layout.names(_CLASS), "")
    is_roman = _ROMAN_CLASS.match(class_name) is not None
    reader = _Reader(
        layout,
        Typesetter(layout),
        SectionNumbers(depth=_depth(layout, class_name), is_roman=is_roman),
        Counters(layout),
        shift=int("\\chapter" in layout.tokens),
    )
    reader.read()
    return Manuscript(
        title=": ".join(filter(None, (*reader.titles[-1:], reader.subtitle))),
        abstract=reader.abstracts[0] if reader.abstracts else "",
        authors=read_authors(reader.setter, reader.authors),
        blocks=without_stubs(reader.story.close()),
        entries=entries,
        tables=reader.tables,
        style=style,
        labels=reader.labels,
    )


def _depth(layout: Layout, class_name: str) -> int:
    """The deepest section level that has numbers."""
    for place in layout.find(frozenset({"\\setcounter"})):
        name = layout.group(place + 1)
        value = layout.group(name.after) if name else None
        if name and value and layout.source(name).strip() == "secnumdepth":
            number = layout.source(value).strip()
            return int(number) if number in {"0", "1", "2", "3", "4", "5"} else 0
    return 2 if class_name == "llncs" else _DEFAULT_DEPTH
