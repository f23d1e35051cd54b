"""Strangers' texts on a page: visible, bounded, and judges' notes of any form."""

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.web.board.samples import Excerpt, excerpt, verdicts

NASTY = ["<script>", "&", "\u202e", "\x00", "\ud800", "\r\n", "é", "漢", '"', "a", " ", "\n"]


def test_a_text_keeps_its_lines_and_says_how_much_is_missing() -> None:
    assert excerpt("one\r\ntwo\n\nthree", 1000) == Excerpt("one\ntwo\n\nthree", 15, 0)
    assert excerpt("x" * 500, 120) == Excerpt("x" * 120, 500, 380)
    # What draws nothing or turns the text is spelled out.
    assert excerpt("a\u202eb\x00c", 1000).text == "a⟨U+202E⟩b⟨U+0000⟩c"


@settings(deadline=None)
@given(st.lists(st.sampled_from(NASTY), max_size=300).map("".join), st.integers(1, 400))
def test_it_never_takes_more_of_a_page_than_it_may(text: str, size: int) -> None:
    found = excerpt(text, size)
    assert len(escape(found.text).encode()) <= size
    assert 0 <= found.rest <= found.length == len(text)


def orders(answer_first: str | None, gold_first: str | None) -> dict[str, object]:
    return {
        "orders": [
            {"first": "answer", "verdicts": {"overall": answer_first}},
            {"first": "reference", "verdicts": {"overall": gold_first}},
        ]
    }


@pytest.mark.parametrize(
    ("answer_first", "gold_first", "outcome"),
    [
        ("first", "second", "answer"),
        ("second", "first", "gold"),
        ("first", "first", "tie"),
        ("second", "second", "tie"),
        ("first", None, "no verdict"),
        (None, None, "no verdict"),
    ],
)
def test_a_verdict_that_changes_with_the_order_is_a_tie(
    answer_first: str | None, gold_first: str | None, outcome: str
) -> None:
    (found,) = verdicts(orders(answer_first, gold_first))
    assert (found.criterion, found.outcome) == ("overall", outcome)


@pytest.mark.parametrize(
    "note",
    [
        None,
        {},
        {"orders": "answer"},
        {"orders": [1, None, {"first": "judge"}]},
        {"orders": [{"first": "answer", "verdicts": [1]}]},
        {"orders": {"first": "answer"}},
        {"orders": [{"first": ["answer"], "verdicts": {}}]},
    ],
)
def test_a_note_of_another_form_gives_no_verdicts(note: dict[str, object] | None) -> None:
    assert verdicts(note) == []
