"""Results read out of tables with cells, each with its cell, and names of methods out of labels."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.readers.cell_results import (
    is_own,
    method_name,
    name_quality,
    read_results,
    with_kind,
    without_notes,
)
from vivavoce.records import CellResult, CitedTable

Rows = list[list[str]]


def results(
    cells: Rows,
    caption: str = "",
    spans: tuple[tuple[int, ...], ...] = (),
    bold: tuple[tuple[int, ...], ...] = (),
    own: str = "",
) -> list[CellResult]:
    """The results of one table."""
    rows = tuple(map(tuple, cells))
    return list(read_results([CitedTable(0, caption, rows, (), (), spans, bold)], own))


def told(found: list[CellResult]) -> list[tuple[object, ...]]:
    return [(r.row, r.column, r.method, r.dataset, r.split, r.metric, r.score) for r in found]


TWO_HEADS = [
    ["Model", "SQuAD", "", "NewsQA", ""],
    ["", "EM", "F1", "Dev EM", "Test F1"],
    ["Reader (Lee et al., 2016)", "60.1", "70.5", "50", "-"],
    ["Ours", "63.0", "69.9", "52.5", "61.2"],
]
SPANS = ((0, 0, 2, 1), (0, 1, 1, 2), (0, 3, 1, 2))


def test_a_head_that_spans_columns_is_the_dataset_of_each() -> None:
    found = results(TWO_HEADS, spans=SPANS, own="CoReader")
    assert told(found) == [
        (2, 1, "Reader", "SQuAD", None, "EM", 60.1),
        (2, 2, "Reader", "SQuAD", None, "F1", 70.5),
        (2, 3, "Reader", "NewsQA", "dev", "EM", 50.0),
        (3, 1, "CoReader", "SQuAD", None, "EM", 63.0),
        (3, 2, "CoReader", "SQuAD", None, "F1", 69.9),
        (3, 3, "CoReader", "NewsQA", "dev", "EM", 52.5),
        (3, 4, "CoReader", "NewsQA", "test", "F1", 61.2),
    ]
    assert all(TWO_HEADS[r.row][r.column] == r.score_text for r in found)
    assert [r.is_best for r in found] == [False, True, False, True, False, True, True]


def test_bold_marks_show_the_better_end_where_the_name_does_not() -> None:
    cells = [["Model", "Penn Rank", "Penn F1"], ["Ant", "3.1", "90.0"], ["Bee", "2.5", "91.5"]]
    lowest = results(cells, bold=((2, 1), (1, 2)))
    assert [(r.higher_is_better, r.direction_from, r.is_best) for r in lowest] == [
        (False, ("bold",), False),
        (True, ("name",), False),  # the lower F1 is bold: the name goes before
        (False, ("bold",), True),
        (True, ("name",), True),
    ]
    unmarked = results(cells)
    assert [r.higher_is_better for r in unmarked] == [None, True, None, True]
    assert [r.is_best for r in unmarked] == [None, False, None, True]


def test_the_caption_may_name_the_dataset_and_never_the_metric() -> None:
    cells = [["Model", "Dev acc.", "Test acc."], ["Ant", "90.1", "89.5"], ["Bee", "91.0", "90.2"]]
    found = results(cells, "Perplexity and accuracy on the MultiNLI dataset, mean of five runs.")
    assert told(found)[:2] == [
        (1, 1, "Ant", "MultiNLI", "dev", "acc", 90.1),
        (1, 2, "Ant", "MultiNLI", "test", "acc", 89.5),
    ]
    found = results(cells, "Accuracy on SQuAD and NewsQA.")
    assert {r.dataset for r in found} == {None}


@pytest.mark.parametrize("heads", [("Dev", "Test"), ("valid", "test"), ("SQuAD Avg.", "Mean")])
def test_splits_datasets_and_averages_are_no_metrics(heads: tuple[str, str]) -> None:
    cells = [["Model", *heads], ["Ant", "90.1", "89.5"], ["Bee", "91.0", "90.2"]]
    assert results(cells, "Accuracy on the MultiNLI dataset.") == []


@pytest.mark.parametrize("head", ["F_1", "F_{1}-score", "AP_{50}", "R_{10}@1", "R^2"])
def test_a_metric_may_have_a_subscript(head: str) -> None:
    found = results([["Model", head], ["Ant", "0.91"], ["Bee", "0.83"]])
    assert [(r.metric, r.is_best) for r in found] == [(head, True), (head, False)]


def test_columns_may_be_methods_and_rows_metrics_or_datasets() -> None:
    metrics = [["", "AlphaNet", "BetaNet"], ["BLEU", "27.1", "28.0"], ["METEOR", "30.2", "31.0"]]
    assert told(results(metrics, "Results on the Multi30k dataset."))[:3] == [
        (1, 1, "AlphaNet", "Multi30k", None, "BLEU", 27.1),
        (1, 2, "BetaNet", "Multi30k", None, "BLEU", 28.0),
        (2, 1, "AlphaNet", "Multi30k", None, "METEOR", 30.2),
    ]
    data = [
        ["Dataset", "AlphaNet", "BetaNet"],
        ["Quaero F1", "90.1", "91.0"],
        ["WNUT F1", "45.0", "47.2"],
    ]
    found = results(data)
    assert [(r.method, r.dataset) for r in found] == [
        ("AlphaNet", "Quaero"),
        ("BetaNet", "Quaero"),
        ("AlphaNet", "WNUT"),
        ("BetaNet", "WNUT"),
    ]
    cited = [
        ["Dataset", "Quaero F1", "WNUT F1"],
        ["TagNet [12]", "90.1", "45.0"],
        ["Ours", "91.0", "47.2"],
    ]
    found = results(cited)
    assert {(r.method, r.dataset) for r in found} >= {("TagNet", "Quaero"), ("Ours", "WNUT")}


def test_costs_and_tables_without_columns_give_no_result() -> None:
    assert results([["Model", "Params", "Layers"], ["Ant", "21", "3"], ["Bee", "35", "6"]]) == []
    assert results([["Model"], ["F1"], ["A"], ["90.1"]]) == []


CELL = st.sampled_from(
    ["", "-", "Model", "F1", "SQuAD EM", "AlphaNet", "Ours", "90.1", "12 %", "x"]
)
MARK = st.tuples(st.integers(0, 6), st.integers(0, 6))


@settings(deadline=None)
@given(
    st.lists(st.lists(CELL, max_size=6), max_size=8),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), *[st.integers(1, 9)] * 2), max_size=4),
    st.lists(MARK, max_size=5),
    st.sampled_from(["", "Accuracy on CoNLL.", "F1 on A and B"]),
)
def test_every_result_names_a_cell_that_holds_or_covers_its_score(
    cells: Rows, spans: list[tuple[int, ...]], bold: list[tuple[int, ...]], caption: str
) -> None:
    found = results(cells, caption, tuple(spans), tuple(bold))
    assert [(r.row, r.column) for r in found] == sorted((r.row, r.column) for r in found)
    printed = {cell for row in cells for cell in row}
    for one in found:
        assert 0 <= one.row < len(cells)
        assert 0 <= one.column < 6
        assert one.metric
        assert one.method
        assert any(one.score_text.removesuffix("%") in cell for cell in printed)
        assert one.bold == ((one.row, one.column) in bold)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("AlphaNet (Smith et al., 2017)", "AlphaNet"),
        ("Smith et al. (2017) - AlphaNet", "AlphaNet"),
        ("Smith and Lee (2016)", "Smith and Lee (2016)"),
        ("Ours - AlphaNet", "AlphaNet"),
        ("AlphaNet (ours)", "AlphaNet"),
        ("AlphaNet †", "AlphaNet"),
        (r"\textbf{AlphaNet}", "AlphaNet"),
        ("AlphaNet (single model)", "AlphaNet (single model)"),
        ("Our model", "Our model"),
        ("12", ""),
        ("", ""),
    ],
)
def test_citations_marks_and_ours_are_no_part_of_a_name(label: str, name: str) -> None:
    assert method_name(label) == name


def test_a_row_that_calls_its_method_ours_names_none() -> None:
    assert is_own("Our model")
    assert is_own("Proposed method")
    assert not is_own("AlphaNet")


def test_headers_hyperparameters_and_sentences_are_no_names() -> None:
    for text in (
        "Test F1",
        "Batch size",
        ". We show this in Table",
        "# Params",
        "β = .9",
        "Baseline 2",
    ):
        assert name_quality(text) < 0.5, text
    assert name_quality("AlphaNet + CRF") == 1.0
    assert name_quality("w/o attention") < 0.5


def test_letters_of_footnotes_go_where_several_labels_have_one() -> None:
    assert without_notes(["Match d", "Net e", "Read f", "Ours"]) == ["Match", "Net", "Read", "Ours"]
    assert without_notes(["Vitamin d", "Net", "Read"]) == ["Vitamin d", "Net", "Read"]


def test_a_group_of_ensembles_shows_in_the_name() -> None:
    assert with_kind("AlphaNet", "Ensemble") == "AlphaNet (ensemble)"
    assert with_kind("AlphaNet", "Single model") == "AlphaNet (single model)"
    assert with_kind("AlphaNet ensemble", "Ensemble") == "AlphaNet ensemble"
    assert with_kind("AlphaNet", "Trained on news") == "AlphaNet"
