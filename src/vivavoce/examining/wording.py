"""Sentences of an exam for people: its papers, its plan, its verdicts, and the page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from vivavoce.store import Row
from vivavoce.web import printing

if TYPE_CHECKING:
    from jinja2 import Environment


def dollars(cost: float | None) -> str:
    """A cost in print: two digits after the point, more below ten cents."""
    if cost is None:
        return "unknown"
    return f"${cost:,.2f}" if cost >= 0.1 or not cost else f"${cost:.2g}"


@cache
def templates() -> Environment:
    """The page and the sentences."""
    made = printing.environment_of("vivavoce.examining")
    made.filters |= {each.__name__: each for each in (printing.figure, printing.interval, dollars)}
    return made


def _tell(kind: str, row: Row, short: Mapping[str, str] | None = None) -> str:
    return templates().get_template("words.txt.j2").render(kind=kind, row=row, short=short)


def papers_line(papers: Row) -> str:
    """The papers that can be asked about, and why others are left out."""
    return _tell("papers", papers).strip()


def plan_lines(told: Row) -> list[str]:
    """The papers and the plan of an exam."""
    lines = _tell("plan", told["plan"]).splitlines()
    return [papers_line(told["papers"]), *(line for line in lines if line.strip())]


def words(verdict: Row) -> str:
    """A verdict as sentences, with the last parts of names where these differ."""
    names: list[str] = verdict["between"]
    last = [name.rpartition("/")[2] for name in names]
    short = dict(zip(names, last if len(set(last)) > 1 else names, strict=True))
    return " ".join(_tell("verdict", verdict, short).split())
