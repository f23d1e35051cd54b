"""Lines of tables as labels and values."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.readers.lines import (
    MAX_LINE,
    MISSING,
    read_line,
    split_stream,
)


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
def test_values_are_the_numbers_and_dashes_that_end_a_line(
    text: str, label: str, values: tuple[str, ...]
) -> None:
    line = read_line(text)

    assert (line.label, line.values) == (label, values)


def test_a_text_without_line_breaks_is_cut_after_each_run_of_values() -> None:
    text = "Model Acc. F1 BRNN 96.56 90.5 BLSTM-CNN 97.34 93.1 as before"

    assert split_stream(text) == [
        "Model Acc. F1 BRNN 96.56 90.5",
        "BLSTM-CNN 97.34 93.1",
        "as before",
    ]


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_every_value_has_a_digit_or_is_missing(text: str) -> None:
    line = read_line(text)

    assert all(v == MISSING or any(c.isdigit() for c in v) for v in line.values)
    assert all(" " not in value for value in line.values)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["1", "(", "-", "9.", "1/", "±", "\u0301", "a 1 ", "\\textbf{", "1,"]
)
def test_long_lines_of_one_sign_take_no_time(piece: str) -> None:
    read_line(piece * 100_000)
    split_stream((piece * 100_000)[:100_000])

    assert len(read_line(piece * 100_000).label) <= 4 * MAX_LINE
