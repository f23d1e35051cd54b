"""Tables of a corpus become gold tables: which rows, which works, and what is left out and why."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.tasks.tables.printed_tables import OLD, SURVEY, printed, survey_corpus
from tests.tasks.tables.table_corpora import reference

from vivavoce.corpus import ingest, load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Window
from vivavoce.store import Row, parquet_of_rows, table_of_parquet
from vivavoce.tasks.tables.items.cited_works import work_id
from vivavoce.tasks.tables.items.gold_tables import GoldTables, read_gold_tables
from vivavoce.tasks.tables.items.table_items import (
    ITEM,
    GoldRow,
    TablesOptions,
    answer_table,
    answer_text,
    gold_of,
    gold_rows,
)

WINDOW = Window(date(2020, 1, 1), date(2021, 1, 1))
BAY, COB = work_id("Work number 1", ""), work_id("Work number 2", "")


def gold(
    folder: Path, *tables: Row, options: TablesOptions | None = None, **more: Any
) -> GoldTables:
    return read_gold_tables(
        survey_corpus(folder, *tables, **more), WINDOW, options or TablesOptions()
    )


def reasons(found: GoldTables) -> dict[str, str]:
    return {one.paper_id.removeprefix(SURVEY): one.reason for one in found.excluded}


def test_a_line_that_cites_one_work_is_a_row_about_it(tmp_path: Path) -> None:
    (table,) = gold(tmp_path, printed()).tables
    assert table.id == f"{SURVEY}/table/0"
    assert (table.source_paper, table.cluster, table.published) == (SURVEY, SURVEY, "2020-03-01")
    assert table.kind == "cited"
    assert table.columns == ("Encoder", "Data")
    assert table.rows == (
        GoldRow(1, OLD, "Ash", ("LSTM", "news")),
        GoldRow(2, BAY, "Bay", ("CNN", None)),
        GoldRow(3, COB, "Cob", ("LSTM", "web")),
    )


def test_lines_with_several_works_or_none_are_dropped_and_counted(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(cites=[[0], [1, 2], []]), printed(cites=[[0], [1], []]))
    assert reasons(found) == {"/table/0": "few_rows"}
    found = gold(tmp_path / "b", printed(cites=[[0], [1], []]))
    assert [row.paper for row in found.tables[0].rows] == [OLD, BAY]
    assert found.dropped == {"no_work": 1}


def test_rows_of_one_paper_stay_apart(tmp_path: Path) -> None:
    (table,) = gold(tmp_path, printed(cites=[[0], [1], [0]])).tables
    assert [(row.ordinal, row.paper) for row in table.rows] == [(1, OLD), (2, BAY), (3, OLD)]
    assert table.papers == (OLD, BAY)


def test_the_last_line_is_the_papers_own_when_asked_for(tmp_path: Path) -> None:
    own = TablesOptions(own_row=True)
    (table,) = gold(tmp_path, printed(cites=[[0], [1], []]), options=own).tables
    assert table.papers == (OLD, BAY, SURVEY)
    lines = (("Ash", "LSTM", "news"), ("Bay", "CNN", "web"), ("Standard LSTM", "LSTM", "web"))
    (table,) = gold(tmp_path / "b", printed(lines, cites=[[0], [1], []]), options=own).tables
    assert table.papers == (OLD, BAY)


def test_a_work_without_a_title_is_no_evidence(tmp_path: Path) -> None:
    references = [
        reference(SURVEY, 0, "Ames", 2019, cited=OLD),  # the corpus knows its title
        reference(SURVEY, 1, "Bell", 2011),
        reference(SURVEY, 2, "Cole", 2012, title="doi: 10.1000/1"),
    ]
    found = gold(tmp_path, printed(), references=references)
    assert reasons(found) == {"/table/0": "no_evidence"}


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (printed(caption=" "), "no_caption"),
        (printed(cites=[[0], [0], [0]]), "few_papers"),
        (printed([("Ash [1]",), ("Bay [2]",)], header=[("Method",)]), "few_columns"),
        (printed(header=()), "no_header"),
        (
            printed([("Ash [1]", "", ""), ("Bay [2]", "LSTM", "-"), ("Cob [3]", "", "web")]),
            "sparse",
        ),
        (printed(cites=[[0], [1, 2], []]), "few_rows"),
    ],
)
def test_every_table_left_out_has_a_reason(tmp_path: Path, table: Row, reason: str) -> None:
    found = gold(tmp_path, table)
    assert not found.tables
    assert reasons(found) == {"/table/0": reason}


def test_a_table_that_cites_nowhere_is_none_of_ours(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(cites=[[], [], []]))
    assert not found.tables
    assert not found.excluded


def test_a_table_printed_twice_is_gold_once(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(), printed(ordinal=1, caption="Table 9: Again."))
    assert [table.id.rpartition("/")[2] for table in found.tables] == ["0"]
    assert [(one.reason, one.detail) for one in found.excluded] == [
        ("duplicate", f"{SURVEY}/table/0")
    ]


@pytest.mark.parametrize(
    ("published", "reason"),
    [("2019-12-31", "outside_window"), ("2021-01-01", "outside_window"), (None, "undated_source")],
)
def test_only_tables_of_papers_of_the_window_are_gold(
    tmp_path: Path, published: str | None, reason: str
) -> None:
    found = gold(tmp_path, printed(), published=published)
    assert not found.tables
    assert reasons(found) == {"/table/0": reason}


def test_tables_of_undated_papers_can_be_let_in(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(), published=None, options=TablesOptions(undated=True))
    assert [table.published for table in found.tables] == [None]


def test_limits_can_be_raised(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(), options=TablesOptions(min_rows=4))
    assert reasons(found) == {"/table/0": "few_rows"}


def test_works_are_those_of_rows_and_kin_what_any_table_of_the_paper_cites(tmp_path: Path) -> None:
    other = printed(cites=[[3], [4], []], caption="", ordinal=1)
    found = gold(tmp_path, printed(), other)
    assert sorted(found.works) == sorted([OLD, BAY, COB])
    assert {name: work.evidence for name, work in found.works.items()} == {
        OLD: "fulltext",
        BAY: "title",
        COB: "title",
    }
    kin = found.kin[f"{SURVEY}/table/0"]
    assert kin == {OLD, *(work_id(f"Work number {n}", "") for n in (1, 2, 3, 4))}


def test_a_table_of_arxivdigestables_is_read_with_its_ordinals(tmp_path: Path) -> None:
    works = [
        {
            "corpus_id": n,
            "row": row,
            "type": "ref",
            "title": f"Work {n}",
            "bib_hash_or_arxiv_id": "f",
        }
        for n, row in ((11, 1), (22, 0))
    ]
    record = {
        "tabid": "t1",
        "table": {"Size": {"11": ["small"], "22": ["1M"]}, "Data": {"11": ["web"], "22": ["-"]}},
        "row_bib_map": works,
        "caption": "Models and sizes",
        "arxiv_id": "2003.00001v2",
    }
    (tmp_path / "tables.jsonl").write_text(json.dumps(record) + "\n")
    ingest("digestables", tmp_path / "tables.jsonl", tmp_path / "c")
    (table,) = read_gold_tables(load_corpus(tmp_path / "c"), WINDOW, TablesOptions()).tables
    assert table.kind == "digestables"
    assert table.columns == ("Size", "Data")
    assert [(row.ordinal, row.label, row.cells) for row in table.rows] == [
        (1, "Work 22", ("1M", None)),
        (2, "Work 11", ("small", "web")),
    ]


ENTRY = {
    "table_id": "t1",
    "table_query_id": 7,
    "table_caption": "Models and sizes",
    "user_demand": "Compare  small models.",
    "table": {"Size": {"11": ["small"], "22": ["1M"]}, "Data": {"11": ["web"], "22": ["news"]}},
    "input_references_id": [11, 33, 22, 44],
    "input_references_label": [1, 0, 1, 0],
    "table_references": [11, 22],
}


def test_an_entry_of_arxiv2table_brings_its_demand_and_distractors(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "arXiv2Table.json").write_text(json.dumps([ENTRY]))
    records = [
        {"tabids": ["t1"], "corpus_id": n, "title": f"Work {n}", "abstract": f"On {n}."}
        for n in (11, 22, 33)
    ]
    (files / "papers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    ingest("digestables", files, tmp_path / "c")
    found = read_gold_tables(load_corpus(tmp_path / "c"), WINDOW, TablesOptions(undated=True))
    (table,) = found.tables
    assert table.papers == ("s2:11", "s2:22")
    given = found.given[table.id]
    assert given.demand == "Compare small models."
    assert given.distractors == ("s2:33",)
    assert given.unknown == 1  # of 44 no file tells a title
    assert found.works["s2:33"].abstract == "On 33."


def test_an_item_keeps_its_gold_and_an_answer_its_table(tmp_path: Path) -> None:
    (table,) = gold(tmp_path, printed()).tables
    item = dict.fromkeys(ITEM.names) | {
        "id": table.id,
        "gold_papers": list(table.papers),
        "columns": list(table.columns),
        "rows": gold_rows(table),
    }
    (row,) = table_of_parquet(parquet_of_rows([item], ITEM)).to_pylist()
    target = gold_of(row)
    assert target.rows[1].cells == ("CNN", None)
    assert answer_table(json.loads(answer_text(target))) == target
    assert json.loads(answer_text(target))["rows"][1] == {"paper": BAY, "cells": {"Encoder": "CNN"}}


def test_an_answer_of_another_form_is_refused_with_the_part_that_is_wrong() -> None:
    with pytest.raises(InputError, match=r"table\.rows must be a list"):
        answer_table({"papers": [], "columns": [], "rows": "none"})
