"""Rows and headers out of tables of several shapes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.readers.blocks import line_blocks, read_blocks
from vivavoce.readers.paper_tables import blocks_in_text


def _one_a_line(*lines: str) -> list[list[str]]:
    return [[line] for line in lines]


def test_a_grid_keeps_its_columns_and_joins_the_rows_of_its_header() -> None:
    cells = [
        ["Method", "Dev", "", "Test", ""],
        ["", "EM", "F1", "EM", "F1"],
        ["AlphaReader", "60.1", "70.2", "61.3", "71.4"],
        ["BetaReader", "62.5", "-", "63.7", "73.8"],
    ]

    (block,) = read_blocks(cells)

    assert block.columns == ("Dev EM", "Dev F1", "Test EM", "Test F1")
    assert [(r.label, r.values) for r in block.records] == [
        ("AlphaReader", ("60.1", "70.2", "61.3", "71.4")),
        ("BetaReader", ("62.5", "", "63.7", "73.8")),
    ]


def test_a_row_with_one_filled_cell_heads_the_rows_below_it() -> None:
    cells = [
        ["System", "BLEU"],
        ["Alpha", "20.1"],
        ["Ensembles", ""],
        ["Beta", "22.3"],
    ]

    (block,) = read_blocks(cells)

    assert [(r.label, r.context) for r in block.records] == [("Alpha", ""), ("Beta", "Ensembles")]


def test_a_name_over_several_rows_is_repeated_and_other_words_are_context() -> None:
    cells = [
        ["Model", "Corpus", "F1"],
        ["Alpha", "News", "80.1"],
        ["", "Web", "70.2"],
    ]

    (block,) = read_blocks(cells)

    assert [(r.label, r.context, r.values) for r in block.records] == [
        ("Alpha", "News", ("80.1",)),
        ("Alpha", "Web", ("70.2",)),
    ]


def test_rows_are_put_together_out_of_lines() -> None:
    cells = _one_a_line(
        "Dev", "Test", "Model", "EM", "F1", "EM", "F1",
        "AlphaReader", "60.1 70.2 61.3 71.4",
        "BetaReader 62.5", "72.6", "63.7 73.8",
    )  # fmt: skip

    (block,) = read_blocks(cells)

    assert block.columns == ("Dev EM", "Dev F1", "Test EM", "Test F1")
    assert [(r.label, r.values[-1]) for r in block.records] == [
        ("AlphaReader", "71.4"),
        ("BetaReader", "73.8"),
    ]


def test_a_pair_over_columns_gives_each_of_them_two_values() -> None:
    cells = _one_a_line("Test / Validation", "BLEU-4", "METEOR", "Alpha 6.3 / 5.9", "7.7 / 8.0")

    (block,) = read_blocks(cells)

    assert block.columns == (
        "BLEU-4 Test",
        "BLEU-4 Validation",
        "METEOR Test",
        "METEOR Validation",
    )
    assert block.records[0].values == ("6.3", "5.9", "7.7", "8.0")


def test_a_split_below_a_name_is_the_context_of_its_rows() -> None:
    cells = _one_a_line("Model", "Accuracy", "F1", "Alpha", "Dev", "40.1 50.2", "Test", "41.3 51.4")

    (block,) = read_blocks(cells)

    assert [(r.label, r.context, r.values) for r in block.records] == [
        ("Alpha", "Dev", ("40.1", "50.2")),
        ("Alpha", "Test", ("41.3", "51.4")),
    ]


def test_a_whole_number_too_many_belongs_to_the_name() -> None:
    (block,) = line_blocks(["Model EM F1", "Alpha 60.1 70.2", "Beta 61.3 71.4", "R 3 62.5 72.6"])

    assert block.records[2].label == "R 3"
    assert block.records[2].values == ("62.5", "72.6")


def test_a_second_header_begins_a_block_and_the_heading_of_a_group_does_not() -> None:
    blocks = line_blocks(
        [
            *(
                "Model",
                "EM",
                "F1",
                "Single model",
                "Alpha 60.1 70.2",
                "Ensemble",
                "Alpha 64.1 74.2",
            ),
            *("Model", "BLEU", "Beta 20.1"),
        ]
    )

    assert [block.columns for block in blocks] == [("EM", "F1"), ("BLEU",)]
    assert [r.context for r in blocks[0].records] == ["Single model", "Ensemble"]


def test_a_table_in_running_text_is_found_with_its_caption() -> None:
    text = (
        "We compare with earlier taggers. Model Acc. F1 Alpha 96.56 90.5 Beta 97.34 93.1 "
        "Gamma 97.46 94.7 Table 6: Results on the treebank."
    )

    ((caption, block),) = blocks_in_text(text)

    assert caption == "Table 6: Results on the treebank."
    assert [r.values for r in block.records][1:] == [("97.34", "93.1"), ("97.46", "94.7")]


def test_prose_with_some_numbers_is_no_table() -> None:
    assert blocks_in_text("It gains 1.5 points over 3.2 in 4.7 hours. We ran 2.5 of 3.5.") == []


_CELL = st.one_of(
    st.sampled_from(["", "Model", "EM", "F1", "Test", "-", "93.5", "1 2 3", "(a)", "x", "12M"]),
    st.text(max_size=12),
)


@settings(deadline=None)
@given(st.lists(st.lists(_CELL, max_size=6), max_size=12))
def test_any_table_is_read_and_rows_have_labels(cells: list[list[str]]) -> None:
    for block in read_blocks(cells):
        assert block.records
        assert all(record.values for record in block.records)
        assert block.columns
