"""Quality gates at their bounds."""

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


def test_a_whole_paper_passes_every_gate() -> None:
    assert gates() == ()


@pytest.mark.parametrize(
    ("title", "failed"),
    [
        (None, ("no_title",)),
        ("", ("no_title",)),
        ("Word", ("odd_title",)),
        (words(40), ()),
        (words(41), ("odd_title",)),
    ],
)
def test_a_title_has_2_to_40_words(title: str | None, failed: tuple[str, ...]) -> None:
    assert gates(title=title) == failed


@pytest.mark.parametrize(
    ("abstract", "failed"),
    [
        (None, ("no_abstract",)),
        (words(39), ("short_abstract",)),
        (words(600), ()),
        (words(601), ("long_abstract",)),
    ],
)
def test_an_abstract_has_40_to_600_words(abstract: str | None, failed: tuple[str, ...]) -> None:
    assert gates(abstract=abstract) == failed


def test_the_sections_have_400_words_together() -> None:
    assert gates(texts=()) == ("no_text",)
    assert gates(texts=(words(200), words(199))) == ("short_text",)


def test_a_text_of_which_over_one_percent_cannot_be_decoded_is_garbled() -> None:
    text = words(400)  # 400 words of 4 letters and 399 spaces: 1,999 characters
    assert gates(texts=(text + "\ufffd" * 20,)) == ()  # 20 / 2,019 = 0.99 %
    assert gates(texts=(text + "\ufffd" * 21,)) == ("garbled_text",)  # 21 / 2,020 = 1.04 %
    assert gates(texts=(text.replace("word", "wört"),)) == ()


def test_the_undated_are_reported_and_reasons_stand_in_the_order_of_the_list() -> None:
    failed = gates(title=None, abstract=None, published=None, texts=())
    assert failed == ("no_title", "no_abstract", "no_text", "undated")
    assert set(failed) <= set(GATES)
