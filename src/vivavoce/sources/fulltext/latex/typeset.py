"""Tokens to the text a reader sees: formulas stay source, footnotes and layout are out.

Drafts of sections get the numbers that LaTeX would print; citations become names and years, or
numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from vivavoce.records import Reference, Section
from vivavoce.sources.fulltext.latex.layout import (
    ACCENTS,
    ENVIRONMENT_ARGUMENTS,
    FIGURES,
    HIDDEN,
    MATH,
    PLAIN,
    SILENT,
    SYMBOLS,
    TABLES,
    TABULARS,
    Layout,
    accented,
    is_citation,
    typeset,
)
from vivavoce.sources.fulltext.latex.tokens import LITERAL, PARAGRAPH, source_of, tokenise
from vivavoce.text.headings import role_of_heading

Hook = Callable[[int, list[str]], int]
"""Handles the command at a place on its own and returns where the text goes on."""

REFERENCE_START, REFERENCE_END = "\x02", "\x03"
_NAMED_REFERENCES = frozenset({"\\autoref", "\\cref", "\\Cref", "\\vref", "\\Autoref"})
_REFERENCES = _NAMED_REFERENCES | {"\\ref", "\\subref"}
_MAX_DEPTH = 12
_MAX_FORMULA = 5_000
_SPACES = frozenset({"\\\\", "\\tabularnewline", "\\cr"})
_PARAGRAPHS = frozenset({"\\par", "\\newpage", "\\clearpage", "\\item", "\\bigskip", "\\medskip"})
_AFTER_XSPACE = frozenset(".,;:!?'’/-)~}] \n\t")
_LABEL = re.compile(r"\\label\s?\{[^{}]*\}\s?")
_BLOCKS = re.compile(
    r"\\(?:begin|end)\{(?:itemize|enumerate|description|quote|quotation|center|abstract|compactitem"
    r"|flushleft|flushright|minipage|tcolorbox|mdframed|theorem|lemma|proof|definition|remark)\*?\}"
)
_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_MIN_WORDS = 10
_OWN_ROLES = frozenset({"acknowledgements", "references"})
LEVELS = 7


class Typesetter:
    """Renders stretches of one layout; every token is looked at a bounded number of times."""

    def __init__(self, layout: Layout, citations: Citations | None = None) -> None:
        self.layout = layout
        self.citations = citations or Citations(())
        self._unclosed: dict[str, int] = {}
        """Closing of a formula -> the place before which it was sought in vain."""

    def line(self, start: int, end: int, depth: int = 1) -> str:
        """A stretch as one line, such as a heading or a cell."""
        out: list[str] = []
        if depth <= _MAX_DEPTH:
            self.walk(start, end, out, depth)
        return " ".join("".join(out).split())

    def walk(
        self, place: int, end: int, out: list[str], depth: int, hooks: dict[str, Hook] | None = None
    ) -> None:
        """Render a stretch into `out`; `hooks` go before what the reader does with a command."""
        tokens = self.layout.tokens
        while place < end:
            token = tokens[place]
            hook = hooks.get(token) if hooks else None
            if hook is not None:
                place = max(hook(place, out), place + 1)
            elif token[0] == "\\":
                place = max(self._command(token, place, out, depth), place + 1)
            elif token in {"$", "$$"}:
                place = self._formula(token, place, end, out)
            else:
                if token[0] == LITERAL:
                    out.append(token[1:])
                elif token in {"~", "&"} or (token[0] == "\n" and token != PARAGRAPH):
                    out.append(" ")
                elif token not in {"{", "}"}:
                    out.append(typeset(token))
                place += 1

    def _command(self, token: str, place: int, out: list[str], depth: int) -> int:
        layout = self.layout
        if token.startswith("\\begin{"):
            return self.begin(token[7:-1], place, out)
        if is_citation(token):
            found = layout.citation(place)
            notes = [self.line(note.start, note.end, depth + 1) for note in found.notes]
            out.append(self.citations.print(token, notes, found.keys))
            return found.after
        if token in _REFERENCES:
            return self._reference(token, place, out)
        if token in {"\\(", "\\["}:
            closing = "\\)" if token == "\\(" else "\\]"
            return self._formula(token, place, len(layout.tokens), out, closing)
        if token == "\\texorpdfstring" and (printed := layout.group(place + 1)) is not None:
            out.append(self.line(printed.start, printed.end, depth + 1))
            return layout.past_groups(printed.after, 1)
        if token == "\\xspace":
            following = layout.tokens[place + 1] if place + 1 < len(layout.tokens) else "}"
            out.append("" if following[0] in _AFTER_XSPACE else " ")
            return place + 1
        if token in SYMBOLS:
            out.append(SYMBOLS[token])
            return place + 1
        if token in ACCENTS:
            return self._accent(token, place, out, depth)
        if token in SILENT:
            return self._silent(token, place)
        if token in _SPACES:
            out.append(" ")
            return layout.past_options(place + 1)
        if token in _PARAGRAPHS:
            out.append(PARAGRAPH)
            label = layout.option(place + 1) if token == "\\item" else None
            if label is not None:
                out.append(self.line(label.start, label.end, depth + 1) + " ")
                return label.after
            return place + 1
        if token.startswith("\\end{"):
            if _BLOCKS.fullmatch(token):
                out.append(PARAGRAPH)
            return place + 1
        if token == "\\twocolumn":
            return place + 2
        if token not in PLAIN and layout.tokens[place + 1 : place + 2] == ["["]:
            option = layout.option(place + 1)
            return option.after if option else place + 1
        return place + 1

    def begin(self, name: str, place: int, out: list[str]) -> int:
        """Go into an environment, or past one that is no running text."""
        layout = self.layout
        end = layout.ends.get(place)
        if name in MATH and end is not None:
            source = source_of(list(layout.tokens[place : end + 1]))
            out.append(f" {_LABEL.sub('', source)} ")
            return end + 1
        is_out = name in HIDDEN or name in FIGURES or name in TABLES
        if is_out and end is not None:
            return end + 1
        if _BLOCKS.fullmatch(f"\\begin{{{name}}}"):
            out.append(PARAGRAPH)
        after = layout.past_options(place + 1) if name not in {"document"} else place + 1
        return layout.past_groups(after, TABULARS.get(name, ENVIRONMENT_ARGUMENTS.get(name, 0)))

    def _formula(
        self, token: str, place: int, end: int, out: list[str], closing: str | None = None
    ) -> int:
        """A formula as it is written; an opening without an end within the paragraph is dropped."""
        tokens = self.layout.tokens
        closing = closing or token
        here = max(place + 1, self._unclosed.get(closing, 0))
        stop = min(end, place + _MAX_FORMULA)
        while here < stop:
            if tokens[here] == closing:
                source = source_of(list(tokens[place : here + 1]))
                out.append(_LABEL.sub("", source) if source != "$$" else "")
                return here + 1
            if tokens[here] == PARAGRAPH and closing != "\\]":
                break
            here += 1
        self._unclosed[closing] = max(here, self._unclosed.get(closing, 0))
        return place + 1

    def _reference(self, token: str, place: int, out: list[str]) -> int:
        group = self.layout.required(place)
        if group is None:
            return place + 1
        style = "+" if token in _NAMED_REFERENCES else "-"
        out.append(f"{REFERENCE_START}{style}{self.layout.source(group)}{REFERENCE_END}")
        return group.after

    def _accent(self, token: str, place: int, out: list[str], depth: int) -> int:
        layout = self.layout
        group = layout.group(place + 1)
        if group is not None:
            out.append(accented(token, self.line(group.start, group.end, depth + 1)))
            return group.after
        place = layout.past_spaces(place + 1)
        if place >= len(layout.tokens):
            return place
        following = layout.tokens[place]
        if following in SYMBOLS:
            out.append(accented(token, SYMBOLS[following]))
        elif following[0].isalpha():
            out.append(accented(token, typeset(following)))
        else:
            return place
        return place + 1

    def _silent(self, token: str, place: int) -> int:
        """Past a command that prints nothing and its arguments."""
        layout = self.layout
        after = layout.past_options(place + 1)
        if token == "\\cmidrule" and after < len(layout.tokens):
            after += layout.tokens[after].startswith("(")
        return layout.past_groups(after, SILENT[token], with_options=token == "\\multirow")


def paragraphs_of(text: str) -> str:
    """Text with one blank line between paragraphs and one space between words."""
    parts = (" ".join(part.split()) for part in text.split(PARAGRAPH))
    return PARAGRAPH.join(part for part in parts if part)


def plain_text(source: str) -> str:
    """A short piece of LaTeX, such as a field of a bibliography, as one line of text."""
    tokens = [token for token in tokenise(source) if token not in {"\\begin", "\\end"}]
    return Typesetter(Layout(tokens)).line(0, len(tokens))


@dataclass(slots=True)
class Draft:
    """A section whose text is still being read."""

    level: int
    heading: str | None
    number: str | None
    role: str | None
    out: list[str] = field(default_factory=list)
    has_text: bool = False


class Numbering:
    """Counters of sections."""

    def __init__(self, *, depth: int, is_roman: bool) -> None:
        self._counters = [0] * LEVELS
        self._depth = depth
        self._is_roman = is_roman
        self.in_appendix = False

    def start_appendix(self) -> None:
        """From here on sections have letters, from `A`."""
        if not self.in_appendix:
            self.in_appendix = True
            self._counters = [0] * LEVELS

    def step(self, level: int) -> str | None:
        """Number of the next section at a level; None where none is printed."""
        if level > self._depth:
            return None
        self._counters[level] += 1
        self._counters[level + 1 :] = [0] * (LEVELS - level - 1)
        parts = self._counters[1 : level + 1]
        if self._is_roman and not self.in_appendix:
            if level == 1:
                return _roman(parts[0])
            return _letter(parts[1]) if level == 2 else str(parts[-1])
        first = _letter(parts[0]) if self.in_appendix else str(parts[0])
        return ".".join([first, *map(str, parts[1:])])


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        while number >= value and len(text) < 40:
            text += letters
            number -= value
    return text


def _letter(number: int) -> str:
    return chr(ord("A") + number - 1) if 1 <= number <= 26 else str(number)


def finish(drafts: list[Draft]) -> tuple[tuple[Section, ...], str]:
    """The sections, and the text of one that is headed as the abstract."""
    sections: list[Section] = []
    abstract = ""
    for draft in drafts:
        text = paragraphs_of("".join(draft.out))
        if draft.heading is None and len(text.split()) < _MIN_WORDS:
            continue
        role = role_of_heading(draft.heading or "")
        if role == "abstract" and not abstract and draft.level == 1 and text:
            abstract = text
            continue
        if role == "references" and not text:
            continue
        own = draft.role if role not in _OWN_ROLES else None
        sections.append(Section(len(sections), draft.level, draft.heading, own, text, draft.number))
    return tuple(sections), abstract


@dataclass(frozen=True, slots=True)
class Entry:
    """A reference with the key it is cited by."""

    key: str
    reference: Reference
    names: str
    """Authors as a citation prints them: `Smith et al.`"""


class Citations:
    """Prints citations and finds the references they mean."""

    def __init__(
        self, entries: Sequence[Entry], *, is_numeric: bool = False, cites_in_brackets: bool = True
    ) -> None:
        self._is_numeric = is_numeric
        self._cites_in_brackets = cites_in_brackets
        """Check whether a plain `\\cite` prints brackets; natbib prints it like `\\citet`."""
        self._entries: dict[str, Entry] = {}
        for entry in entries:
            self._entries.setdefault(entry.key.casefold(), entry)

    def ordinals(self, keys: Iterable[str]) -> list[int]:
        """The references of keys in their order; unknown keys are left out."""
        found = (self._entries.get(key.casefold()) for key in keys)
        return [entry.reference.ordinal for entry in found if entry is not None]

    def print(self, command: str, notes: Sequence[str], keys: Sequence[str]) -> str:
        """Print a citation command; an unknown key prints itself."""
        if not keys:
            return ""
        before = notes[0] if len(notes) > 1 else ""
        after = notes[-1] if notes else ""
        name = command[1:].lower()
        found = [(key, self._entries.get(key.casefold())) for key in keys]
        if "author" in name and "fullauthor" not in name:
            return ", ".join(entry.names if entry else key for key, entry in found)
        if "year" in name:
            years = ", ".join(_year(entry) if entry else key for key, entry in found)
            return f"({years})" if name.endswith("par") else years
        if self._is_numeric:
            numbers = [str(entry.reference.ordinal + 1) if entry else key for key, entry in found]
            marker = f"[{_join(before, ', '.join(numbers), after)}]"
            if self._is_textual(name) and name != "cite" and found[0][1] is not None:
                return f"{found[0][1].names} {marker}"
            return marker
        if self._is_textual(name):
            parts = [f"{e.names} ({_join(before, _year(e), after)})" if e else k for k, e in found]
            return ", ".join(parts)
        inside = "; ".join(_dated(entry) if entry else key for key, entry in found)
        inside = _join(before, inside, after)
        return inside if name.startswith("citeal") else f"({inside})"

    def _is_textual(self, name: str) -> bool:
        if name == "cite":
            return not self._cites_in_brackets
        return name.startswith(("citet", "newcite", "textcite", "shortcite", "citeasnoun"))


def _dated(entry: Entry) -> str:
    return f"{entry.names}, {_year(entry)}" if entry.names else _year(entry)


def _year(entry: Entry) -> str:
    year = entry.reference.year
    return "n.d." if year is None else str(year)


def _join(before: str, inside: str, after: str) -> str:
    return f"{before} {inside}".strip() + (f", {after}" if after else "")


def short_names(surnames: Sequence[str], *, has_others: bool = False) -> str:
    """Surnames as a citation prints them."""
    if not surnames:
        return ""
    if len(surnames) > 2 or has_others:
        return f"{surnames[0]} et al."
    return " and ".join(surnames)
