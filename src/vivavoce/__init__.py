"""Viva Voce examines language models on scientific papers.

The names below load on first use, so `import vivavoce` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from vivavoce.version import __version__ as __version__

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus as Corpus
    from vivavoce.corpus import load_corpus as load_corpus
    from vivavoce.examining import exam as exam
    from vivavoce.records import Window as Window
    from vivavoce.results.board.building import leaderboard as leaderboard
    from vivavoce.results.scoring import score as score
    from vivavoce.rounds import Round as Round
    from vivavoce.rounds import load_round as load_round
    from vivavoce.running import run as run
    from vivavoce.tasks import build_round as build_round
    from vivavoce.tasks import list_tasks as list_tasks

_HOMES = {
    "Corpus": "vivavoce.corpus",
    "Round": "vivavoce.rounds",
    "Window": "vivavoce.records",
    "build_round": "vivavoce.tasks",
    "exam": "vivavoce.examining",
    "leaderboard": "vivavoce.results.board.building",
    "list_tasks": "vivavoce.tasks",
    "load_corpus": "vivavoce.corpus",
    "load_round": "vivavoce.rounds",
    "run": "vivavoce.running",
    "score": "vivavoce.results.scoring",
}
__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
