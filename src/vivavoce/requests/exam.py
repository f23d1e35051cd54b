"""The request of an exam: papers, models, tasks and budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from vivavoce.requests import Arg, Opt, given_names
from vivavoce.requests.run import Spending


@dataclass(frozen=True, kw_only=True)
class ExamRequest(Spending):
    """Request of an exam; without a model the baselines answer, and nothing is paid."""

    papers: Annotated[
        str,
        Arg('A folder of papers, a file, or arxiv:"QUERY" in arXiv\'s language.', metavar="PAPERS"),
    ]
    tasks: Annotated[
        Sequence[str],
        Opt(
            "Tasks to ask; else all that the papers can carry.",
            metavar="TASK,...",
            read=given_names,
            complete="tasks",
        ),
    ] = ()
    since: Annotated[date | None, Opt("Only papers first public on this day or later.")] = None
    until: Annotated[date | None, Opt("Only papers first public before this day.")] = None
    max: Annotated[int | None, Opt("The most papers that a query brings; else 50.", min=1)] = None
    out: Annotated[Path, Opt("Folder for everything it makes.")] = Path("viva-exam")
