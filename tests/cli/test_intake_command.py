"""Submissions taken in by `viva board intake`."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.conftest import ROOT
from tests.results.integrity.doors import write_form
from tests.results.integrity.forgeries import added_metric
from tests.servers.commands import small_round, viva_here

ITEMS = 8


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round, and a submission of a contestant whose answers are the gold titles."""
    folder = tmp_path_factory.mktemp("intake")
    opened = small_round(folder, papers=ITEMS)
    items = opened.rows("writing/title.parquet")
    answers = folder / "answers.jsonl"
    answers.write_text(
        "".join(json.dumps({"id": row["id"], "text": row["reference"]}) + "\n" for row in items)
    )
    submission = folder / "submission"
    viva_here(
        *("run", "title", "--round", opened.folder, "--model", f"replay/{answers}"),
        *("--logs", submission / "logs", "--display", "none"),
    )
    write_form(submission)
    return folder


def copied(made: Path, inbox: Path, name: str) -> Path:
    return Path(shutil.copytree(made / "submission", inbox / name))


@pytest.mark.slow
def test_the_workflow_takes_no_added_metric_however_often_it_runs(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    logs = copied(made, tmp_path / "submissions", "honest") / "logs"
    added_metric(logs)
    shutil.copytree(made / "round-0" / "small", tmp_path / "rounds" / "current")
    workflow = yaml.safe_load((ROOT / "examples" / "board" / "intake.yml").read_text())
    steps = [step["run"] for step in workflow["jobs"]["intake"]["steps"] if "run" in step]
    _, intake, build = (step.removeprefix("viva ").split() for step in steps)  # one installs
    said = viva_here(*intake).stdout
    assert "accepted  honest" in said
    assert viva_here(*intake).stdout == said
    assert not Path("taken/accepted/honest/metrics").exists()
    viva_here(*build)
    [row] = {(row["model"], row["trust"]) for row in rows_of(Path("site"))}
    assert row == (f"replay/{made}/answers.jsonl", "recomputed")
    # On a board of the submission itself the metric is there, and was not recomputed.
    quick = ("--resamples", "0", "--round", "rounds/current")
    viva_here("board", "build", logs, "--out", "own", *quick)
    trust = {row["metric"]: (row["trust"], row["trust_reason"]) for row in rows_of(Path("own"))}
    assert trust["bertscore"] == ("not_recomputed", "added after the run")
    assert trust["rougeL"] == ("recomputed", None)


def rows_of(site: Path) -> list[dict[str, Any]]:
    """The rows of a board that was built."""
    return list(json.loads((site / "board.json").read_text())["rows"])
