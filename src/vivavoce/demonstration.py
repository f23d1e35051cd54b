"""The demo: the whole way from papers to a leaderboard on the sample corpus, offline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import VivaError
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import Board
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.running.logs import Progress
from vivavoce.sandbox.guarantees import why_unusable
from vivavoce.tasks import list_families
from vivavoce.tasks.sample_round import build_sample, demo_spec
from vivavoce.web.board.site import write_site

MODELS = ("extractive/lead", "extractive/centrality")
"""What runs `direct`; only papers are written with a model, since a sentence of a paper is no
program."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What the demo made."""

    board: Board
    page: Path
    left_out: tuple[str, ...]
    """Families this machine cannot run, each with the reason."""


def run_demo(out: Path, progress: Progress | None = None) -> Demonstration:
    """Ingest the sample corpus, build a round, run the baselines, and write the site.

    Args:
        out: Gets corpus/, round/ID/, logs/ and site/.
        progress: Called with (samples done, samples in all).

    Raises:
        VivaError: A run did not complete.
    """
    opened = build_sample(out, demo_spec())
    unusable = why_unusable()
    left_out = []
    for family in opened.manifest["families"]:
        card = list_families()[family]
        tasks = [name for of, name in opened.tasks() if of == family]
        confined = [name for name in tasks if "bubblewrap" in card.tasks[name].needs]
        if unusable and confined:
            left_out.append(f"{card.title} ({', '.join(confined)}) was left out: {unusable}")
            tasks = [name for name in tasks if name not in confined]
        for task in tasks:
            if method := card.tasks[task].demo:
                _run_task(task, method, opened, out / "logs", progress)
    board = leaderboard(out / "logs")
    page = write_site(board.as_dict(), out / "site")
    return Demonstration(board, page, tuple(left_out))


def _run_task(task: str, method: str, opened: Round, logs: Path, progress: Progress | None) -> None:
    report = run(
        RunSpec(
            tasks=[task],
            round=opened.folder,
            logs=logs,
            models=MODELS,
            methods=(method, "null", "oracle"),
            display="none",
        ),
        progress,
    )
    if report.failed:
        raise VivaError("The demo did not complete:\n" + "\n".join(report.failed))
