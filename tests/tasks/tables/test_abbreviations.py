"""Short forms and their long forms, as papers define them in brackets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.tasks.tables.items.composing import abbreviations_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We study question answering (QA).", {"QA": "question answering"}),
        ("GNN (graph neural network) layers", {"GNN": "graph neural network"}),
        (
            "the heat shock transcription factor (HSF)",
            {"HSF": "heat shock transcription factor"},
        ),
        ("magnetic resonance imaging (MRI; see below)", {"MRI": "magnetic resonance imaging"}),
        (
            "convolutional neural networks (CNNs)",
            {"CNN": "convolutional neural networks", "CNNs": "convolutional neural networks"},
        ),
        ("as in earlier work (Smith et al., 2019), and Table (2)", {}),
        ("a sentence ends. In (IN) it is no definition", {}),
        ("parsing (QA) has other letters", {}),
    ],
)
def test_definitions_are_read(text: str, found: dict[str, str]) -> None:
    assert abbreviations_in([text]) == found


def test_the_long_form_that_most_texts_give_counts() -> None:
    texts = ["machine translation (MT)", "Machine Translation (MT)", "mail tracking (MT)"]
    assert abbreviations_in(texts) == {"MT": "machine translation"}
    assert abbreviations_in(texts[1:]) == {}


@given(st.lists(st.text(alphabet="ab AB().;-", max_size=60), max_size=4))
def test_a_long_form_has_the_letters_in_order_and_comes_from_a_text(texts: list[str]) -> None:
    for short, long in abbreviations_in(texts).items():
        letters = iter(long.casefold())
        assert all(char in letters for char in short.casefold() if char.isalnum())
        assert any(long in " ".join(text.split()) for text in texts)
