"""A contestant that changed, by hand."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.rounds.titles_family import build, corpus_of, follow, spec_of
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.errors import InputError, NothingToAuditError
from vivavoce.results.audits.contrasts import drift_of_anchors
from vivavoce.rounds import Round, load_round
from vivavoce.store import hash_file, read_json, write_json, write_sealed

BEFORE, NOW = "live", "live-2024-02-01"


@pytest.fixture
def opened(tmp_path: Path) -> Round:
    """A round with the items b1, b2, a1 and a2, of which a1 and a2 are anchors of `title`.

    The logs of these tests are of the task writing/title, so the family is renamed in the files.
    """
    papers = {"a1": ("2023-02-01", ["Ada"]), "a2": ("2023-03-01", ["Ada"])}
    parent = build(
        corpus_of(tmp_path, papers), spec_of(date(2024, 1, 1), anchors=2), tmp_path / "rounds"
    )
    more = corpus_of(tmp_path, {"b1": ("2024-01-02", ["Ada"]), "b2": ("2024-01-03", ["Ada"])})
    made = follow(parent, more, date(2024, 2, 1)).round
    path = made.folder / "update.json"
    stored = read_json(path)
    write_json(path, {**stored, "anchors": {"writing/title": stored["anchors"]["titles/first"]}})
    return sealed_again(made)


def sealed_again(made: Round) -> Round:
    """The round with a manifest that knows the file as it is now."""
    entry = {"sha256": hash_file(made.folder / "update.json")}
    files = {**made.manifest["files"], "update.json": entry}
    write_sealed(made.folder / "manifest.json", {**made.manifest, "files": files})
    return load_round(made.folder)


def write(folder: Path, before: dict[str, float], now: dict[str, float], **more: Any) -> None:
    write_log(folder, before, round_id=BEFORE, **more)
    write_log(folder, now, round_id=NOW, round_sha256="e" * 64, **more)


def headline(folder: Path, opened: Round, **options: Any) -> dict[str, Any]:
    [row] = [r for r in drift_of_anchors(folder, opened, **options).rows if r["headline"]]
    return row


def test_a_contestant_that_changed_drifts(opened: Round, tmp_path: Path) -> None:
    write(tmp_path / "l", {"a1": 0.4, "a2": 0.6}, {"a1": 0.6, "a2": 0.8, "b1": 0.7, "b2": 0.7})
    row = headline(tmp_path / "l", opened)
    assert (row["before"], row["round"], row["anchors"]) == (BEFORE, NOW, 2)
    assert (row["anchors_before"], row["anchors_now"]) == (pytest.approx(0.5), pytest.approx(0.7))
    assert row["drift"] == pytest.approx(0.2)
    assert row["drift_ci"] == pytest.approx([0.2, 0.2])  # both items moved by as much


def test_who_ran_on_one_round_only_is_named(opened: Round, tmp_path: Path) -> None:
    scores = {"a1": 0.4, "a2": 0.6}
    write(tmp_path / "l", scores, scores)
    write_log(tmp_path / "l", scores, round_id=NOW, round_sha256="e" * 64, model="lab/two")
    found = drift_of_anchors(tmp_path / "l", opened)
    assert {row["contestant"] for row in found.rows} == {"lab/one"}
    assert any("lab/two has no log of title (base) on live" in note for note in found.notes)


def test_without_anchors_or_without_runs_on_both_there_is_nothing_to_tell(
    opened: Round, tmp_path: Path
) -> None:
    write_log(tmp_path / "l", {"a1": 0.5}, round_id=NOW)
    with pytest.raises(
        NothingToAuditError, match="no contestant that ran on both live and live-2024-02-01"
    ):
        drift_of_anchors(tmp_path / "l", opened)
    parent = build(
        corpus_of(tmp_path / "other", {"a1": ("2023-01-01", ["Ada"])}),
        spec_of(date(2024, 1, 1)),
        tmp_path / "other",
    )
    with pytest.raises(InputError, match="has no anchors"):
        drift_of_anchors(tmp_path / "l", parent)


def test_the_command_prints_a_line_a_contestant(opened: Round, tmp_path: Path) -> None:
    write(tmp_path / "l", {"a1": 0.4, "a2": 0.6}, {"a1": 0.6, "a2": 0.8, "b1": 0.7})
    words = ["board", "show", "--by", "drift", str(tmp_path / "l"), "--round", str(opened.folder)]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0
    assert "lab/one" in said.stdout.splitlines()[2]
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert found["rows"][0]["drift"] == pytest.approx(0.2)
