"""Words of a sweep, and the combinations they stand for."""

from typing import Any

import pytest

from vivavoce.errors import InputError
from vivavoce.requests.run import given_sweep
from vivavoce.running.spec import combinations, rename


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("batch=2,4,6", [2, 4, 6]),
        ("rounds=2..5", [2, 3, 4, 5]),
        ("rounds=1,4..6", [1, 4, 5, 6]),
        ("offset=-1..1", [-1, 0, 1]),
        ("cot=true,false", [True, False]),
        ("retriever=bm25,tfidf", ["bm25", "tfidf"]),
        ("share=0.5,1", [0.5, 1]),
        ("seed=7", [7]),
    ],
)
def test_a_word_names_an_argument_and_its_values(word: str, values: list[Any]) -> None:
    name = word.partition("=")[0]
    assert given_sweep([word]) == {name: values}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["batch"], "'batch' is not a sweep"),
        (["=2,4"], "is not a sweep"),
        (["batch="], "'' is not a value"),
        (["batch=2", "batch=4"], "batch is swept twice"),
        (["batch=2,2"], "a value twice"),
        (["rounds=2..4,3"], "a value twice"),
        (["rounds=5..2"], "not a rising range"),
        (["rounds=1..999999999"], "not a rising range of up to 1000"),
        (["batch=2,,4"], "'' is not a value"),
        (["batch=[2"], "no readable value"),
        (["batch={}"], "'{}' is not a value"),
    ],
)
def test_what_is_no_sweep_is_refused(words: list[str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        given_sweep(words)


def test_every_combination_of_what_a_method_takes() -> None:
    sweep = given_sweep(["batch=2,4", "rounds=1..3", "retriever=bm25"])
    found = list(combinations(sweep, ["rounds", "batch", "seed"]))
    assert [(one["batch"], one["rounds"]) for one in found] == [
        *((2, 1), (2, 2), (2, 3)),
        *((4, 1), (4, 2), (4, 3)),
    ]
    assert all(one.keys() == {"batch", "rounds"} for one in found)


def test_a_method_that_takes_nothing_swept_is_run_once() -> None:
    assert list(combinations({"batch": [2, 4]}, ["seed"])) == [{}]
    assert list(combinations({}, ["batch"])) == [{}]


def test_a_paper_s_letter_stands_for_the_argument_unless_a_method_has_one_of_that_name() -> None:
    aliases = {"b": "batch", "k": "rounds"}
    assert rename({"b": [2], "seed": [0]}, aliases, {"batch", "rounds"}) == {
        "batch": [2],
        "seed": [0],
    }
    assert rename({"k": 3}, aliases, {"k", "rounds"}) == {"k": 3}
    with pytest.raises(InputError, match="batch is given twice, once as b"):
        rename({"batch": 2, "b": 4}, aliases, {"batch"})
