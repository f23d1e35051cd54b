"""`viva board show`, `compare` and `build`: JSON, tables for people, pages, and refusals."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from tests.results.audits.made_logs import write_log
from tests.servers.commands import only_json, small_round, title_logs, viva, viva_here

from vivavoce.running import RunSpec, run
from vivavoce.store import hash_tree

PAPERS = 4
KEYS = [
    *("round", "task", "task_version", "setting", "method", "model", "decoding", "prompt_hash"),
    *("judge", "metric", "value", "value_valid", "ci", "n", "missing", "undefined", "valid"),
    *("rank", "rank_interval", "tied_with", "undecided_with", "more_papers_needed"),
    *("contamination", "tokens", "cost", "seconds"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of three contestants on two tasks."""
    folder = tmp_path_factory.mktemp("board")
    title_logs(folder, PAPERS, tasks=["title", "abstract"], methods=["direct", "null", "oracle"])
    return folder / "logs"


def test_json_is_one_document_with_the_promised_keys(made: Path) -> None:
    done = viva_here("board", "show", made, "--json")
    board = only_json(done.stdout)
    assert len(board["rows"]) == 2 * 3 * 4  # tasks, contestants, three metrics and a diagnostic
    for row in board["rows"]:
        assert [key for key in KEYS if key not in row] == []
        assert 0 <= row["value"] <= (1 if row["metric"] != "length_ratio" else 100)
        assert row["ci"][0] <= row["value"] + 1e-12
        assert row["value"] <= row["ci"][1] + 1e-12
        assert row["n"] == PAPERS


def test_the_table_ranks_and_shows_the_ceiling_unranked(made: Path) -> None:
    text = viva("board", "show", made).stdout
    lines = text[text.index("title · base") :].splitlines()[3:6]
    assert [line.split()[0] for line in lines[:2]] == ["–", "1"]
    names = ["oracle", "extractive/lead", "null"]
    assert [name in line.split() for name, line in zip(names, lines, strict=True)] == [True] * 3
    assert "round small" in text
    assert "the ceiling and is not ranked" in text


def test_a_partial_log_is_refused_unless_asked_for(made: Path, tmp_path: Path) -> None:
    logs = Path(shutil.copytree(made, tmp_path / "logs"))
    spec = RunSpec(
        tasks=["title"],
        round=small_round(tmp_path, papers=PAPERS).folder,
        logs=logs,
        models=["extractive/centrality"],
        limit=1,
        display="none",
    )
    [name] = [Path(path).name for path in run(spec).logs]
    for verb in (("show",), ("build", "--out", tmp_path / "site")):
        done = viva_here("board", verb[0], logs, *verb[1:], expect=1)
        assert f"{name}: 1 of 4 answers" in done.stderr
        assert done.stdout == ""
    assert not (tmp_path / "site").exists()
    done = viva_here("board", "show", logs, "--partial")
    assert "extractive/centrality (partial)" in done.stdout
    assert f"Note: {name} is partial" in done.stdout
    rows = only_json(viva("board", "show", logs, "--partial", "--json").stdout)["rows"]
    assert {row["rank"] for row in rows if row["partial"]} == {None}


def test_the_table_names_the_winner_of_every_task(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    items = [f"item-{number:02d}" for number in range(12)]
    for task in ("title", "abstract"):
        for model, low in (("lab/one", 0.1), ("lab/two", 0.3)):
            values = {item: low + 0.02 * place for place, item in enumerate(items)}
            write_log(logs, values, model=model, task=task)
    done = viva_here(
        "board", "compare", "lab/one", "lab/two", "--logs", logs, "--items", "2", "--wide"
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if "· base · round made" in line] == [
        "abstract · base · round made · version 1-A",
        "title · base · round made · version 1-A",
    ]
    # 0.1 against 0.3 on each of twelve items, 2 / 2**12 = 0.0005.
    row = next(line for line in lines if line.startswith("rougeL"))
    ends = r"\[0\.\d{3}, 0\.\d{3}\]"
    assert re.fullmatch(
        rf"rougeL  0.210 {ends}  0.410 {ends}  -0.200 \[-0.200, -0.200\]  b +0 +0 +12 +12 *", row
    )
    assert "lab/two is ahead by 0.200 in rougeL" in done.stdout
    assert done.stdout.count("item-") == 4


ITEMS = [f"item-{number}" for number in range(8)]
STEADY = {item: 0.5 + 0.01 * place for place, item in enumerate(ITEMS)}
BRISK = {item: value - 0.2 for item, value in STEADY.items()}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    write_log(folder, STEADY, model="lab/steady")
    write_log(folder, BRISK, model="lab/brisk")
    return folder


def build(logs: Path, out: Path, *more: str) -> dict[str, Any]:
    words = ("board", "build", logs, "--out", out, "--resamples", "100", "--json")
    return dict(only_json(viva_here(*words, *more).stdout))


def rows_of(site: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((site / "board.json").read_text("utf-8"))["rows"]
    return [row for row in rows if row["metric"] == "rougeL"]


def test_my_own_logs_stand_marked_and_ranked_among_the_others(logs: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    write_log(mine, {item: value + 0.1 for item, value in STEADY.items()}, model="me/new")
    build(logs, tmp_path / "site", "--with", str(mine), "--samples", "8")
    ranked = {
        row["model"]: (row["rank"], bool(row.get("own"))) for row in rows_of(tmp_path / "site")
    }
    assert ranked == {"me/new": (1, True), "lab/steady": (2, False), "lab/brisk": (3, False)}
    (page,) = (tmp_path / "site" / "boards").glob("*/*.html")
    (row,) = re.findall(r'<tr[^>]*class="model own".*?</tr>', page.read_text("utf-8"), re.S)
    assert "<wbr>new" in row
    assert "Yours" in row
    # Its answers stand beside the published ones.
    (path,) = (tmp_path / "site").glob("samples/*/*/item-0-*.html")
    names = html.fromstring(path.read_bytes()).xpath("//article//h3//bdi/text()")
    assert sorted(names) == ["lab/brisk", "lab/steady", "me/new"]


def test_without_samples_no_text_is_written(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    assert build(logs, out, "--samples", "0")["page"] == str(out / "index.html")
    assert not (out / "samples").exists()
    assert "the gold text" not in (out / "index.html").read_text()


def test_a_cache_changes_no_byte_and_a_new_log_is_noticed(logs: Path, tmp_path: Path) -> None:
    cached, plain, cache = tmp_path / "cached", tmp_path / "plain", tmp_path / "cache"
    build(logs, cached, "--cache", str(cache))
    build(logs, plain, "--cache", str(tmp_path / "one"))
    assert hash_tree(cached) == hash_tree(plain)
    write_log(logs, dict.fromkeys(ITEMS, 0.9), model="lab/late")
    build(logs, cached, "--cache", str(cache))
    build(logs, plain, "--cache", str(tmp_path / "another"))
    assert hash_tree(cached) == hash_tree(plain)
    assert rows_of(cached)[0]["model"] == "lab/late"


def test_a_build_with_nothing_new_does_not_load_what_reads_logs(logs: Path, tmp_path: Path) -> None:
    words = ["board", "build", str(logs), "--out", str(tmp_path / "site"), "--resamples", "100"]
    code = (
        "import sys\nfrom vivavoce.cli import app\n"
        f"try:\n    app({[*words, '--cache', str(tmp_path / 'cache')]!r})\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "print('inspect_ai' in sys.modules)"
    )
    build(logs, tmp_path / "site", "--cache", str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False"


def test_a_key_is_refused_again_where_nothing_is_new(logs: Path, tmp_path: Path) -> None:
    note = "sk-" + "proj-4f9Zq81LmN2bX7cV5tR0"
    words = ("board", "build", logs, "--out", tmp_path / "site", "--note", note)
    for _ in range(2):
        assert "Do not publish" in viva_here(*words, expect=2).output
