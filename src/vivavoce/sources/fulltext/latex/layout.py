"""Commands that the reader knows, and where groups, options and environments end."""

import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import NamedTuple

from vivavoce.sources.fulltext.citing import is_citation
from vivavoce.sources.fulltext.latex.tokens import PARAGRAPH

_LISTS = tomllib.loads((resources.files(__package__) / "vocabulary.toml").read_text("utf-8"))
_COMBINING: dict[str, str] = _LISTS["accents"]
ACCENTS = frozenset(f"\\{name}" for name in _COMBINING)
SYMBOLS: dict[str, str] = {f"\\{name}": text for name, text in _LISTS["symbols"].items()}
APPENDICES = (
    *("\\appendix", "\\appendices"),
    *(f"\\begin{{{name}}}" for name in ("appendices", "appendix", "subappendices")),
)
THANKS = ("ack", "acks", *(f"acknowledg{e}ment{s}" for e in ("", "e") for s in ("", "s")))
SECTIONS: dict[str, int] = {f"\\{name}": level for name, level in _LISTS["sections"].items()}
SILENT = {
    f"\\{name}": int(count) for count, names in _LISTS["silent"].items() for name in names.split()
}
"""Commands that print nothing, with the number of their arguments in braces."""
MATH, TABLES, FIGURES, HIDDEN, ABSTRACT_ENVIRONMENTS = (
    frozenset(_LISTS["environments"][name].split())
    for name in ("math", "tables", "figures", "hidden", "abstracts")
)
TABULARS: dict[str, int] = _LISTS["tabulars"]
ENVIRONMENT_ARGUMENTS: dict[str, int] = _LISTS["environment_arguments"]
_OWN_ENVIRONMENTS = ABSTRACT_ENVIRONMENTS | TABLES | FIGURES | MATH | frozenset(TABULARS)
_DOTLESS = {"ı": "i", "ȷ": "j"}


CONDITIONS = {
    f"\\{name}": answer == "true"
    for answer, names in _LISTS["conditions"].items()
    for name in names.split()
}
"""TeX conditions that end in `\\fi`, with the answer assumed for each."""


def commands(kind: str) -> frozenset[str]:
    """The commands of a kind, with their backslash."""
    return frozenset(f"\\{name}" for name in _LISTS["commands"][kind].split())


TITLES = commands("titles")
AUTHORS = commands("authors")
ABSTRACTS = commands("abstracts")
PLAIN = commands("plain")
_OWN = (
    TITLES
    | AUTHORS
    | ABSTRACTS
    | PLAIN
    | frozenset((*SECTIONS, *SILENT, *SYMBOLS))
    | frozenset(
        f"\\begin{{{name}}}" for name in _OWN_ENVIRONMENTS | {"document", "itemize", "enumerate"}
    )
) - commands("redefinable")


def accented(command: str, letters: str) -> str:
    """Letters, the first of them with the accent that a command sets."""
    if not letters:
        return ""
    first = _DOTLESS.get(letters[0], letters[0])
    return unicodedata.normalize("NFC", first + _COMBINING[command[1:]]) + letters[1:]


def typeset(text: str) -> str:
    """A run of text with TeX's ligatures applied: dashes and quotes."""
    if "-" in text:
        text = text.replace("---", "—").replace("--", "–")
    if "`" in text or "''" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    return text


def is_own_command(name: str) -> bool:
    """Check whether the reader knows a command, so that a paper's own definition is ignored."""
    return name in _OWN or is_citation(name)


_PLACED = frozenset({"\\label", "\\item", "\\refstepcounter", "\\caption", *SECTIONS})
_MAX_OPTION = 300
_MAX_SEARCH = 50
_MAX_AROUND = 8


class Span(NamedTuple):
    """Tokens of an argument, from `start` to `end`, exclusive; the text continues at `after`."""

    start: int
    end: int
    after: int


class Citation(NamedTuple):
    """A citation command with its arguments."""

    notes: tuple[Span, ...]
    keys: tuple[str, ...]
    after: int


class Layout:
    """Finds the end of every group and environment in constant time."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self.closes: dict[int, int] = {}
        """Place of `{` -> place of its `}`."""
        self._no_option = 0
        """No option that starts before this place ends within reach."""
        self.ends: dict[int, int] = {}
        """Place of `\\begin{x}` -> place of its `\\end{x}`."""
        self.around: dict[int, tuple[int, ...]] = {}
        """Place of a label, or of what is numbered -> places of the environments around it, the
        innermost last."""
        groups: list[int] = []
        environments: list[int] = []
        for place, token in enumerate(tokens):
            if token == "{":
                groups.append(place)
            elif token == "}" and groups:
                self.closes[groups.pop()] = place
            elif token in _PLACED:
                if environments:
                    self.around[place] = tuple(environments[-_MAX_AROUND:])
            elif token.startswith("\\begin{"):
                environments.append(place)
            elif token.startswith("\\end{"):
                self._close(environments, place)

    def _close(self, environments: list[int], place: int) -> None:
        """Close the innermost environment of that name; those left open inside it have no end."""
        wanted = "\\begin{" + self.tokens[place][5:]
        for back in range(1, min(len(environments), _MAX_SEARCH) + 1):
            if self.tokens[environments[-back]] == wanted:
                self.ends[environments[-back]] = place
                del environments[-back:]
                return

    def past_spaces(self, place: int) -> int:
        """The first place at or after `place` that is not a space within a paragraph."""
        tokens = self.tokens
        while place < len(tokens) and tokens[place].isspace() and tokens[place] != PARAGRAPH:
            place += 1
        return place

    def group(self, place: int) -> Span | None:
        """The argument in braces at a place, after any spaces; None if there is none."""
        start = self.past_spaces(place)
        end = self.closes.get(start)
        return None if end is None else Span(start + 1, end, end + 1)

    def option(self, place: int) -> Span | None:
        """The argument in square brackets at a place, after any spaces; None if there is none."""
        start = self.past_spaces(place)
        if start >= len(self.tokens) or self.tokens[start] != "[" or start < self._no_option:
            return None
        here = start + 1
        for _ in range(_MAX_OPTION):
            if here >= len(self.tokens):
                return None
            token = self.tokens[here]
            if token == "]":
                return Span(start + 1, here, here + 1)
            if token in {"}", PARAGRAPH}:
                return None
            here = self.closes.get(here, here) + 1
        self._no_option = here
        return None

    def past_options(self, place: int) -> int:
        """The place after a star and any arguments in square brackets."""
        after = self.past_spaces(place)
        if after < len(self.tokens) and self.tokens[after] == "*":
            place = after + 1
        while (option := self.option(place)) is not None:
            place = option.after
        return place

    def past_groups(self, place: int, count: int, *, with_options: bool = False) -> int:
        """The place after up to `count` arguments in braces, and after the options that follow."""
        for _ in range(count):
            group = self.group(place)
            if group is None:
                break
            place = self.past_options(group.after) if with_options else group.after
        return place

    def required(self, place: int) -> Span | None:
        """The first argument in braces of the command at `place`, after its star and options."""
        return self.group(self.past_options(place + 1))

    def source(self, span: Span) -> str:
        """The characters of an argument, for names and keys."""
        return "".join(self.tokens[span.start : span.end])

    def citation(self, place: int) -> Citation:
        """The arguments of the citation command at a place."""
        after = self.past_spaces(place + 1)
        if after < len(self.tokens) and self.tokens[after] == "*":
            place = after
        after = place + 1
        notes: list[Span] = []
        keys: list[str] = []
        while (note := self.option(after)) is not None:
            notes.append(note)
            after = note.after
        many = self.tokens[place].endswith("s")
        while (group := self.group(after)) is not None:
            keys += (key.strip() for key in self.source(group).split(","))
            after = group.after
            if not many:
                break
        return Citation(tuple(notes), tuple(key for key in keys if key), after)

    def citations(self, start: int = 0, end: int | None = None) -> Iterator[Citation]:
        """The citations in a stretch of tokens, in order."""
        stop = len(self.tokens) if end is None else end
        for place in range(start, stop):
            token = self.tokens[place]
            if token[0] == "\\" and (token == "\\nocite" or is_citation(token)):
                yield self.citation(place)

    def names(self, commands: frozenset[str]) -> Iterator[str]:
        """The names between commas in the first arguments of commands, in order."""
        for place in self.find(commands):
            if (argument := self.required(place)) is not None:
                yield from (name.strip() for name in self.source(argument).split(","))

    def find(self, names: frozenset[str], start: int = 0, end: int | None = None) -> Iterator[int]:
        """Places of the named commands in a stretch of tokens."""
        stop = len(self.tokens) if end is None else end
        return (place for place in range(start, stop) if self.tokens[place] in names)
