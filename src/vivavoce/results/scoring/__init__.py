"""Scores of answers made anywhere, from files: the work of `viva score`. No Inspect, no model.

A score family is a module that defines `FAMILY` and that a package registers under the entry point
group `vivavoce.scoring`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from vivavoce.errors import InputError
from vivavoce.plugins import Plugins, load_plugins
from vivavoce.requests import ScoreOptions
from vivavoce.results.scoring.pairs import Pair, missing, read_pairs
from vivavoce.statistics.intervals import resample
from vivavoce.statistics.ratios import Measured, estimate
from vivavoce.store import Row

__all__ = ["ScoreFamily", "ScoreOptions", "list_score_families", "score"]


@dataclass(frozen=True, slots=True)
class ScoreFamily:
    """A family of `viva score`."""

    name: str
    summary: str
    uses: tuple[str, ...] = ()
    """The options, beside seed and aggregate, that the family knows."""
    measure: Callable[[Sequence[Pair], ScoreOptions], Measured] | None = None
    """For families whose files hold one item a line."""
    measure_files: Callable[[Path, Path, ScoreOptions], Measured] | None = None
    """For families whose file is one item."""


def list_score_families() -> dict[str, ScoreFamily]:
    """Every usable score family by name, in alphabetical order."""
    return dict(_registered().loaded)


@cache
def _registered() -> Plugins[ScoreFamily]:
    return load_plugins("vivavoce.scoring", _family_of)


def _family_of(name: str, module: ModuleType) -> ScoreFamily:
    family = getattr(module, "FAMILY", None)
    if not isinstance(family, ScoreFamily) or family.name != name:
        raise ValueError(f"it has to define FAMILY, a ScoreFamily of the name {name!r}")
    return family


def score(
    family: str,
    gold: Path | str | Sequence[Row],
    predictions: Path | str | Sequence[Row],
    *,
    resamples: int = 10_000,
    options: ScoreOptions | None = None,
) -> dict[str, Any]:
    """Score predictions against gold.

    Returns:
        family, n, missing, metrics by name with value, ci, n and undefined, and settings.

    Raises:
        InputError: No such family, an option it does not know, or an unreadable file.
        PluginError: The family's package cannot be used.
    """
    chosen, options = _find(family), options or ScoreOptions()
    _refuse_unused(chosen, options)
    shared = {"resamples": resamples, "seed": options.seed, "aggregate": options.aggregate}
    golds, answers = (Path(one) if isinstance(one, str) else one for one in (gold, predictions))
    if chosen.measure_files is not None:
        if not isinstance(golds, Path) or not isinstance(answers, Path):
            raise InputError(f"{family} takes two files, not rows.")
        measured = chosen.measure_files(golds, answers, options)
        count, lacking = 1, 0
        metrics = estimate(measured, resample(["file"], resamples=0))
    elif chosen.measure is not None:
        pairs = read_pairs(golds, answers)
        measured = chosen.measure(pairs, options)
        clusters = [pair.cluster for pair in pairs][: measured.items or None]
        count, lacking = len(clusters), missing(pairs)
        metrics = estimate(measured, resample(clusters, resamples=resamples, seed=options.seed))
    return {
        "family": family,
        "n": count,
        "missing": lacking,
        "metrics": metrics,
        "settings": {**shared, **measured.settings},
    }


def _find(name: str) -> ScoreFamily:
    found = _registered()
    if name in found.broken:
        raise found.broken[name]
    if name not in found.loaded:
        known = ", ".join(found.loaded)
        raise InputError(f"No score family is called {name!r}. There are: {known}.")
    return found.loaded[name]


_OF_ALL = ("resamples", "seed", "aggregate")


def _refuse_unused(family: ScoreFamily, options: ScoreOptions) -> None:
    """Refuse an option that would be ignored."""
    defaults = asdict(ScoreOptions())
    for name, value in asdict(options).items():
        if value != defaults[name] and name not in (*_OF_ALL, *family.uses):
            known = ", ".join(f"--{used}" for used in family.uses) or "none"
            raise InputError(f"{family.name} has no option --{name}. Its options: {known}.")
