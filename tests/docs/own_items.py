"""A round of one item that a page shows how to write, solved by its own reference."""

from pathlib import Path

from vivavoce import Round
from vivavoce.corpus import ingest
from vivavoce.results.board.building import leaderboard
from vivavoce.running import RunSpec, run
from vivavoce.tasks import build_round


def round_of(kind: str, name: str, folder: Path) -> Round:
    """A round with that formula or architecture (`kind` is the plural) and nothing else."""
    ingest("sample", Path("4"), folder / "corpus")
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    items = {"formulas": [], "reports": [], "architectures": [], kind: [name]}
    spec = {
        "round": {"id": "own", "window": window, "families": ["implementation"]},
        "implementation": items,
    }
    return build_round(folder / "corpus", spec, folder)


def values_of_reference(task: str, opened: Round, logs: Path) -> dict[str, float | None]:
    """What the reference reaches, by metric."""
    spec = RunSpec(tasks=[task], round=opened.folder, logs=logs, methods=["oracle"], display="none")
    assert run(spec).failed == ()
    return {row["metric"]: row["value"] for row in leaderboard(logs, resamples=0).rows}
