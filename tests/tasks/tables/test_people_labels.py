"""What people said of distractors and demands, as a round takes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.errors import InputError
from vivavoce.tasks.tables.items.distractors import Candidate
from vivavoce.tasks.tables.items.pools import (
    count_checked,
    read_acceptance,
    read_paper_labels,
    without_included,
)
from vivavoce.tasks.tables.items.table_items import GoldTable


def table(table_id: str) -> GoldTable:
    return GoldTable(table_id, "s", "cited", "c", ("A",), (), None)


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def test_a_paper_that_people_include_is_no_distractor(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "labels.jsonl",
        {"id": "t1 p1", "table": "t1", "paper": "p1", "decision": "include"},
        {"id": "t1 p2", "table": "t1", "paper": "p2", "decision": "exclude"},
        {"id": "t2 p3", "table": "t2", "paper": "p3", "decision": "include"},
    )
    labels = read_paper_labels(path)
    candidates = [Candidate("p1", 0.9), Candidate("p2", 0.8), Candidate("p3", 0.7)]
    kept = without_included(table("t1"), candidates, labels)
    assert [one.paper for one in kept] == ["p2", "p3"]
    assert count_checked("t1", ["p2", "p3"], labels) == 1
    assert without_included(table("t9"), candidates, labels) == tuple(candidates)


def test_demands_are_accepted_or_not(tmp_path: Path) -> None:
    rows = ({"id": "t1", "accepted": True, "offensive": "no"}, {"id": "t2", "accepted": False})
    assert read_acceptance(lines(tmp_path / "l.jsonl", *rows)) == {"t1": True, "t2": False}


GOOD = {"table": "t", "paper": "p", "decision": "include"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {**GOOD, "decision": "maybe"},
            "decision: Input should be 'include' or 'exclude'",
        ),
        ({**GOOD, "table": 5}, "table: Input should be a valid string; got 5"),
        ({"table": "t", "decision": "include"}, "paper: Field required"),
        ({**GOOD, "decision": "exclude"}, "was include before"),
    ],
)
def test_a_bad_label_of_a_paper_is_named_by_its_line(
    tmp_path: Path, row: object, message: str
) -> None:
    path = lines(tmp_path / "l.jsonl", GOOD, row)
    with pytest.raises(InputError) as refused:
        read_paper_labels(path)
    assert f"{path}:2" in str(refused.value)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "t", "accepted": "yes"}, "accepted: Input should be a valid boolean; got 'yes'"),
        ({"accepted": True}, "id: Field required"),
        ({"id": "t", "accepted": False}, "otherwise before"),
    ],
)
def test_a_bad_label_of_a_demand_is_named_by_its_line(
    tmp_path: Path, row: object, message: str
) -> None:
    path = lines(tmp_path / "l.jsonl", {"id": "t", "accepted": True}, row)
    with pytest.raises(InputError) as refused:
        read_acceptance(path)
    assert f"{path}:2" in str(refused.value)
    assert message in str(refused.value)


@pytest.mark.parametrize("read", [read_paper_labels, read_acceptance])
def test_an_empty_file_is_told(tmp_path: Path, read: object) -> None:
    with pytest.raises(InputError, match="no label"):
        read(lines(tmp_path / "l.jsonl"))  # type: ignore[operator]
