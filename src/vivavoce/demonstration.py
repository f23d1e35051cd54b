"""The demo: the whole way from papers to a leaderboard on the sample corpus, offline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vivavoce.corpus import ingest
from vivavoce.errors import VivaError
from vivavoce.results.board import Board, leaderboard
from vivavoce.running import Progress, RunSpec, run
from vivavoce.tasks import build_round, list_families
from vivavoce.web.site import write_site

PAPERS = 60
SPEC = {
    "round": {
        "id": "sample-2024",
        "window": {"start": "2023-07-01", "end": "2025-01-01"},
        "seed": 0,
        "families": ["writing"],
    }
}
MODELS = ("extractive/lead", "extractive/centrality")


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What the demo made."""

    board: Board
    page: Path


def run_demo(out: Path, progress: Progress | None = None) -> Demonstration:
    """Ingest the sample corpus, build a round, run the baselines, and write the site.

    Args:
        out: Gets corpus/, round/ID/, logs/ and site/.
        progress: Called with (samples done, samples in all).
        display: Inspect's display; None for its default.

    Raises:
        VivaError: A run did not complete.
    """
    ingest("sample", Path(str(PAPERS)), out / "corpus")
    opened = build_round(out / "corpus", SPEC, out / "round")
    families = list_families()
    report = run(
        RunSpec(
            tasks=[
                task for family in opened.manifest["families"] for task in families[family].tasks
            ],
            round=opened.folder,
            logs=out / "logs",
            models=MODELS,
            methods=("direct", "null", "oracle"),
            display="none",
        ),
        progress,
    )
    if report.failed:
        raise VivaError("The demo did not complete:\n" + "\n".join(report.failed))
    board = leaderboard(out / "logs")
    page = write_site(board.as_dict(), out / "site")
    return Demonstration(board, page)
