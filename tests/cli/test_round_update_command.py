"""viva round update, seal, reveal and unseal."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.commands import viva_here
from typer.testing import Result

from vivavoce.rounds import load_round
from vivavoce.store import hash_tree, read_json, write_sealed

PAPER = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">{0}</title></titleStmt></fileDesc></teiHeader><text><body>
<div><head>Introduction</head><p>{1}</p></div></body></text></TEI>"""
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


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a round; then twenty more papers come into the corpus."""
    folder = tmp_path_factory.mktemp("begun")
    corpus = folder / "sample"
    viva_here("ingest", "sample", "40", "--corpus", corpus)
    (folder / "live.toml").write_text(SPEC)
    where = ("--corpus", corpus, "--out", folder / "rounds")
    viva_here("round", "build", folder / "live.toml", *where)
    viva_here("ingest", "sample", "60", "--corpus", corpus)
    return folder


@pytest.fixture
def sample(begun: Path, tmp_path: Path) -> Path:
    """The corpus of sixty papers, to be changed."""
    return Path(shutil.copytree(begun / "sample", tmp_path / "sample"))


@pytest.fixture
def rounds(begun: Path, tmp_path: Path) -> Path:
    """The round of forty of them, in a folder for more."""
    return Path(shutil.copytree(begun / "rounds", tmp_path / "rounds"))


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
            "No new papers: no round was written.",
        )
        assert again.stdout.splitlines()[-1] == lines[-1]
    assert hash_tree(rounds) == before

    sealed, revealed = rounds / "live.sealed.json", rounds / "live.revealed.json"
    assert viva("round", "seal", sealed, "--check", revealed).stdout == f"{revealed} is sound\n"
    shown = {name: value for name, value in read_json(revealed).items() if name != "seal"}
    shown["items"]["writing/title"][0] = "another"
    write_sealed(revealed, shown)
    refused = viva("round", "seal", sealed, "--check", revealed)
    assert refused.exit_code == 1
    assert "writing/title another was not promised" in refused.stdout


def test_json_has_the_update(update: Callable[..., Result], rounds: Path) -> None:
    summary = json.loads(update("live", "2024-07-01", "--json").stdout)
    assert (summary["round"], summary["parent"]) == ("live-2024-07-01", "live")
    assert summary["path"] == str(rounds / "live-2024-07-01")
    assert summary["is_new"] is True
    assert summary["update"]["new_papers"] > 0


@pytest.mark.slow
def test_twice_is_fine_and_a_late_text_makes_a_new_round(
    viva: Viva, update: Callable[..., Result], sample: Path, rounds: Path, tmp_path: Path
) -> None:
    """An update as a timer runs it: again on the same day, and after a text came late."""
    (tmp_path / "plain.toml").write_text(SPEC.split("[update]")[0].replace("live", "plain"))
    options = ("--corpus", sample, "--out", rounds)
    assert viva("round", "build", tmp_path / "plain.toml", *options).exit_code == 0
    first = json.loads(update("plain", "2024-07-01", "--json").stdout)
    made = hash_tree(rounds)
    again = update("plain", "2024-07-01", "--json")
    latest = update("plain-2024-07-01", "2024-07-01", "--json")
    assert (again.exit_code, latest.exit_code) == (0, 0)
    for summary in (json.loads(again.stdout), json.loads(latest.stdout)):
        assert (summary["path"], summary["is_new"]) == (first["path"], False)
    assert hash_tree(rounds) == made

    # The metadata of a paper of that time come, which is no other round; then its text.
    row = {"arxiv_id": "2405.00001", "title": "A late paper of May", "published": "2024-05-05"}
    row["abstract"] = " ".join(f"late{number}" for number in range(60))
    file = tmp_path / "late.jsonl"
    file.write_text(json.dumps(row) + "\n")
    assert viva("ingest", "metadata", file, "--corpus", sample).exit_code == 0
    summary = json.loads(update("plain", "2024-07-01", "--json").stdout)
    assert (summary["path"], summary["is_new"]) == (first["path"], False)
    body = " ".join(f"body{number}" for number in range(500))
    text = tmp_path / "late.tei.xml"
    text.write_text(PAPER.format(row["title"], body))
    assert viva("ingest", "tei", text, "--corpus", sample).exit_code == 0
    late = update("plain", "2024-07-01", "--json")
    assert late.exit_code == 0
    summary = json.loads(late.stdout)
    assert (summary["round"], summary["is_new"]) == ("plain-2024-07-01.2", True)
    items = {row["id"] for row in load_round(summary["path"]).items("writing", "title")}
    before = {row["id"] for row in load_round(first["path"]).items("writing", "title")}
    assert items - before == {"arxiv:2405.00001"}
    kept = {n: h for n, h in hash_tree(rounds).items() if not n.startswith("plain-2024-07-01.2")}
    assert {**made, **kept} == kept
    again = json.loads(update("plain", "2024-07-01", "--json").stdout)
    assert (again["round"], again["is_new"]) == ("plain-2024-07-01.2", False)
    after = json.loads(update("plain-2024-07-01.2", "2024-08-01", "--json").stdout)
    assert after["round"] == "plain-2024-08-01"


def test_seal_and_reveal_write_files_to_publish(viva: Viva, rounds: Path, tmp_path: Path) -> None:
    for suffix, more in (("sealed", []), ("revealed", ["--reveal"])):
        out = ("--out", tmp_path / "published")
        done = viva("round", "seal", rounds / "live", *out, "--json", *more)
        path = tmp_path / "published" / f"live.{suffix}.json"
        assert json.loads(done.stdout) == {"path": str(path)}
        assert read_json(path)["round"] == "live"
    for words in ([], ["--check", path, "--reveal"]):
        assert viva("round", "seal", rounds / "live", *words).exit_code == 2
