"""Submissions taken in by `viva board intake`."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.log import read_eval_log, write_eval_log
from tests.conftest import ROOT
from tests.results.integrity.forgeries import added_metric
from tests.servers.commands import only_json, small_round, viva_here

ITEMS = 8
FORM = """
[submission]
team = "A lab"
contact = "lab@example.org"
date = 2024-06-01
private_runs = 0
"""


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
    (submission / "submission.toml").write_text(FORM)
    return folder


def copied(made: Path, inbox: Path, name: str) -> Path:
    return Path(shutil.copytree(made / "submission", inbox / name))


def raise_scores(submission: Path) -> None:
    [path] = (submission / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    for sample in log.samples:
        scores: Any = sample.scores
        scores["writing"].value = {**scores["writing"].value, "rougeL": 0.5}
    write_eval_log(log, str(path))


@pytest.mark.slow
def test_honest_submissions_are_accepted_and_forged_refused(made: Path, tmp_path: Path) -> None:
    inbox, out, round = tmp_path / "inbox", tmp_path / "taken", made / "round-0" / "small"
    copied(made, inbox, "honest")
    raise_scores(copied(made, inbox, "raised"))
    (copied(made, inbox, "linked") / "logs" / "notes").symlink_to("/etc")
    shutil.rmtree(copied(made, inbox, "empty") / "logs")
    done = viva_here("board", "intake", inbox, "--out", out, "--round", round, "--json", expect=1)
    found = only_json(done.stdout)
    decided = {row["name"]: row for row in found["submissions"]}
    assert {name: row["accepted"] for name, row in decided.items()} == {
        **{"empty": False, "honest": True, "linked": False, "raised": False}
    }
    assert decided["honest"]["reasons"] == []
    assert any("rougeL 0.5" in reason for reason in decided["raised"]["reasons"])
    assert decided["linked"]["reasons"] == [
        "plain files: linked/logs/notes is not a plain file. Hand in copies, not links."
    ]
    assert json.loads((out / "intake.json").read_text()) == found
    assert [path.name for path in (out / "accepted").iterdir()] == ["honest"]
    board = only_json(viva_here("board", "show", found["accepted"], "--json").stdout)
    assert {row["model"] for row in board["rows"]} == {f"replay/{made}/answers.jsonl"}


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
