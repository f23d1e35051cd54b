"""Sentences that compare and cite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from vivavoce.corpus import Corpus
from vivavoce.networks.comparison import find_comparisons

Write = Callable[..., Corpus]
NAMED = [
    {"first_author": "Jo Alpha", "year": 2015, "raw": "Jo Alpha and Al Beta. 2015. Nets."},
    {"first_author": "Gamma", "year": 2016, "raw": "C. Gamma, D. Delta, E. Eps. 2016a. Trees."},
    {"first_author": "Gamma", "year": 2016, "raw": "C. Gamma, F. Phi, G. Psi. 2016b. Forests."},
]
NUMBERED = [{"raw": "[1] One."}, {"raw": "[2] Two."}, {"raw": "Three."}]


def cited(
    write: Write, text: str, entries: Sequence[dict[str, Any]] = NAMED, role: str = "results"
) -> list[tuple[int, ...]]:
    sections = [{"paper_id": "p", "ordinal": 0, "role": role, "text": text}]
    return [found for _, _, found in find_comparisons(write({"p": entries}, sections=sections))]


def test_a_sentence_that_compares_names_whom(write_citations: Write) -> None:
    text = "We outperform Alpha and Beta (2015) by far. Training follows Gamma et al. (2016b)."

    assert cited(write_citations, text) == [(0,)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Our net outperforms the parser of {}.",
        "Scores are higher than those of {}.",
        "The baselines are a tagger and {}.",
        "We compare our net with {}.",
        "This is on par with {}.",
        "Our net improves over {}.",
    ],
)
def test_cues(write_citations: Write, sentence: str) -> None:
    assert cited(write_citations, sentence.format("Gamma et al. (2016a)")) == [(1,)]


@pytest.mark.parametrize(
    "sentence", ["We follow {}.", "The data of {} is larger.", "Compare Table 2; words are of {}."]
)
def test_citing_alone_is_no_comparison(write_citations: Write, sentence: str) -> None:
    assert cited(write_citations, sentence.format("Alpha and Beta (2015)")) == []


@pytest.mark.parametrize("marker", ["Gamma et al. (2016)", "Alpha (2017)", "Alpha and Zed (2015)"])
def test_a_marker_in_doubt_means_nothing(write_citations: Write, marker: str) -> None:
    assert cited(write_citations, f"We outperform {marker}.") == []


def test_numbers_count_where_the_list_prints_them(write_citations: Write) -> None:
    text = "We outperform two systems [1, 2]. We beat another [3]."

    assert cited(write_citations, text, NUMBERED) == [(0, 1)]
    plain = [{"raw": entry["raw"].removeprefix(f"[{n}] ")} for n, entry in enumerate(NUMBERED, 1)]
    assert cited(write_citations, text, plain) == []


@pytest.mark.parametrize("role", ["related_work", "background", "abstract"])
def test_sections_on_others_are_passed_over(write_citations: Write, role: str) -> None:
    text = "We outperform Alpha and Beta (2015)."

    assert cited(write_citations, text, role=role) == []
    assert cited(write_citations, text, role="introduction") == [(0,)]


def test_papers_without_text_or_without_references_are_passed_over(write_citations: Write) -> None:
    text = "We outperform Alpha and Beta (2015)."
    corpus = write_citations(
        {"a": NAMED, "b": [], "c": NAMED, "d": NAMED},
        sections=[
            {"paper_id": paper, "ordinal": n, "role": "results", "text": text}
            for paper, n in (("b", 0), ("c", 0), ("c", 1))
        ],
    )

    assert list(find_comparisons(corpus)) == [("c", 0, (0,)), ("c", 1, (0,))]


@pytest.mark.timeout(60)
def test_hostile_text_takes_linear_time(write_citations: Write) -> None:
    for text in ("compare " * 40_000, "compare" * 40_000, "(2015) " * 40_000 + "outperform"):
        assert cited(write_citations, text) == []
