"""The demo: the whole way from papers to a leaderboard on the sample corpus, offline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vivavoce.corpus import ingest, load_corpus
from vivavoce.errors import VivaError
from vivavoce.networks import build_networks
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import Board
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.running.progress import Progress
from vivavoce.sandbox.trial import why_unusable
from vivavoce.tasks import build_round, list_families
from vivavoce.web.board.site import write_site

PAPERS = 60
SPEC = {
    "round": {
        "id": "sample-2024",
        "window": {"start": "2023-07-01", "end": "2025-01-01"},
        "seed": 0,
        "families": ["implementation", "leaderboards", "ranking", "tables", "writing"],
    },
    "tables": {"min_papers": 9},
    "implementation": {
        "formulas": ["One_Month_Volatility", "PB_ROE", "PEG", "alpha053", "mid_price"],
        "architectures": [],
        "reports": ["crowds_within_the_day", "growth_at_a_price", "restless_months"],
    },
}
MODELS = ("extractive/lead", "extractive/centrality")
METHODS = {
    "abstract": "direct",
    "extract_method": "headings",
    "formula": "naive",
    "introduction": "direct",
    "leaderboard": "table_reader",
    "rank_by_graph": "pagerank",
    "rank_by_prompt": "recency",
    "related_work": "direct",
    "reproduce": "naive",
    "table": "keyword_table",
    "title": "direct",
}
"""What runs a task beside the oracle and the constant answer, by task; only papers are written with
a model, since a sentence of a paper is no program."""


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
    ingest("sample", Path(str(PAPERS)), out / "corpus")
    build_networks(load_corpus(out / "corpus"))
    opened = build_round(out / "corpus", SPEC, out / "round")
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
            _run_task(task, opened, out / "logs", progress)
    board = leaderboard(out / "logs")
    page = write_site(board.as_dict(), out / "site")
    return Demonstration(board, page, tuple(left_out))


def _run_task(task: str, opened: Round, logs: Path, progress: Progress | None) -> None:
    report = run(
        RunSpec(
            tasks=[task],
            round=opened.folder,
            logs=logs,
            models=MODELS,
            methods=(METHODS[task], "null", "oracle"),
            display="none",
        ),
        progress,
    )
    if report.failed:
        raise VivaError("The demo did not complete:\n" + "\n".join(report.failed))
