"""A research report to read: its text and PDF, the methods it describes, and its central claim."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import yaml

from vivavoce.tasks.implementation.items.formula import Category, Difficulty, Formula
from vivavoce.tasks.implementation.items.loading import check_words, read_items

Statistic = Literal["information_coefficient", "mean", "share_positive", "persistence"]

FOLDER = Path(__file__).parent / "reports"
CLAIM = "claim.json"
"""The file a program leaves beside its values: {"value": NUMBER}."""


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
    return read_items("report", [str(FOLDER)], ".md", _read)


def _read(path: Path) -> Iterator[Report]:
    """A report's file: a YAML head between two lines of three dashes, then its text."""
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
    yield report


def _check(report: Report) -> None:
    """`ValueError` for a word that is none of those known, or a report without a formula."""
    check_words(
        [
            (report.difficulty, get_args(Difficulty)),
            (report.category, get_args(Category)),
            *([(report.claim.statistic, get_args(Statistic))] if report.claim else []),
        ]
    )
    for method in report.methods:
        if method.formula is not None and not method.variables:
            raise ValueError(f"{method.name!r} has a formula, but no variables")
    defined = [method.name for method in report.methods if method.formula is not None]
    if report.claim and report.claim.method not in defined:
        raise ValueError(f"its claim is about {report.claim.method!r}, which has no formula")
    if not defined:
        raise ValueError("none of its methods has a formula")


def information_coefficient(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Mean over days of the correlation with the return to the stock's next trading day."""
    close = daily_pv.set_index(["datetime", "instrument"])["$close"].sort_index()
    following = close.groupby(level="instrument").shift(-1) / close - 1
    pairs = pd.DataFrame({"value": values, "following": following.reindex(values.index)}).dropna()
    days = []
    for _, day in pairs.groupby(level="datetime"):
        if len(day) > 1 and day["value"].nunique() > 1 and day["following"].nunique() > 1:
            days.append(np.corrcoef(day["value"], day["following"])[0, 1])
    return float(np.mean(days))


def mean(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Mean of the defined values."""
    return float(values.mean())


def share_positive(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Share of the defined values above zero."""
    return float((values.dropna() > 0).mean())


def persistence(values: pd.Series, daily_pv: pd.DataFrame) -> float:
    """Correlation of a value with the same stock's value on its row before, over all of them."""
    ordered = values.sort_index()
    before = ordered.groupby(level="instrument").shift(1)
    pairs = pd.DataFrame({"value": ordered, "before": before}).dropna()
    return float(np.corrcoef(pairs["value"], pairs["before"])[0, 1])


STATISTICS: Mapping[Statistic, Callable[[pd.Series, pd.DataFrame], float]] = {
    "information_coefficient": information_coefficient,
    "mean": mean,
    "share_positive": share_positive,
    "persistence": persistence,
}


def compute_claim(formula: Formula, statistic: Statistic, frames: Mapping[str, Any]) -> float:
    """The number that a formula's reference gives on the market's tables."""
    values = formula.compute(*(frames[name] for name in formula.tables), **formula.parameters)
    return STATISTICS[statistic](values, frames["daily_pv"])


def claim_program(program: str, statistic: Statistic) -> str:
    """A formula's program that goes on to compute a claim's number and leave it in `CLAIM`."""
    function = STATISTICS[statistic]
    return (
        f"import json\n\n{program}\n\n"
        f"{textwrap.dedent(inspect.getsource(function))}\n\n"
        f'number = {function.__name__}(values, pd.read_parquet("daily_pv.parquet"))\n'
        f'with open("{CLAIM}", "w") as stream:\n'
        '    json.dump({"value": number}, stream)\n'
    )
