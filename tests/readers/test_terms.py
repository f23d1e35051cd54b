"""One vocabulary of metrics for keys, directions, tables and sentences."""

import pytest

from vivavoce.readers.metric_values import direction_of, split_metric
from vivavoce.readers.terms import MEASURES, METRICS, terms_in


def test_a_longer_name_goes_before_a_part_of_it() -> None:
    assert terms_in("word error rate") == ("wer",)
    assert terms_in("mean average precision, mean rank") == ("map", "mr")


def test_terms_and_spellings_are_those_of_one_metric() -> None:
    assert len({metric.term for metric in METRICS}) == len(METRICS)
    meant: dict[str, str] = {}
    for metric in METRICS:
        for form in (*metric.single_words, *metric.phrases):
            assert meant.setdefault(form, metric.term) == metric.term
    assert not MEASURES & {metric.term for metric in METRICS if metric.cost}


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
