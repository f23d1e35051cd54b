"""One vocabulary of metrics for keys, directions, tables and sentences."""

from __future__ import annotations

import re

import pytest

from vivavoce.readers.metric_names import METRICS, metric_key
from vivavoce.readers.metric_values import direction_of, impossible, is_resource, split_metric
from vivavoce.readers.terms import MEASURES, terms_in

SPELLINGS = [
    ("mean average precision", "map", "map", "MAP"),
    ("percent correct", "accuracy", "accuracy", "Accuracy"),
    ("exact match", "em", "exact match", "EM"),
    ("error rate", "error", "error", "Error"),
]


@pytest.mark.parametrize(("text", "term", "key", "name"), SPELLINGS)
def test_every_reader_knows_a_spelling(text: str, term: str, key: str, name: str) -> None:
    assert terms_in(text) == (term,)
    assert metric_key(text) == key
    assert name in {metric.name for metric in METRICS if metric.term == term}


def test_case_and_hyphens_cost_nothing() -> None:
    for text in ("Exact-match", "exact matches", "EXACT MATCH"):
        assert terms_in(text) == ("em",)
    assert terms_in("Fréchet inception distance") == ("fid",)


def test_a_longer_name_goes_before_a_part_of_it() -> None:
    assert terms_in("word error rate") == ("wer",)
    assert terms_in("mean average precision, mean rank") == ("map", "mr")


def test_a_part_of_the_data_is_not_lost_with_its_measure() -> None:
    assert terms_in("test error") == ("test", "error")
    assert metric_key("test error") == "test error"


def test_terms_and_spellings_are_those_of_one_metric() -> None:
    assert len({metric.term for metric in METRICS}) == len(METRICS)
    meant: dict[str, str] = {}
    for metric in METRICS:
        for form in (*metric.single_words, *metric.phrases):
            assert meant.setdefault(form, metric.term) == metric.term
    assert not MEASURES & {metric.term for metric in METRICS if metric.cost}


def test_names_are_folded_to_their_terms() -> None:
    for metric in METRICS:
        if metric.in_texts and re.fullmatch(r"[\w -]+", metric.name):
            assert terms_in(metric.name) == (metric.term,), metric.name


def test_directions_are_those_of_the_vocabulary() -> None:
    for metric in METRICS:
        if metric.name:
            key = metric_key(metric.name)
            assert direction_of([key]).higher_is_better == (metric.better == "higher"), key
            assert is_resource(key) == metric.cost, key
            assert (impossible(key, 101.0) is None) == metric.free, key


@pytest.mark.parametrize(
    ("metric", "higher"),
    [
        ("Distance Intersection over Union", True),  # the last metric is the head
        ("Similarity Error", False),
        ("Error of the F1", False),  # before `of` stands the head
        ("FID Score", False),  # `score` says nothing beside a metric
        ("AP75", True),
        ("mAcc", True),
        ("Books", None),
    ],
)
def test_the_head_of_a_name_tells_the_direction(metric: str, higher: bool | None) -> None:
    assert direction_of([metric]).higher_is_better is higher


@pytest.mark.parametrize(
    ("header", "metric", "rest"),
    [
        ("SQuAD Test F1", "F1", "SQuAD Test"),
        ("Hits @ 10 on WN18", "Hits @ 10", "on WN18"),
        ("Exact Match", "Exact Match", ""),
        ("Penn Treebank", "", "Penn Treebank"),
        ("", "", ""),
    ],
)
def test_a_header_is_parted_into_metric_and_rest(header: str, metric: str, rest: str) -> None:
    assert split_metric(header) == (metric, rest)
