"""Attribution of the lines of a table: to the paper itself, or to a work it cites.

A line names its work in one of three ways: by a printed citation, by a method's name, or by words
such as `ours`. The title of the work opens with the name, or the same name is cited elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vivavoce.store import Row
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    find_numeric_markers,
    name_keys,
    surname_keys,
)
from vivavoce.text.data import read_patterns
from vivavoce.text.normalise import normalise_title
from vivavoce.text.sentences import split_sentences

AMBIGUOUS = "?"
"""Stands for a citation that may mean several works, or none of the list."""
_OUTSIDE = "~"
"""Opens the key of a work that is no paper of the corpus."""
_OWN_WORDS = re.compile(r"\b(?:ours?|this (?:work|paper)|proposed|present work)\b", re.IGNORECASE)
_PATTERNS = read_patterns(__file__, "patterns.toml")
_NO_METHOD = _PATTERNS["row_no_method"]
_NOTE = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]")
_OTHERS = re.compile(r"\bet al\b")
_IN_BRACKETS = re.compile(r"\(\s?([^()\s]{2,20})\s?\)")
_ACRONYM = re.compile(r"[A-Za-z0-9]{0,12}[A-Z][A-Za-z0-9]{0,12}[A-Z][A-Za-z0-9]{0,12}")
_LETTERED_YEAR = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})([a-h])(?!\w)")
_MAX_LABEL = 200
_MAX_NAME = 60
_MAX_TEXT = 5_000
_MAX_NAME_WORDS = 5
_ACRONYM_WORDS = (3, 4, 5)


class Names:
    """Names of methods over all papers, as far as labels with a citation give them."""

    def __init__(self) -> None:
        self._votes: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, label: str, work: str) -> None:
        """Note a label that cites one work, given by its key."""
        if name := name_of(label):
            self._votes[name][work] += 1

    def owner(self, name: str) -> str | None:
        """The key of the work that most labels of this name cite; None in doubt."""
        votes = sorted(self._votes.get(name, {}).items(), key=lambda vote: (-vote[1], vote[0]))
        if not votes or (len(votes) > 1 and votes[0][1] <= 2 * votes[1][1]):
            return None
        return votes[0][0]


def name_of(label: str) -> str:
    """A label's method name without citations and notes, as a key; empty where there is none."""
    bare = _NOTE.sub(" ", label[:_MAX_LABEL])
    key = "" if _OTHERS.search(bare) else normalise_title(bare)
    return key if 1 < len(key) <= _MAX_NAME and not key.isdigit() else ""


def title_name(title: str) -> str:
    """The name that a title opens with: `bert` of `BERT: Pre-training of ...`."""
    head, colon, _ = title.partition(":")
    return normalise_title(head) if colon and len(head.split()) <= _MAX_NAME_WORDS else ""


def own_names(title: str, abstract: str) -> frozenset[str]:
    """Names that a paper seems to have for its contribution: acronyms of title and abstract."""
    found = {title_name(title)} - {""}
    for text in _IN_BRACKETS.findall(abstract[:_MAX_TEXT]):
        if _ACRONYM.fullmatch(text):
            found.add(normalise_title(text))
    words = [word for word in re.split(r"[\s-]+", title[:_MAX_TEXT]) if word[:1].isalpha()]
    for size in _ACRONYM_WORDS:
        for start in range(len(words) - size + 1):
            piece = words[start : start + size]
            if all(word[0].isupper() for word in piece):
                found.add("".join(word[0] for word in piece).lower())
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Work:
    ordinal: int
    key: str
    """The paper's id, or for a work outside the corpus a key that no paper has."""
    letter: str


class RowAttributor:
    """Finds the works that the lines of one paper's tables belong to."""

    def __init__(self, paper_id: str, own: frozenset[str], references: Iterable[Row]) -> None:
        self._paper_id = paper_id
        self._own = own
        self._by_author: dict[tuple[str, int], list[_Work]] = defaultdict(list)
        self._by_ordinal: dict[int, _Work] = {}
        self._by_title: dict[str, set[str]] = defaultdict(set)
        self._cited: set[str] = set()
        for row in references:
            self._add(row)

    def _add(self, row: Row) -> None:
        title, year, author = row["title"] or "", row["year"], row["first_author"] or ""
        outside = _OUTSIDE + (normalise_title(title) or row["raw"][:80])
        letters = {
            letter
            for told, letter in _LETTERED_YEAR.findall(row["raw"][:1000])
            if told == str(year)
        }
        work = _Work(
            ordinal=row["ordinal"],
            key=row["cited_paper_id"] or outside,
            letter=letters.pop() if len(letters) == 1 else "",
        )
        self._by_ordinal[work.ordinal] = work
        self._cited.add(work.key)
        if name := title_name(title):
            self._by_title[name].add(work.key)
        if year:
            for key in sorted(surname_keys(author)):
                self._by_author[key, year].append(work)

    def cited_in(self, label: str, cited: Iterable[int]) -> list[str]:
        """Keys of the works whose citation a label prints, `AMBIGUOUS` for one in doubt."""
        listed = set(cited)
        found: dict[str, None] = {}
        for marker in find_author_year_markers(label[:_MAX_LABEL]):
            found[self._by_marker(marker, listed)] = None
        for numeric in find_numeric_markers(label[:_MAX_LABEL]):
            for number in numeric.numbers:
                work = self._by_ordinal.get(number - 1)
                found[work.key if work and work.ordinal in listed else AMBIGUOUS] = None
        return list(found)

    def _by_marker(self, marker: AuthorYearMarker, listed: set[int]) -> str:
        """The work of a marker; a year beside it means a preprint."""
        for name in marker.names:
            for year in (marker.year, marker.year - 1, marker.year + 1):
                works = self._by_author.get((name, year), [])
                if year == marker.year and marker.letter:
                    works = [work for work in works if work.letter == marker.letter] or works
                if len({work.key for work in works}) > 1:
                    works = [work for work in works if work.ordinal in listed] or works
                keys = {work.key for work in works}
                if keys:
                    return keys.pop() if len(keys) == 1 else AMBIGUOUS
        return AMBIGUOUS

    def named(self, label: str, names: Names) -> str | None:
        """The key of the cited work, or the paper itself, whose method a label names."""
        name = name_of(label)
        titled = self._by_title.get(name, set())
        if len(titled) == 1:
            return min(titled)
        owner = names.owner(name)
        return owner if owner in self._cited or owner == self._paper_id else None

    def is_own(self, label: str) -> bool:
        """Check whether a label says that the line is the paper's own."""
        if _OWN_WORDS.search(label):
            return True
        joined = f" {normalise_title(label[:_MAX_LABEL])} "
        return any(f" {name} " in joined for name in self._own)

    def may_be_own(self, label: str) -> bool:
        """Check whether a line without any citation can be that of a method."""
        return _NO_METHOD.search(label) is None


ON_OTHERS = frozenset(("abstract", "related_work", "background", "references", "acknowledgements"))
_CUE = _PATTERNS["row_cue"]
_LABEL = re.compile(r"\s{0,3}\[([0-9]{1,3})\]")
_SHOWN = 400
"""Characters of an entry in which its authors stand."""
_MAX_SENTENCE = 2_000


class ReferenceList:
    """One paper's list of references, searched by the text of a marker.

    Args:
        entries: Rows of the corpus' table `references` with `ordinal`, `raw`, `year` and
            `first_author`.
    """

    def __init__(self, entries: Iterable[Row]) -> None:
        self._by_author: dict[tuple[str, int], list[Row]] = defaultdict(list)
        labels: dict[int, list[int]] = defaultdict(list)
        count = 0
        for entry in entries:
            count += 1
            if label := _LABEL.match(entry["raw"] or ""):
                labels[int(label[1])].append(entry["ordinal"])
            if entry["first_author"] and entry["year"] is not None:
                for key in sorted(surname_keys(entry["first_author"])):
                    self._by_author[key, entry["year"]].append(entry)
        printed = {number: found[0] for number, found in labels.items() if len(found) == 1}
        self._by_number = printed if 2 * len(printed) > count else {}

    def cited_in(self, sentence: str) -> set[int]:
        """The entries that a sentence cites beyond doubt."""
        found = {meant for m in find_author_year_markers(sentence) for meant in self._named(m)}
        for numbered in find_numeric_markers(sentence):
            if all(number in self._by_number for number in numbered.numbers):
                found.update(self._by_number[number] for number in numbered.numbers)
        return found

    def _named(self, marker: AuthorYearMarker) -> Iterator[int]:
        for names in marker.readings:
            fitting = [
                entry
                for entry in self._by_author.get((names[0], marker.year), ())
                if _fits(entry["raw"] or "", names[1:], f"{marker.year}{marker.letter}")
            ]
            if fitting:
                if len(fitting) == 1:
                    yield int(fitting[0]["ordinal"])
                return


def comparing_sentences(text: str) -> Iterator[str]:
    """Sentences of a text that compare."""
    for paragraph in text.split("\n\n"):
        if _CUE.search(paragraph):
            for sentence in split_sentences(paragraph):
                shown = sentence[:_MAX_SENTENCE]
                if _CUE.search(shown):
                    yield shown


def _fits(raw: str, others: tuple[str, ...], year: str) -> bool:
    """Check whether an entry names the other authors too, and prints the year with its letter."""
    shown = raw[:_SHOWN]
    if others and not set(others) <= name_keys(shown):
        return False
    return not year[-1].isalpha() or year in raw.lower()
