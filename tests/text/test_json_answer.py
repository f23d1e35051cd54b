"""JSON found in what a model says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.json_answer import find_json

GOOD = '{"methods": [{"name": "a"}]}'
VALUE = {"methods": [{"name": "a"}]}


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure, with {{i,t}} as indices [1]:\n```json\n{GOOD}\n```\nThat {{is}} all.",
        f"```\n{GOOD}\n```",
        f"I found this: {GOOD} and no more.",
        f'```json\n{{"methods": []}}\n```\nOn second thoughts:\n```json\n{GOOD}\n```',
        f"```python\nx = {{}}\n```\n```json\n{GOOD}\n```\n```text\n[]\n```",
        f"```json\n{GOOD}",  # cut off before the fence was closed
        f'[1] {GOOD} {{"not": JSON}}',
    ],
)
def test_the_answer_is_found_amid_chatter(answer: str) -> None:
    assert find_json(answer) == VALUE


def test_latex_may_stand_in_a_string_as_it_is() -> None:
    assert find_json(r'{"a": "\sigma_t \\cdot \unit \u0041"}') == {"a": r"\sigma_t \cdot \unit A"}


@pytest.mark.parametrize("number", ["9" * 5_000, "1e999", "-1e999", "NaN", "Infinity"])
def test_numbers_no_program_can_use_are_refused(number: str) -> None:
    assert find_json(f'{{"a": {number}}}') is None


def test_nesting_is_bounded() -> None:
    assert find_json("[" * 41 + "]" * 41) is None
    assert find_json('{"a":' * 30 + "1" + "}" * 30) is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON, min_size=1))
def test_any_object_is_read_back(value: dict[str, Any]) -> None:
    assert find_json(json.dumps(value)) == value
    assert find_json(f"Here:\n```json\n{json.dumps(value, indent=1)}\n```\n") == value


def test_a_lone_surrogate_breaks_nothing_where_json_is_mended() -> None:
    answer = '{"name": "\ud800"}\n{"name": "b"}'
    assert find_json(answer, lambda value: False, mend=True) is None
    assert find_json('{"name": "\ud800", "score', mend=True) == {"name": "?"}
