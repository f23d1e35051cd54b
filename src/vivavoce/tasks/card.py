"""A family's card: what it measures, where it comes from, and what its tasks offer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import InputError


class _Card(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TaskCard(_Card):
    """One task."""

    summary: str
    version: str
    """Number, raised when scores stop being comparable, and letter, raised with the options."""
    settings: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...] = Field(min_length=1)
    """Names of `vivavoce.metrics`; the board ranks by the first."""
    diagnostics: tuple[str, ...] = ()
    """Further ones that stand beside them: nobody is ranked by them."""
    decoding: dict[str, Any]
    """Default decoding settings."""
    measured: dict[str, dict[str, float | None]]
    """What oracle, null and copycat reach in each metric on the demo's round, to 4 decimals; null
    where it is undefined."""
    answer_words: int | None = None
    """About how long an answer is asked for."""
    stages: tuple[str, ...] = ()
    """Metrics that follow the stages of an answer: the first below its best is where it failed,
    unless the last is at its best all the same."""
    needs: tuple[str, ...] = ()
    """Extras and system packages beyond the base install; empty when none."""
    demo: str | None = None
    """Method that the demo runs beside the oracle and the constant answer; None to leave it out."""


class FamilyCard(_Card):
    """One family of tasks."""

    title: str
    summary: str
    paper: str
    methods: dict[str, str]
    """Every method of the family, with a summary."""
    without_model: tuple[str, ...] = ()
    """Those of them that need no model."""
    aliases: dict[str, str] = {}
    """Further names of the methods' arguments, such as the letter that a paper gives one."""
    demo: dict[str, Any] = {}
    """The family's options of the demo's round."""
    tasks: dict[str, TaskCard]


def read_card(path: Path) -> FamilyCard:
    """Read a `card.yaml`; `InputError` says which key is missing, unknown or of a wrong type."""
    try:
        return FamilyCard.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (ValidationError, yaml.YAMLError) as error:
        raise InputError(f"{path} is not a complete card: {error}") from error
