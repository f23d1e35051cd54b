"""Metrics of labelled lines corrected by people, where the judge errs at a known rate."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.results.audits.test_corrected_judge import DRAW, DRAWN, ITEMS

from vivavoce.errors import InputError
from vivavoce.results.audits.judge import audit_judge
from vivavoce.results.board.building import leaderboard
from vivavoce.store import write_jsonl

ABOUT = {"nuggets": ["vital", "okay"], "claims": [[[1], 0], [[1], 0]], "relevance": 0}
"""Two facts, two claims that cite the first work, two works."""
GOOD = {"nuggets": "supported", "claims": "supported", "relevance": "2"}
BAD = {"nuggets": "absent", "claims": "contradicted", "relevance": "0"}
SHARES = (
    "nugget_coverage",
    "nugget_coverage_strict",
    "nugget_coverage_vital",
    "nugget_coverage_vital_strict",
    "support",
    "citation_precision",
    "claim_coverage",
    "relevance",
)
"""All metrics of lines that are 1 for a good answer and 0 for a bad one."""


def number(item: str) -> int:
    return int(item[-2:])


def is_good(item: str) -> bool:
    return number(item) % 2 == 0


def seems_good(item: str) -> bool:
    """The judge takes every second bad answer for a good one."""
    return number(item) % 4 != 3


def record(question: str, good: bool) -> dict[str, Any]:
    label = (GOOD if good else BAD)[question]
    works = [[1], [1]] if good else [[], []]
    return {"about": ABOUT[question], "labels": [label, label], "works": works}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    rulings = {i: {name: record(name, seems_good(i)) for name in ABOUT} for i in ITEMS}
    values = {item: float(seems_good(item)) for item in ITEMS}
    write_log(tmp_path / "logs", values, judge="lab/judge", rulings=rulings, metrics=SHARES)
    return tmp_path / "logs"


def labels(path: Path, items: Iterable[str], **more: Any) -> Path:
    """People's labels of both lines of each question; they do not err."""
    rows = [
        {
            "id": item,
            "contestant": "lab/one",
            "question": question,
            "line": line,
            "label": (GOOD if is_good(item) else BAD)[question],
            "works": [1] if is_good(item) else [],
            **more,
        }
        for item in items
        for question in ABOUT
        for line in (1, 2)
    ]
    write_jsonl(path, rows)
    return path


def test_every_metric_of_lines_is_corrected_and_its_interval_covers_the_truth(
    logs: Path, tmp_path: Path
) -> None:
    human = labels(tmp_path / "labels.jsonl", DRAWN, draw=DRAW)
    audit = audit_judge(logs, human=human, correct=True)
    rows = {row["metric"]: row for row in audit.corrected}
    assert set(rows) == {*SHARES, "contradicted"}
    # Of fifty drawn answers 26 are good and 12 bad ones seem so; of the others 24 and 13.
    people, judge, elsewhere = 26 / 50, 38 / 50, 37 / 50
    spread = 50 * judge * (1 - judge) + 50 * elsewhere * (1 - elsewhere)
    weight = (26 - 50 * people * judge) / spread
    for metric in SHARES:
        row = rows[metric]
        assert (row["raw"]["value"], row["labels"]) == (0.75, 50)
        assert row["raw"]["ci"][0] > 0.5  # the truth: every second answer is good
        assert row["weight"] == pytest.approx(weight)
        assert row["calibrated"]["value"] == pytest.approx(people + weight * (elsewhere - judge))
        assert row["calibrated"]["ci"][0] < 0.5 < row["calibrated"]["ci"][1]
    corrected, mirrored = (rows[name]["calibrated"] for name in ("support", "contradicted"))
    assert mirrored["value"] == pytest.approx(1 - corrected["value"])
    assert audit.notes == ()
    board = {row["metric"]: row for row in leaderboard(logs, human=human).rows}
    assert {board[name]["calibrated"]["value"] for name in SHARES} == {corrected["value"]}


def test_labels_that_name_no_works_say_nothing_on_citations(logs: Path, tmp_path: Path) -> None:
    human = labels(tmp_path / "labels.jsonl", DRAWN, works=None)
    audit = audit_judge(logs, human=human, correct=True)
    counts = {row["metric"]: row["labels"] for row in audit.corrected}
    assert (counts["support"], counts["citation_precision"], counts["claim_coverage"]) == (50, 0, 0)
    assert any("not from a reproducible random draw" in note for note in audit.notes)


def test_few_labels_are_said_to_be_peoples_alone(logs: Path, tmp_path: Path) -> None:
    human = labels(tmp_path / "labels.jsonl", DRAWN[:20], draw=DRAW)
    audit = audit_judge(logs, human=human, correct=True)
    assert {row["weight"] for row in audit.corrected} == {0.0}
    assert any("9 values are from human labels alone" in note for note in audit.notes)


def test_a_label_of_one_of_two_tasks_has_to_say_which(logs: Path, tmp_path: Path) -> None:
    rulings = {item: {"nuggets": record("nuggets", True)} for item in ITEMS}
    values = dict.fromkeys(ITEMS, 1.0)
    write_log(logs, values, task="abstract", judge="lab/judge", rulings=rulings)
    human = labels(tmp_path / "labels.jsonl", DRAWN[:1])
    with pytest.raises(InputError, match=r"labels.jsonl:1 may mean several answers of 'lab/one'"):
        audit_judge(logs, human=human, correct=True)
    labels(human, DRAWN[:3], task="title")
    rows = audit_judge(logs, human=human, correct=True).corrected
    assert {row["task"]: row["labels"] for row in rows} == {"title": 3, "abstract": 0}


def test_labels_that_do_not_say_what_they_are_about_are_refused(tmp_path: Path) -> None:
    rulings = {"paper-00": {"nuggets": {"labels": ["supported"]}}}
    write_log(tmp_path, {"paper-00": 1.0}, judge="lab/judge", rulings=rulings, name="old.eval")
    with pytest.raises(InputError, match=r"old.eval has labels of an earlier version"):
        audit_judge(tmp_path)
