"""Words in which papers of many fields say what their studies consist of.

A line of a list is a name and, after a colon, other ways to write it. `*` stands for the rest of a
word; a name in capitals is only found in capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from vivavoce.readers.board_names import METRICS
from vivavoce.text.data import read_data

_LISTS: dict[str, str] = read_data(__file__, "vocabulary.toml")
_LISTS["metric"] = "\n".join(
    f"{metric.name}: {', '.join((*metric.forms, *metric.loose))}"
    for metric in METRICS
    if metric.name
)


class Terms:
    """A list of names, to be found in texts."""

    def __init__(self, listing: str) -> None:
        names: dict[str, str] = {}
        for line in listing.strip().splitlines():
            name, _, others = line.partition(":")
            for form in (name, *others.split(",")):
                if form := form.strip():
                    names.setdefault(form, name)
        self._names = names
        self._folded = {form.rstrip("*").casefold(): name for form, name in names.items()}
        # The longest form first, so that `self-supervised` is not read as `supervised`.
        ordered = sorted(names, key=lambda form: (-len(form), form))
        self._pattern = re.compile(
            rf"(?<![\w-])(?:{'|'.join(_form_pattern(form) for form in ordered)})(?![\w-])"
        )

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, name) of every form in a text, in order."""
        for match in self._pattern.finditer(text):
            yield match.start(), match.end(), self._name(match.group())

    def has(self, name: str) -> bool:
        """Whether a text is one of the forms and nothing else."""
        return self._pattern.fullmatch(name) is not None

    def _name(self, found: str) -> str:
        if found in self._names:
            return self._names[found]
        folded = found.casefold()
        if folded in self._folded:
            return self._folded[folded]
        # A form with an open end.
        return next(name for form, name in self._folded.items() if folded.startswith(form))


def _form_pattern(form: str) -> str:
    body = re.escape(form.rstrip("*"))
    if not any(map(str.isupper, form[1:])):
        body = f"(?i:{body})"
    return body + (r"\w{0,20}" if form.endswith("*") else "")


@cache
def terms_of(listing: str) -> Terms:
    """The terms of one of the lists by its name, such as `architecture` or `metric`."""
    return Terms(_LISTS[listing])
