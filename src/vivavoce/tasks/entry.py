"""Tasks opened on a round, with the arguments, prompts and decoding of a run; free of Inspect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, NoItemsError
from vivavoce.rounds import Round
from vivavoce.store import hash_of
from vivavoce.tasks import find_family
from vivavoce.tasks.family import FamilyTask, View
from vivavoce.tasks.prompting.prompts import PromptSet, check_variant, load_prompts
from vivavoce.tasks.sample_round import open_round


def fingerprint(opened: Round, prompts: PromptSet) -> str:
    """Hash of a run's inputs beside its arguments: the round and the prompts."""
    return hash_of({"round": opened.sha256, "prompts": prompts.sha256})


def open_prompts(family: str, folder: str | None) -> PromptSet:
    """A user's templates, or the family's own."""
    shipped = find_family(family).folder / "prompts"
    return load_prompts(Path(folder) if folder else shipped)


def find_kind(family: str, task: str) -> FamilyTask[Any]:
    """The `FamilyTask` of a task."""
    kind: FamilyTask[Any] = find_family(family).part("family").TASKS[task]
    return kind


def open_view(
    task: str,
    round: str | Path,
    given: Mapping[str, Any] | None = None,
    *,
    family: str,
    context: int | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    pin: str | None = None,
) -> View[Any]:
    """Open a task on a round.

    Args:
        task: Its short name.
        round: Folder that holds the round's manifest, or `sample` for that of the sample papers.
        given: The task's own arguments, by name.
        family: Name of its family.
        context: The model's window in tokens.
        prompts: Folder of templates; None for the shipped ones.
        max_tokens: The longest answer; None for the card's default.
        pin: `fingerprint` that the run expects; None to accept any.

    Raises:
        InputError: An argument makes no sense, or the round or the prompts are not those pinned.
    """
    kind, card = find_kind(family, task), find_family(family).card.tasks[task]
    arguments = kind.arguments(**given or {})
    check_variant(getattr(arguments, "variant", 1))
    opened, templates = open_round(round), open_prompts(family, prompts)
    arguments = kind.settle(arguments, opened)
    if arguments.setting not in card.settings:
        known = ", ".join(card.settings)
        raise NoItemsError(f"{task} has no setting {arguments.setting!r}. There are: {known}.")
    if pin is not None and pin != fingerprint(opened, templates):
        raise InputError(f"Round {opened.id} or its prompts changed since this run was started.")
    view = View(family, task, card, opened, templates, arguments, context, max_tokens or 0)
    if max_tokens:
        return view
    return replace(view, max_tokens=max(card.decoding["max_tokens"], kind.room(view)))
