"""Which references the markers inside a table mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from vivavoce.records import Reference
from vivavoce.sources.pdf.references import label_of
from vivavoce.text.citation_markers import (
    find_author_year_markers,
    find_numeric_markers,
    name_key,
)


def cited_in(text: str, references: Sequence[Reference]) -> tuple[int, ...]:
    """Ordinals of the references that a text cites, where that is beyond doubt."""
    found: set[int] = set()
    labels = {
        int(label): reference.ordinal
        for reference in references
        if (label := label_of(reference.raw)) and label.isdigit()
    }
    if 2 * len(labels) > len(references):
        for numeric in find_numeric_markers(text):
            if all(number in labels for number in numeric.numbers):
                found.update(labels[number] for number in numeric.numbers)
        return tuple(sorted(found))
    by_author: dict[tuple[str, int], list[int]] = defaultdict(list)
    for reference in references:
        if reference.first_author and reference.year:
            by_author[name_key(reference.first_author), reference.year].append(reference.ordinal)
    for marker in find_author_year_markers(text):
        for name in marker.names:
            meant = by_author.get((name, marker.year), [])
            if meant:
                found.update(meant if len(meant) == 1 else ())
                break
    return tuple(sorted(found))
