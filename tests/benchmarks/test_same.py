"""Recordings of two trees side by side."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.same import comparing, trees
from benchmarks.same.archive import Archive
from benchmarks.same.groups import list_groups
from benchmarks.same.recording import Evener, Recording

EVENER = Evener((("/tmp/same-x/work", "<work>"), ("/home/me/tree", "<tree>")), "2026-03-04")


def recording(**things: str) -> Recording:
    found = Recording()
    for name, content in things.items():
        group, _, rest = name.partition("_")
        found.keep(f"{group}: {rest}", content.encode())
    return found


def test_each_thing_is_the_same_or_differs_or_stands_on_one_side_only():
    base = recording(demo_a="1", demo_b="2", demo_c="3", boards_a="4")
    here = recording(demo_a="1", demo_b="x", demo_d="3", boards_a="y")
    found = comparing.compare(base, here, ["demo"])
    assert found.same == ("demo: a",)
    assert found.changed == ("demo: b",)
    assert found.only_base == ("demo: c",)
    assert found.only_here == ("demo: d",)
    assert not found.is_none
    assert list(comparing.lines_of(found, all_things=True)) == [
        "same       demo: a",
        "DIFFERS    demo: b",
        "ONLY BASE  demo: c",
        "ONLY HERE  demo: d",
        "1 same, 1 differ, 1 only in the base, 1 only here",
    ]


def test_equal_recordings_have_no_difference():
    one, other = recording(demo_a="1"), recording(demo_a="1")
    assert comparing.compare(one, other, ["demo"]).is_none


@pytest.mark.parametrize("name", ["only_base", "only_here"])
def test_a_thing_on_one_side_is_a_difference(name):
    one, other = recording(demo_a="1"), recording(demo_a="1", demo_b="2")
    sides = (other, one) if name == "only_base" else (one, other)
    found = comparing.compare(*sides, ["demo"])
    assert getattr(found, name) == ("demo: b",)
    assert not found.is_none


def test_the_first_lines_that_part_are_shown():
    base, here = recording(demo_a="one\ntwo\nthree"), recording(demo_a="one\n2\nthree")
    shown = comparing.short_diff("demo: a", base, here)
    assert "-two" in shown.splitlines()
    assert "+2" in shown.splitlines()


def test_tables_are_shown_by_their_rows(tmp_path):
    sides = []
    for value in (1, 2):
        path = tmp_path / f"{value}.parquet"
        pq.write_table(pa.table({"n": [value]}), path)
        side = Recording()
        side.keep("demo: t.parquet", path.read_bytes())
        sides.append(side)
    assert '+{"n": 2}' in comparing.short_diff("demo: t.parquet", *sides).splitlines()


def test_a_recording_in_a_file_is_the_same_again(tmp_path):
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "file").write_text("kept")
    made = recording(demo_a="1", boards_a="é")
    made.stages["demo"] = Archive.pack(tmp_path, ["left"])
    comparing.write(made, tmp_path / "base.json", "a tree")
    again = comparing.read(tmp_path / "base.json")
    assert again.things == made.things
    assert again.contents == made.contents
    again.stages["demo"].unpack(tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "left" / "file").read_text() == "kept"


def test_failed_commands_are_named():
    made = Recording()
    made.keep("demo: viva demo", b"exit 0\n")
    made.keep("demo: viva list", b"exit 2\n")
    made.keep("demo: file", b"exit 2\n")
    assert list(comparing.failed_calls(made)) == ["exit 2 demo: viva list"]


@pytest.mark.parametrize(
    ("text", "evened"),
    [
        ("/tmp/same-x/work/site", "<work>/site"),
        ("/home/me/tree/src/a.py", "<tree>/src/a.py"),
        (
            "2026-03-04T10-11-12-00-00_rank-by-graph_oUTvfdKAqptwXpritU7GjD.eval",
            "<log>_rank-by-graph.eval",
        ),
        (
            "2026-03-04T10-11-12-00-00_title-5-of-43_QYcaz9L4ZUowGFg7F8A2BC.eval",
            "<log>_title-5-of-43.eval",
        ),
        ('"seconds": 31.187,', '"seconds": 0,'),
        ("2026-03-04T10:11:12.5+00:00", "<time>"),
        ("2026-03-04 10:11:12", "<time>"),
        ("2025-03-04T10:11:12Z", "2025-03-04T10:11:12Z"),
        ('"value": 31.187', '"value": 31.187'),
    ],
)
def test_only_paths_times_and_names_of_logs_are_made_equal(text, evened):
    assert EVENER.text(text) == evened


def test_hashes_of_the_source_code_are_made_equal_in_the_lists_of_a_site(tmp_path):
    one, other = "a" * 64, "b" * 64
    listed = '"{0}": {{"key": "{1}", "sha256": "{2}"}}'
    sides = []
    for mark in (one, other):
        (tmp_path / "site.json").write_text(listed.format("index.html", mark, one))
        sides.append(EVENER.content(tmp_path / "site.json"))
    assert sides[0] == sides[1]
    # The sha256 of a page is that of its bytes.
    assert one.encode() in sides[0]
    (tmp_path / "board.json").write_text(listed.format("index.html", one, one))
    assert one.encode() in EVENER.content(tmp_path / "board.json")


def test_a_group_stands_after_what_it_needs():
    seen: set[str] = set()
    for group in list_groups(has_data=True):
        assert seen.issuperset(group.needs)
        seen.add(group.name)


def test_entry_points_are_those_of_the_tree(tmp_path):
    points = trees.write_entry_points(trees.PROJECT, tmp_path)
    (told,) = points.glob("vivavoce-*.dist-info")
    lines = Path(told, "entry_points.txt").read_text("utf-8")
    assert "[inspect_ai]" in lines
    assert re.search(r"^viva = vivavoce\.", lines, re.MULTILINE)
