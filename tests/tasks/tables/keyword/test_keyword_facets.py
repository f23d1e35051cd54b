"""General properties of papers, found by patterns."""

from __future__ import annotations

import time

import pytest

from vivavoce.tasks.tables.items.keyword_papers import (
    FACETS,
    PoolText,
    datasets_in,
    own_name,
    read_pool,
    task_of,
    terms_of,
)

BY_NAME = {facet.name: facet for facet in FACETS}


def paper(title: str = "On trees", abstract: str = "", text: str = "") -> PoolText:
    return PoolText("P1", title, abstract, text)


@pytest.mark.parametrize(
    ("facet", "text", "cell"),
    [
        ("Metric", "We report accuracies and the F1-score. F1 is stricter.", "F1, Accuracy"),
        ("Architecture", "A BiLSTM reads it; two LSTMs write.", "LSTM"),
        ("Base model", "We start from GPT-4 and not from GPT.", "GPT-4, GPT"),
        ("Learning", "It is self-supervised.", "self-supervised learning"),
        ("Modality", "Videos with their sound.", "video, audio"),
        ("Language", "From German into english and French.", "German, English, French"),
        ("Study type", "A randomized controlled trial.", "randomised controlled trial"),
        ("Participants", "We asked 1,204 healthy volunteers.", "1,204"),
        ("Dataset size", "It holds 12,500 annotated sentences in all.", "12,500"),
        ("Dataset size", "It holds 3.5 million images.", "3.5M"),
        ("Parameters", "The model has 340 million parameters.", "340M"),
        ("Parameters", "A 7B-parameter model.", "7B"),
        ("Code", "See github.com/someone/something.", "Yes"),
        ("Code", "Our code will be made publicly available.", "Yes"),
        ("Code", "The code of honour forbids it.", "No"),
        ("Dataset", "We train on the Penn Treebank and test on the SNLI corpus.", "Penn Treebank"),
    ],
)
def test_what_a_text_says(facet: str, text: str, cell: str) -> None:
    found = BY_NAME[facet].cell(paper(text=text))
    assert found is not None
    assert found.startswith(cell)


def test_nothing_said_is_no_value() -> None:
    assert all(facet.cell(paper("Of")) is None for facet in FACETS)


def test_what_the_title_says_counts_more_than_what_the_text_mentions() -> None:
    text = "Speech was looked at before. " * 3
    assert BY_NAME["Modality"].cell(paper("Video retrieval", text=text)) == "video"


def test_the_longest_form_wins() -> None:
    found = [name for _, _, name in terms_of("learning").find("Semi-supervised learning")]
    assert found == ["semi-supervised learning"]
    assert terms_of("base_model").has("Llama 2")
    assert not terms_of("base_model").has("a Llama 2")


def test_a_paper_names_its_method_in_the_title_or_where_it_is_proposed() -> None:
    assert own_name(paper("TreeNet: parsing by trees")) == "TreeNet"
    assert own_name(paper(abstract="We propose a parser, called OakNet, for all.")) == "OakNet"
    assert own_name(paper("Parsing by trees", "We propose a parser.")) is None


def test_datasets_are_what_stands_before_such_words() -> None:
    text = "We use the Wall Street Journal corpus. On SQuAD, it fails. Both datasets are small."
    assert list(datasets_in(paper(text=text))) == ["Wall Street Journal", "SQuAD"]
    found = datasets_in(paper(text="Results on MNIST and CIFAR-10 datasets"))
    assert {"MNIST", "CIFAR-10"} <= set(found)


def test_the_task_is_a_phrase_or_what_the_title_is_for() -> None:
    assert list(task_of(paper(abstract="A model for neural machine translation."))) == [
        "machine translation"
    ]
    assert list(task_of(paper("A Chart for Lonely Readers in Winter"))) == ["lonely readers"]


@pytest.mark.parametrize(
    "noise", ["A ", "Aa and ", "on the Aa1 ", "for ", "1,000 ", "called Aa", "supervised "]
)
def test_hostile_texts_take_time_in_proportion_to_their_length(noise: str) -> None:
    (long,) = read_pool([{"label": "P1", "title": noise * 99, "text": noise * 10_000}])
    started = time.process_time()
    for facet in FACETS:
        facet.cell(long)
    assert time.process_time() - started < 5


def test_of_a_large_pool_less_is_read_of_each() -> None:
    rows = [{"label": f"P{n}", "title": "On trees", "text": "x" * 400_000} for n in range(100)]
    assert len(read_pool(rows[:1])[0].text) == 300_000
    assert sum(len(one.text) for one in read_pool(rows)) <= 20_000_000
    assert read_pool([{"label": "P1", "title": None, "abstract": None}]) == [PoolText("P1", "")]
