"""Common forms that every full-text format is read into, before its references are resolved.

A reader yields a `Manuscript`, which names cited works by the keys of the markup. Cells and tables
list these keys; running text holds them as `cite` writes them. `assemble` makes the `Document`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from vivavoce.records import Author

MAX_COLUMNS, MAX_CELLS = 400, 200_000
RANGE = "–"
"""Mark between two keys: the works between them in the reference list are cited as well."""
PARAGRAPH = "\n\n"
CITE, REFER, PART, END = "\x05", "\x02", "\x06", "\x03"
"""Marks in running text: a citation, a reference to a part of the paper, a separator, an end."""


def cite(
    keys: Sequence[str], how: str = "", before: str = "", after: str = "", unknown: str = ""
) -> str:
    """A citation in running text, to be printed when the reference list is known.

    Args:
        keys: The cited works.
        how: Empty for a citation in brackets, else `text`, `plain` (as `text` if the paper's style
            says so), `bare` (no brackets), `authors`, `years` or `years in brackets`.
        before: Printed before the works.
        after: Printed after the works.
        unknown: Printed for a key without an entry; empty to print the key itself.
    """
    return CITE + PART.join((how, before, after, unknown, *keys)) + END


def refer(keys: str, how: str = "") -> str:
    """A reference to comma-separated labels, to be printed when all of them are known.

    `how` is empty for `2`, else `named` (`Equation 2`), `list` (`Equations (2) and (4)`), `range`
    (`Equations (2) to (4)`), `numbers` (`(2) and (4)`), `brackets` (`(2)`), `names` (`Equation`) or
    `titles` (`The end`).
    """
    return f"{REFER}{how}{PART}{keys}{END}"


@dataclass(slots=True)
class Block:
    """A heading and the text under it."""

    heading: str | None = None
    number: str | None = None
    """Number that the markup gives apart from the heading, or None."""
    level: int = 1
    role: str | None = None
    paragraphs: list[str] = field(default_factory=list)
    place: str = "body"
    """`body`, or the type of the division at the end of the paper."""
    depth: int = 0
    """Number of headed divisions around it."""
    is_firm: bool = False
    """True for a section kept even without text: a number or a usual name vouches for it."""
    is_open: bool = False
    """True if the last paragraph ends in a formula, so the next may continue it."""

    def add(self, text: str, *, is_formula: bool = False) -> None:
        """Append a paragraph, or a formula that stands inside one."""
        if not text:
            return
        continues = is_formula or (self.is_open and text[0].islower())
        if continues and self.paragraphs:
            self.paragraphs[-1] += f" {text}"
        else:
            self.paragraphs.append(text)
        self.is_open = is_formula


class Story(list[str]):
    """Pieces of running text, separated by blank lines, which go into the block opened last."""

    def __init__(self) -> None:
        super().__init__()
        self.current = Block()
        self.blocks = [self.current]

    def open(self, block: Block) -> None:
        """Direct the following text into a block, a new one or one opened before."""
        self.current.paragraphs += paragraphs_in("".join(self))
        self.clear()
        if self.current is not block and all(one is not block for one in self.blocks):
            self.blocks.append(block)
        self.current = block

    def close(self) -> list[Block]:
        """End the text; return the blocks in the order in which they were opened."""
        self.open(self.current)
        return self.blocks


def full_name(parts: Iterable[str], otherwise: str = "") -> str:
    """A person's name from its parts in order, else `otherwise`; empty if it has no letters."""
    name = without_asides(" ".join(filter(None, parts)) or otherwise)
    return name if any(map(str.isalpha, name)) else ""


_ASIDE = re.compile(
    r"""\s*(?:[(（[][^()（）[\]]{1,80}[)）\]]|“[^“”]{1,30}”|(?<=\s)"[^"]{1,30}"(?=\s))"""
)
_OTHER_SCRIPT = re.compile(
    r"(?<=[A-Za-z.])\s+[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·\s]+(?=$|[,;])"
)


def without_asides(name: str) -> str:
    """A name without what is in brackets, in quotes or in a second script."""
    plain = " ".join(_ASIDE.sub(" ", name).split(" "))
    return _OTHER_SCRIPT.sub("", plain).strip() if any(map(str.isalpha, plain)) else name


def paragraphs_in(text: str) -> list[str]:
    """The paragraphs of a text, with one space between words."""
    parts = (" ".join(part.split()) for part in text.split(PARAGRAPH))
    return [part for part in parts if part]


@dataclass(frozen=True, slots=True)
class Entry:
    """A work in the reference list, with the parts that the markup separates."""

    key: str = ""
    raw: str = ""
    """The entry as printed."""
    pieces: Sequence[str] = ()
    """Its parts in order, printed if the markup does not have the entry as printed."""
    titles: Sequence[str] = ()
    """Possible titles, the likeliest first."""
    years: Sequence[str] = ()
    """Texts that hold the year, the most certain first."""
    surnames: Sequence[str] = ()
    people: Sequence[str] = ()
    """Names as the entry prints them."""
    full_names: int = 0
    """Number of people with a separate forename and surname."""
    names: str = ""
    """Authors as a citation prints them: `Smith et al.`"""
    without_year: str = "n.d."
    """What a citation prints if the entry has no year."""
    numbers: Mapping[str, str] = field(default_factory=dict)
    """Identifiers by kind: `doi`, `arxiv`."""
    links: str = ""
    """Further text that may hold identifiers."""
    group: str = ""
    """A key shared by several consecutive entries."""


class Label(NamedTuple):
    """A labelled part of the paper."""

    kind: str = ""
    """Its name, such as `Figure`; empty if it has none."""
    number: str = ""
    """Its number as printed, or empty."""
    title: str = ""
    name: str = ""
    """Name that the paper prints instead of `kind`, or empty."""
    plural: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as its markup gives it."""

    text: str
    keys: Sequence[str] = ()
    """The works that it cites, in order of mention."""
    width: int = 1
    height: int = 1
    """Number of rows that it covers downwards from its own; negative for upwards."""
    is_bold: bool = False


def bounded(grids: Iterable[Iterable[Iterable[Cell]]]) -> list[list[list[Cell]]]:
    """The grids of a table up to the largest size allowed; the rest is not read."""
    bounded_grids: list[list[list[Cell]]] = []
    room = MAX_CELLS
    for rows in grids:
        bounded_grids.append([])
        for row in rows:
            if room < 0:
                break
            bounded_grids[-1].append(list(islice(row, MAX_COLUMNS)))
            room -= len(bounded_grids[-1][-1])
    return bounded_grids


@dataclass(slots=True)
class RawTable:
    """A table as its markup gives it."""

    caption: str = ""
    grids: list[list[list[Cell]]] = field(default_factory=list)
    """Rows of cells; a table may consist of several grids, one below the other."""
    keys: Sequence[str] = ()
    """The works that it cites, including those cited outside its cells."""
    notes: Sequence[str] = ()
    is_full: bool = False
    """True if rows also hold a cell for each place that a cell above covers."""


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """The style in which a paper prints its citations."""

    is_numeric: bool = True
    cites_in_brackets: bool = True
    """True if a plain citation is printed in brackets; natbib prints it as a textual one."""


@dataclass(slots=True)
class Manuscript:
    """A paper as its markup gives it."""

    title: str = ""
    abstract: str = ""
    authors: Sequence[Author] = ()
    blocks: Sequence[Block] = ()
    entries: Sequence[Entry] = ()
    tables: Sequence[RawTable] = ()
    style: CitationStyle = field(default_factory=CitationStyle)
    marks: Sequence[tuple[str, Sequence[str]]] | None = None
    """Citation marks in running text with the works they mean, used to resolve those printed in
    tables; None if the markup of tables itself names the works they cite."""
    labels: Mapping[str, Label] = field(default_factory=dict)
    """Each labelled part of the paper."""
