"""Which tables look like results."""

from __future__ import annotations

import pyarrow as pa
import pytest

from vivavoce.networks.comparison import result_like

Cells = list[list[str]]


def is_result(*tables: Cells) -> list[bool]:
    column = pa.array(tables, pa.list_(pa.list_(pa.string())))
    found: list[bool] = result_like(column).tolist()
    return found


SCORES = [["Model", "EM", "F1"], ["Ours", "71.2", "80.1 ± 0.3"], ["Base [3]", "65.0%", "-"]]
FEATURES = [["Work", "Task", "Open", "Size"], ["A [1]", "parsing", "yes", "10k words"]]


def test_scores_are_results_and_features_are_not() -> None:
    assert is_result(SCORES, FEATURES) == [True, False]


def test_header_and_labels_do_not_count() -> None:
    # The body is 9.5, 8.1 and two words: half is not most.
    half = [["2019", "2020", "2021"], ["10", "9.5", "low"], ["20", "8.1", "high"]]
    more = [["2019", "2020", "2021"], ["10", "9.5", "low"], ["20", "8.1", "7"]]

    assert is_result(half, more) == [False, True]


@pytest.mark.parametrize(
    "cell", ["12.5", "-3", "85.1%", "91.3 ± 0.2", "(92.1)", "$1.2$", "35M", "1e-5"]
)
def test_numbers(cell: str) -> None:
    assert is_result([["", "x"], ["a", cell], ["b", cell]]) == [True]


@pytest.mark.parametrize("cell", ["[12]", "[3, 4]", "BERT-2", "3 layers", "", "-", "N/A", "9" * 61])
def test_no_numbers(cell: str) -> None:
    assert is_result([["", "x"], ["a", cell], ["b", cell]]) == [False]


def test_cells_one_below_the_other_need_a_third_of_numbers() -> None:
    # As GROBID leaves tables whose columns it lost: a label, then its scores.
    scores = [["Model"], ["EM F1"], ["Ours"], ["71.2 80.1"], ["Base"], ["65.0 70.2"]]  # 2 of 6
    more = [*scores[:3], ["71.2"], ["80.1"], ["Base"], ["65.0"]]  # 3 of 7

    assert is_result(scores, more, [["Work"], ["parsing"], ["yes"]]) == [False, True, False]


def test_a_single_number_is_no_result() -> None:
    assert is_result([["", "x"], ["a", "3"]]) == [False]


def test_tables_without_cells_are_no_results() -> None:
    assert is_result([], [[]], [["a", "b"]]) == [False, False, False]
    assert is_result() == []


def test_tables_do_not_run_into_each_other() -> None:
    assert is_result(FEATURES, SCORES, [], FEATURES, SCORES) == [False, True, False, False, True]
