"""Gold inside the input, and papers held twice."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import paper, write_papers

from vivavoce.rounds.family import duplicate_titles, gold_is_inside, names_of_holders


@pytest.mark.parametrize(
    ("gold", "text", "is_inside"),
    [
        ("Deep nets", "We study deep nets.", True),
        ("Deep nets", "We study DEEP-NETS, which", True),
        ("Deep nets", "We study deep\n  nets", True),
        ("Deep nets", "We study deep networks", False),  # only whole words count
        ("Deep nets", "deeper nets", False),
        ("Deep nets", "nets deep", False),
        ("Größe", "die GRÖSSE zählt", True),
        ("?!", "What?!", False),
        ("", "anything", False),
        ("Deep nets", "", False),
    ],
)
def test_gold_is_found_but_for_case_punctuation_and_spaces(
    gold: str, text: str, is_inside: bool
) -> None:
    assert gold_is_inside(gold, ["Nothing here.", text]) == is_inside


def test_inputs_that_hold_one_of_several_golds_are_named() -> None:
    inputs = {"title": "On deep nets", "abstract": "We study graphs.", "content": "Deep GRAPHS."}
    assert names_of_holders(["deep nets", "study graphs"], inputs) == ["title", "abstract"]
    assert names_of_holders(["?"], inputs) == names_of_holders([], inputs) == []


@given(
    st.lists(st.sampled_from(["deep", "nets", "of", "graphs"]), min_size=1, max_size=6), st.data()
)
def test_any_run_of_words_of_a_text_is_inside_it(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    stop = data.draw(st.integers(start + 1, len(words)))
    assert gold_is_inside(" ".join(words[start:stop]), [", ".join(words).upper()])


def test_the_earliest_of_several_papers_with_one_title_is_kept(tmp_path: Path) -> None:
    rows = [
        paper("a", "Of Graphs", "2024-05"),
        paper("b", "OF GRAPHS!", "2023-01-02"),
        paper("c", "of graphs", None),
        paper("d", "Of trees", "2020"),
    ]
    assert duplicate_titles(write_papers(tmp_path, rows).papers) == {"a": "b", "c": "b"}


def test_of_papers_of_one_day_the_first_by_id_is_kept(tmp_path: Path) -> None:
    same = write_papers(tmp_path, [paper("a", "Of graphs"), paper("b", "Of graphs")]).papers
    assert duplicate_titles(same) == duplicate_titles(same[::-1]) == {"b": "a"}


def test_papers_without_a_title_are_no_duplicates(tmp_path: Path) -> None:
    rows = [paper(name, title) for name, title in zip("abcd", ["", "", "?", "!"], strict=True)]
    assert duplicate_titles(write_papers(tmp_path, rows).papers) == {}
