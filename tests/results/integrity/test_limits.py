"""Answers that a log lacks, and limits that ended an answer, as they are when it is recomputed."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSampleLimit, read_eval_log
from inspect_ai.util import LimitExceededError
from tests.results.audits.made_logs import write_log

from vivavoce.results.integrity.log_check import missing
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


def test_answers_that_a_log_lacks_are_listed(tmp_path: Path) -> None:
    header = read_eval_log(str(write_log(tmp_path, {"a": 0.5, "b": 0.5})), header_only=True)
    assert missing(["a", "b"], header, {("a", 1), ("b", 1)}) is None
    assert missing(["a", "b"], header, {("a", 1)}) == "1 of the 2 answers are missing: sample b."
    header.eval.config.epochs = 2
    twice = {("a", 1), ("a", 2), ("b", 1)}
    assert (
        missing(["a", "b"], header, twice)
        == "1 of the 4 answers are missing: sample b (attempt 2)."
    )
    header.status = "error"
    assert missing(["a"], header, twice) == "its run ended as error."
