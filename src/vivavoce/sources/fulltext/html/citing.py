"""Citations that a converter left as bare keys, since it did not know their command.

LaTeXML prints the command as an error and its arguments behind it, without their braces.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.sources.fulltext.citing import is_citation
from vivavoce.sources.fulltext.model import Entry, cite
from vivavoce.sources.fulltext.references import read_entry
from vivavoce.text.citation_markers import surname_keys

_OPTIONS = r"(?:\s{0,2}\[[^\[\]]{0,200}\]){0,2}\s{0,2}"
# The first word is a key; one behind a comma is where it holds what no plain word does.
_KEY = r"[^\W_][\w:.+/*-]{0,79}"
_KEYS = re.compile(rf"({_OPTIONS})({_KEY}(?:\s{{0,2}},\s{{0,2}}(?=[^\s,]*[\d:_]){_KEY})*)")
_YEAR = re.compile(r"(?<!\d)(?:(?:19|20)(\d\d)|(\d\d))(?!\d)")
_NO_LETTER = re.compile(r"[\W\d_]+")


class KeysBehind(NamedTuple):
    """A reprinted citation, and the text that follows it."""

    printed: str
    rest: str


class CitedKeys:
    """Finds the entries of keys by the surname and the year that keys are made of."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._years = [read_entry(entry, 0).year for entry in entries]
        self._entries = entries
        self._by_name: dict[str, list[int]] = defaultdict(list)
        for number, entry in enumerate(entries):
            for name in sorted(surname_keys(next(iter(entry.surnames), ""))):
                self._by_name[name].append(number)

    def read(self, command: str, text: str) -> KeysBehind | None:
        """Read the keys at the start of a text behind an unknown command; None for no citation."""
        if not is_citation(command.strip()):
            return None
        found = _KEYS.match(text)
        if found is None:
            return KeysBehind("", text)
        keys = [key.strip().rstrip(".:") for key in found[2].split(",")]
        end = found.end() - (len(found[2]) - len(found[2].rstrip(".:")))
        return KeysBehind(cite([self._meant(key) for key in keys], unknown="?"), text[end:])

    def _meant(self, key: str) -> str:
        """The key of the one entry of the name and the year that a key has; empty without one."""
        digits = _YEAR.search(key)
        name = _NO_LETTER.split(key.casefold().strip())[0]
        meant = [
            number
            for length in range(len(name), 1, -1)
            for number in self._by_name.get(name[:length], ())
        ]
        if digits is not None:
            short = digits[1] or digits[2]
            meant = [n for n in meant if (year := self._years[n]) and f"{year % 100:02d}" == short]
        return self._entries[meant[0]].key if len(meant) == 1 else ""
