"""Leaks that can be found without a model: gold inside the input, and papers held twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from vivavoce.records import Paper
from vivavoce.text.normalise import normalise_title

Name = TypeVar("Name")


def gold_is_inside(gold: str, inputs: Iterable[str]) -> bool:
    """Whether the gold text stands verbatim in an input, but for case, punctuation and spaces.

    Only whole words count: `Deep nets` is not inside `deep networks`.
    """
    return bool(names_of_holders([gold], dict(enumerate(inputs))))


def names_of_holders(golds: Iterable[str], inputs: Mapping[Name, str]) -> list[Name]:
    """Names of the inputs in which one of some gold texts stands, as `gold_is_inside` tells."""
    needles = [f" {text} " for gold in golds if (text := normalise_title(gold))]
    texts = {name: f" {normalise_title(text)} " for name, text in inputs.items()} if needles else {}
    return [name for name, text in texts.items() if any(needle in text for needle in needles)]


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
