"""A research report to read: its text and PDF, the methods it describes, and its central claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from vivavoce.errors import InputError

Statistic = Literal["information_coefficient", "mean", "share_positive", "persistence"]

FOLDER = Path(__file__).parent / "items" / "reports"


@dataclass(frozen=True, slots=True)
class Method:
    """One method that a report describes."""

    name: str
    description: str
    formula: str | None
    """LaTeX; None for a method that the report names without giving its formula."""
    variables: Mapping[str, str]
    """Symbol -> meaning; empty for a method without a formula."""
    aliases: tuple[str, ...] = ()
    """Other names that the report uses for it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A report's central claim: a number that a formula's values have on the market."""

    formula: str
    """Name of the formula, one of `items/formulas/`."""
    statistic: Statistic
    columns: tuple[str, ...]
    """Columns needed, as `table.column`, keys (datetime, instrument) left out."""


@dataclass(frozen=True, slots=True)
class Report:
    """One report."""

    name: str
    difficulty: Literal["easy", "medium", "hard", "discovery"]
    category: Literal["fundamental", "price-volume", "minute"]
    title: str
    text: str
    """Markdown, formulas in LaTeX."""
    methods: tuple[Method, ...]
    claim: Claim | None

    @property
    def pdf(self) -> bytes:
        """The same report as PDF."""
        return (FOLDER / f"{self.name}.pdf").read_bytes()


@cache
def list_reports() -> dict[str, Report]:
    """Every report of `items/reports/` by name, sorted; `InputError` names an unusable one."""
    return {path.stem: _read(path) for path in sorted(FOLDER.glob("*.md"))}


def _read(path: Path) -> Report:
    """A report's file: a YAML head between two lines of three dashes, then its text."""
    try:
        _, head, text = path.read_text("utf-8").split("---\n", 2)
        given: dict[str, Any] = yaml.safe_load(head)
        methods = tuple(
            Method(**{**method, "aliases": tuple(method.get("aliases", ()))})
            for method in given.pop("methods")
        )
        claim = given.pop("claim", None)
        return Report(
            name=path.stem,
            text=text.strip() + "\n",
            methods=methods,
            claim=Claim(**{**claim, "columns": tuple(claim["columns"])}) if claim else None,
            **given,
        )
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError) as error:
        raise InputError(f"{path} is not a complete report: {error}") from error
