"""Which references the markers inside a table mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vivavoce.records import Reference
from vivavoce.sources.fulltext.pdf.references import label_of
from vivavoce.text.citation_markers import (
    find_author_year_markers,
    find_numeric_markers,
    name_key,
)
from vivavoce.text.row_citations import Mention


def mentions_in(text: str, references: Sequence[Reference]) -> Iterator[Mention]:
    """The references that a text cites, where that is beyond doubt, and where it does."""
    labels = {
        int(label): reference.ordinal
        for reference in references
        if (label := label_of(reference.raw)) and label.isdigit()
    }
    if 2 * len(labels) > len(references):
        for numeric in find_numeric_markers(text):
            meant = tuple(labels[number] for number in numeric.numbers if number in labels)
            if len(meant) == len(numeric.numbers):
                yield numeric.start, meant
        return
    by_author: dict[tuple[str, int], list[int]] = defaultdict(list)
    for reference in references:
        if reference.first_author and reference.year:
            by_author[name_key(reference.first_author), reference.year].append(reference.ordinal)
    for marker in find_author_year_markers(text):
        for name in marker.names:
            namesakes = by_author.get((name, marker.year), [])
            if namesakes:
                if len(namesakes) == 1:
                    yield marker.start, (namesakes[0],)
                break
