"""One interval, whichever door: `viva score` of a file and a board of the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.results.board.test_head_to_head import pooled_log

from vivavoce.metrics import Aggregate
from vivavoce.results.board.building import leaderboard
from vivavoce.results.scoring import ScoreOptions, score
from vivavoce.store import write_jsonl

COUNTS = {f"item{number:02}": (number % 4, 3 + number % 3) for number in range(20)}
"""By item: papers named rightly, and papers there are, which is also how many were named."""


def files(folder: Path) -> tuple[Path, Path]:
    """The same answers as a gold file and a file of predictions."""
    gold, answers = [], []
    for name, (right, asked) in COUNTS.items():
        papers = [f"{name}-{number}" for number in range(asked)]
        named = [*papers[:right], *(f"other-{number}" for number in range(asked - right))]
        table = {"columns": ["x"], "rows": []}
        gold.append({"id": name, "cluster": f"c-{name}", "papers": papers, "table": table})
        answers.append({"id": name, "papers": named, "table": table})
    write_jsonl(folder / "gold.jsonl", gold)
    write_jsonl(folder / "answers.jsonl", answers)
    return folder / "gold.jsonl", folder / "answers.jsonl"


@pytest.mark.parametrize("how", ["macro", "micro"])
def test_a_board_and_a_scored_file_have_one_interval(tmp_path: Path, how: Aggregate) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    pooled_log(logs, "lab/one", COUNTS, how)
    rows = {row["metric"]: row for row in leaderboard(logs, resamples=2000).rows}
    options = ScoreOptions(aggregate=how)
    scored = score("tables", *files(tmp_path), resamples=2000, options=options)["metrics"]
    for metric in ("paper_p", "paper_r", "paper_f1"):
        assert rows[metric]["value"] == pytest.approx(scored[metric]["value"], abs=1e-12)
        assert rows[metric]["ci"] == pytest.approx(scored[metric]["ci"], abs=1e-12)
        assert rows[metric]["ci"][0] < rows[metric]["value"] < rows[metric]["ci"][1]
