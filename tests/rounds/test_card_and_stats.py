"""What a round says of itself: the card for people, the figures for programs."""

import json
from collections import Counter
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import paper, write_papers

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.rounds import Round, Shown, measure_settings, round_stats
from vivavoce.rounds.family import check_split, duplicate_titles, gold_is_inside, names_of_holders
from vivavoce.text.tokens import WordCounter


def test_the_card_says_window_items_exclusions_and_licences(small: Round, sample: Corpus) -> None:
    card = small.card
    items = len(small.items("writing", "title"))
    excluded = small.manifest["counts"]["writing"]["title"]["excluded"]
    assert card.startswith("# Round small\n")
    assert "from 2023-07-01 up to, not including, 2025-01-01 (UTC)" in card
    assert f"| writing | title | {items} | {items} |" in card
    for reason, count in excluded.items():
        assert f"| title | {reason} | {count} |" in card
    settings = small.manifest["counts"]["writing"]["title"]["settings"]
    assert settings["base"] == items > settings["coauthor"]
    for setting, count in settings.items():
        assert f"| title | {setting} | {count} |" in card
    assert f"| title, coauthor | no_demonstration | {items - settings['coauthor']} |" in card
    assert f"- CC0-1.0: {len(sample.papers)} papers" in card
    assert sample.fingerprint[:16] in card
    assert str(sample.folder) not in card


def test_stats_measure_the_items(small: Round) -> None:
    stats = round_stats(small)
    assert (stats["round"], stats["manifest"]) == ("small", small.sha256)
    for task in ("title", "abstract", "introduction", "related_work"):
        items = small.items("writing", task)
        found = stats["tasks"][f"writing/{task}"]
        assert found["items"] == len(items)
        assert found["splits"] == Counter(row["split"] for row in items)
        assert list(found["splits"]) == ["train", "val", "test"]
        lengths = [len(row["reference"].split()) for row in items]
        assert found["median_words"]["reference"] == median(lengths)
        assert list(found["median_words"]) == ["reference"]
    json.dumps(stats, allow_nan=False)


def test_lengths_are_means_and_rates_over_the_items_of_a_setting() -> None:
    shown = [
        Shown("title", "base", "train", "2024-01", ("a b c", "d"), "x y"),  # 4 over 2
        Shown("title", "base", "test", "2024-05", ("a b c d e f",), "x"),  # 6 over 1
        Shown("title", "base", "test", "2024", ("a b", "a b"), "x y"),  # 4 over 2
        Shown("title", "random", "test", "2024-07", ("a, b",), ""),
    ]
    base, random = measure_settings(shown, WordCounter())
    assert base == {
        "task": "title", "setting": "base", "items": 3, "train": 1, "val": 0, "test": 2,
        "test_from": "2024", "test_to": "2024-05",
        "input_tokens": 14 / 3, "output_tokens": 5 / 3,
        "compression": (2 + 6 + 2) / 3, "compression_of_totals": 14 / 5,
    }  # fmt: skip
    assert (random["input_tokens"], random["compression"]) == (3.0, None)


def test_an_unknown_split_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match="train, validation, test"):
        check_split("dev")
    assert check_split("test") is check_split(None) is None


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
