"""Quality gates at their bounds."""

from typing import Any

import pytest

from vivavoce.corpus.fields import GATES, failed_gates
from vivavoce.records import Section


def words(count: int) -> str:
    return " ".join(["word"] * count)


def gates(
    title: str | None = "Two words",
    abstract: str | None = words(40),
    published: str | None = "2020",
    texts: tuple[str, ...] = (words(200), words(200)),
) -> tuple[str, ...]:
    sections = [Section(n, 1, None, "other", text) for n, text in enumerate(texts)]
    return failed_gates(title, abstract, published, sections)


@pytest.mark.parametrize(
    ("changed", "failed"),
    [
        ({}, ()),
        # A title has 2 to 40 words.
        ({"title": None}, ("no_title",)),
        ({"title": ""}, ("no_title",)),
        ({"title": "Word"}, ("odd_title",)),
        ({"title": words(40)}, ()),
        ({"title": words(41)}, ("odd_title",)),
        # An abstract has 40 to 600 words.
        ({"abstract": None}, ("no_abstract",)),
        ({"abstract": words(39)}, ("short_abstract",)),
        ({"abstract": words(600)}, ()),
        ({"abstract": words(601)}, ("long_abstract",)),
        # The sections have 400 words together.
        ({"texts": ()}, ("no_text",)),
        ({"texts": (words(200), words(199))}, ("short_text",)),
    ],
)
def test_a_paper_passes_every_gate_or_says_which_not(
    changed: dict[str, Any], failed: tuple[str, ...]
) -> None:
    assert gates(**changed) == failed


def test_a_text_of_which_over_one_percent_cannot_be_decoded_is_garbled() -> None:
    text = words(400)  # 400 words of 4 letters and 399 spaces: 1,999 characters
    assert gates(texts=(text + "\ufffd" * 20,)) == ()  # 20 / 2,019 = 0.99 %
    assert gates(texts=(text + "\ufffd" * 21,)) == ("garbled_text",)  # 21 / 2,020 = 1.04 %
    assert gates(texts=(text.replace("word", "wört"),)) == ()


def test_the_undated_are_reported_and_reasons_stand_in_the_order_of_the_list() -> None:
    failed = gates(title=None, abstract=None, published=None, texts=())
    assert failed == ("no_title", "no_abstract", "no_text", "undated")
    assert set(failed) <= set(GATES)
