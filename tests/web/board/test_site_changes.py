"""What came, went or was scored again from one build to the next, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from tests.web.board.board_courses import scored, site_with
from tests.web.board.board_rows import HOSTILE

from vivavoce.errors import InputError
from vivavoce.web.board import downloads
from vivavoce.web.board.page import write_pages
from vivavoce.web.board.pages import changes
from vivavoce.web.board.pages.changes import History

ONE, TWO, THREE = scored("a/one", 0.6, 1), scored("b/two", 0.5, 2), scored("c/three", 0.4, 3)


def build(out: Path, *rows: dict, **given: Any) -> History:
    site = site_with(*rows)
    history = changes.history_of(site, out, **given)
    write_pages([*downloads.files(site), *changes.pages(site, history)], out)
    return history


def entries(history: History, number: int) -> list[tuple[str, str]]:
    return [(entry["kind"], entry["model"]) for entry in history.builds[number - 1]["entries"]]


def test_the_first_build_counts_its_rows_and_lists_none(tmp_path: Path) -> None:
    history = build(tmp_path, ONE, TWO, date="2026-01-02")
    assert history.builds == ({"number": 1, "date": "2026-01-02", "rows": 2, "entries": []},)
    stored = json.loads((tmp_path / "changes.json").read_text("ascii"))
    assert stored["builds"] == list(history.builds)
    assert stored["schema_version"] == 1


def test_rows_that_come_go_and_are_scored_again(tmp_path: Path) -> None:
    build(tmp_path, ONE, TWO)
    history = build(tmp_path, {**ONE, "value": 0.7}, THREE)
    assert sorted(entries(history, 2)) == [
        ("added", "c/three"),
        ("removed", "b/two"),
        ("rescored", "a/one"),
    ]
    (again,) = (entry for entry in history.builds[1]["entries"] if entry["kind"] == "rescored")
    assert (again["before"], again["values"]) == ({"rougeL": 0.6}, {"rougeL": 0.7})


def test_another_rank_alone_is_no_change(tmp_path: Path) -> None:
    build(tmp_path, ONE, TWO)
    history = build(tmp_path, {**ONE, "rank": 2}, {**TWO, "rank": 1})
    assert entries(history, 2) == []


def test_the_same_board_again_is_no_build(tmp_path: Path) -> None:
    first = build(tmp_path, ONE, TWO)
    before = (tmp_path / "changes.json").read_bytes()
    assert build(tmp_path, ONE, TWO, date="2026-02-02") == first
    assert (tmp_path / "changes.json").read_bytes() == before


def test_a_new_round_and_a_lost_board_are_listed_row_by_row(tmp_path: Path) -> None:
    build(tmp_path, ONE)
    history = build(tmp_path, {**ONE, "round": "2026-q2"})
    found = [(e["kind"], e["round"]) for e in history.builds[1]["entries"]]
    assert sorted(found) == [("added", "2026-q2"), ("removed", "2026-q1")]


def test_removed_rows_stay_struck_through_until_they_come_back(tmp_path: Path) -> None:
    reasons = [
        {"model": "nobody", "reason": "another reason"},
        {"model": "b/two", "task": "vivavoce/title", "reason": "withdrawn by its maker"},
    ]
    build(tmp_path, ONE, TWO, THREE)
    build(tmp_path, ONE, THREE, reasons=reasons, date="2026-03-04")
    history = build(tmp_path, ONE)
    (board,) = site_with(ONE).boards
    assert changes.removed_from(history, board) == [
        ("b/two", "rougeL 0.500, removed in 2026-03-04: withdrawn by its maker"),
        ("c/three", "rougeL 0.400, removed in build 3: no reason was given"),
    ]
    history = build(tmp_path, ONE, TWO)
    assert [name for name, _ in changes.removed_from(history, board)] == ["c/three"]


def test_the_page_shows_the_newest_build_first(tmp_path: Path) -> None:
    build(tmp_path, ONE, TWO)
    build(tmp_path, ONE, reasons=[{"model": "b/two", "reason": "it was run twice"}])
    page = html.fromstring((tmp_path / "changes.html").read_bytes())
    assert [" ".join(h.text_content().split()) for h in page.xpath("//h2")] == [
        "Build 2",
        "Build 1",
    ]
    assert page.xpath("string(//table//s)") == "b/two"
    assert "it was run twice" in page.text_content()
    assert page.xpath("string(//tbody/tr/td[3])") == "rougeL 0.500"
    assert "The first build: 2 rows." in page.text_content()


def test_a_new_score_stands_beside_the_old_one(tmp_path: Path) -> None:
    more = {**ONE, "metric": "rouge1", "rank": None}
    build(tmp_path, ONE, more)
    build(tmp_path, {**ONE, "value": 0.7}, {**more, "value": 0.8})
    page = html.fromstring((tmp_path / "changes.html").read_bytes())
    assert page.xpath("string(//tbody/tr/td[3])") == "rougeL 0.600 → 0.700 and 1 more"


def test_no_more_than_a_page_is_listed(tmp_path: Path) -> None:
    many = [scored(f"m/{n}", 0.5, n) for n in range(300)]
    build(tmp_path, ONE)
    build(tmp_path, ONE, *many)
    page = html.fromstring((tmp_path / "changes.html").read_bytes())
    assert len(page.xpath("//tbody/tr")) == 200
    assert "100 more are in the file." in page.text_content()


@pytest.mark.parametrize(
    "left",
    [
        b"",
        b"{",
        b"[]",
        b'{"schema_version": 9}',
        b'{"schema_version": 1, "builds": [{"number": 1}]}',
    ],
)
def test_a_history_that_cannot_be_read_begins_anew(tmp_path: Path, left: bytes) -> None:
    build(tmp_path, ONE)
    (tmp_path / "changes.json").write_bytes(left)
    assert len(build(tmp_path, ONE, TWO).builds) == 1


def test_an_edited_history_reads_nothing_outside_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "site"
    secret = {"rows": [{**ONE, "model": "secret"}]}
    (tmp_path / "secret.json").write_text(json.dumps(secret), "utf-8")
    build(out, ONE)
    stored = json.loads((out / "changes.json").read_text("utf-8"))
    stored["boards"] = {"../secret.html": "0" * 64, str(tmp_path / "secret.html"): "1" * 64}
    (out / "changes.json").write_text(json.dumps(stored), "utf-8")
    assert "secret" not in str(build(out, ONE).builds)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_reasons_are_shown_as_text(tmp_path: Path, name: str) -> None:
    row = scored(name, 0.6, 1, setting=name)
    build(tmp_path, row, ONE)
    build(tmp_path, ONE, reasons=[{"model": name, "reason": name}])
    content = (tmp_path / "changes.html").read_bytes()
    page = html.fromstring(content)
    assert not page.xpath("//img | //script[not(@src)]")
    assert not any("javascript" in link for link in page.xpath("//@href"))
    assert "\u202e" not in content.decode("utf-8")
    assert len(content) < 20_000


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "20260101", ""])
def test_a_day_that_is_none_is_refused(tmp_path: Path, day: str) -> None:
    with pytest.raises(InputError, match="is no date"):
        build(tmp_path, ONE, date=day)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ({"model": "a/one"}, "Reason 1 has no words"),
        ({"model": "a/one", "reason": 3}, "Reason 1 has no words"),
        ({"reason": "withdrawn"}, "Reason 1 names no row"),
        ({"reason": "withdrawn", "modle": "a/one"}, "Reason 1 names modle"),
        (["withdrawn"], "Reason 1 has no words"),
    ],
)
def test_a_reason_that_could_fit_no_row_is_refused(tmp_path: Path, reason: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        build(tmp_path, ONE, reasons=[reason])
