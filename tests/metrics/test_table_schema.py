"""Renames of a column that cost nothing, those that do, and the recall of DIGESTables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.tables.table_schema import (
    SYNONYMS,
    column_key,
    column_unit,
    match_columns,
    schema_recall,
)


@pytest.mark.parametrize(
    ("gold", "renamed"),
    [
        ("Datasets used", "dataset"),
        ("Size of the dataset", "Dataset size"),
        ("# Parameters", "Number of parameters"),
        ("Params (M)", "Parameters"),
        ("Pre-training data", "Pretraining Data"),
        ("Publication year", "Year"),
        ("**Task**", "Tasks"),
        ("Approach", "Method"),
        ("Optimiser", "Optimizers"),
        ("Input / Output", "Output and input"),
        ("Training Corpora", "training dataset"),
        ("Ties", "Tie"),
    ],
)
def test_these_names_are_one_column(gold: str, renamed: str) -> None:
    assert match_columns([gold], [renamed]) == {0: 0}
    assert match_columns([renamed], [gold]) == {0: 0}


@pytest.mark.parametrize(
    ("gold", "other"),
    [
        ("Training data", "Test data"),
        ("What it is about", "Task"),
        ("Accuracy", "Асcuracy"),  # begins with two Cyrillic letters
        ("F1", "F2"),
        ("€", "£"),
        ("Gas", "GA"),  # a word of three letters is no plural
    ],
)
def test_these_names_are_two_columns(gold: str, other: str) -> None:
    assert match_columns([gold], [other]) == {}


def test_each_synonym_has_the_key_of_its_group_and_of_no_other() -> None:
    keys = [{column_key(name) for name in group} for group in SYNONYMS]
    assert [len(group) for group in keys] == [1] * len(SYNONYMS)
    assert len(set.union(*keys)) == len(SYNONYMS)


def test_columns_pair_one_to_one_and_equal_names_go_first() -> None:
    assert match_columns(["Dataset", "Corpus"], ["Corpora", "dataset"]) == {0: 1, 1: 0}
    assert match_columns(["Dataset"], ["Corpus", "Data", "dataset"]) == {0: 2}


def test_a_unit_in_the_name_is_found() -> None:
    names = ("Params (M)", "Time [min]", "Size (large)", "F1 (%)")
    assert [column_unit(name) for name in names] == ["m", "min", "", "%"]


@given(st.lists(st.text(max_size=8), max_size=6), st.lists(st.text(max_size=8), max_size=6))
def test_a_matching_is_one_to_one(gold: list[str], system: list[str]) -> None:
    matched = match_columns(gold, system)
    assert len(set(matched.values())) == len(matched)
    assert set(matched) <= set(range(len(gold)))
    assert set(matched.values()) <= set(range(len(system)))


@given(st.lists(st.text(max_size=8).filter(str.strip), max_size=6, unique_by=str.strip))
def test_every_column_finds_itself(names: list[str]) -> None:
    found = match_columns(names, list(reversed(names)))
    assert {names[one]: names[-1 - other] for one, other in found.items()} == dict(
        zip(names, names, strict=True)
    )


GOLD = ["Dataset size", "Task", "Evaluation metrics"]


def test_names_resemble_each_other_by_their_stems_without_stop_words() -> None:
    # {dataset, size} both; {task} against {task, type} 1/2; {evalu, metric} against {metric} 1/2
    assert schema_recall(GOLD, ["the size of datasets", "Task type", "Metrics"]) == 1 / 3
    # 3 of 4 stems, and 2 of 3
    assert schema_recall(["train set size"], ["size of the large train set"]) == 1.0
    assert schema_recall(["Dataset size"], ["Dataset size range"]) == 0.0


def test_names_of_stop_words_only_are_equal_but_for_case() -> None:
    assert schema_recall(["Who", "!?", "What"], [" who", "!?"]) == 2 / 3


def test_one_produced_column_may_serve_several_gold_ones() -> None:
    assert schema_recall(["Task", "task"], ["Task"]) == 1.0
    assert schema_recall(["Task"], []) == 0.0
    assert schema_recall([], ["Task"]) is None
