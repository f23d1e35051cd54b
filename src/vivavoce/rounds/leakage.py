"""Leaks that can be found without a model: gold inside the input, and papers held twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from vivavoce.records import Paper
from vivavoce.text.normalise import normalise_title


def gold_is_inside(gold: str, inputs: Iterable[str]) -> bool:
    """Whether the gold text stands verbatim in an input, but for case, punctuation and spaces.

    Only whole words count: `Deep nets` is not inside `deep networks`.
    """
    needle = f" {normalise_title(gold)} "
    if not needle.strip():
        return False
    return any(needle in f" {normalise_title(text)} " for text in inputs)


def duplicate_titles(papers: Sequence[Paper]) -> dict[str, str]:
    """Papers whose title an earlier paper has: paper id -> the id that is kept.

    Of several papers with one title the earliest is kept, and of those the first by id.
    """
    groups: dict[str, list[Paper]] = defaultdict(list)
    for paper in papers:
        if paper.title and (title := normalise_title(paper.title)):
            groups[title].append(paper)
    duplicates: dict[str, str] = {}
    for group in groups.values():
        kept, *others = sorted(group, key=lambda p: (p.published or "9999", p.paper_id))
        duplicates.update({other.paper_id: kept.paper_id for other in others})
    return duplicates
