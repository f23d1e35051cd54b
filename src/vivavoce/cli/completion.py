"""Names that a shell completes: what this installation has."""

from __future__ import annotations

from collections.abc import Iterable

Found = list[tuple[str, str]]
"""Names with their summaries."""


def tasks(incomplete: str) -> Found:
    """Complete the name of a task."""
    from vivavoce.tasks import list_families

    named = (
        (n, task.summary) for card in list_families().values() for n, task in card.tasks.items()
    )
    return _starting(named, incomplete)


def methods(incomplete: str) -> Found:
    """Complete the name of a method."""
    from vivavoce.running import list_methods

    return _starting(list_methods().items(), incomplete)


def score_families(incomplete: str) -> Found:
    """Complete the name of a family of `viva score`."""
    from vivavoce.results.scoring import list_score_families

    named = ((name, family.summary) for name, family in list_score_families().items())
    return _starting(named, incomplete)


def sources(incomplete: str) -> Found:
    """Complete the kind of a source."""
    from vivavoce.sources import list_sources

    named = ((name, source.summary) for name, source in list_sources().items())
    return _starting(named, incomplete)


def _starting(named: Iterable[tuple[str, str]], incomplete: str) -> Found:
    return sorted(pair for pair in named if pair[0].startswith(incomplete))
