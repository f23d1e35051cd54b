"""What a round says of itself: the card for people, the figures for programs."""

import json
from collections import Counter
from statistics import median

import pytest

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.rounds import Round, Shown, measure_settings, round_stats
from vivavoce.rounds.family import check_split
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


@pytest.mark.parametrize("split", [None, "train", "validation", "test"])
def test_a_split_that_a_round_has_is_accepted(split: str | None) -> None:
    check_split(split)


def test_an_unknown_split_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match="train, validation, test"):
        check_split("dev")
