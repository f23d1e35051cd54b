"""viva round update, diff, seal, reveal and unseal."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from tests.servers.arxiv_replay import FakeClock, replaying
from tests.servers.living_arxiv import LivingArxiv, submissions
from typer.testing import Result

from vivavoce.store import hash_tree, read_json, write_sealed

Viva = Callable[..., Result]
SPEC = """
[round]
id = "live"
window = {start = 2024-01-01, end = 2024-04-15}
families = ["writing"]
sealed = true

[writing]
settings = ["base"]

[update]
quota = 3
keep_days = 150
anchors = 1
"""


@pytest.fixture
def rounds(viva: Viva, sample: Path, tmp_path: Path) -> Path:
    """A folder with a round; then twenty more papers come into the corpus."""
    (tmp_path / "live.toml").write_text(SPEC)
    out = tmp_path / "rounds"
    made = viva("round", "build", tmp_path / "live.toml", "--corpus", sample, "--out", out)
    assert made.exit_code == 0
    assert viva("ingest", "sample", "60", "--corpus", sample).exit_code == 0
    return out


@pytest.fixture
def update(viva: Viva, sample: Path, rounds: Path) -> Callable[..., Result]:
    def run(name: str, until: str, *more: object) -> Result:
        options = ("--corpus", sample, "--out", rounds, "--until", until, *more)
        return viva("round", "update", rounds / name, *options)

    return run


def test_an_update_says_what_it_did_and_ends_with_the_folder(
    update: Callable[..., Result], viva: Viva, rounds: Path
) -> None:
    result = update("live", "2024-07-01")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[-1] == str(rounds / "live-2024-07-01")
    assert lines[0].startswith("New papers: ")
    assert f"revealed in {rounds / 'live.revealed.json'}" in result.stdout
    assert viva("round", "verify", lines[-1]).exit_code == 0

    before = hash_tree(rounds)
    for name in ("live", "live-2024-07-01"):
        again = update(name, "2024-07-01")
        assert (again.exit_code, again.stdout.splitlines()[0]) == (
            0,
            "Nothing is new: no round was written.",
        )
        assert again.stdout.splitlines()[-1] == lines[-1]
    assert hash_tree(rounds) == before

    differs = viva("round", "diff", rounds / "live", lines[-1])
    assert differs.exit_code == 0
    assert differs.stdout.startswith("live-2024-07-01 follows from live\n")
    assert "round.window.end: 2024-04-15 -> 2024-07-01" in differs.stdout
    found = json.loads(viva("round", "diff", rounds / "live", lines[-1], "--json").stdout)
    assert found["tasks"]["writing/title"]["anchors"] == 1

    sealed, revealed = rounds / "live.sealed.json", rounds / "live.revealed.json"
    assert viva("round", "unseal", sealed, revealed).stdout == f"{revealed} is sound\n"
    shown = {name: value for name, value in read_json(revealed).items() if name != "seal"}
    shown["items"]["writing/title"][0] = "another"
    write_sealed(revealed, shown)
    refused = viva("round", "unseal", sealed, revealed)
    assert refused.exit_code == 1
    assert "writing/title another was not promised" in refused.stdout


def test_json_has_the_update_and_the_requests(
    update: Callable[..., Result], rounds: Path, tmp_path: Path
) -> None:
    archive = submissions(4, 4)
    with replaying({}, FakeClock()) as server:
        server.script = LivingArxiv(archive, date(2025, 1, 1))
        options = ("--arxiv", "cat:cs.CL", "--base", server.origin, "--json")
        summary = json.loads(update("live", "2024-07-01", *options).stdout)
    assert summary["requests"] == {"listing": 1, "texts": 0, "total": 1, "so_far": 1}
    assert (summary["round"], summary["parent"]) == ("live-2024-07-01", "live")
    assert summary["path"] == str(rounds / "live-2024-07-01")
    assert summary["is_new"] is True
    assert summary["update"]["published_requests"]["total"] > 60
    file = tmp_path / "newer.jsonl"
    file.write_text('{"id": "new", "title": "New", "published": "2024-08-01"}\n')
    said = update("live-2024-07-01", "2024-09-01", "--metadata", file).stdout
    assert said.startswith("0 requests: 0 listings, 0 texts (1 so far); the published procedure ")
    assert "1 papers are new in the corpus" in said


def test_seal_and_reveal_write_files_to_be_published(
    viva: Viva, rounds: Path, tmp_path: Path
) -> None:
    for verb, suffix in (("seal", "sealed"), ("reveal", "revealed")):
        done = viva("round", verb, rounds / "live", "--out", tmp_path / "published", "--json")
        path = tmp_path / "published" / f"live.{suffix}.json"
        assert json.loads(done.stdout) == {"path": str(path)}
        assert read_json(path)["round"] == "live"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--until", "2024-01-31"], 2, "would go back in time"),
        (["--until", "soon"], 2, "does not match the format"),
        (["--until", "2024-07-01", "--id", "live"], 2, "Choose another with --id"),
        (["--until", "2024-07-01", "--oai", "cs", "--arxiv", "x"], 2, "from one place"),
    ],
)
def test_wrong_use_ends_with_2(
    viva: Viva, sample: Path, rounds: Path, words: list[str], code: int, said: str
) -> None:
    options = ("--corpus", sample, "--out", rounds)
    result = viva("round", "update", rounds / "live", *options, *words)
    assert result.exit_code == code
    assert said in " ".join(result.stderr.split())
