"""Items out of JSON Lines and rounds: every fault is named by its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.web.annotation.made_campaigns import START, candidate, make, new_items

from vivavoce.errors import InputError
from vivavoce.store import Row, hash_file, write_parquet, write_sealed
from vivavoce.tasks.tables.items.table_items import ITEM
from vivavoce.web.annotation.campaigns import NewItem, add_items, find_campaign, make_campaign
from vivavoce.web.annotation.importing import Sources, Wanted, take_in
from vivavoce.web.annotation.kinds import KINDS, find_kind
from vivavoce.web.annotation.sources import check_rows, read_new_items, round_rows
from vivavoce.web.annotation.storage import open_database
from vivavoce.web.annotation.tables import Item

CONTENTS: dict[str, Row] = {
    "distractors": candidate(1),
    "demands": {"caption": "", "demand": "A table, please.", "columns": ["a"], "titles": []},
    "qa": {"question": "Q", "answer": "yes", "columns": ["a"], "rows": [["1"], [None]]},
    "answers": {"question": "Q", "columns": ["a"], "rows": [["1"], [None]]},
    "tables": {"caption": "", "columns": ["a"], "rows": [["1"], [None]]},
    "preference": {"prompt": "P", "a": "A", "b": "B", "names": {"a": "x", "b": "reference"}},
}
LABELS: dict[str, Row] = {
    "distractors": {"decision": "include"},
    "demands": dict.fromkeys([field.name for field in KINDS["demands"].fields], "yes"),
    "qa": {"grounded": "yes", "right": "no"},
    "answers": {"answer": "no"},
    "tables": {"headers": "yes", "comparison": "no"},
    "preference": {"verdict": "tie"},
}


def lines(path: Path, *rows: object) -> Path:
    texts = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return path


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_file_of_any_kind_is_read(tmp_path: Path, kind: str) -> None:
    path = lines(
        tmp_path / "items.jsonl",
        {"id": "one", "content": CONTENTS[kind], "cluster": "c"},
        "",
        {"id": "exam", "content": CONTENTS[kind], "answer": LABELS[kind], "explanation": "So."},
        {"id": "control", "content": CONTENTS[kind], "answer": LABELS[kind], "part": "main"},
    )
    one, exam, control = read_new_items(path, find_kind(kind))
    assert (one.part, one.cluster, one.answer) == ("main", "c", None)
    assert (exam.part, exam.cluster, exam.explanation) == ("qualification", "exam", "So.")
    assert exam.answer == LABELS[kind]
    assert control.part == "main"


def test_the_answer_of_a_kind_with_one_field_may_be_the_value(tmp_path: Path) -> None:
    row = {"id": "x", "content": candidate(1), "answer": "exclude"}
    (item,) = read_new_items(lines(tmp_path / "i.jsonl", row), KINDS["distractors"])
    assert item.answer == {"decision": "exclude"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("not json", "is not readable JSON"),
        ({"content": {}}, "'id' must be text"),
        ({"id": "x" * 301, "content": {}}, "1 to 300 characters"),
        ({"id": 5, "content": {}}, "'id' must be text"),
        ({"id": "x", "contents": {}}, "'contents' is unknown. Did you mean 'content'?"),
        ({"id": "x", "content": []}, "'content' must be an object"),
        ({"id": "x", "content": {"question": "Q"}}, "'answer' is missing"),
        ({"id": "x", "content": {"question": " ", "answer": "a"}}, "'question' is empty"),
        (
            {"id": "x", "content": {"question": "Q", "answer": "a"}},
            "there must be one of 'passage', 'rows'",
        ),
        (
            {"id": "x", "content": {"question": "Q", "answer": "a", "rows": [["1"]]}},
            "'rows' needs 'columns'",
        ),
        (
            {
                "id": "x",
                "content": {"question": "Q", "answer": "a", "columns": ["c"], "rows": [["1", "2"]]},
            },
            "'rows[0]' has 2 cells for 1 columns",
        ),
        (
            {
                "id": "x",
                "content": {"question": "Q", "answer": "a", "columns": ["c"], "rows": [[1]]},
            },
            "'rows[0][0]' must be text, not 1",
        ),
        (
            {"id": "x", "content": {"question": "Q", "answer": "a", "passage": "P", "hint": "h"}},
            "'hint' is no part of an item of this kind",
        ),
        (
            {"id": "x", "content": {"question": "Q", "answer": "a", "passage": "P" * 200_001}},
            "200,000 are allowed",
        ),
        ({"id": "x", "content": CONTENTS["qa"], "answer": {"right": "yes"}}, "'grounded' must be"),
        ({"id": "x", "content": CONTENTS["qa"], "part": "exam"}, "Choose: qualification, main"),
        ({"id": "x", "content": CONTENTS["qa"], "part": "qualification"}, "needs an 'answer'"),
        ({"id": "x", "content": CONTENTS["qa"], "explanation": 5}, "'explanation' must be text"),
        ({"id": "one", "content": CONTENTS["qa"]}, "'one' was given before"),
    ],
)
def test_what_is_wrong_with_a_line_is_told_with_its_number(
    tmp_path: Path, row: object, message: str
) -> None:
    path = lines(tmp_path / "items.jsonl", {"id": "one", "content": CONTENTS["qa"]}, row)
    with pytest.raises(InputError) as refused:
        read_new_items(path, KINDS["qa"])
    assert f"{path}:2" in str(refused.value)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("distractors", {"references": {}}, "'references' must be a list"),
        ("distractors", {"references": [{"abstract": "a"}]}, "'references[0].title' must be text"),
        ("distractors", {"candidate": {"title": "t", "x": 1}}, "unknown part 'x'"),
        ("distractors", {"references": [{"title": "t"}] * 1001}, "1,000 are allowed"),
        ("preference", {"names": {"a": "x", "b": "x"}}, "with itself"),
        ("preference", {"names": {"a": "x"}}, "{a, b}"),
        ("preference", {"source": {"task": "t"}}, "{id, task, setting}"),
        ("demands", {"titles": "t"}, "'titles' must be a list"),
    ],
)
def test_parts_of_the_content_are_checked(kind: str, change: Row, message: str) -> None:
    row = {"id": "x", "content": {**CONTENTS[kind], **change}}
    with pytest.raises(InputError) as refused:
        check_rows(KINDS[kind], [(row, "here")])
    assert message in str(refused.value)


def test_no_item_and_no_kind_are_told() -> None:
    with pytest.raises(InputError, match="no item"):
        check_rows(KINDS["qa"], [])
    with pytest.raises(
        InputError, match="There are: distractors, demands, qa, answers, tables, preference"
    ):
        find_kind("chess")


def test_importing_again_adds_what_is_new_and_refuses_what_changed(tmp_path: Path) -> None:
    made = make(tmp_path, new_items(2))
    with made.database.writing() as session:
        campaign = find_campaign(session, "paths")
        found = add_items(session, campaign, new_items(3))
        assert found == (1, 2)
    changed = [NewItem("i9", candidate(9), "t"), NewItem("i1", candidate(8), "t0", where="f:2")]
    with (
        pytest.raises(InputError, match=r"f:2: .*'i1' with other content"),
        made.database.writing() as session,
    ):
        add_items(session, find_campaign(session, "paths"), changed)
    with made.database.reading() as session:  # all or nothing: no i9
        keys = [item.key for item in session.query(Item).order_by(Item.ordinal)]
    assert keys == ["i0", "i1", "i2"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "Big Name"}, "not a name"),
        ({"name": "a..b"}, "not a name"),
        ({"name": "../x"}, "not a name"),
        ({"kind": "chess"}, "No kind"),
        ({"pass_mark": 1.5}, "between 0 and 1"),
        ({"adjudication": "nobody"}, "Choose: adjudicators, anyone"),
        ({"name": "paths"}, "already"),
        ({"guidelines": " "}, "say something"),
        ({"guidelines": "*a" * 50_001}, "at most 100,000"),
    ],
)
def test_a_campaign_has_a_name_and_known_options(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    made = make(tmp_path, new_items(1))
    given = {"name": "new", "kind": "qa", **options}
    with pytest.raises(InputError, match=message), made.database.writing() as session:
        make_campaign(session, given.pop("name"), given.pop("kind"), START, **given)


# Rounds


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A round with one table: papers p1 and p2 are in it, d1 and d2 are not."""
    folder = tmp_path / "rounds" / "small"
    row = {
        "id": "s1/0",
        "cluster": "s1",
        "kind": "cited",
        "split": "test",
        "published": "2024-05-01",
        "caption": "Ways to plan.",
        "demand": "A table of planners, to choose one.",
        "demand_source": "template",
        "pool": ["d1", "p2", "p1", "d2"],
        "evidence": ["title", "abstract", "abstract", "title"],
        "gold_papers": ["p1", "p2"],
        "columns": ["Method", "Year"],
        "rows": [
            {"paper": "p1", "ordinal": 0, "cells": ["A*", None]},
            {"paper": "p2", "ordinal": 1, "cells": ["RRT", "1998"]},
        ],
        "hidden_papers": [],
        "settings": ["base"],
        "given_labels": False,
    }
    assert set(row) == set(ITEM.names)
    write_parquet(folder / "tables" / "table.parquet", [row], ITEM)
    schema = pa.schema(
        [("paper_id", pa.string()), ("title", pa.string()), ("abstract", pa.string())]
    )
    papers = [
        {"paper_id": "p1", "title": "Graphs", "abstract": "We search."},
        {"paper_id": "p2", "title": "Trees", "abstract": "We grow."},
        {"paper_id": "d1", "title": "Robots", "abstract": None},
    ]
    write_parquet(folder / "tables" / "papers.parquet", papers, schema)
    files = {
        f"tables/{name}": {"sha256": hash_file(folder / "tables" / name)}
        for name in ("table.parquet", "papers.parquet")
    }
    counts = {"tables": {"table": {"items": 1}}}
    write_sealed(folder / "manifest.json", {"id": "small", "counts": counts, "files": files})
    return folder


def test_a_round_gives_its_distractors_with_what_the_page_shows(tables: Path) -> None:
    rows = round_rows(tables, "distractors")
    items = check_rows(KINDS["distractors"], rows)
    assert [item.key for item in items] == ["s1/0 d1", "s1/0 d2"]
    assert {item.cluster for item in items} == {"s1"}
    content = items[0].content
    assert content["candidate"] == {"title": "Robots", "abstract": None, "paper": "d1"}
    assert [paper["title"] for paper in content["references"]] == ["Graphs", "Trees"]
    assert content["rows"] == [["A*", None], ["RRT", "1998"]]
    assert items[1].content["candidate"]["title"] == "d2"  # the library lacks it


def test_a_round_gives_its_demands(tables: Path) -> None:
    (item,) = check_rows(KINDS["demands"], round_rows(tables, "demands"))
    assert (item.key, item.content["caption"]) == ("s1/0", "Ways to plan.")
    assert item.content["titles"] == ["Graphs", "Trees"]
    shown = KINDS["demands"].present(item.content, swapped=False)
    assert "group" not in shown  # who worded it is not told


def test_a_round_has_no_items_of_other_kinds(tables: Path) -> None:
    with pytest.raises(InputError, match="distractors, demands"):
        round_rows(tables, "qa")


def test_a_campaign_is_made_of_a_round(tables: Path, tmp_path: Path) -> None:
    database = open_database(str(tmp_path / "a.db"))
    wanted = Wanted("small", kind="distractors")
    found = take_in(database, Sources(round=tables), wanted, START)
    assert found == {"added": 2, "known": 0, "decisions": 0, "unused": 0}
    again = take_in(database, Sources(round=tables), Wanted("small"), START)
    assert (again["added"], again["known"]) == (0, 2)
    with pytest.raises(InputError, match="is of the kind distractors, not demands"):
        take_in(database, Sources(round=tables), Wanted("small", kind="demands"), START)
    with pytest.raises(InputError, match="give its --kind"):
        take_in(database, Sources(round=tables), Wanted("other"), START)
    with pytest.raises(InputError, match="one source"):
        take_in(database, Sources(), wanted, START)
    database.close()


def test_a_round_without_tables_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    write_sealed(folder / "manifest.json", {"id": "r", "counts": {}, "files": {}})
    with pytest.raises(InputError, match="no items for tables/table"):
        round_rows(folder, "demands")
