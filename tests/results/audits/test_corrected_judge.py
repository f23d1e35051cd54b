"""Win rates of judges corrected by people's labels: by hand, and with labels that mislead."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.results.audits.made_logs import LOST, TIED, WON, judge_note, write_log
from tests.servers.commands import only_json, viva_here

from vivavoce.errors import InputError
from vivavoce.results.audits.judge import audit_judge
from vivavoce.results.board.building import leaderboard

ITEMS = [f"paper-{number:02d}" for number in range(100)]
DRAW = "50 of 100 clusters at random, seed 0"
DRAWN = sorted(ITEMS[place] for place in np.random.default_rng(0).permutation(100)[:50])


def judged(folder: Path, places: Mapping[str, tuple[str, str]], judge: str = "lab/judge") -> Path:
    """A log whose win rates are those of the verdicts."""
    points = {WON: 1.0, TIED: 0.5, LOST: 0.0}
    write_log(
        folder,
        {item: points[won] for item, won in places.items()},
        judge=judge,
        notes={item: judge_note(judge, *won) for item, won in places.items()},
        metrics=("rougeL", "judge_win"),
    )
    return folder


def labels(path: Path, verdicts: Mapping[str, str], **more: Any) -> Path:
    rows = [
        {"id": item, "a": "lab/one", "b": "reference", "verdict": verdict, **more}
        for item, verdict in verdicts.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A judge that lets every answer win, but for each fourth."""
    return judged(
        tmp_path / "logs", {item: LOST if n % 4 == 0 else WON for n, item in enumerate(ITEMS)}
    )


@pytest.fixture
def human(tmp_path: Path) -> Path:
    """Of fifty items that were drawn people let odd ones win, never one the judge lets lose."""
    verdicts = {item: "a" if int(item[-2:]) % 2 else "b" for item in DRAWN}
    return labels(tmp_path / "labels.jsonl", verdicts, draw=DRAW)


def test_a_lenient_judge_is_corrected_by_people(logs: Path, human: Path) -> None:
    audit = audit_judge(logs, human=human, correct=True)
    [row] = audit.corrected
    assert (row["contestant"], row["task"], row["setting"]) == ("lab/one", "title", "base")
    assert row["raw"]["value"] == pytest.approx(0.75)
    # People: 24 of 50; the judge there: 40 of 50, elsewhere 35 of 50.
    weight = (24 - 50 * 0.48 * 0.8) / (40 - 50 * 0.8**2 + 35 - 50 * 0.7**2)
    assert row["weight"] == pytest.approx(weight)
    assert row["calibrated"]["value"] == pytest.approx(0.48 + weight * (0.7 - 0.8))
    low, high = row["calibrated"]["ci"]
    assert 0.25 < low < 0.45 < high < 0.65
    assert row["calibrated"]["labels"] == row["labels"] == 50
    assert audit.notes == ()


@pytest.mark.parametrize(
    "record",
    [
        "50 of 100 clusters at random, seed 1",
        "50 of 90 clusters at random, seed 0",
        "5 of 100 clusters at random, seed 0",
        "with a die",
    ],
)
def test_a_record_that_draws_other_items_is_no_draw(logs: Path, human: Path, record: str) -> None:
    human.write_text(human.read_text(encoding="utf-8").replace(DRAW, record), encoding="utf-8")
    audit = audit_judge(logs, human=human, correct=True)
    assert any("not from a reproducible random draw" in note for note in audit.notes)


def test_one_person_counts_once_and_several_with_their_mean(logs: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    first = labels(path, dict.fromkeys(DRAWN[:4], "b"), draw=DRAW, person="ann").read_text()
    again = labels(path, dict.fromkeys(DRAWN[:4], "a"), draw=DRAW, person="ann").read_text()
    other = labels(path, dict.fromkeys(DRAWN[:4], "tie"), draw=DRAW, person="ben").read_text()
    path.write_text(first + again + other)
    audit = audit_judge(logs, human=path, correct=True)
    [row] = audit.corrected
    assert row["labels"] == 4
    assert row["calibrated"]["value"] == pytest.approx(0.75)  # ann at last 1, ben 1/2
    assert any("4 labels left out: the same person" in note for note in audit.notes)


def test_a_contestant_with_fewer_than_two_labels_is_not_calibrated(
    logs: Path, tmp_path: Path
) -> None:
    one = labels(tmp_path / "one.jsonl", {DRAWN[0]: "a"}, draw=DRAW)
    [row] = audit_judge(logs, human=one, correct=True).corrected
    assert (row["calibrated"], row["labels"]) == (None, 1)


def test_boards_show_the_corrected_rate_beside_the_raw_one(
    logs: Path, human: Path, tmp_path: Path
) -> None:
    [corrected] = audit_judge(logs, human=human, correct=True).corrected
    rows = {row["metric"]: row for row in leaderboard(logs, human=human).rows}
    assert rows["judge_win"]["value"] == pytest.approx(0.75)
    assert rows["judge_win"]["calibrated"] == corrected["calibrated"]
    assert rows["rougeL"]["calibrated"] is None
    without = {row["metric"]: row for row in leaderboard(logs).rows}
    assert without["judge_win"]["calibrated"] is None
    shown = viva_here("board", "show", logs, "--human", human, "--json")
    assert [row["calibrated"] for row in only_json(shown.stdout)["rows"] if row["calibrated"]] == [
        corrected["calibrated"]
    ]
    viva_here("board", "build", logs, "--out", tmp_path / "site", "--human", human)
    (page,) = (tmp_path / "site" / "boards").rglob("*.html")
    assert "corrected by 50 labels" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("verdicts", "cause"),
    [({"paper-100": "a"}, "paper-100"), ({}, "no label")],
)
def test_labels_that_fit_nothing_are_refused(
    logs: Path, tmp_path: Path, verdicts: dict[str, str], cause: str
) -> None:
    wrong = labels(tmp_path / "wrong.jsonl", verdicts)
    with pytest.raises(InputError, match=cause):
        audit_judge(logs, human=wrong, correct=True)
    viva_here("board", "show", logs, "--human", wrong, expect=2)


def test_nothing_to_correct_by_is_refused(logs: Path) -> None:
    with pytest.raises(InputError, match="--human"):
        audit_judge(logs, correct=True)
