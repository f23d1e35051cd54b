"""viva list and viva doctor."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from vivavoce import installation

Viva = Callable[..., Result]


@pytest.mark.parametrize(
    ("thing", "column", "expected"),
    [
        ("tasks", "task", "vivavoce/title"),
        ("methods", "method", "direct"),
        ("metrics", "metric", "rougeL"),
        ("sources", "source", "tei"),
    ],
)
def test_what_there_is_is_listed(viva: Viva, thing: str, column: str, expected: str) -> None:
    found = json.loads(viva("list", thing, "--json").stdout)
    assert expected in [row[column] for row in found]
    printed = viva("list", thing, "--wide").stdout.splitlines()
    assert printed[0].split()[0] == column
    assert len(printed) == 2 + len(found)


def test_rounds_of_a_folder_are_listed_and_other_folders_passed_over(
    viva: Viva, small: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rounds"
    assert json.loads(viva("list", "rounds", "--in", out, "--json").stdout) == []
    shutil.copytree(small.parent, out)
    (out / "else").mkdir()
    (out / "else" / "manifest.json").write_text('{"name": "something else"}')
    result = viva("list", "rounds", "--in", out, "--json")
    (row,) = json.loads(result.stdout)
    assert (row["round"], row["start"], row["end"]) == ("small", "2023-01-01", "2025-01-01")
    assert row["folder"] == str(out / "small")
    assert str(out / "else") in result.stderr


def test_doctor_finds_what_this_test_runs_on(viva: Viva) -> None:
    result = viva("doctor", "--json")
    assert result.exit_code == 0
    found = {row["name"]: row for row in json.loads(result.stdout)}
    assert found["base packages"]["state"] == "ok"
    assert found["Python 3.11 or newer"]["state"] == "ok"
    assert found["extra test"]["state"] == "ok"


def test_doctor_names_what_is_missing_and_the_command_that_installs_it(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(
        installation.metadata, "requires", lambda _: ["no-such-package>=1", 'nor-this; extra=="x"']
    )
    result = viva("doctor", "--json")
    assert result.exit_code == 1  # nothing works without the base packages
    found = {row["name"]: row for row in json.loads(result.stdout)}
    assert found["base packages"]["install"] == "pip install vivavoce"
    assert "no-such-package" in found["base packages"]["found"]
    assert found["extra x"]["install"] == "pip install 'vivavoce[x]'"
    assert found["extra x"]["is_fatal"] is False
    docker = found["docker (optional)"]  # bubblewrap does as well
    assert (docker["state"], docker["install"]) == ("unused", "")


def test_doctor_works_without_an_installation(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise installation.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(installation.metadata, "version", unknown)
    result = viva("doctor")
    assert result.exit_code == 1
    assert "pip install vivavoce" in result.stdout
