"""Properties that metrics have for any input, for those that no oracle covers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics import sense_of
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json, table_from_text
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow, score_table

WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=6)


@st.composite
def tables(draw: st.DrawFn) -> LiteratureTable:
    papers = tuple(draw(st.lists(st.sampled_from("ABCDE"), unique=True, max_size=4)))
    columns = tuple(draw(st.lists(WORDS, unique_by=str.casefold, max_size=4)))
    cells = st.tuples(*(st.none() | WORDS for _ in columns))
    return LiteratureTable(papers, columns, tuple(TableRow(paper, draw(cells)) for paper in papers))


@pytest.mark.parametrize(
    ("family", "metric", "sense"),
    [
        ("ranking", "ndcg", (True, 1.0)),  # 0 to 1
        ("ranking", "ktau", (True, 2.0)),  # -1 to 1
        ("ranking", "invented", (False, 0.0)),  # any number of titles
        ("ranking", "nobody's", (True, 0.0)),
    ],
)
def test_the_sense_of_a_metric(family: str, metric: str, sense: tuple[bool, float]) -> None:
    assert sense_of(family, metric) == sense


@given(tables(), st.text(max_size=200))
def test_any_text_is_a_table_with_metrics_in_range(gold: LiteratureTable, text: str) -> None:
    answer = table_from_text(text, PaperNames(gold))
    assert all(len(row.cells) == len(answer.columns) for row in answer.rows)
    for value in score_table(gold, answer).values().values():
        assert value is None or 0.0 <= value <= 1.0


@given(tables())
def test_a_table_written_down_is_read_back(gold: LiteratureTable) -> None:
    rows = [
        {"paper": row.paper, "cells": dict(zip(gold.columns, row.cells, strict=True))}
        for row in gold.rows
    ]
    row = {"papers": list(gold.papers), "table": {"columns": list(gold.columns), "rows": rows}}
    assert table_from_json(row, PaperNames(gold)) == gold
