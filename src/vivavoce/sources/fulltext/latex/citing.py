"""Citations as they are printed: names and years, or numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vivavoce.records import Reference


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
