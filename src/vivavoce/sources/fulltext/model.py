"""The forms that every format of a full text is read into, before its references are resolved.

A format yields a `Manuscript`, which names cited works by the keys of the markup: cells and tables
list them, running text holds them as `cite` writes them. `assemble` makes a `Document` of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from vivavoce.records import Author

MAX_COLUMNS, MAX_CELLS = 400, 200_000
RANGE = "–"
"""Mark between two keys: the works between theirs in the list of references are cited as well."""
PARAGRAPH = "\n\n"
CITE, REFER, PART, END = "\x05", "\x02", "\x06", "\x03"
"""Marks in running text: a citation, a reference to a part of the paper, their parts, their end."""


def cite(
    keys: Sequence[str], how: str = "", before: str = "", after: str = "", unknown: str = ""
) -> str:
    """A citation in running text, to be printed when the list of references is known.

    Args:
        keys: The cited works.
        how: Empty for one in brackets, else `text`, `plain` (as `text` where the paper's style
            says so), `bare` (no brackets), `authors`, `years` or `years in brackets`.
        before: Printed before the works.
        after: Printed behind them.
        unknown: Printed for a key without an entry; empty for the key itself.
    """
    return CITE + PART.join((how, before, after, unknown, *keys)) + END


def refer(keys: str, how: str = "") -> str:
    """A reference to labels, parted by commas: `2`, if `named` `Table 2`, in `brackets` `(2)`."""
    return f"{REFER}{how}{PART}{keys}{END}"


@dataclass(slots=True)
class Block:
    """A heading and the text under it."""

    heading: str | None = None
    number: str | None = None
    """Number as the markup gives it, apart from the heading, or None."""
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
    """The last paragraph ends in a formula, so the next may continue it."""

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
    """Pieces of running text, parted by blank lines, which go into the block opened last."""

    def __init__(self) -> None:
        super().__init__()
        self.current = Block()
        self.blocks = [self.current]

    def open(self, block: Block) -> None:
        """Let the text to come go into a block, a new one or one that was open before."""
        self.current.paragraphs += paragraphs_in("".join(self))
        self.clear()
        if self.current is not block and all(one is not block for one in self.blocks):
            self.blocks.append(block)
        self.current = block

    def close(self) -> list[Block]:
        """End the text; the blocks in the order in which they were opened."""
        self.open(self.current)
        return self.blocks


def full_name(parts: Iterable[str], otherwise: str = "") -> str:
    """The parts of a person's name in the order printed, or another text; empty without letters."""
    name = " ".join(filter(None, parts)) or otherwise
    return name if any(map(str.isalpha, name)) else ""


def paragraphs_in(text: str) -> list[str]:
    """The paragraphs of a text, with one space between words."""
    parts = (" ".join(part.split()) for part in text.split(PARAGRAPH))
    return [part for part in parts if part]


@dataclass(frozen=True, slots=True)
class Entry:
    """A work of the list of references, as far as the markup tells its parts."""

    key: str = ""
    raw: str = ""
    """The entry as printed."""
    pieces: Sequence[str] = ()
    """Its parts in order, which are printed where the markup does not have it as printed."""
    titles: Sequence[str] = ()
    """The likeliest first."""
    years: Sequence[str] = ()
    """Texts that hold the year, the most certain first."""
    surnames: Sequence[str] = ()
    people: Sequence[str] = ()
    """Names as the entry prints them."""
    full_names: int = 0
    """Number of people whose forename and surname are told apart."""
    names: str = ""
    """Authors as a citation prints them: `Smith et al.`"""
    numbers: Mapping[str, str] = field(default_factory=dict)
    """Identifiers by kind: `doi`, `arxiv`."""
    links: str = ""
    """Further text that may hold identifiers."""
    group: str = ""
    """A key that several entries in a row share."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as its markup gives it."""

    text: str
    keys: Sequence[str] = ()
    """The works that it cites, in order of mention."""
    width: int = 1
    height: int = 1
    """Rows that it covers from its own down; negative, up."""
    is_bold: bool = False


def bounded(grids: Iterable[Iterable[Iterable[Cell]]]) -> list[list[list[Cell]]]:
    """The grids of a table as far as a table may reach; what lies beyond is not read."""
    found: list[list[list[Cell]]] = []
    room = MAX_CELLS
    for rows in grids:
        found.append([])
        for row in rows:
            if room < 0:
                break
            found[-1].append(list(islice(row, MAX_COLUMNS)))
            room -= len(found[-1][-1])
    return found


@dataclass(slots=True)
class RawTable:
    """A table as its markup gives it."""

    caption: str = ""
    grids: list[list[list[Cell]]] = field(default_factory=list)
    """Rows of cells; a table may consist of several grids, one below the other."""
    keys: Sequence[str] = ()
    """The works that it cites, those outside of its cells as well."""
    notes: Sequence[str] = ()
    is_full: bool = False
    """Rows also hold a cell for each place that a cell above covers."""


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """The style in which a paper prints its citations."""

    is_numeric: bool = True
    cites_in_brackets: bool = True
    """A plain citation is printed in brackets; natbib prints it as a textual one."""


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
    """Citation marks of the running text with the works they mean, from which those printed in
    tables are learnt; None where the markup of tables tells what they cite."""
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Kind and number of parts of the paper by label, as `Figure`, `2`."""
