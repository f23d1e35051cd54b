"""Two surveys become a round: demands, pools, gold, and what is told of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tasks.tables.table_rounds import (
    FRUIT,
    ITEM,
    LATE,
    PARSERS,
    PARSING,
    TRANSLATING,
    TRANSLATORS,
    corpus_of,
    round_of,
    score_of,
)

from vivavoce.corpus import ingest, load_corpus
from vivavoce.errors import InputError
from vivavoce.rounds import Round
from vivavoce.store import Row, write_jsonl
from vivavoce.tasks.library import read_library
from vivavoce.tasks.tables.item import gold_of, table_statistics

DEMAND = "I want a table of studies on parsing sentences that shows which of them to follow."


def items(opened: Round) -> dict[str, Row]:
    return {row["id"]: row for row in opened.items("tables", "table")}


def file_of(opened: Round, name: str) -> Any:
    return json.loads(opened.read_file("tables", name))


def reasons(opened: Round) -> dict[str, str]:
    return {row["paper_id"]: row["reason"] for row in opened.leakage["excluded"]}


def distractors(row: Row) -> set[str]:
    return set(row["pool"]) - set(row["gold_papers"])


def written(folder: Path, *demands: tuple[str, str | None]) -> str:
    """A file of demands by a model."""
    path = folder / "demands.jsonl"
    write_jsonl(path, [_row(table, demand) for table, demand in demands])
    return str(path)


def _row(table: str, demand: str | None) -> Row:
    verdict = {
        "attempt": 1,
        "demand": demand or "",
        "check": "model",
        "decision": "ACCEPT" if demand else "REWRITE",
        "reason": "It names a column.",
    }
    return {"id": table, "demand": demand, "model": "m", "attempts": 1, "verdicts": [verdict]}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("tables"))


def test_a_table_becomes_an_item_with_its_rows_and_a_pool(opened: Round) -> None:
    row = items(opened)[ITEM]
    assert (row["cluster"], row["kind"], row["published"]) == (PARSING, "cited", "2020-03-01")
    assert row["columns"] == ["Treebank", "F1"]
    assert row["gold_papers"] == list(PARSERS)
    assert row["rows"] == [
        {"paper": PARSERS[n], "ordinal": n + 1, "cells": [FRUIT[n], score_of(n)]} for n in range(4)
    ]
    # Six distractors make four works 41% of a pool; the other survey has five.
    assert len(row["pool"]) == 4 + 5
    assert distractors(row) == set(TRANSLATORS)
    assert row["evidence"] == ["fulltext"] * 9
    assert row["hidden_papers"] == [PARSING]
    assert row["settings"] == ["base", "abstracts", "titles"]
    assert gold_of(row).rows[0].cells == ("apple", "81.5")
    assert row["demand_source"] == "template"
    assert "pars" in row["demand"].lower()


def test_demands_of_a_model_come_from_their_file(tmp_path: Path) -> None:
    file = written(tmp_path, (ITEM, DEMAND), (f"{TRANSLATING}/table/0", None))
    made = round_of(tmp_path, demands="model", demands_file=file)
    assert (items(made)[ITEM]["demand"], items(made)[ITEM]["demand_source"]) == (DEMAND, "model")
    assert reasons(made) == {f"{TRANSLATING}/table/0": "no_demand"}
    (entry,) = made.leakage["excluded"]
    assert entry["detail"] == "It names a column."
    # The works of the table without a demand may still be distractors.
    assert distractors(items(made)[ITEM]) == set(TRANSLATORS)


def test_a_demand_that_gives_a_column_away_makes_no_item(tmp_path: Path) -> None:
    leaking = "I want a table of studies on parsing sentences that shows the treebank of each."
    file = written(
        tmp_path,
        (ITEM, leaking),
        (f"{TRANSLATING}/table/0", DEMAND.replace("parsing", "translating")),
    )
    made = round_of(tmp_path, demands="model", demands_file=file)
    assert reasons(made) == {ITEM: "unfit_demand"}
    assert "treebank" in made.leakage["excluded"][0]["detail"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"demands": "model"}, "viva round demands"),
        ({"demands_file": "d.jsonl"}, 'demands = "model"'),
        ({"demands": "model", "demands_file": "none.jsonl"}, "does not exist"),
        ({"distractor": 3}, "distractors"),
        ({"distractors": 41}, "at most 40, not 41"),
        ({"pool_rule": "all"}, "other_tables"),
    ],
)
def test_options_that_make_no_sense_are_reported(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        round_of(tmp_path, **options)


def test_papers_of_the_corpus_are_distractors_unless_they_came_too_late(tmp_path: Path) -> None:
    made = round_of(tmp_path, corpus=corpus_of(tmp_path / "c", late=True), pool_rule="corpus")
    row = items(made)[ITEM]
    assert distractors(row) <= {*TRANSLATORS, TRANSLATING}
    assert LATE not in read_library(made.read_file("tables", "papers.parquet"))
    # The survey itself and what it cites are never among them.
    assert not distractors(row) & {PARSING, *PARSERS}


def test_a_round_of_full_texts_shows_no_other_work(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", bare=TRANSLATORS[1])
    made = {
        least: round_of(tmp_path, corpus=corpus, name=least, evidence=least)
        for least in ("any", "fulltext")
    }
    rows = {least: items(one)[f"{TRANSLATING}/table/0"] for least, one in made.items()}
    assert {least: len(row["gold_papers"]) for least, row in rows.items()} == {
        "any": 5,
        "fulltext": 4,
    }
    assert TRANSLATORS[1] not in items(made["fulltext"])[ITEM]["pool"]
    assert {known for row in items(made["fulltext"]).values() for known in row["evidence"]} == {
        "fulltext"
    }
    dropped = file_of(made["fulltext"], "statistics.json")["dropped_rows"]
    assert dropped == {"too_little_known": 1}
    # 4 + 4 works of the tables, and the 4 of the other one beside each.
    assert (
        "Tables: of the 16 papers in the pools there is the full text of 16 (100%), the abstract "
        "alone of 0 (0%), the title alone of 0 (0%); 50% of them belong to their table."
    ) in made["fulltext"].card


def test_full_texts_alone_are_the_default_where_they_leave_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = corpus_of(tmp_path / "corpus", bare=TRANSLATORS[1])
    few = round_of(tmp_path, corpus=corpus, name="few")
    assert "works with a full text leave fewer than 30 tables" in few.card
    assert len(items(few)[f"{TRANSLATING}/table/0"]["gold_papers"]) == 5
    monkeypatch.setattr("vivavoce.tasks.tables.build.ENOUGH", 2)
    enough = round_of(tmp_path, corpus=corpus, name="enough")
    assert "works with a full text leave 2 tables or more" in enough.card
    assert len(items(enough)[f"{TRANSLATING}/table/0"]["gold_papers"]) == 4


def test_how_much_is_known_does_not_tell_which_papers_belong(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", bare=TRANSLATORS[1])
    made = round_of(tmp_path, corpus=corpus, distractors=2)
    assert file_of(made, "statistics.json")["pools"]["told_by_evidence"] == 0
    # Of the parsers the texts are known; of one translator only the abstract is.
    assert TRANSLATORS[1] not in distractors(items(made)[ITEM])


def test_the_library_holds_every_paper_of_a_pool_and_no_survey(opened: Round) -> None:
    papers = read_library(opened.read_file("tables", "papers.parquet"))
    assert set(papers) == {paper for row in items(opened).values() for paper in row["pool"]}
    assert papers[PARSERS[0]].sections[0].text.startswith("We train on the apple treebank.")
    assert not {PARSING, TRANSLATING} & papers.keys()


def test_statistics_tell_what_the_round_is_like(opened: Round) -> None:
    found = file_of(opened, "statistics.json")
    assert found["tables"] == 2
    assert found["sizes"]["papers"] == {"min": 4, "max": 5, "mean": 4.5, "total": 9}
    assert found["sizes"]["distractors"]["total"] == 5 + 4
    assert found["tables_by_papers"] == {"4": 1, "5": 1}
    assert (found["distinct_papers"], found["empty_cells"]) == (9, 0.0)
    assert found["evidence"] == {"fulltext": 9 + 9}
    assert found["demands"] == {"template": 2}
    # The surveys of four and five ask for six and seven, and the other one has five and four.
    assert found["pools"]["missing_distractors"] == 1 + 3


def test_demands_and_labels_that_came_with_a_table_win(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    entry = {
        "table_id": "t1",
        "table_query_id": 7,
        "table_caption": "Models and sizes",
        "user_demand": "Compare  models by size.",
        "table": {"Size": {"11": ["small"], "22": ["1M"]}, "Data": {"11": ["web"], "22": ["news"]}},
        "input_references_id": [11, 33, 22, 44],
        "input_references_label": [1, 0, 1, 0],
        "table_references": [11, 22],
    }
    (files / "arXiv2Table.json").write_text(json.dumps([entry]))
    records = [
        {"tabids": ["t1"], "corpus_id": n, "title": f"Work {n} on models", "abstract": f"On {n}."}
        for n in (11, 22, 33)
    ]
    write_jsonl(files / "papers.jsonl", records)
    ingest("digestables", files, tmp_path / "c")
    made = round_of(tmp_path, corpus=load_corpus(tmp_path / "c"), undated=True)
    (row,) = items(made).values()
    assert (row["kind"], row["published"], row["given_labels"]) == ("digestables", None, True)
    assert (row["demand"], row["demand_source"]) == ("Compare models by size.", "given")
    # The demand is taken although it names a column, and 44, of which no title is known, is not.
    assert distractors(row) == {"s2:33"}
    assert file_of(made, "statistics.json")["demands"] == {"given": 1}
    assert row["settings"] == ["base", "abstracts", "titles"]
    assert row["evidence"] == ["abstract"] * 3


def test_no_tables_have_no_means() -> None:
    empty = table_statistics([])
    assert empty["sizes"]["papers"] == {"min": None, "max": None, "mean": None, "total": 0}
    assert (empty["tables"], empty["empty_cells"]) == (0, None)
