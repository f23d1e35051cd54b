"""Affiliations and e-mail addresses of the authors on the first page of a PDF.

Raised marks tie names to places where both have some; else the places below a name in its column
are the author's own, and places below all names are everybody's. Addresses are tied by the parts
of names in them, else by column or order. Each tie has a probability.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from vivavoce.records import Author
from vivavoce.sources.fulltext.pdf.bookmarks import compact
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import Line, join_words

BY_MARK, BY_COLUMN, SHARED = 0.9, 0.8, 0.6
"""Probabilities of an affiliation by what ties it to its author."""
BY_NAME, BESIDE, BY_ORDER = 0.95, 0.8, 0.6
"""Probabilities of an address by what ties it to its author."""
_EMAIL = re.compile(r"[\w.+-]+(?:\s?@\s?)[\w-]+(?:\.[\w-]+)+")
_GROUP = re.compile(r"[{(\[]([\w.+,;|\s-]{3,200})[})\]]\s?@\s?([\w-]+(?:\.[\w-]+)+)")
_MARK = re.compile(r"[\d*∗†‡§¶‖#]{1,3}|[a-z]")
_LEADING = re.compile(r"([\d*∗†‡§¶‖#]{1,2})\s?(?=[^\W\d_a-z])")
_LABEL = re.compile(r"^(?:e-?mails?|correspond\w*)\b\W*|^(?:with|from)\s(?=the\s)", re.IGNORECASE)
_DATE = re.compile(
    r"\W*(?:\d{1,2}\s)?(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b.{0,20}|\W*\d{4}\W*",
    re.IGNORECASE,
)
_MAX_PLACE = 300
_GAP = 0.95
"""Of the size: what stands further apart on a line is another cell."""


@dataclass(slots=True)
class _Cell:
    """Words that stand together on a line."""

    words: list[Word]
    line: Line
    names: list[int] = field(default_factory=list)
    """The authors named in it."""

    @property
    def text(self) -> str:
        """The printed text."""
        return join_words(self.words)

    @property
    def middle(self) -> float:
        """The place of its middle on the line."""
        return (self.words[0].x0 + self.words[-1].x1) / 2

    def is_below(self, other: _Cell) -> bool:
        """Check whether it is in the column of another cell, below it."""
        left, right = other.words[0].x0 - 4, other.words[-1].x1 + 4
        return self.line.y > other.line.y + 1 and (
            left <= self.middle <= right
            or self.words[0].x0 - 4 <= other.middle <= self.words[-1].x1
        )


class _Address(NamedTuple):
    text: str
    cell: _Cell | None
    """None where it stands in a footnote."""


def tie_affiliations(
    authors: Sequence[Author], lines: Sequence[Line], margins: Sequence[Line]
) -> tuple[Author, ...]:
    """The authors with affiliations and addresses, as far as the page tells.

    Args:
        authors: In order.
        lines: The lines between the title and the abstract.
        margins: Other lines of the page, such as footnotes.
    """
    cells = [cell for line in lines for cell in _cells(line)]
    marks = _find_names(authors, cells)
    places = _by_mark(cells)
    tied = []
    addresses = _tie_addresses(authors, cells, list(_addresses(cells, margins)))
    for number, author in enumerate(authors):
        place = _marked_place(marks.get(number, ()), places) or _place_behind(author, number, cells)
        if place is None and len(places) < 2:  # of several marked places none is everybody's
            place = _place_below(number, cells)
        text, confidence = place or (None, None)
        email, surety = addresses.get(number, (None, None))
        tied.append(
            replace(
                author,
                affiliation=text,
                affiliation_confidence=confidence,
                email=email,
                email_confidence=surety,
            )
        )
    return tuple(tied)


def _cells(line: Line) -> Iterator[_Cell]:
    cell = [line.words[0]]
    for word in line.words[1:]:
        if word.x0 - cell[-1].x1 > _GAP * line.size:
            yield _Cell(cell, line)
            cell = []
        cell.append(word)
    yield _Cell(cell, line)


def _find_names(authors: Sequence[Author], cells: Sequence[_Cell]) -> dict[int, tuple[str, ...]]:
    """Note in the cells which authors they name; the raised marks behind each name."""
    marks: dict[int, tuple[str, ...]] = {}
    plain = [(c, n, w) for c in cells for n, w in enumerate(c.words) if not _is_raised(w, c.line)]
    owner = [place for place, (_, _, word) in enumerate(plain) for _ in _fold(word.text)]
    letters = "".join(_fold(word.text) for _, _, word in plain)
    for number, author in enumerate(authors):
        at = letters.find(wanted := _fold(author.name))
        if at < 0:
            continue
        cell, place, _ = plain[owner[at + len(wanted) - 1]]
        cell.names.append(number)
        marks[number] = tuple(_marks_behind(cell, place))
    return marks


def _fold(text: str) -> str:
    """Letters and digits without accents: these may be signs of their own on the page."""
    return compact("".join(c for c in unicodedata.normalize("NFKD", text) if c.isalnum()))


def _marks_behind(cell: _Cell, place: int) -> Iterator[str]:
    """The raised marks behind the word at a place."""
    for word in cell.words[place + 1 :]:
        if not _is_raised(word, cell.line) and word.text.strip(",;"):
            return
        yield from _MARK.findall(word.text)


def _is_raised(word: Word, line: Line) -> bool:
    return word.font.size < 0.87 * line.size and word.y < line.y + 0.05 * line.size


def _by_mark(cells: Sequence[_Cell]) -> dict[str, str]:
    """The affiliations that open with a mark, by the mark; one goes on up to the next."""
    places: dict[str, list[str]] = {}
    current: list[str] | None = None
    for cell in cells:
        if cell.names:
            current = None
            continue
        for mark, text in _marked_parts(cell):
            if mark:
                current = places.setdefault(mark, [])
            if current is not None and text and not _EMAIL.search(text):
                current.append(text)
    joined = {mark: _clean(" ".join(texts)) for mark, texts in places.items()}
    return {mark: text for mark, text in joined.items() if text}


def _marked_parts(cell: _Cell) -> Iterator[tuple[str, str]]:
    """The texts of a cell with the mark before each; empty for text before the first mark."""
    run: list[Word] = []
    mark = ""
    for place, word in enumerate(cell.words):
        is_small = word.font.size < 0.87 * max(other.font.size for other in cell.words)
        if is_small and _MARK.fullmatch(word.text.strip(",)")):
            if run or mark:
                yield mark, join_words(run)
            mark, run = word.text.strip(",)"), []
        elif not place and (found := _LEADING.match(word.text)):
            mark, run = found[1], [replace(word, text=word.text[found.end() :])]
        elif not place and _MARK.fullmatch(word.text) and len(cell.words) > 1:
            mark = word.text
        else:
            run.append(word)
    yield mark, join_words(run) if run else ""


def _marked_place(marks: Sequence[str], places: dict[str, str]) -> tuple[str, float] | None:
    found = [places[mark] for mark in dict.fromkeys(marks) if mark in places]
    return ("; ".join(found), BY_MARK) if found else None


def _place_behind(author: Author, number: int, cells: Sequence[_Cell]) -> tuple[str, float] | None:
    """The rest of a line that holds one name and, behind a comma, its place."""
    own = next((cell for cell in cells if cell.names == [number]), None)
    if own is None:
        return None
    name, comma, rest = own.text.partition(",")
    place = _clean(rest) if comma and _fold(name) == _fold(author.name) else ""
    return (place, BY_COLUMN) if place else None


def _place_below(number: int, cells: Sequence[_Cell]) -> tuple[str, float] | None:
    """The lines below a name in its column, up to the next name; else the first below all names."""
    own = next((cell for cell in cells if number in cell.names), None)
    if own is None:
        return None
    texts: list[str] = []
    shared = len(own.names) > 1
    column = [cell for cell in cells if cell.is_below(own)]
    for cell in sorted(column, key=lambda cell: (cell.line.y, cell.words[0].x0)):
        if cell.names:
            if texts or not shared:
                break
            continue  # the list of names goes on
        text = cell.text
        if _EMAIL.search(text) or _GROUP.search(text) or _DATE.fullmatch(text):
            if texts:
                break
            continue
        overlapped = [c for c in cells if c.names and c is not own and cell.is_below(c)]
        shared = shared or any(c.line is own.line for c in overlapped)
        texts.append(text)
    place = _clean(" ".join(texts)) if not _opens_like_text(texts) else ""
    return (place, SHARED if shared else BY_COLUMN) if place else None


def _opens_like_text(texts: Sequence[str]) -> bool:
    return bool(texts) and (texts[0][:1].islower() or texts[0].count(".") > 3)


def _clean(text: str) -> str:
    plain = _LABEL.sub("", _EMAIL.sub(" ", _GROUP.sub(" ", text)))
    plain = " ".join(plain.split()).strip(" ,;.*∗†‡§¶")
    return plain if 3 < len(plain) <= _MAX_PLACE and any(map(str.isalpha, plain)) else ""


def _addresses(cells: Sequence[_Cell], margins: Sequence[Line]) -> Iterator[_Address]:
    """Every address of the page, in order; those in braces share a host."""
    texts = [(cell.text, cell) for cell in cells] + [(line.text, None) for line in margins]
    for text, cell in texts:
        for group in _GROUP.finditer(text):
            for local in re.split(r"[,;|\s]+", group[1].strip()):
                if local:
                    yield _Address(f"{local}@{group[2]}".lower(), cell)
        for found in _EMAIL.finditer(_GROUP.sub(" ", text)):
            address = found[0].replace(" ", "").strip(".-").lower()
            yield _Address(address, cell)


def _tie_addresses(
    authors: Sequence[Author], cells: Sequence[_Cell], addresses: list[_Address]
) -> dict[int, tuple[str, float]]:
    addresses = list({address.text: address for address in addresses}.values())
    scores = [
        (score, -number, -place, number, place)
        for number, author in enumerate(authors)
        for place, address in enumerate(addresses)
        if (score := _likeness(address.text.partition("@")[0], author.name))
    ]
    tied: dict[int, tuple[str, float]] = {}
    used: set[int] = set()
    for *_, number, place in sorted(scores, reverse=True):
        if number not in tied and place not in used:
            tied[number] = (addresses[place].text, BY_NAME)
            used.add(place)
    own = [next((c for c in cells if n in c.names), None) for n in range(len(authors))]
    left = [place for place in range(len(addresses)) if place not in used and addresses[place].cell]
    for number, cell in enumerate(own):
        beside = [p for p in left if cell and (at := addresses[p].cell) and at.is_below(cell)]
        if number not in tied and cell and len(cell.names) == 1 and len(beside) == 1:
            tied[number] = (addresses[beside[0]].text, BESIDE)
            left.remove(beside[0])
    rest = [number for number in range(len(authors)) if number not in tied]
    if len(rest) == len(left):
        tied |= {n: (addresses[p].text, BY_ORDER) for n, p in zip(rest, left, strict=True)}
    return tied


def _likeness(local: str, name: str) -> int:
    """The letters of a name that the first part of an address shows; 0 where it shows none."""
    words = [folded for word in re.split(r"[\s.-]+", name) if (folded := _fold(word))]
    shown = compact(local)
    if not words or len(shown) < 2:
        return 0
    parts = [word for word in words if len(word) > 2 and word in shown]
    if parts:
        return sum(map(len, parts))
    initials = "".join(word[0] for word in words)
    letters = "".join(c for c in shown if c.isalpha())
    if letters == initials and len(initials) > 1:
        return len(initials)
    # ablovely, jsmit: initials and the start of the surname
    tail = letters[len(letters) - max(len(letters) - len(initials) + 1, 3) :]
    return len(tail) if len(tail) > 3 and words[-1].startswith(tail) else 0
