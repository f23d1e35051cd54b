"""`--split` narrows boards to the items of one split, wherever a board is made."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.servers.commands import only_json, viva_here

SPLITS = {"a": "train", "b": "train", "c": "val", "d": "test", "e": "test"}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two models on all items; the second one also ran the test items alone."""
    folder = tmp_path / "logs"
    first = {"a": 0.1, "b": 0.1, "c": 0.1, "d": 0.5, "e": 0.7}
    write_log(folder, first, model="lab/one", splits=SPLITS)
    write_log(folder, dict.fromkeys(SPLITS, 0.2), model="lab/two", splits=SPLITS)
    only = {"d": 0.3, "e": 0.3}
    write_log(folder, only, model="lab/three", setting="base+test", splits=SPLITS)
    return folder


def rows_of(found: dict[str, Any]) -> dict[tuple[str, str], tuple[float, int]]:
    return {
        (row["model"], row["setting"]): (round(row["value"], 9), row["n"])
        for row in found["rows"]
        if row["headline"]
    }


def test_a_board_of_a_split_counts_its_items_alone(logs: Path) -> None:
    everything = only_json(viva_here("board", "show", logs, "--json").stdout)
    assert rows_of(everything) == {
        ("lab/one", "base"): (0.3, 5),
        ("lab/two", "base"): (0.2, 5),
        ("lab/three", "base+test"): (0.3, 2),
    }
    test = only_json(viva_here("board", "show", logs, "--split", "test", "--json").stdout)
    assert rows_of(test) == {
        ("lab/one", "base+test"): (0.6, 2),
        ("lab/two", "base+test"): (0.2, 2),
        ("lab/three", "base+test"): (0.3, 2),
    }
    part = only_json(viva_here("board", "show", logs, "--split", "validation", "--json").stdout)
    assert rows_of(part) == {
        ("lab/one", "base+validation"): (0.1, 1),
        ("lab/two", "base+validation"): (0.2, 1),
    }
    assert any("has no answer to a validation item" in note for note in part["notes"])


def test_a_site_of_a_split_shows_its_items(logs: Path, tmp_path: Path) -> None:
    site, kept = tmp_path / "site", tmp_path / "kept"
    for words in ((), ("--split", "test")):  # one store serves both
        viva_here("board", "build", logs, "--out", site, "--cache", kept, *words)
    board = json.loads((site / "board.json").read_text("utf-8"))
    assert {key[1] for key in rows_of(board)} == {"base+test"}
    assert len([p for p in site.glob("samples/*/*/*.html") if p.name != "index.html"]) == 2


def test_two_are_compared_on_a_split(logs: Path) -> None:
    words = ("board", "compare", "lab/one", "lab/two", "--logs", logs, "--split", "test", "--json")
    [duel] = only_json(viva_here(*words).stdout)["duels"]
    assert (duel["setting"], duel["items"]) == ("base+test", 2)
    assert duel["metrics"][0]["difference"] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("split", "complaint"),
    [("dev", "There are: train, validation, test"), ("train", "has an answer to a train item")],
)
def test_a_split_that_is_not_there_is_refused(tmp_path: Path, split: str, complaint: str) -> None:
    write_log(tmp_path, {"d": 0.5}, splits=SPLITS)
    for words in (("show",), ("show", "--by", "setting"), ("build", "--out", tmp_path / "site")):
        verb, *rest = words
        done = viva_here("board", verb, tmp_path, *rest, "--split", split, expect=2)
        assert complaint in done.stderr
