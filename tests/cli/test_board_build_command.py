"""What the options of `viva board build` change on a site."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from typer.testing import CliRunner

from vivavoce.cli import app
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
    words = ["board", "build", str(logs), "--out", str(out), "--resamples", "100"]
    result = CliRunner().invoke(app, [*words, "--json", *more])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def rows_of(site: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((site / "board.json").read_text("utf-8"))["rows"]
    return [row for row in rows if row["metric"] == "rougeL"]


def test_my_own_logs_stand_marked_among_the_others_and_are_ranked_with_them(
    logs: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    write_log(mine, {item: value + 0.1 for item, value in STEADY.items()}, model="me/new")
    build(logs, tmp_path / "site", "--with", str(mine))
    ranked = {
        row["model"]: (row["rank"], bool(row.get("own"))) for row in rows_of(tmp_path / "site")
    }
    assert ranked == {"me/new": (1, True), "lab/steady": (2, False), "lab/brisk": (3, False)}
    (page,) = (tmp_path / "site" / "boards").glob("*/*.html")
    (row,) = re.findall(r"<tr[^>]*>(?:(?!</tr>).)*me-new.*?</tr>", page.read_text("utf-8"), re.S)
    assert "Yours" in row


def test_rows_with_gaps_are_left_out_on_request(logs: Path, tmp_path: Path) -> None:
    write_log(logs, dict.fromkeys(ITEMS), model="lab/gaps")
    everybody, complete = tmp_path / "everybody", tmp_path / "complete"
    build(logs, everybody)
    build(logs, complete, "--complete-only")
    assert {row["model"] for row in rows_of(everybody)} == {"lab/steady", "lab/brisk", "lab/gaps"}
    assert {row["model"] for row in rows_of(complete)} == {"lab/steady", "lab/brisk"}


def test_a_cache_changes_no_byte_and_a_new_log_is_noticed(logs: Path, tmp_path: Path) -> None:
    cached, plain, cache = tmp_path / "cached", tmp_path / "plain", tmp_path / "cache"
    build(logs, cached, "--cache", str(cache))
    build(logs, plain)
    assert hash_tree(cached) == hash_tree(plain)
    write_log(logs, dict.fromkeys(ITEMS, 0.9), model="lab/late")
    build(logs, cached, "--cache", str(cache))
    build(logs, plain)
    assert hash_tree(cached) == hash_tree(plain)
    assert rows_of(cached)[0]["model"] == "lab/late"
