"""`viva annotate`: a campaign from import to export by the command line alone."""

import importlib.util
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from tests.results.audits.made_table_logs import table, write_table_log
from tests.servers import commands
from tests.servers.annotation import EXCLUDE, INCLUDE, Made, lines, rows_of
from typer.testing import CliRunner, Result

from vivavoce.cli import app
from vivavoce.store import read_jsonl
from vivavoce.web.annotation.campaigns import find_person
from vivavoce.web.annotation.database import open_database

GOLD = {"t1": table("Task|Year", "P1|QA|2019", "P2|MT|2017")}
ANSWER = {"t1": table("Task|Year", "P1|QA|2018", "P2|MT|2017")}
PEOPLE = ("--person", "ann", "--person", "ben", "--person", "cem")


def viva(*words: object) -> Result:
    return CliRunner().invoke(app, ["annotate", *map(str, words)])


def only_json(done: Result) -> Any:
    assert done.exit_code == 0, done.stderr
    return commands.only_json(done.stdout)


@pytest.fixture
def of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A campaign and its database, in a folder with items.jsonl."""
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "items.jsonl", *rows_of("distractors", 4))
    return ("--campaign", "pilot", "--db", "annotation.db")


def imported(of: tuple[str, ...], *words: object) -> Made:
    """The campaign after an import that gives links to three people."""
    found = only_json(viva("import", *words, *of, *PEOPLE, "--json"))
    links = {row["name"]: row["link"].rpartition("/")[2] for row in found["people"]}
    return Made(open_database(Path("annotation.db")), links)


@pytest.fixture
def made(of: tuple[str, ...]) -> Made:
    return imported(of, "items.jsonl", "--kind", "distractors")


def label_all(made: Made) -> None:
    """Everything labelled: i0 is split, and a third label decides it."""
    made.work("ann", {"*": INCLUDE, "i1": EXCLUDE})
    made.work("ben", {"*": INCLUDE, "i0": EXCLUDE, "i1": EXCLUDE})
    made.work("cem", {"*": INCLUDE})


def test_import_says_what_it_added_and_prints_links(of: tuple[str, ...]) -> None:
    done = viva("import", "items.jsonl", *of, "--kind", "distractors", *PEOPLE)
    assert done.exit_code == 0, done.stderr
    added, ann, *_, where = done.stdout.splitlines()
    assert added == "  4 items added, 0 already there"
    assert ann.startswith("  ann is A1: http://127.0.0.1:8000/1-")
    assert where == "annotation.db"
    words = ("--person", "dan", "--address", "https://annotate.example.org/", "--json")
    (dan,) = only_json(viva("import", *of, *words))["people"]
    assert (dan["name"], dan["person"]) == ("dan", "A4")
    assert dan["link"].startswith("https://annotate.example.org/4-")


def test_sent_links_stay_valid_until_they_are_replaced(of: tuple[str, ...], made: Made) -> None:
    again = viva("import", "items.jsonl", *of, *("--person", "ann"), *2 * ("--person", "dan"))
    added, ann, dan, _ = again.stdout.splitlines()
    assert added == "  0 items added, 4 already there"
    assert ann == "  ann is A1: the link given before stays valid; --replace-links gives another"
    assert dan.startswith("  dan is A4: http://127.0.0.1:8000/4-")
    words = ("--person", "ann", "--replace-links", "--json")
    (ann_again,) = only_json(viva("import", *of, *words))["people"]
    assert ann_again["person"] == "A1"
    with made.database.reading() as connection:
        assert find_person(connection, made.links["ann"]) is None
        for link in (ann_again["link"], dan):
            assert find_person(connection, link.rpartition("/")[2]) is not None


def test_another_kind_than_the_campaigns_is_named(of: tuple[str, ...], made: Made) -> None:
    for words in (("items.jsonl", "--kind", "preference"), ("--from-logs", "logs")):
        done = viva("import", *words, *of)
        assert done.exit_code == 2
        assert "The campaign pilot is of the kind distractors, not preference." in done.stderr


def test_guidelines_of_ones_own_are_kept(of: tuple[str, ...]) -> None:
    Path("mine.md").write_text("## Read me\nInclude planners.", "utf-8")
    words = ("--kind", "distractors", "--guidelines", "mine.md")
    assert viva("import", "items.jsonl", *of, *words).exit_code == 0
    assert viva("export", *of, "--out", "out").exit_code == 0
    assert Path("out/guidelines.md").read_text("utf-8") == "## Read me\nInclude planners."


def test_agreement_is_a_table_and_one_json_document(of: tuple[str, ...], made: Made) -> None:
    """First two labels: 3 of 4 agree (i0 does not); of 8 labels 5 include, 3 exclude.

    e = (5/8)² + (3/8)² = 34/64; kappa = (48/64 - 34/64) / (30/64) = 14/30.
    """
    label_all(made)
    found = only_json(viva("agreement", *of, "--json", "--resamples", 200))
    (field,) = found["fields"]
    assert field["pairwise"]["value"] == 0.75
    assert field["fleiss"]["value"] == pytest.approx(14 / 30)
    assert found["items"] == {"done": 4, "open": 0, "split": 0}
    assert found["model"] == []
    shown = viva("agreement", *of, "--resamples", 0)
    assert shown.exit_code == 0, shown.stderr
    for text in ("0.750", "0.467", "Items: done 4, open 0, split 0", "People: A1 4, A2 4, A3 1"):
        assert text in shown.stdout


def test_an_export_is_counted_and_its_items_come_in_again(of: tuple[str, ...], made: Made) -> None:
    label_all(made)
    done = viva("export", *of, "--out", "out")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == [
        "  items.jsonl: 4 rows",
        "  annotations.jsonl: 9 rows",
        "  labels.jsonl: 4 rows",
        "out",
    ]
    assert viva("import", "out/items.jsonl", *of).stdout.startswith(
        "  0 items added, 4 already there"
    )


def test_serve_tells_its_address_and_answers(made: Made) -> None:
    """A process of its own, as a user starts it, on a port that is free."""
    code = "from vivavoce.cli import app; app()"
    words = [sys.executable, "-c", code, "annotate", "serve", "--db", "annotation.db"]
    words += ["--port", "0", "--json", "--allow-host", "annotate.example.org"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        address = json.loads("".join(process.stdout.readline() for _ in range(3)))["address"]
        page = f"{address}{made.links['ann']}"
        for host in ("annotate.example.org", "127.0.0.1"):
            with urlopen(Request(page, headers={"Host": host}), timeout=20) as answer:
                assert "Guidelines" in answer.read().decode("utf-8")
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)


def test_a_port_that_is_taken_is_reported(made: Made) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = viva("serve", "--db", "annotation.db", "--port", taken.getsockname()[1])
    assert done.exit_code == 2
    assert "Choose another --port" in done.stderr


def test_without_the_extra_one_line_names_it(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "starlette" else there(name)
    )
    done = viva("serve", "--db", "annotation.db")
    assert done.exit_code == 1
    assert "pip install 'vivavoce[web]'" in done.stderr


# Questions of logs


@pytest.mark.parametrize("kind", ["qa", "answers"])
def test_questions_of_logs_become_a_campaign(of: tuple[str, ...], kind: str) -> None:
    write_table_log(Path("logs"), GOLD, ANSWER, model="lab/good")
    words = ("--from-logs", "logs", "--kind", kind)
    found = imported(of, *words).items().values()
    # For each side two columns, four cells and one pair of cells a column.
    assert len(found) == 2 * (2 + 4 + 2)
    contents = [item.content for item in found]
    (asked,) = (c for c in contents if '"2019" as the value of "Year"' in c["question"])
    answered_from = asked["target_rows"] if kind == "qa" else asked["rows"]
    assert answered_from == [["Reading Nets", "QA", "2018"], ["Translating Nets", "MT", "2017"]]
    if kind == "qa":
        assert (asked["answer"], asked["group"]) == ("No", "unary")
        assert asked["rows"][0] == ["Reading Nets", "QA", "2019"]
    else:
        assert asked["suggestion"] == {"answer": "no"}
        assert asked["group"] == "lab/good + one_step"


def test_a_draw_of_questions_has_as_many_of_each_aspect(of: tuple[str, ...]) -> None:
    write_table_log(Path("logs"), GOLD, ANSWER, model="lab/good")
    viva("import", "--from-logs", "logs", "--kind", "qa", "--draw", "6", *of)
    assert viva("export", *of, "--out", "out").exit_code == 0
    groups = [row["content"]["group"] for _, row in read_jsonl(Path("out/items.jsonl"))]
    assert sorted(groups) == ["pairwise"] * 2 + ["schema"] * 2 + ["unary"] * 2


def test_people_and_the_answerer_are_compared_for_each_contestant(of: tuple[str, ...]) -> None:
    """Table 4 of arXiv2Table: shares of yes by model and by people, and their agreement."""
    write_table_log(Path("logs"), GOLD, ANSWER, model="lab/good")
    made = imported(of, "--from-logs", "logs", "--kind", "answers")
    for name in ("ann", "ben"):
        made.work(name, {"*": {"answer": "yes"}})
    found = only_json(viva("agreement", *of, "--resamples", "0", "--json"))
    (everything, of_contestant) = found["model"]
    assert of_contestant["group"] == "lab/good + one_step"
    # The matcher says no to one cell and one pair of each side, people here always say yes.
    assert of_contestant["people"]["yes"]["value"] == 1.0
    assert of_contestant["model"]["yes"]["value"] == pytest.approx(12 / 16)
    assert everything["agreement"]["value"] == pytest.approx(12 / 16)
