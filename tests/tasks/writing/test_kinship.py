"""Which papers are one work, and which share their text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.writing.corpora import words

from vivavoce.metrics.rouge import words_of
from vivavoce.records import Section
from vivavoce.tasks.writing.demonstrations import (
    Kinship,
    hash_runs,
    shared_runs,
)
from vivavoce.tasks.writing.inputs import PaperText
from vivavoce.text.shingles import mix


def paper(name: str, *, title: str = "", abstract: str = "", opening: str = "") -> PaperText:
    introduction = Section(0, 1, "Introduction", "introduction", opening or words(f"{name}o", 60))
    return PaperText(
        name,
        "2024",
        title or f"On {name}",
        abstract or words(f"{name}a", 60),
        (introduction,),
    )


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (paper("p"), "itself"),
        (paper("q", title="ON P!"), "same_title"),
        # 60 words have 48 runs of 13; 36 shared words have 24 of them: just the half.
        (paper("q", abstract=words("pa", 36) + " and other words"), "near_copy"),
        (paper("q", opening=words("po", 60).upper()), "near_copy"),
        (paper("q"), None),
    ],
)
def test_kin_by_name(candidate: PaperText, reason: str | None) -> None:
    found = Kinship().between(paper("p"), candidate)
    assert (found and found[0]) == reason


def test_half_of_the_runs_of_the_shorter_text_make_a_near_copy() -> None:
    target = paper("p", abstract=words("a", 60))
    # The longer text has 100 - 12 = 88 runs; 35 shared words are 23 of the shorter one's 48.
    below = paper("q", abstract=words("a", 35) + " " + words("b", 65))
    above = paper("r", abstract=words("a", 36) + " " + words("b", 64))
    assert Kinship().between(target, below) is None
    assert Kinship().between(target, above) == (
        "near_copy",
        "50% of the 13-word runs of the abstract are shared",
    )


def test_versions_of_one_arxiv_id_are_kin_whatever_they_say() -> None:
    first, second = paper("arxiv:2401.00001v1"), paper("arxiv:2401.00001v2")
    assert Kinship().between(first, second) == ("another_version", "both are arXiv 2401.00001")
    assert Kinship().between(first, paper("arxiv:2401.00002v2")) is None


def test_all_pairs_are_found_from_titles_ids_and_runs() -> None:
    papers = [
        paper("p"), paper("q", abstract=words("pa", 60)), paper("r", title="On q"), paper("s"),
        paper("2401.00001"), paper("2401.00001v3"),
    ]  # fmt: skip
    found = Kinship().find_all(papers)
    assert {pair: kin[0] for pair, kin in found.items() if pair[0] < pair[1]} == {
        ("p", "q"): "near_copy",
        ("q", "r"): "same_title",
        ("2401.00001", "2401.00001v3"): "another_version",
    }
    assert all((second, first) in found for first, second in found)


def test_a_phrase_of_the_trade_points_to_nobody() -> None:
    phrase = words("usual", 13)
    papers = [paper(f"p{n}", abstract=f"{words(f'p{n}x', 60)} {phrase}") for n in range(40)]
    assert Kinship().find_all(papers) == {}


LETTERS = st.lists(st.sampled_from("ab"), max_size=40).map(" ".join)


@given(LETTERS, LETTERS)
def test_shared_runs_are_those_of_the_words_themselves(first: str, second: str) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        found = words_of(text)
        return {tuple(found[n : n + 13]) for n in range(len(found) - 12)}

    one, other = runs(first), runs(second)
    fewer = min(len(one), len(other))
    expected = len(one & other) / fewer if fewer else 0.0
    assert shared_runs(hash_runs(first), hash_runs(second)) == expected


def test_runs_of_a_long_copy_are_found_in_a_sample() -> None:
    long = words("long", 900)
    papers = [paper("p", opening=long), paper("q", opening=long + " " + words("more", 300))]
    assert Kinship().find_all(papers)["p", "q"][0] == "near_copy"


def test_mixing_keeps_numbers_apart() -> None:
    numbers = np.arange(10_000, dtype=np.uint64)
    assert len(np.unique(mix(numbers))) == len(numbers)
    # SplitMix64 started at 0: its first output mixes the golden gamma itself.
    assert int(mix(np.array([0x9E3779B97F4A7C15], np.uint64))[0]) == 0xE220A8397B1DCDAF
