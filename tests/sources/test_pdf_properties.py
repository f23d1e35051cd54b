"""The layout of pages with words anywhere, in any size and font."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.documents import read_set_pages, set_pages

PLACES = st.sampled_from([0, 54, 72, 108, 108, 108, 306, 320, 320, 540, 612, -40, 99999])
HEIGHTS = st.integers(0, 66).map(lambda row: 12 * row) | st.floats(-900, 9000, width=16)
SIZES = st.sampled_from([10, 10, 10, 8, 6, 12, 17, 1.5, 999])
WORDS = st.sampled_from(
    "References Abstract [1] [12] A.1 III. 1e5 nan arXiv:1706.03762 et al. Table Figure 1: 2:"
    " (Smith, 2017) In Proceedings Introduction 2.1 Results 93.2".split()
)
RUNS = st.builds(
    lambda x, y, size, style, words: f"{x} {y} {size} {style} {' '.join(words)}",
    *(PLACES, HEIGHTS, SIZES, st.integers(0, 3)),
    st.lists(WORDS | st.text(max_size=6), min_size=1, max_size=9),
)
SHEETS = st.lists(RUNS, min_size=1, max_size=30).map("\n".join)


@given(st.lists(SHEETS, min_size=1, max_size=3).map("\f".join))
@settings(deadline=None, max_examples=60)
def test_pages_set_at_random_are_a_document_or_refused(pages: str) -> None:
    read_set_pages(pages.encode("utf-8", "replace"))


def test_the_form_in_which_pages_are_written_down() -> None:
    first, second = set_pages("72 100 10 1 two words\n300 100 12.04 0 more\fx y z 9 far")
    assert [(word.text, word.x0, word.y) for word in first.words] == [
        ("two", 72.0, 100.0),
        ("words", 72 + 3 * 5.0 + 3.0, 100.0),  # three letters of half a size, then a space
        ("more", 300.0, 100.0),
    ]
    assert [word.font.bold for word in first.words] == [True, True, False]
    assert first.words[2].font.size == 12.0
    assert (second.words[0].text, second.words[0].font.size) == ("far", 1.5)
