"""Reference lists of TEI files, and the references that markers printed in tables mean.

GROBID marks citations in running text only. How it resolved those there, and the list of
references, resolve what stands inside tables; a marker that fits two references fits none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from vivavoce.records import Reference
from vivavoce.sources.fulltext.tei.blocks import XML_ID, text_of
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    name_key,
    name_keys,
    numeric_mentions,
)
from vivavoce.text.identifiers import arxiv_id_in, find_doi
from vivavoce.text.normalise import normalise_title
from vivavoce.text.row_citations import Mention

_YEAR_OF_DATE = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
LONE_NUMBER = re.compile(r"[\s\[\](),;]*([0-9]{1,3})[\s\[\](),;]*")
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_LETTERED_YEAR = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})([a-h])(?![^\W_])")
_PARTS = ("forename", "surname")
_ENOUGH_NUMBERS = 3
_MAX_NAMESAKES = 50
_MAX_MARK = 200
_Key = tuple[tuple[str, ...], bool, int, str]


def read_references(root: etree._Element) -> tuple[tuple[Reference, ...], dict[str, int]]:
    """The entries of the reference lists in order, and their ordinals by XML id."""
    references: list[Reference] = []
    ordinals: dict[str, int] = {}
    for entry in root.iterfind("text/back//listBibl/biblStruct"):
        name = entry.get(XML_ID)
        if name:
            ordinals.setdefault(name, len(references))
        references.append(_read_reference(entry, len(references)))
    return tuple(references), ordinals


def read_name(person: etree._Element | None) -> str:
    """Forenames and surname in the order printed on a title page; empty without letters."""
    if person is None:
        return ""
    parts = [text_of(name) for name in person.iterfind("forename")]
    parts += [text_of(name) for name in person.iterfind("surname")]
    parts += [text_of(name) for name in person.iterfind("genName")]
    name = " ".join(part for part in parts if part) or text_of(person)
    return name if any(character.isalpha() for character in name) else ""


def _read_reference(entry: etree._Element, ordinal: int) -> Reference:
    raw = _raw(entry)
    addresses = [text_of(number) for number in entry.iter("idno")]
    addresses += [pointer.get("target") or "" for pointer in entry.iter("ptr")]
    everything = f"{raw} {' '.join(addresses)}"
    return Reference(
        ordinal=ordinal,
        raw=raw,
        title=_title(entry),
        year=_year(entry),
        first_author=_first_author(entry),
        arxiv_id=arxiv_id_in(_idno(entry, "arxiv")) or arxiv_id_in(everything),
        doi=find_doi(_idno(entry, "doi")) or find_doi(everything),
    )


def _title(entry: etree._Element) -> str | None:
    analytic = entry.find("analytic")
    holder = analytic if analytic is not None else entry.find("monogr")
    if holder is None:
        return None
    titles = [text_of(title) for title in holder.iterfind("title")]
    return next((title for title in titles if any(map(str.isalpha, title))), None)


def _year(entry: etree._Element) -> int | None:
    for date in entry.iter("date"):
        for text in (date.get("when") or "", text_of(date)):
            found = _YEAR_OF_DATE.search(text)
            if found is not None:
                return int(found[0])
    return None


def _people(entry: etree._Element) -> list[etree._Element]:
    analytic = entry.findall("analytic/author")
    return analytic or entry.findall("monogr/author")


def _first_author(entry: etree._Element) -> str | None:
    for author in _people(entry):
        surname = text_of(author.find("persName/surname"))
        name = surname or read_name(author.find("persName")) or text_of(author)
        if any(character.isalpha() for character in name):
            return name
    return None


def _idno(entry: etree._Element, kind: str) -> str:
    numbers = (n for n in entry.iter("idno") if (n.get("type") or "").lower() == kind)
    return " ".join(text_of(number) for number in numbers)


def _raw(entry: etree._Element) -> str:
    notes = entry.findall("note")
    printed = [text_of(note) for note in notes if note.get("type") == "raw_reference"]
    if any(printed):
        return " ".join(printed)
    people = (read_name(a.find("persName")) or text_of(a) for a in _people(entry))
    pieces = [", ".join(person for person in people if person)]
    pieces += [text_of(title) for title in entry.iter("title")]
    pieces += [text_of(note) for note in notes]
    pieces += [text_of(place) for place in entry.iter("meeting", "publisher")]
    pieces += [text_of(number) for number in entry.iter("idno")]
    pieces.append(str(_year(entry) or ""))
    distinct = dict.fromkeys(piece.rstrip(".") for piece in pieces if piece)
    return f"{'. '.join(distinct)}." if distinct else ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """Authors as a reference names them."""

    ordinal: int
    first: frozenset[str]
    """Keys that the first author's surname goes by."""
    words: frozenset[str]
    """Keys of every word of the people's names and of the start of the printed entry."""
    others: frozenset[str]
    """Keys of every word of the names after the first author."""
    people: int
    """Names listed; a name printed surname first counts twice in some files."""
    full_names: int
    year: int | None
    letter: str


class Citations:
    """Resolves the citation markers of one paper."""

    def __init__(
        self,
        root: etree._Element,
        references: Sequence[Reference],
        ordinals: dict[str, int],
        itself: frozenset[int] = frozenset(),
    ) -> None:
        self.itself = itself
        elements = root.iterfind("text/back//listBibl/biblStruct")
        self.ordinals = ordinals
        self.entries = list(map(_read_entry, elements, references))
        self.by_author: dict[tuple[str, int], list[_Entry]] = defaultdict(list)
        for entry in self.entries:
            if entry.year is not None:
                for key in sorted(entry.first):
                    self.by_author[key, entry.year].append(entry)
        marks = [mark for mark in root.iterfind("text//ref") if mark.get("type") == "bibr"]
        self.numbers = _read_numbers(marks, ordinals, len(references))
        self.in_body = self._read_body(marks)

    def marked_in(self, element: etree._Element) -> list[int]:
        """The references that the markup below an element points to, without the paper itself."""
        found: dict[int, None] = {}
        for mark in element.iter("ref"):
            if mark.get("type") == "bibr":
                found.update(dict.fromkeys(sorted(_targets(mark, self.ordinals) - self.itself)))
        return list(found)

    def printed_in(self, text: str) -> Iterator[Mention]:
        """The references that markers in a text mean, where that is beyond doubt."""
        for place, meant in self._printed_in(text):
            yield place, tuple(one for one in meant if one not in self.itself)

    def _printed_in(self, text: str) -> Iterator[Mention]:
        if self.numbers:
            yield from numeric_mentions(text, self.numbers)
        known: dict[_Key, int | None] = {}
        for marker in find_author_year_markers(text):
            key = (marker.names, marker.has_others, marker.year, marker.letter)
            if key not in known:
                known[key] = self.resolve(marker)
            ordinal = known[key]
            if ordinal is not None:
                yield marker.start, (ordinal,)

    def resolve(self, marker: AuthorYearMarker) -> int | None:
        """The reference an author-year marker means; None where it is unknown or in doubt."""
        last = len(marker.names) - (2 if marker.is_pair else 1)
        for start in range(last + 1):  # words before the names may look like names
            names = marker.names[start:]
            key = (names, marker.has_others, marker.year, marker.letter)
            meant = self._in_list(names, marker) | self.in_body.get(key, set())
            if meant:
                return min(meant) if len(meant) == 1 else None
        return None

    def _in_list(self, names: tuple[str, ...], marker: AuthorYearMarker) -> set[int]:
        namesakes = self.by_author.get((names[0], marker.year), [])
        if len(namesakes) > _MAX_NAMESAKES:
            return set()
        fitting = [entry for entry in namesakes if _fits(entry, names, marker.has_others)]
        if marker.letter:
            fitting = [entry for entry in fitting if entry.letter == marker.letter]
        elif marker.has_others and len(fitting) > 1:  # two authors are usually both named
            fitting = [entry for entry in fitting if entry.people > 2] or fitting
        return {entry.ordinal for entry in fitting}

    def _read_body(self, marks: Iterable[etree._Element]) -> dict[_Key, set[int]]:
        """Reference that GROBID assigned to each author-year marker of the running text."""
        meant: dict[_Key, set[int]] = defaultdict(set)
        for mark in marks:
            targets = _targets(mark, self.ordinals)
            text = text_of(mark)
            if len(targets) != 1 or len(text) > _MAX_MARK:
                continue
            (ordinal,) = targets
            markers = list(find_author_year_markers(text))
            if len(markers) != 1:
                continue
            (marker,) = markers
            if self.entries[ordinal].year not in {marker.year, None}:
                continue  # two entries that grew together, or another work
            for start, name in enumerate(marker.names):
                if name in self.entries[ordinal].words:
                    key = (marker.names[start:], marker.has_others, marker.year, marker.letter)
                    meant[key].add(ordinal)
                    break
        return _without_shared_letters(meant)


def find_itself(
    references: Iterable[Reference], title: str, arxiv_id: str | None
) -> frozenset[int]:
    """The entries that list the paper itself, by its title or arXiv id."""
    own = normalise_title(title)
    return frozenset(
        reference.ordinal
        for reference in references
        if (own and normalise_title(reference.title or "") == own)
        or (arxiv_id and reference.arxiv_id == arxiv_id)
    )


def _targets(mark: etree._Element, ordinals: dict[str, int]) -> set[int]:
    names = (target.lstrip("#") for target in (mark.get("target") or "").split())
    return {ordinals[name] for name in names if name in ordinals}


def _without_shared_letters(meant: dict[_Key, set[int]]) -> dict[_Key, set[int]]:
    """Drop the markers whose letters tell works apart that GROBID took for one."""
    letters: Counter[tuple[tuple[str, ...], bool, int, int]] = Counter(
        (names, has_others, year, ordinal)
        for (names, has_others, year, letter), ordinals in meant.items()
        if letter
        for ordinal in ordinals
    )
    return {
        key: ordinals
        for key, ordinals in meant.items()
        if not key[3] or all(letters[(*key[:3], ordinal)] == 1 for ordinal in ordinals)
    }


def _read_numbers(
    marks: Iterable[etree._Element], ordinals: dict[str, int], count: int
) -> dict[int, int]:
    """The reference behind each printed number; empty for a paper that does not cite by number."""
    meant: dict[int, set[int]] = defaultdict(set)
    numeric = bracketed = author_year = 0
    for mark in marks:
        text = text_of(mark)
        author_year += _YEAR.search(text) is not None and any(map(str.isalpha, text))
        lone = LONE_NUMBER.fullmatch(text)
        targets = _targets(mark, ordinals)
        if lone is None or len(targets) != 1:
            continue
        numeric += 1
        bracketed += "[" in text or "]" in text
        meant[int(lone[1])] |= targets
    if numeric < _ENOUGH_NUMBERS or numeric < 2 * author_year or 4 * bracketed < numeric:
        return {}
    numbers = {number: min(found) for number, found in meant.items() if len(found) == 1}
    is_in_order = all(found == {number - 1} for number, found in meant.items())
    if is_in_order and len(meant) >= _ENOUGH_NUMBERS:
        numbers = {number: number - 1 for number in range(1, count + 1)}
    return numbers


def _fits(entry: _Entry, names: tuple[str, ...], has_others: bool) -> bool:
    """Check whether an entry has the authors that a marker names."""
    if any(name not in entry.others for name in names[1:]):
        return False
    if has_others:  # where forenames are lost, so are the authors that came after
        return entry.people > len(names) or entry.full_names == 0
    return entry.full_names <= len(names) and entry.people <= 2 * len(names)


def _read_entry(element: etree._Element, reference: Reference) -> _Entry:
    people = element.findall("analytic/author") or element.findall("monogr/author")
    names = [
        (name, all(person.find(f"persName/{part}") is not None for part in _PARTS))
        for person in people
        if (name := read_name(person.find("persName")) or text_of(person))
    ]
    others = {key for name, _ in names[1:] for key in name_keys(name)}
    raw = reference.raw[:_MAX_MARK]
    lettered = {
        letter
        for year, letter in _LETTERED_YEAR.findall(reference.raw)
        if reference.year is None or int(year) == reference.year
    }
    return _Entry(
        ordinal=reference.ordinal,
        first=frozenset(_surname_keys(reference.first_author or "")),
        words=frozenset(others | name_keys(raw) | name_keys(reference.first_author or "")),
        others=frozenset(others),
        people=len(names),
        full_names=sum(is_full for _, is_full in names),
        year=reference.year,
        letter=lettered.pop() if len(lettered) == 1 else "",
    )


def _surname_keys(surname: str) -> set[str]:
    """A surname as a whole, and its last word, which is what markers show of it."""
    words = surname.split()
    return {name_key(surname), name_key(words[-1])} - {""} if words else set()
