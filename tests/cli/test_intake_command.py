"""Submissions taken in by `viva board intake`."""

import json
import shutil
from pathlib import Path

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
def test_added_metrics_are_not_taken_in_however_often_and_never_recomputed(
    made: Path, tmp_path: Path
) -> None:
    inbox, out, round = tmp_path / "inbox", tmp_path / "taken", made / "round-0" / "small"
    logs = copied(made, inbox, "honest") / "logs"
    added_metric(logs)
    given = ("board", "intake", inbox, "--out", out, "--round", round)
    said = viva_here(*given).stdout
    assert "accepted  honest" in said
    assert viva_here(*given).stdout == said
    assert not (out / "accepted" / "honest" / "metrics").exists()
    site = tmp_path / "site"
    quick = ("--resamples", "0", "--round", round)
    viva_here("board", "build", logs, "--out", site, *quick)
    trust = {
        row["metric"]: (row["trust"], row["trust_reason"])
        for row in json.loads((site / "board.json").read_text())["rows"]
    }
    assert trust["bertscore"] == ("not_recomputed", "added after the run")
    assert trust["rougeL"] == ("recomputed", None)


@pytest.mark.slow
def test_the_workflow_runs(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    copied(made, tmp_path / "submissions", "honest")
    shutil.copytree(made / "round-0" / "small", tmp_path / "rounds" / "current")
    workflow = yaml.safe_load((ROOT / "examples" / "board" / "intake.yml").read_text())
    steps = [step["run"] for step in workflow["jobs"]["intake"]["steps"] if "run" in step]
    for step in steps[1:]:  # the first installs
        program, *arguments = step.split()
        assert program == "viva"
        viva_here(*arguments)
    [row] = {
        (row["model"], row["trust"])
        for row in json.loads((tmp_path / "site" / "board.json").read_text())["rows"]
    }
    assert row == (f"replay/{made}/answers.jsonl", "recomputed")
