"""Every kind of campaign from the public import to its page, and the questions of logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.results.audits.made_table_logs import table, write_table_log
from tests.servers.annotation import START, Clock, app_people, content_of
from tests.servers.commands import only_json, viva_here
from tests.web.annotation.made_campaigns import Made

from vivavoce.store import Row, read_jsonl
from vivavoce.web.annotation.campaigns import find_campaign
from vivavoce.web.annotation.kinds import KINDS
from vivavoce.web.annotation.people import add_person, enrol
from vivavoce.web.annotation.storage import open_database

GOLD = {"t1": table("Task|Year", "P1|QA|2019", "P2|MT|2017")}
ANSWER = {"t1": table("Task|Year", "P1|QA|2018", "P2|MT|2017")}
FILLERS: Row = {
    "any text": "some words",
    "text": "some words",
    "name": "a-name",
    "cell": "a cell",
    "paper": {"title": "A title", "abstract": "An abstract.", "link": "https://x.example/"},
    "names of the sides": {"a": "one", "b": "two"},
    "sample": {"id": "s1"},
}


def full_content(kind: str) -> Row:
    """Content with every part that the kind declares."""

    def filled(shape: object) -> object:
        return [filled(shape[0])] if isinstance(shape, list) else FILLERS[str(shape)]

    return {part.name: filled(part.shape) for part in KINDS[kind].parts} | {"group": "g"}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_is_imported_by_the_command_and_its_page_opens(tmp_path: Path, kind: str) -> None:
    db = tmp_path / "annotation.db"
    items = tmp_path / "items.jsonl"
    rows = [
        {"id": "full", "content": full_content(kind)},
        {"id": "least", "content": content_of(kind, 1)},
    ]
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    viva_here("annotate", "import", items, "--campaign", "pilot", "--kind", kind, "--db", db)
    database = open_database(str(db))
    with database.writing() as session:
        person = add_person(session, "ann", "correct horse battery", cost=4)
        part = enrol(session, find_campaign(session, "pilot"), person, "annotator", START)
        part.guidelines_read_at = START
    shown = []
    with app_people(database, Clock(), "ann") as (ann,):
        for _ in rows:
            ann.open("/c/pilot")
            assert ann.status == 200, ann.text
            shown.append(ann.text)
            ann.send(action="skip")
    database.close()
    full = max(shown, key=len)
    for drawn in KINDS[kind].parts:
        if drawn.view and drawn.view != "header":
            assert f'id="part-{drawn.name}">{drawn.title}<' in full


@pytest.mark.parametrize("kind", ["qa", "answers"])
def test_questions_of_logs_become_a_campaign(tmp_path: Path, kind: str) -> None:
    write_table_log(tmp_path / "logs", GOLD, ANSWER, model="lab/good")
    db = tmp_path / "annotation.db"
    into = ("--campaign", "pilot", "--kind", kind, "--db", db)
    done = viva_here("annotate", "import", "--from-logs", tmp_path / "logs", *into, "--json")
    # For each side two columns, four cells and one pair of cells a column.
    assert only_json(done.stdout)["added"] == 2 * (2 + 4 + 2)
    viva_here(*("annotate", "export", "--campaign", "pilot", "--db", db, "--out", tmp_path / "out"))
    contents = [row["content"] for _, row in read_jsonl(tmp_path / "out" / "items.jsonl")]
    (asked,) = (c for c in contents if '"2019" as the value of "Year"' in c["question"])
    answered_from = asked["target_rows"] if kind == "qa" else asked["rows"]
    assert answered_from == [["Reading Nets", "QA", "2018"], ["Translating Nets", "MT", "2017"]]
    if kind == "qa":
        assert (asked["answer"], asked["group"]) == ("No", "unary")
        assert asked["rows"][0] == ["Reading Nets", "QA", "2019"]
    else:
        assert asked["suggestion"] == {"answer": "no"}
        assert asked["group"] == "lab/good + one_step"


def test_a_sample_of_questions_has_as_many_of_each_aspect(tmp_path: Path) -> None:
    write_table_log(tmp_path / "logs", GOLD, ANSWER, model="lab/good")
    db = tmp_path / "annotation.db"
    into = ("--campaign", "pilot", "--kind", "qa", "--sample", "6", "--db", db)
    viva_here("annotate", "import", "--from-logs", tmp_path / "logs", *into)
    viva_here(*("annotate", "export", "--campaign", "pilot", "--db", db, "--out", tmp_path / "out"))
    items = [row["content"]["group"] for _, row in read_jsonl(tmp_path / "out" / "items.jsonl")]
    assert sorted(items) == ["pairwise"] * 2 + ["schema"] * 2 + ["unary"] * 2


def test_people_and_the_answerer_are_compared_for_each_contestant(tmp_path: Path) -> None:
    """Table 4 of arXiv2Table: shares of yes by model and by people, and their agreement."""
    write_table_log(tmp_path / "logs", GOLD, ANSWER, model="lab/good")
    db = tmp_path / "annotation.db"
    into = ("--campaign", "paths", "--kind", "answers", "--db", db)
    viva_here("annotate", "import", "--from-logs", tmp_path / "logs", *into)
    made = Made(open_database(str(db)))
    made.add("ann", "bob")
    for name in ("ann", "bob"):
        made.work(name, {"*": {"answer": "yes"}})
    made.database.close()
    words = ("annotate", "agreement", "--campaign", "paths", "--db", db, "--resamples", "0")
    (everything, of_contestant) = only_json(viva_here(*words, "--json").stdout)["model"]
    assert of_contestant["group"] == "lab/good + one_step"
    # The matcher says no to one cell and one pair of each side, people here always say yes.
    assert of_contestant["people"]["yes"]["value"] == 1.0
    assert of_contestant["model"]["yes"]["value"] == pytest.approx(12 / 16)
    assert everything["agreement"]["value"] == pytest.approx(12 / 16)
