"""`viva board verify`, `contamination` and `submit`, and `viva round export`: what users script."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from tests.servers.commands import only_json, title_logs, viva_here

ITEMS = 4
CUTOFF = '[[model]]\nname = "extractive/*"\ncutoff = "2024-01"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, a round over it and the log of one contestant."""
    made = tmp_path_factory.mktemp("integrity")
    title_logs(made, ITEMS, methods=["direct", "null"])
    return made


@pytest.fixture
def logs(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder / "logs", tmp_path / "logs"))


def test_verify_says_of_every_log_what_it_is(folder: Path) -> None:
    done = viva_here("board", "verify", folder / "logs")
    assert done.stdout.count("recomputed  ") == 2
    said = (
        "Every score follows from the replies in the logs. Nobody can prove who wrote the replies."
    )
    assert said in done.stdout
    found = only_json(viva_here("board", "verify", folder / "logs", "--json").stdout)
    assert found["recomputed"] is True
    assert [log["status"] for log in found["logs"]] == ["recomputed", "recomputed"]


def test_verify_ends_with_1_and_names_log_and_sample_of_a_raised_score(logs: Path) -> None:
    path = sorted(logs.glob("*.eval"))[0]
    log = read_eval_log(str(path))
    scores: Any = log.samples[1].scores
    scores["writing"].value = {**scores["writing"].value, "rougeL": 0.99}
    write_eval_log(log, str(path))
    done = viva_here("board", "verify", logs, expect=1)
    assert f"refused  {path.name} ({ITEMS} samples)" in done.stdout
    assert f"sample {log.samples[1].id}: scores.rougeL 0.99, it is " in done.stdout
    assert "Not every log is recomputed." in done.stdout
    found = only_json(viva_here("board", "verify", logs, "--json", expect=1).stdout)
    assert sorted(log["status"] for log in found["logs"]) == ["recomputed", "refused"]


def test_a_board_shows_contamination_by_a_users_own_cutoffs(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cutoffs.toml").write_text(CUTOFF)
    given = ("--cutoffs", tmp_path / "cutoffs.toml", "--margin", "0", "--resamples", "100")
    board = only_json(viva_here("board", "show", folder / "logs", *given, "--json").stdout)
    told = {row["model"]: row for row in board["rows"]}
    assert told["none"]["contamination"] is None
    assert told["extractive/lead"]["contamination"] in {"mixed", "seen", "clean"}
    assert told["extractive/lead"]["exposure"]["cutoff"] == "2024-01"
    assert told["extractive/lead"]["runs"] == {"logs": 1, "removed": 0, "variants": 0}
    found = only_json(
        viva_here("board", "show", "--by", "cutoff", folder / "logs", *given, "--json").stdout
    )
    assert {row["model"] for row in found["rows"]} >= {"extractive/lead"}
    table = viva_here("board", "show", "--by", "cutoff", folder / "logs", *given).stdout
    assert "2024-01" in table
    site = viva_here("board", "build", folder / "logs", "--out", tmp_path / "site", *given)
    assert site.stdout.strip().endswith("index.html")


def test_submit_checks_and_sends_nothing(logs: Path, tmp_path: Path) -> None:
    done = viva_here("board", "submit", "--check", tmp_path, expect=1)
    assert "failed  form" in done.stdout
    found = only_json(viva_here("board", "submit", "--check", tmp_path, "--json", expect=1).stdout)
    assert found["complete"] is False
    assert [check["check"] for check in found["checks"]][:2] == ["form", "complete logs"]


def test_export_and_rebuild(folder: Path, tmp_path: Path) -> None:
    small = folder / "round-0" / "small"
    corpus = folder / "corpus"
    made = viva_here("round", "export", small, "--out", tmp_path / "hf")
    assert made.stdout.splitlines()[-1] == str(tmp_path / "hf")
    assert (tmp_path / "hf" / "README.md").exists()
    told = only_json(
        viva_here(
            *("round", "export", small, "--ids-only", "--corpus", corpus),
            *("--out", tmp_path / "ids", "--json"),
        ).stdout
    )
    assert (told["format"], "papers.jsonl" in told["files"]) == ("ids", True)
    built = viva_here("round", "build", tmp_path / "ids", "--corpus", corpus, "--out", tmp_path)
    assert built.stdout.splitlines()[-1] == str(tmp_path / "small")
    manifest = (tmp_path / "small" / "manifest.json").read_bytes()
    assert manifest == (small / "manifest.json").read_bytes()
    viva_here("round", "export", small, "--out", tmp_path / "hf", "--format", "ids", expect=1)
