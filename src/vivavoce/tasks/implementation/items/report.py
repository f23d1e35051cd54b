"""A research report: its text and PDF, its methods, and its central claim."""

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import yaml
from pydantic import Field
from pydantic.dataclasses import dataclass

from vivavoce.metrics.extraction import ExtractedMethod
from vivavoce.tasks.implementation.items import FIELDS, Text, own_folders, read_items
from vivavoce.tasks.implementation.items.formula import Category, Difficulty, Formula

Statistic = Literal["information_coefficient", "mean", "share_positive", "persistence"]

FOLDER = Path(__file__).parent / "reports"
CLAIM = "claim.json"
"""The program's output file besides its values: {"value": NUMBER}."""


@dataclass(frozen=True, slots=True, config=FIELDS)
class Method:
    """A method in a report."""

    name: Text
    description: Text
    formula: str | None
    """LaTeX; None if the report does not give the formula."""
    variables: Mapping[str, str]
    """Symbol -> meaning; empty without a formula."""
    aliases: tuple[str, ...] = ()
    """Other names that the report uses for it."""
    possible: str | None = None
    """Formula that a reader may infer if the report gives none."""


@dataclass(frozen=True, slots=True, config=FIELDS)
class Claim:
    """A report's central claim: a statistic of a formula's values on the market."""

    method: str
    formula: str
    """Name of the method's formula in `items/formulas/`."""
    statistic: Statistic
    columns: tuple[str, ...]
    """Required columns as `table.column`, without the keys datetime and instrument."""


@dataclass(frozen=True, slots=True, config=FIELDS)
class Report:
    """One report."""

    name: str
    difficulty: Difficulty
    category: Category
    title: Text
    text: str
    """Markdown, formulas in LaTeX."""
    methods: Annotated[tuple[Method, ...], Field(min_length=1)]
    claim: Claim | None = None
    pdf_path: Path | None = None
    """The report as PDF; None if there is only text."""


@cache
def list_reports(folder: Path | None = None) -> dict[str, Report]:
    """All reports of `items/reports/` and of `reports/` in a user's folder, by name, sorted."""
    return read_items("report", [str(FOLDER), *own_folders("reports", folder)], ".md", _read)


def _read(path: Path) -> Iterator[Report]:
    """Read a report's file: YAML between two lines of three dashes, then the text."""
    _, marked, rest = path.read_text("utf-8").partition("---\n")
    head, ended, text = rest.partition("---\n")
    if not (marked and ended):
        raise ValueError("it has no YAML header between two lines of three dashes")
    pdf = path.with_suffix(".pdf")
    report = Report(
        name=path.stem,
        text=text.strip() + "\n",
        pdf_path=pdf if pdf.exists() else None,
        **yaml.safe_load(head),
    )
    for method in report.methods:
        if method.formula is not None and not method.variables:
            raise ValueError(f"{method.name!r} has a formula, but no variables")
    defined = [method.name for method in report.methods if method.formula is not None]
    if report.claim and report.claim.method not in defined:
        raise ValueError(f"its claim is about {report.claim.method!r}, which has no formula")
    if not defined:
        raise ValueError("none of its methods has a formula")
    yield report


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
    """Compute a claim's number with the formula's reference."""
    return STATISTICS[statistic](formula.values(frames), frames["daily_pv"])


def claim_program(program: str, statistic: Statistic) -> str:
    """Extend a formula's program to compute a claim's number and write it to `CLAIM`."""
    function = STATISTICS[statistic]
    return (
        f"{program}\n\nimport json\n\n\n"
        f"{textwrap.dedent(inspect.getsource(function))}\n\n"
        f'number = {function.__name__}(values, pd.read_parquet("daily_pv.parquet"))\n'
        f'with open("{CLAIM}", "w") as stream:\n'
        '    json.dump({"value": number}, stream)\n'
    )


_MAX_METHODS = 100
_MAX_SYMBOLS = 60
_MAX_NAME = 200
_MAX_TEXT = 5_000
_CONTROL = re.compile(r"[\b\f\r\t]|\n(?=eq?\b|u\b|ot\b)")
_COMMANDS = {"\b": r"\b", "\f": r"\f", "\r": r"\r", "\t": r"\t", "\n": r"\n"}
_HEADING = re.compile(r"^(#{1,6}) ([^\n]+)$", re.MULTILINE)
_DISPLAY = re.compile(r"\$\$([^$]+)\$\$")
_INLINE = re.compile(r"\$([^$\n]{1,40})\$")
_RELATION = re.compile(r"[=<>,]\s|=")


def methods_json(methods: Iterable[Method]) -> str:
    """Methods in the form of an answer; methods without a formula get the possible one."""
    rows = [
        {
            "name": method.name,
            "description": method.description,
            "formula": method.possible if method.formula is None else method.formula,
            "inferred": method.formula is None and method.possible is not None,
            "variables": dict(method.variables),
        }
        for method in methods
    ]
    return json.dumps({"methods": rows}, ensure_ascii=False, indent=2)


def parse_methods(value: Any) -> list[ExtractedMethod] | None:
    """Read methods from an answer's JSON: a list, an object with one, a method, or methods by name.

    Entries without a name are skipped, parts of a wrong type are ignored, and long texts are cut.
    None unless there are 1 to 100 entries with a name, or an empty list.
    """
    entries = value
    if isinstance(value, dict) and "name" not in _by_key(value):
        inner = list(value.values())
        entries = inner[0] if len(inner) == 1 and isinstance(inner[0], list) else value
        entries = _by_key(value).get("methods", entries)
    if isinstance(entries, dict):
        is_one = "name" in _by_key(entries)
        parts = [(name, each) for name, each in entries.items() if isinstance(each, dict)]
        entries = [entries] if is_one else [{"name": name, **each} for name, each in parts] or None
    if not isinstance(entries, list) or len(entries) > _MAX_METHODS:
        return None
    methods = [method for entry in entries if (method := _method(entry)) is not None]
    return methods if methods or not entries else None


def gold_method(row: dict[str, Any]) -> ExtractedMethod:
    """Read a method from a row of a round."""
    texts = {name: row[name] for name in ("name", "description", "formula")}
    return ExtractedMethod(**texts, symbols=tuple(row["variables"]), aliases=tuple(row["aliases"]))


def _by_key(given: dict[str, Any]) -> dict[str, Any]:
    """An object with lower-case keys."""
    return {key.casefold(): each for key, each in given.items()}


def _method(entry: Any) -> ExtractedMethod | None:
    if not isinstance(entry, dict):
        return None
    entry = _by_key(entry)
    name = _text(entry.get("name"), _MAX_NAME)
    if not name:
        return None
    return ExtractedMethod(
        name=name,
        description=_text(entry.get("description"), _MAX_TEXT),
        formula=_latex(entry.get("formula"), _MAX_TEXT) or None,
        symbols=_symbols(entry.get("variables")),
        is_inferred=entry.get("inferred") is True,
    )


def _symbols(variables: Any) -> tuple[str, ...]:
    """Symbols of an object {symbol: meaning}, or of a list of such objects or symbols."""
    entries = list(variables)[:_MAX_SYMBOLS] if isinstance(variables, list | dict) else []
    names: list[Any] = []
    for entry in entries:
        given = [entry]
        if isinstance(entry, dict):
            given = [entry.get(key) for key in ("symbol", "name", "variable")]
        names.append(next((name for name in given if name is not None), None))
    return tuple(filter(None, (_latex(name, _MAX_NAME) for name in names)))


def _text(value: Any, longest: int) -> str:
    return value[:longest].strip() if isinstance(value, str) else ""


def _latex(value: Any, longest: int) -> str:
    r"""A formula without `\[`, `\]` and `$`; repairs a `\frac` that JSON read as a form feed."""
    text = value[:longest] if isinstance(value, str) else ""
    text = _CONTROL.sub(lambda match: _COMMANDS[match[0]], text).strip()
    is_set_off = text.startswith((r"\[", r"\(")) and text.endswith((r"\]", r"\)"))
    return text[2:-2].strip() if is_set_off else text.strip("$ ")


def headings_as_methods(text: str) -> str:
    """Answer by rule: each heading of the deepest level is a method.

    The section's first paragraph is its description, its first display formula its formula, and its
    inline formulas are the variables.
    """
    _, *pieces = _HEADING.split(text)
    sections = list(zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True))
    deepest = max((len(marks) for marks, _, _ in sections), default=0)
    methods = []
    for _, heading, under in (section for section in sections if len(section[0]) == deepest):
        formula, plain = _DISPLAY.search(under), _DISPLAY.sub("", under)
        symbols = [symbol for symbol in _INLINE.findall(plain) if not _RELATION.search(symbol)]
        method = Method(
            name=heading.strip(),
            description=plain.strip().partition("\n\n")[0],
            formula=formula[1].strip() if formula else None,
            variables=dict.fromkeys(symbols[:_MAX_SYMBOLS], "") if formula else {},
        )
        methods.append(method)
    return f"```json\n{methods_json(methods)}\n```\n"
