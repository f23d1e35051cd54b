"""Properties that metrics have for any input, for those that no oracle covers."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics import Ratio, harmonic_mean, sense_of
from vivavoce.metrics.factor import score_claim, score_columns
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json, table_from_text
from vivavoce.metrics.tables.literature_tables import (
    LiteratureTable,
    TableRow,
    count_faults,
    score_table,
)

RATIOS = st.integers(1, 10**6).flatmap(
    lambda asked: st.builds(Ratio, st.integers(0, asked), st.just(asked))
)
SHARES = RATIOS.map(lambda ratio: ratio.hits / ratio.asked)
WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=6)
COLUMNS = st.sets(WORDS.map(lambda word: f"table.{word}"), max_size=6)


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
def test_the_direction_and_the_range_of_a_metric(
    family: str, metric: str, sense: tuple[bool, float]
) -> None:
    assert sense_of(family, metric) == sense


@given(SHARES, SHARES)
def test_f1_lies_between_its_parts_and_knows_no_order(precision: float, recall: float) -> None:
    found = harmonic_mean(precision, recall)
    assert found == harmonic_mean(recall, precision)
    assert found is not None
    low, high = sorted((precision, recall))
    assert low * (1 - 1e-12) <= found <= high * (1 + 1e-12)
    assert found <= 2 * low
    assert harmonic_mean(None, recall) is None


@given(COLUMNS, COLUMNS)
def test_columns_count_whatever_their_order_case_and_keys(
    needed: set[str], named: set[str]
) -> None:
    found = score_columns(needed, named)
    assert 0.0 <= found <= 1.0
    assert found == pytest.approx(score_columns(named, needed))
    shouted = [f" {name} " for name in sorted(named, reverse=True)] + ["table.datetime"]
    assert score_columns(needed, shouted) == found
    assert (found == 1.0) is (
        {n.casefold() for n in needed} == {n.casefold() for n in named} != set()
    )


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_claim_is_right_only_near_the_number(number: float) -> None:
    assert score_claim(number, number) == 1.0
    assert score_claim(number, number + 1e-4 * abs(number) + 1e-6) == 0.0
    for wrong in (None, math.nan, math.inf, -math.inf):
        assert score_claim(number, wrong) == 0.0


@given(tables(), st.text(max_size=200))
def test_any_text_is_a_table_of_which_no_metric_leaves_its_range(
    gold: LiteratureTable, text: str
) -> None:
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


@given(tables(), tables())
def test_faults_are_counted_of_the_answer_alone(
    gold: LiteratureTable, answer: LiteratureTable
) -> None:
    faults = count_faults(gold, answer)
    assert faults["success"] == 1.0
    assert faults["invented"] == len(set(answer.papers) - set(gold.papers))
    cells = [cell for row in answer.rows for cell in row.cells]
    empty = sum(cell is None for cell in cells)
    assert faults["empty_cells"] == (pytest.approx(empty / len(cells)) if cells else None)
    assert count_faults(gold, gold)["invented"] == 0.0
    bare = replace(answer, rows=())
    assert count_faults(gold, bare)["empty_cells"] is None
