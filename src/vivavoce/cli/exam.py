"""The verb that does the whole job: from papers and models to a verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli import completion
from vivavoce.cli.output import JSON_OPTION, estimate, print_json, print_table, progress, say

if TYPE_CHECKING:
    from vivavoce.examining import Exam

_DAY = ["%Y-%m-%d"]


def exam(
    papers: str = typer.Argument(
        metavar="PAPERS", help='A folder of papers, a file, or arxiv:"QUERY" in arXiv\'s language.'
    ),
    model: list[str] = typer.Option(
        [], "--model", help="provider/model; may be given again. Without one baselines answer."
    ),
    tasks: str = typer.Option(
        "",
        "--tasks",
        metavar="TASK,...",
        help="What is asked; else all that the papers can carry.",
        autocompletion=completion.tasks,
    ),
    budget: float | None = typer.Option(
        None, "--budget", metavar="USD", help="Dollars that all of it may cost; needs --price."
    ),
    price: list[str] = typer.Option(
        [], "--price", metavar="MODEL=IN,OUT", help="Dollars for a million tokens."
    ),
    since: datetime | None = typer.Option(
        None, "--since", formats=_DAY, help="Only papers first public on this day or later."
    ),
    until: datetime | None = typer.Option(
        None, "--until", formats=_DAY, help="Only papers first public before this day."
    ),
    most: int | None = typer.Option(
        None, "--max", min=1, help="The most papers that a query brings; else 50."
    ),
    judge: str | None = typer.Option(
        None, "--judge", help="A model that compares each answer with the gold: provider/model."
    ),
    yes: bool = typer.Option(False, "--yes", help="Ask the models without asking you first."),
    out: Path = typer.Option(Path("viva-exam"), "--out", help="Folder for everything it makes."),
    base: str | None = typer.Option(None, "--base", hidden=True, help="A loopback server."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Examine models on your papers: which is better at what, by how much, for what cost."""
    from vivavoce.examining import exam as examine

    found = examine(
        papers,
        model,
        tasks=[name for name in tasks.split(",") if name],
        budget=budget,
        since=since.date() if since else None,
        until=until.date() if until else None,
        max=most,
        yes=yes,
        out=out,
        price=price,
        judge=judge,
        agree=_ask if sys.stdin.isatty() and not as_json else None,
        watch=_step,
        base=base,
    )
    if as_json:
        print_json(found.as_dict())
    else:
        _print_exam(found)


@contextmanager
def _step(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for each step on a terminal, else a line."""
    if not sys.stderr.isatty():
        say(f"{label} ...", quiet=True)
    with progress(label) as update:
        yield update


def _ask(told: dict[str, Any]) -> bool:
    from vivavoce.examining.planning import plan_lines

    for line in plan_lines(told):
        say(line)
    return typer.confirm("Ask the models?")


def _print_exam(found: Exam) -> None:
    from vivavoce.examining.planning import papers_line, plan_lines

    if not found.verdicts:
        rows = [
            [row["task"], row["method"], row["metric"], estimate(row)] for row in found.baselines
        ]
        print_table(["task", "baseline", "metric", "value"], rows)
        say("A model would be asked this:")
        for line in plan_lines({"papers": found.papers, "plan": found.plan}):
            say(line)
    else:
        say(papers_line(found.papers))
    for verdict in found.verdicts:
        say(verdict["words"])
    for row in found.missed:
        paper, why = row["title"] or row["id"], row["fault"] or f"{row['value']:.3f}"
        say(f"  worst in {row['task']}: {paper} ({why})")
    say(found.page)
