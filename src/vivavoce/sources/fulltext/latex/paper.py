"""A paper from its tokens: header, sections, references and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.assemble import without_stubs
from vivavoce.sources.fulltext.latex.authors import read_authors
from vivavoce.sources.fulltext.latex.bibliography import read_entries
from vivavoce.sources.fulltext.latex.conditions import COUNTING
from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.labels import Labels
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
from vivavoce.sources.fulltext.latex.numbering import STYLES, Counters
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
_ALGORITHMS = ("algorithm", "algorithm*", "algorithm2e")
_NUMBERED_WITHIN = {"\\numberwithin", "\\counterwithin", "\\counterwithout", "\\@addtoreset"}
_SETTING = {"\\setcounter", "\\addtocounter"}
_MIN_STATEMENT = 3
"""Fewest words of a statement behind the text of the body."""
_HEADER = TITLES | AUTHORS | ABSTRACTS


@dataclass(slots=True)
class _Reader:
    """Walks over a paper once."""

    layout: Layout
    setter: Typesetter
    counters: Counters
    labels: Labels
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
    hooks: dict[str, Hook] = field(default_factory=dict)
    section: str = ""
    """Counter of the current section."""
    body_end: int = 0
    """Start of the last section."""
    appendix_end: int = 0
    """End of the environment of the appendix, else of the paper."""
    layout_end: int = 0
    """End of the last tabular that was not a table; tabulars inside it are not tables either."""

    def read(self) -> None:
        tokens = self.layout.tokens
        start = next((p + 1 for p, token in enumerate(tokens) if token == "\\begin{document}"), 0)
        hooks = self.hooks
        names = self.labels.name_kind
        declarations: dict[str, Hook] = {
            "\\newtheorem": self._declare,
            "\\declaretheorem": self._declare,
            **dict.fromkeys(("\\crefname", "\\Crefname"), lambda place, _: names(place)),
            "\\setlist": lambda place, _: self.labels.set_lists(place),
            **dict.fromkeys(_NUMBERED_WITHIN, self._number_within),
            **dict.fromkeys((*COUNTING, "\\@the"), self._change_counter),
        }
        hooks |= dict.fromkeys(self._unknown_after_body(tokens), self._statement)
        hooks |= dict.fromkeys(SECTIONS, self._section)
        hooks |= dict.fromkeys(TITLES, self._title)
        hooks |= dict.fromkeys(AUTHORS, self._author)
        hooks["\\maketitle"] = self._print_title
        hooks |= dict.fromkeys(ABSTRACTS, self._abstract)
        hooks |= {_begin(name): self._abstract for name in ABSTRACT_ENVIRONMENTS}
        hooks |= {_begin(name): self._table for name in (*TABULARS, *TABLES)}
        hooks |= {_begin(name): self._float for name in (*FIGURES, *_ALGORITHMS, "algorithmic")}
        hooks |= {_begin(name): self._equation for name in MATH}
        hooks[_begin("restatable")] = self._theorem
        hooks["\\item"] = self._item
        hooks["\\caption"] = lambda place, _: self.labels.caption_outside(place)
        hooks |= dict.fromkeys(APPENDICES, self._appendix)
        hooks |= {_begin(name): self._thanks for name in THANKS}
        hooks |= {f"\\{name}": self._thanks for name in THANKS}
        hooks["\\label"] = self._label
        hooks |= declarations | dict.fromkeys(STYLES, self._print_counter)
        printed = {token for token in tokens if token.startswith("\\the")}
        hooks |= dict.fromkeys(printed, self._print_counter)
        place = 0
        while place < start:
            token = tokens[place]
            hook = hooks.get(token) if token in _HEADER or token in declarations else None
            place = max(hook(place, []) if hook else place, place + 1)
        self.setter.walk(start, len(tokens), self.story, 0, hooks)

    def _declare(self, place: int, out: list[str]) -> int:
        """Declare a theorem; its environments are counted from here on."""
        is_plain = self.layout.tokens[place] == "\\newtheorem"
        declare = self.labels.declare_theorem if is_plain else self.labels.declare_by_options
        after = declare(place)
        self.hooks |= {_begin(name): self._theorem for name in [*self.labels.theorems][-1:]}
        return after

    def _number_within(self, place: int, out: list[str]) -> int:
        layout = self.layout
        token = layout.tokens[place]
        counter = layout.required(place)
        outer = layout.group(counter.after) if counter else None
        if counter is None or outer is None:
            return place + 1
        name = layout.source(counter).strip()
        if token == "\\counterwithout":
            self.counters.number_alone(name)
        else:
            is_reset_only = token == "\\@addtoreset" or layout.tokens[place + 1] == "*"
            around = layout.source(outer).strip()
            self.counters.number_within(name, around, is_shown=not is_reset_only)
        return outer.after

    def _change_counter(self, place: int, out: list[str]) -> int:
        r"""Set or step a counter, define one, or set how it is printed (`\@the`)."""
        layout = self.layout
        token = layout.tokens[place]
        first = layout.group(place + 1)
        if first is None:
            return place + 1
        name = layout.source(first).strip()
        second = layout.group(first.after) if token in {"\\@the", *_SETTING} else None
        value = layout.tokens[second.start : second.end] if second else ()
        if token == "\\newcounter":
            outer = layout.option(first.after)
            if outer is not None:
                self.counters.number_within(name, layout.source(outer).strip(), is_shown=False)
            self.counters.values.setdefault(name, 0)
            return outer.after if outer else first.after
        if token == "\\refstepcounter":
            self.labels.step(name, place)
        elif token == "\\@the":
            self.counters.formats[name] = value
        else:
            self.counters.change(token, name, value)
        return (second or first).after

    def _print_counter(self, place: int, out: list[str]) -> int:
        token = self.layout.tokens[place]
        argument = self.layout.group(place + 1) if token in STYLES else None
        end = argument.after if argument else place + 1
        name = self.layout.source(argument).strip() if argument else token[4:]
        if not self.counters.knows(name):
            return self.setter.command(token, place, out, 0)
        out.append(self.counters.print(self.layout.tokens[place:end]))
        return end

    def _section(self, place: int, out: list[str]) -> int:
        token = self.layout.tokens[place]
        argument = self.layout.required(place)
        if argument is None or token == "\\part":
            return argument.after if argument else place + 1
        if place > self.appendix_end and self.counters.in_appendix:
            self.counters.end_appendix()
        self.is_titled = self.is_titled or bool(self.titles)
        level = SECTIONS[token] + self.shift
        after_star = self.layout.past_spaces(place + 1)
        is_starred = self.layout.tokens[after_star : after_star + 1] == ["*"]
        self.section = token[1:]
        number = None if is_starred else self.counters.section(self.section, SECTIONS[token])
        heading = self.setter.line(argument.start, argument.end).rstrip(" .:") or None
        role = "appendix" if self.counters.in_appendix else None
        self.story.open(Block(heading, number, level, role))
        label = self.labels.enter_section(place, self.section, number, heading or "")
        self.labels.note(argument.start, argument.end, label)
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
        is_inside = self.layout.tokens[place] == "\\begin{subappendices}"
        self.counters.start_appendix(self.section if is_inside else "")
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
        self.labels.note_here(place)
        return argument.after if argument else place + 1

    def _equation(self, place: int, out: list[str]) -> int:
        end = self.layout.ends.get(place)
        if end is not None:
            self.labels.equations(place, end)
        return self.setter.begin(self.layout.tokens[place][7:-1], place, out)

    def _theorem(self, place: int, out: list[str]) -> int:
        """Count a theorem; `restatable` names its environment in an argument."""
        name = kind = self.layout.tokens[place][7:-1]
        if name == "restatable" and (argument := self.layout.required(place)) is not None:
            kind = self.layout.source(argument).strip()
        if kind in self.labels.theorems:
            self.labels.begin_theorem(kind, place)
        return self.setter.begin(name, place, out)

    def _item(self, place: int, out: list[str]) -> int:
        self.labels.item(place)
        return self.setter.command("\\item", place, out, 0)

    def _float(self, place: int, out: list[str]) -> int:
        """Skip a figure or an algorithm, but note the labels inside."""
        end = self.layout.ends.get(place)
        if end is None:
            return place + 1
        self.labels.float(place, end)
        return end + 1

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
        self.labels.float(place, end)
        if table is not None:
            self.tables.append(table)
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
    has_chapters = "\\chapter" in layout.tokens
    counters = Counters(has_chapters=has_chapters, document_class=class_name)
    setter = Typesetter(layout)
    labels = Labels(layout, setter, counters)
    reader = _Reader(layout, setter, counters, labels, shift=int(has_chapters))
    reader.read()
    return Manuscript(
        title=": ".join(filter(None, (*reader.titles[-1:], reader.subtitle))),
        abstract=reader.abstracts[0] if reader.abstracts else "",
        authors=read_authors(reader.setter, reader.authors),
        blocks=without_stubs(reader.story.close()),
        entries=entries,
        tables=reader.tables,
        style=style,
        labels=reader.labels.known,
    )
