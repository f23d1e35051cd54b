"""The vocabulary of metrics: terms, directions and headers."""

import pytest

from vivavoce.readers.metric_values import direction_of, split_metric
from vivavoce.readers.terms import METRICS, terms_in


def test_the_longest_name_is_matched_first() -> None:
    assert terms_in("word error rate") == ("wer",)
    assert terms_in("mean average precision, mean rank") == ("map", "mr")


def test_no_two_metrics_have_the_same_term_or_spelling() -> None:
    assert len({metric.term for metric in METRICS}) == len(METRICS)
    term_of: dict[str, str] = {}
    for metric in METRICS:
        for spelling in (*metric.single_words, *metric.phrases):
            assert term_of.setdefault(spelling, metric.term) == metric.term


@pytest.mark.parametrize(
    ("metric", "higher"),
    [
        ("Distance Intersection over Union", True),  # the last metric decides
        ("Similarity Error", False),
        ("Error of the F1", False),  # the metric before `of` decides
        ("FID Score", False),  # `score` does not decide beside a metric
        ("AP75", True),
        ("mAcc", True),
        ("Books", None),
    ],
)
def test_the_head_of_a_name_decides_the_direction(metric: str, higher: bool | None) -> None:
    assert direction_of([metric]).higher_is_better is higher


@pytest.mark.parametrize(
    ("header", "metric", "dataset"),
    [
        ("SQuAD Test F1", "F1", "SQuAD Test"),
        ("Hits @ 10 on WN18", "Hits @ 10", "on WN18"),
        ("Exact Match", "Exact Match", ""),
        ("Penn Treebank", "", "Penn Treebank"),
        ("", "", ""),
    ],
)
def test_a_header_is_split_into_metric_and_dataset(header: str, metric: str, dataset: str) -> None:
    assert split_metric(header) == (metric, dataset)
