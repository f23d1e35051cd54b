"""Limits that ended an answer, met again at the same point when its log is recomputed."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from inspect_ai.log import EvalSampleLimit
from inspect_ai.util import LimitExceededError

from vivavoce.results.integrity.rescoring import Cut

ENDS: AbstractContextManager[object] = pytest.raises(LimitExceededError)
GOES_ON: AbstractContextManager[object] = nullcontext()


@pytest.mark.parametrize(
    ("kind", "left", "is_answered", "outcome"),
    [
        ("cost", 1, True, GOES_ON),
        ("cost", 0, True, ENDS),  # costs are counted once the reply is there
        ("cost", 0, False, ENDS),
        ("time", 1, False, GOES_ON),
        ("time", 0, True, GOES_ON),  # what is there came in time
        ("time", 0, False, ENDS),
    ],
)
def test_a_limit_ends_an_answer_where_it_did(
    kind: Any, left: int, is_answered: bool, outcome: AbstractContextManager[object]
) -> None:
    with outcome:
        Cut(EvalSampleLimit(type=kind, limit=5.0), left).check(is_answered=is_answered)
