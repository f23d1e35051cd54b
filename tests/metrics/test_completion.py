"""Texts known by heart: where they are cut, and what an answer is worth."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.metrics import metrics_of
from vivavoce.metrics.text_statistics import ASKED, NGRAM, cut_at_places, score_completion

TEXT = " ".join(f"word{i}" for i in range(40))
GIVEN = "We read papers and count what is in them"
NEXT = "because nobody else has done it for so many years"
WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=4), min_size=0, max_size=60)


def test_a_text_of_forty_words_is_cut_at_each_quarter() -> None:
    cuts = cut_at_places(TEXT)
    assert [len(start.split()) for start, _ in cuts] == [10, 20, 30]
    assert [len(rest.split()) for _, rest in cuts] == [20, 20, 10]
    start, rest = cuts[1]
    assert start.endswith("word19")
    assert rest.startswith("word20 word21")


def test_a_short_text_has_fewer_places() -> None:
    # 24 words: places at 6, 12 and 18; before the first stand too few.
    assert len(cut_at_places(" ".join(["word"] * 24))) == 2
    assert cut_at_places("too short") == []
    assert cut_at_places("") == []
    assert cut_at_places("… — – · " * 20) == []  # no words at all


@settings(deadline=None)
@given(WORDS, st.integers(1, 6))
def test_start_and_rest_stand_next_to_each_other_in_the_text(words: list[str], n: int) -> None:
    text = "  ".join(words)
    for start, rest in cut_at_places(text, n):
        assert text.startswith(start)
        assert text[len(start) :].lstrip().startswith(rest)
        assert NGRAM <= len(rest.split()) <= ASKED
        assert score_completion(start, rest, rest) == {
            "completion_match": 1.0,
            "completion_run": 1.0,
        }


@pytest.mark.parametrize(
    ("answer", "match", "run"),
    [
        (NEXT, 1.0, 1.0),
        (f"Because nobody else has, done it! FOR so many years {GIVEN}", 1.0, 1.0),
        ("because nobody else has done", 1.0, 5 / 10),
        ("because nobody else has tried it for so many years", 0.0, 4 / 10),
        (f"... count what is in them {NEXT}", 1.0, 1.0),  # repeats the end of what was given
        (GIVEN, 0.0, 0.0),
        ("It is not known to me", 0.0, 0.0),
        ("", 0.0, 0.0),
    ],
)
def test_an_answer_is_read_up_to_the_first_other_word(
    answer: str, match: float, run: float
) -> None:
    found = score_completion(GIVEN, NEXT, answer)
    assert found == {"completion_match": match, "completion_run": pytest.approx(run)}


def test_to_know_a_text_by_heart_is_nothing_to_be_proud_of() -> None:
    assert {m.name: m.higher_is_better for m in metrics_of("probe").values()} == {
        "completion_match": False,
        "completion_run": False,
    }
