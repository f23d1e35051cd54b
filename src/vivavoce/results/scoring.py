"""Scores of answers in files, for `viva score`, without Inspect or a model.

A family lists its score families as `SCORE_FAMILIES` in its module `family`. Without such a list,
answers to its tasks are scored as texts.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.intervals import Measured, estimate, resample
from vivavoce.store import Row
from vivavoce.tasks import broken_families, find_family, list_families
from vivavoce.tasks.scoring.files import Pair, Rows, ScoreFamily, read_pairs

__all__ = ["ScoreFamily", "ScoreOptions", "list_score_families", "score"]


def list_score_families() -> dict[str, ScoreFamily]:
    """Every usable score family by name, in alphabetical order."""
    families = [one for family in list_families() for one in _scored_by(family)]
    return {one.name: one for one in sorted(families, key=lambda one: one.name)}


@cache
def _scored_by(name: str) -> tuple[ScoreFamily, ...]:
    """Score families of a family; by default they are made from its tasks."""
    family = find_family(name)
    scored: tuple[ScoreFamily, ...] | None = getattr(family.part("family"), "SCORE_FAMILIES", None)
    if scored is not None:
        return scored
    from vivavoce.tasks.family import score_families_of

    return score_families_of(family)


def score(
    family: str,
    gold: Path | str | Sequence[Row],
    predictions: Path | str | Sequence[Row],
    *,
    options: ScoreOptions | None = None,
    **given: Any,
) -> dict[str, Any]:
    """Score predictions against gold.

    Args:
        family: Name of a score family, such as `writing`.
        gold: The gold file, or its rows.
        predictions: The file of answers, or its rows.
        options: Options of `viva score`.
        given: Fields of `ScoreOptions`, in place of those of `options`.

    Returns:
        `family`, `n`, `missing`, `faults` (number of answers by fault), `metrics` (by name: value,
        ci, n and undefined) and `settings`.

    Raises:
        InputError: The family or an option is unknown, or a file is unreadable.
        PluginError: The family's package cannot be used.
    """
    if family in broken_families():
        raise broken_families()[family]
    own = _scored_by(family) if family in list_families() else ()
    families = {one.name: one for one in own if one.name == family} or list_score_families()
    if family not in families:
        known = ", ".join(families)
        raise InputError(f"There is no score family {family!r}. Available: {known}.")
    chosen, options = families[family], replace(options or ScoreOptions(), **given)
    _refuse_unused(chosen, options)
    golds, answers = (Path(one) if isinstance(one, str) else one for one in (gold, predictions))
    try:
        measured, clusters, pairs = _measured(chosen, golds, answers, options)
    except InputError as error:
        raise InputError(f"{error}\n{chosen.shape}") from error
    resamples = 0 if chosen.measure_files else options.resamples
    metrics = estimate(measured, resample(clusters, resamples=resamples, seed=options.seed))
    return {
        "family": family,
        "n": len(clusters),
        "missing": sum(pair.prediction is None for pair in pairs),
        "faults": dict(sorted(Counter(filter(None, (pair.fault for pair in pairs))).items())),
        "metrics": metrics,
        "settings": {**{name: getattr(options, name) for name in _OF_ALL}, **measured.settings},
    }


def _measured(
    family: ScoreFamily, gold: Rows, predictions: Rows, options: ScoreOptions
) -> tuple[Measured, list[str], list[Pair]]:
    """Measure answers; return values, clusters of items, and golds with their predictions."""
    if family.measure_files is not None:
        if not isinstance(gold, Path) or not isinstance(predictions, Path):
            raise InputError(f"{family.name} needs two files, not rows.")
        return family.measure_files(gold, predictions, options), ["file"], []
    assert family.measure is not None
    pairs = read_pairs(gold, predictions)
    measured = family.measure(pairs, options)
    return measured, [pair.cluster for pair in pairs][: measured.items or None], pairs


_OF_ALL = ("resamples", "seed", "aggregate")


def _refuse_unused(family: ScoreFamily, options: ScoreOptions) -> None:
    """Refuse options that the family would ignore."""
    defaults = asdict(ScoreOptions())
    for name, value in asdict(options).items():
        if value != defaults[name] and name not in (*_OF_ALL, *family.uses):
            known = ", ".join(f"--{used}" for used in family.uses) or "none"
            raise InputError(f"{family.name} has no option --{name}. Its options: {known}.")
