"""An item that a page shows how to write, solved by its own reference."""

from pathlib import Path

from vivavoce import Round
from vivavoce.results.board.building import leaderboard
from vivavoce.running import RunSpec, run


def values_of_reference(task: str, opened: Round, logs: Path) -> dict[str, float | None]:
    """What the reference reaches, by metric."""
    spec = RunSpec(tasks=[task], round=opened.folder, logs=logs, methods=["oracle"], display="none")
    assert run(spec).failed == ()
    return {row["metric"]: row["value"] for row in leaderboard(logs, resamples=0).rows}
