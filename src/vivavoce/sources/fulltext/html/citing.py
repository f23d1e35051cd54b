"""Citations that a converter left as bare keys, since it did not know their command.

LaTeXML prints the command as an error and its arguments behind it, without their braces.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.records import Reference
from vivavoce.sources.fulltext.latex.layout import is_citation
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
    """Finds the references of keys by the surname and the year that keys are made of."""

    def __init__(self, references: Sequence[Reference], *, is_numeric: bool) -> None:
        self._is_numeric = is_numeric
        self._references: dict[str, set[int]] = defaultdict(set)
        self._all = references
        for reference in references:
            for name in surname_keys(reference.first_author or ""):
                self._references[name].add(reference.ordinal)

    def read(self, command: str, text: str) -> KeysBehind | None:
        """Read the keys at the start of a text behind an unknown command; None for no citation."""
        if not is_citation(command.strip()):
            return None
        found = _KEYS.match(text)
        if found is None:
            return KeysBehind("", text)
        keys = [key.strip().rstrip(".:") for key in found[2].split(",")]
        end = found.end() - (len(found[2]) - len(found[2].rstrip(".:")))
        printed = [self._print(self._meant(key)) for key in keys]
        if self._is_numeric:
            return KeysBehind(f"[{', '.join(printed)}]", text[end:])
        return KeysBehind(f"({'; '.join(printed)})", text[end:])

    def _meant(self, key: str) -> Reference | None:
        """The one reference of the name and the year that a key has."""
        digits = _YEAR.search(key)
        name = _NO_LETTER.split(key.casefold().strip())[0]
        meant = [
            self._all[ordinal]
            for length in range(len(name), 1, -1)
            for ordinal in sorted(self._references.get(name[:length], ()))
        ]
        if digits is not None:
            short = digits[1] or digits[2]
            meant = [one for one in meant if one.year and f"{one.year % 100:02d}" == short]
        return meant[0] if len(meant) == 1 else None

    def _print(self, reference: Reference | None) -> str:
        if reference is None:
            return "?"
        if self._is_numeric:
            return str(reference.ordinal + 1)
        surname = (reference.first_author or "").split()[-1]
        return f"{surname}, {reference.year or 'n.d.'}"
