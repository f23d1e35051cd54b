"""Arguments that no method can use: refused by name before anything is asked."""

from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.solvers import self_refine
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.rag import rag
from vivavoce.tasks.tables.iterative import iterative

IMPOSSIBLE: dict[Callable[..., Any], dict[str, object]] = {
    agent: {"steps": 0, "search_results": 21, "page": 100, "tokens": 1, "context": 0},
    rag: {"chunks": "12", "size": 0, "overlap": -1, "context": 0, "retriever": "bm26"},
    iterative: {"batch": 4.0, "rounds": True, "seed": "one", "cot": "yes", "context": 0},
    self_refine: {"rounds": -1},
}


@pytest.mark.parametrize(
    ("method", "name", "value"),
    [(method, *pair) for method, given in IMPOSSIBLE.items() for pair in given.items()],
)
def test_an_argument_that_makes_no_sense_is_refused(
    method: Callable[..., Any], name: str, value: object
) -> None:
    with pytest.raises(InputError, match=f"{name}|{value}"):
        method(**{name: value})


def test_excerpts_overlap_by_less_than_half() -> None:
    with pytest.raises(InputError, match="overlap by 60"):
        rag(size=100, overlap=60)
