"""Sentences that compare and cite, and the references that their markers mean.

The corpus keeps the text of sections and the lists of references, so a marker is understood where
the two tell what it means: surnames and a year that fit one entry only, or a number that the list
itself prints. Numbers of a list without printed numbers, and markers that fit several entries,
are passed over. So are sections on other people's work, which compare others with each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from vivavoce.store import Row
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    find_numeric_markers,
    name_keys,
    surname_keys,
)
from vivavoce.text.sentences import split_sentences

ON_OTHERS = frozenset(("abstract", "related_work", "background", "references", "acknowledgements"))
_CUE = re.compile(
    r"\b(?:out-?perform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|beat(?:s|ing)?"
    r"|baselines?|compar(?:e|es|ed|ing|isons?)\b.{0,60}?\b(?:with|to|against)|on par with"
    r"|(?:better|worse|higher|lower|faster|slower|stronger|weaker) than"
    r"|improv(?:es?|ed|ing|ements?) (?:over|upon)|(?:superior|inferior|competitive|comparable)"
    r" (?:to|with)|competes? with)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\s{0,3}\[([0-9]{1,3})\]")
_SHOWN = 400
"""Characters of an entry in which its authors stand."""
_MAX_SENTENCE = 2_000


class ReferenceList:
    """One paper's list of references, searched by what a marker shows.

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
        last = len(marker.names) - (2 if marker.is_pair else 1)
        for start in range(last + 1):  # words before the names may look like names
            names = marker.names[start:]
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
