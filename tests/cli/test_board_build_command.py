"""What the options of `viva board build` change on a site."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.servers.commands import only_json, viva_here

from vivavoce.store import hash_tree

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
    build(logs, tmp_path / "site", "--with", str(mine))
    ranked = {
        row["model"]: (row["rank"], bool(row.get("own"))) for row in rows_of(tmp_path / "site")
    }
    assert ranked == {"me/new": (1, True), "lab/steady": (2, False), "lab/brisk": (3, False)}
    (page,) = (tmp_path / "site" / "boards").glob("*/*.html")
    (row,) = re.findall(r'<tr[^>]*class="model own".*?</tr>', page.read_text("utf-8"), re.S)
    assert "<wbr>new" in row
    assert "Yours" in row


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
