"""Rows and headers out of tables of several shapes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.readers.blocks import MAX_CELL, MISSING, read_blocks, read_cell


@pytest.mark.parametrize(
    ("text", "label", "values"),
    [
        ("Wide ResNet 28 36.5M 4.17", "Wide ResNet", ("28", "36.5M", "4.17")),
        ("Reader - n/a 68.9", "Reader", (MISSING, MISSING, "68.9")),
        ("93.5* 91.2†", "", ("93.5", "91.2")),
        ("Parser 88.1 ± 0.2 90.4", "Parser", ("88.1", "90.4")),
        ("Parser 88.1(87.0) 90.4", "Parser", ("88.1", "90.4")),
        (r"\textbf{Tagger} $97.55$", "Tagger", ("97.55",)),
        ("Big model 1.67 M 56K", "Big model", ("1.67M", "56K")),
        ("Net 151,060,480 −1.5", "Net", ("151,060,480", "-1.5")),
        ("Results of 2016", "Results of 2016", ()),
        ("", "", ()),
    ],
)
def test_values_are_the_numbers_and_dashes_that_end_a_cell(
    text: str, label: str, values: tuple[str, ...]
) -> None:
    cell = read_cell(text)

    assert (cell.label, cell.values) == (label, values)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_every_value_has_a_digit_or_is_missing(text: str) -> None:
    cell = read_cell(text)

    assert all(v == MISSING or any(c.isdigit() for c in v) for v in cell.values)
    assert all(" " not in value for value in cell.values)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["1", "(", "-", "9.", "1/", "±", "\u0301", "a 1 ", "\\textbf{", "1,"]
)
def test_long_cells_of_one_sign_take_no_time(piece: str) -> None:
    assert len(read_cell(piece * 100_000).label) <= 4 * MAX_CELL


_CELL = st.one_of(
    st.sampled_from(["", "Model", "EM", "F1", "Test", "-", "93.5", "1 2 3", "(a)", "x", "12M"]),
    st.text(max_size=12),
)


@settings(deadline=None)
@given(st.lists(st.lists(_CELL, max_size=6), max_size=12))
def test_any_table_is_read_and_rows_have_labels(cells: list[list[str]]) -> None:
    for block in read_blocks(cells):
        assert block.records
        assert all(len(record.values) == len(block.levels) for record in block.records)
