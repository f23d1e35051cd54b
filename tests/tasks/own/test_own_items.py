"""Rounds of one's own table: what becomes an item, and what a table is refused for."""

from pathlib import Path

import pytest
from tests.servers.commands import only_json, viva_here
from tests.tasks.own.tables import HEAD, TABLES
from tests.tasks.samples import samples_of

from vivavoce.rounds import Round, load_round
from vivavoce.store import hash_tree


def table(folder: Path, text: str | bytes, name: str = "questions.csv") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def built(folder: Path, text: str | bytes, *options: str, metric: str = "exact_match") -> Round:
    path = table(folder, text)
    viva_here("round", "from-csv", path, "--metric", metric, "--out", folder / "rounds", *options)
    return load_round(next((folder / "rounds").glob("[!.]*/manifest.json")).parent)


def left_out(opened: Round) -> dict[str, str]:
    return {row["paper_id"]: row["reason"] for row in opened.leakage["excluded"]}


def test_a_row_becomes_an_item(tmp_path: Path) -> None:
    opened = built(tmp_path, TABLES["exact_match"])
    by_id = opened.items_by_id("own", "own_match")
    assert list(by_id) == ["capital", "hamlet", "texas"]
    assert by_id["texas"] == {
        "id": "texas",
        "cluster": "geography",
        "published": "2024-03",
        "category": "places",
        "input": "The capital of Texas, USA?",
        "gold": "Austin",
        "tolerance": 1e-6,
    }
    assert by_id["hamlet"]["cluster"] == "hamlet"
    # From the first day of any date to the day after the last: March counts as a whole.
    assert opened.manifest["window"] == {"start": "2024-02-01", "end": "2024-04-01"}
    (first, *_) = samples_of("own_match", opened)
    assert first.input == (
        "What is the capital of France?\n\nReply with the answer alone: no label, no explanation."
    )
    assert (first.target, (first.metadata or {})["category"]) == ("Paris", "places")


def test_the_round_does_not_depend_on_the_folder_or_the_order_of_rows(tmp_path: Path) -> None:
    head, *rows = TABLES["exact_match"].splitlines(keepends=True)
    one = built(tmp_path / "one", TABLES["exact_match"])
    two = built(tmp_path / "two", "\ufeff" + head + "\r\n" + "".join(reversed(rows)))
    assert hash_tree(one.folder) == hash_tree(two.folder)
    assert str(tmp_path) not in (one.folder / "spec.json").read_text("utf-8")


def test_a_table_without_dates_takes_every_row_and_dates_none(tmp_path: Path) -> None:
    opened = built(tmp_path, "gold,id,input\nParis,1,Capital of France?\n")
    (row,) = opened.items("own", "own_match")
    assert (row["published"], row["cluster"], row["category"]) == (None, "1", "")
    assert opened.manifest["window"] == {"start": "0001-01-01", "end": "9999-12-31"}


def test_rows_that_no_item_can_be_made_of_are_left_out_by_name(tmp_path: Path) -> None:
    text = HEAD + (
        "kept,Why is it dark?,The sun is away,2024-02-01,,\n"
        "undated,Why is it bright?,The sun is there,,,\n"
        "copied,The sun is away. Why is it cold?,the SUN is away!,2024-02-01,,\n"
        "again,Why is it dark?,Nobody knows,2024-02-01,,\n"
    )
    opened = built(tmp_path, text, metric="rougeL")
    assert [row["id"] for row in opened.items("own", "own_text")] == ["kept"]
    assert left_out(opened) == {
        "undated": "undated",
        "copied": "gold_in_input",
        "again": "same_input",
    }


def test_a_choice_may_stand_in_its_question(tmp_path: Path) -> None:
    text = 'id,input,gold\n1,"Which is a fruit, apple or chair?",apple\n'
    assert left_out(built(tmp_path, text)) == {}


GOOD = "1,Capital of France?,Paris,2024-01-01,,\n"
BAD = {
    "no column": ("id,input\n1,Why?\n", 1, "there is no column gold, only id, input"),
    "semicolons": ("id;input;gold\n1;Why?;So\n", 1, "there is no column id, only id;input;gold"),
    "nothing": ("", 1, "there is no column id, only nothing"),
    "two columns of a name": ("id,input,gold,gold\n1,a,b,c\n", 1, "column names must be unique"),
    "same id": (HEAD + GOOD + "\n" + GOOD, 4, "the id 1 is already in line 2"),
    "no date": (HEAD + "1,a,b,13/02/2024,,\n", 2, "date '13/02/2024' is not YYYY-MM-DD"),
    "no gold": (HEAD + GOOD + "2,a,\u200b ,2024-01-01,,\n", 3, "gold is empty"),
    "no input": (HEAD + "1,  ,b,2024-01-01,,\n", 2, "input is empty"),
    "long id": (HEAD + "1" * 201 + ",a,b,,,\n", 2, "id has over 200 characters"),
    "huge gold": (HEAD + "1,a," + "b" * 20_001 + ",,,\n", 2, "gold has over 20,000 characters"),
    "huge cell": (HEAD + "1," + "a" * 1_000_001 + ",b,,,\n", 2, "field larger than field limit"),
    "many cells": (HEAD + "1,a,b,2024,,,,\n", 2, "8 cells in a table of 6 columns"),
    "open quote": (HEAD + GOOD + '2,"a,b,2024,,\n3,a,b,2024,,\n', 3, "not readable as CSV"),
    "Latin-1": ((HEAD + GOOD).encode() + b"2,Caf\xe9?,b,2024,,\n", 3, "not UTF-8"),
    "UTF-16": ((HEAD + GOOD).encode("utf-16"), 1, "not UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_table_is_refused_with_the_line_of_the_fault(case: str, tmp_path: Path) -> None:
    text, line, message = BAD[case]
    path = table(tmp_path, text)
    command = ("round", "from-csv", path, "--metric", "exact_match", "--out", tmp_path / "rounds")
    done = viva_here(*command, expect=2)
    assert done.stderr.startswith(f"Error: {path}:{line}: ")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "rounds").exists()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (HEAD, (), "there are no rows below the header"),
        (HEAD + "1,a,b,,,\n", (), "no row has a date"),
        (HEAD + "1,a,a dozen of 12 or 13,2024,,\n", ("number_match",), "is not one number"),
        (HEAD + GOOD, ("exact_match", "--id", "Mine!"), "[round] id"),
        (HEAD + GOOD, ("bleu",), "bleu"),
        (HEAD + GOOD, ("number_match", "--tolerance", "-1"), "tolerance"),
    ],
)
def test_other_wrong_uses_end_in_one_line(
    text: str, options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    path = table(tmp_path, text)
    metric, *more = options or ("exact_match",)
    out = ("--out", tmp_path / "rounds", *more)
    done = viva_here("round", "from-csv", path, "--metric", metric, *out, expect=2)
    assert message in done.stderr


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        out = ("--metric", "exact_match", "--out", tmp_path / "rounds")
        done = viva_here("round", "from-csv", path, *out, expect=2)
        assert done.stderr.startswith(f"Error: {path} cannot be read: ")


def test_a_long_input_arrives_whole(tmp_path: Path) -> None:
    text = "word " * 150_000
    opened = built(tmp_path, f"id,input,gold\n1,{text},gold\n")
    assert opened.items("own", "own_match")[0]["input"] == text.strip()


def test_the_command_says_what_it_built(tmp_path: Path) -> None:
    path = table(tmp_path, TABLES["list_f1"], "My Lists.csv")
    out = ("--out", tmp_path / "rounds", "--json")
    done = viva_here("round", "from-csv", path, "--metric", "list_f1", *out)
    found = only_json(done.stdout)
    assert found["round"] == "my-lists"
    assert found["counts"]["own"]["own_list"]["items"] == 2
