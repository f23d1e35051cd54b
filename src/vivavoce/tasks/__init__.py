"""The families: folders of tasks with the same file names, found by their `card.yaml`.

Importing this package does not import Inspect; `build.py` of a family does not either.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from vivavoce.errors import InputError
from vivavoce.tasks.card import FamilyCard, read_card

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus
    from vivavoce.rounds import Builder, Round

__all__ = ["build_round", "builders", "find_task", "list_families", "list_tasks"]


@cache
def list_families() -> dict[str, FamilyCard]:
    """Every family's card by name, in alphabetical order."""
    cards = sorted(Path(__file__).parent.glob("*/card.yaml"))
    return {path.parent.name: read_card(path) for path in cards}


def list_tasks() -> list[str]:
    """The full name of every task, such as `vivavoce/title`."""
    return sorted(f"vivavoce/{task}" for card in list_families().values() for task in card.tasks)


def find_task(name: str) -> tuple[str, str]:
    """(family, task) of a task named `title` or `vivavoce/title`; `InputError` lists all."""
    short = name.removeprefix("vivavoce/")
    for family, card in list_families().items():
        if short in card.tasks:
            return family, short
    raise InputError(f"No task is called {name!r}. There are: {', '.join(list_tasks())}.")


def builders() -> dict[str, Builder]:
    """The builder of every family, by name."""
    return {
        family: cast("Builder", importlib.import_module(f"{__name__}.{family}.build"))
        for family in list_families()
    }


def build_round(
    corpus: Corpus | Path | str, spec: Mapping[str, Any] | Path | str, out: Path | str
) -> Round:
    """Build a round from a corpus and a spec into `out`/ID and open it.

    Args:
        corpus: An opened corpus, or its folder.
        spec: A TOML file, its content as a mapping, or the folder of an export of ids.
        out: The folder that holds rounds.

    Raises:
        InputError: The spec or the corpus is not usable.
        VivaError: The round is there with other content, or would hold no item.
    """
    from vivavoce import rounds
    from vivavoce.corpus import Corpus, load_corpus
    from vivavoce.rounds.export import is_ids_export, rebuild_round

    opened = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    known = builders()
    if not isinstance(spec, Mapping) and is_ids_export(Path(spec)):
        return rebuild_round(Path(spec), opened, known, Path(out))
    options = {family: builder.OPTIONS for family, builder in known.items()}
    if isinstance(spec, Mapping):
        parsed = rounds.parse_spec(spec, options)
    else:
        parsed = rounds.read_spec(Path(spec), options)
    return rounds.build_round(opened, parsed, known, Path(out))
