"""Names of methods out of labels."""

import pytest

from vivavoce.readers.method_names import (
    is_own,
    method_name,
    name_quality,
    with_kind,
    without_notes,
)


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
