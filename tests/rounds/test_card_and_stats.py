"""What a round says of itself: the card for people, the figures for programs."""

from __future__ import annotations

import json
from collections import Counter
from statistics import median

from vivavoce.corpus import Corpus
from vivavoce.rounds import Round, round_stats


def test_the_card_says_window_items_exclusions_and_licences(built: Round, sample: Corpus) -> None:
    card = built.card
    items = len(built.items("writing", "title"))
    excluded = built.manifest["counts"]["writing"]["title"]["excluded"]
    assert card.startswith("# Round small\n")
    assert "from 2023-07-01 up to, not including, 2025-01-01 (UTC)" in card
    assert f"| writing | title | {items} | {items} |" in card
    for reason, count in excluded.items():
        assert f"| title | {reason} | {count} |" in card
    assert f"- CC0-1.0: {len(sample.papers)} papers" in card
    assert sample.fingerprint[:16] in card
    assert str(sample.folder) not in card


def test_stats_measure_the_items(built: Round) -> None:
    stats = round_stats(built)
    assert (stats["round"], stats["manifest"]) == ("small", built.sha256)
    for task in ("title", "abstract"):
        items = built.items("writing", task)
        found = stats["tasks"][f"writing/{task}"]
        assert found["items"] == len(items)
        assert found["splits"] == Counter(row["split"] for row in items)
        assert list(found["splits"]) == ["train", "val", "test"]
        lengths = [len(row["reference"].split()) for row in items]
        assert found["median_words"]["reference"] == median(lengths)
        assert task not in found["median_words"]  # the gold is no input
    json.dumps(stats, allow_nan=False)
