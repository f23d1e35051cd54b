"""Viva Voce examines language models on scientific papers.

The names below load on first use, so `import vivavoce` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus, load_corpus
    from vivavoce.examining import exam
    from vivavoce.records import Window
    from vivavoce.results.board.building import leaderboard
    from vivavoce.results.scoring import score
    from vivavoce.rounds import Round, load_round
    from vivavoce.running import run
    from vivavoce.tasks import build_round, list_tasks

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

__all__ = [
    "Corpus",
    "Round",
    "Window",
    "__version__",
    "build_round",
    "exam",
    "leaderboard",
    "list_tasks",
    "load_corpus",
    "load_round",
    "run",
    "score",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
