"""A research report to read: its text and PDF, the methods it describes, and its central claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

from vivavoce.errors import InputError

Category = Literal["fundamental", "price-volume", "minute"]
Difficulty = Literal["easy", "medium", "hard", "discovery"]
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
    possible: str | None = None
    """For a method without a formula: one that fits what the report says, as a reader may infer."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A report's central claim: a number that a formula's values have on the market."""

    method: str
    """Name of the report's method that it is about."""
    formula: str
    """Name of the formula that the method is, one of `items/formulas/`."""
    statistic: Statistic
    columns: tuple[str, ...]
    """Columns needed, as `table.column`, keys (datetime, instrument) left out."""


@dataclass(frozen=True, slots=True)
class Report:
    """One report."""

    name: str
    difficulty: Difficulty
    category: Category
    title: str
    text: str
    """Markdown, formulas in LaTeX."""
    methods: tuple[Method, ...]
    claim: Claim | None

    @property
    def pdf_path(self) -> Path | None:
        """The same report as PDF; None where only its text was given."""
        path = FOLDER / f"{self.name}.pdf"
        return path if path.exists() else None


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
        report = Report(
            name=path.stem,
            text=text.strip() + "\n",
            methods=methods,
            claim=Claim(**{**claim, "columns": tuple(claim["columns"])}) if claim else None,
            **given,
        )
        _check(report)
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError) as error:
        raise InputError(f"{path} is not a complete report: {error}") from error
    return report


def _check(report: Report) -> None:
    """`ValueError` for a word that is none of those known, or a report without a formula."""
    given: list[tuple[str, tuple[str, ...]]]
    given = [(report.difficulty, get_args(Difficulty)), (report.category, get_args(Category))]
    given += [(report.claim.statistic, get_args(Statistic))] if report.claim else []
    for word, words in given:
        if word not in words:
            raise ValueError(f"{word!r} is none of {', '.join(words)}")
    for method in report.methods:
        if method.formula is not None and not method.variables:
            raise ValueError(f"{method.name!r} has a formula, but no variables")
    defined = [method.name for method in report.methods if method.formula is not None]
    if report.claim and report.claim.method not in defined:
        raise ValueError(f"its claim is about {report.claim.method!r}, which has no formula")
    if not defined:
        raise ValueError("none of its methods has a formula")
