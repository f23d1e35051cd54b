"""Names that a shell completes: what this installation has."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

Found = list[tuple[str, str]]
"""Names with their summaries."""
_BASELINES = ("extractive/centrality", "extractive/lead")
_PROVIDERS = {
    "platform.openai.com": "openai",
    "platform.claude.com": "anthropic",
    "www.anthropic.com": "anthropic",
    "ai.google.dev": "google",
}
"""Provider of models by the site where the end of their training is stated."""


def tasks(incomplete: str) -> Found:
    """Complete the name of a task."""
    from vivavoce.tasks import list_families

    named = (
        (n, task.summary) for card in list_families().values() for n, task in card.tasks.items()
    )
    return _starting(named, incomplete)


def models(incomplete: str) -> Found:
    """Complete the name of a model: a baseline, or one of a provider whose training is dated."""
    from urllib.parse import urlsplit

    from vivavoce.models.cutoffs import load_cutoffs

    named = [(name, "baseline without a key") for name in _BASELINES]
    for known in (entry for file in load_cutoffs().files for entry in file):
        if provider := _PROVIDERS.get(urlsplit(known.source or "").netloc):
            named.append((f"{provider}/{known.name}", f"trained until {known.date}"))
    return _starting(named, incomplete)


def rounds(incomplete: str) -> Found:
    """Complete the folder of a round, here or one level down, or the sample round."""
    files = [*Path().glob("*/manifest.json"), *Path().glob("*/*/manifest.json")]
    named = [("sample", "made-up papers"), *((file.parent.as_posix(), "round") for file in files)]
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
