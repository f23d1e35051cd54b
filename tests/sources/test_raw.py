"""JSON that is read strictly, so that it can be written again without loss."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.sources.json_records import parse_strictly, raw_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(value=st.lists(JSON) | st.dictionaries(st.text(), JSON))
def test_what_is_read_is_written_as_it_was(value: Any) -> None:
    text = raw_json(parse_strictly(json.dumps(value).encode(), "x"))
    assert json.loads(text.encode("utf-8")) == value
    assert raw_json(json.loads(text)) == text


def test_a_text_has_sorted_keys_no_blanks_and_its_own_letters() -> None:
    assert raw_json({"b": "é", "a": [1, 2.0]}) == '{"a":[1,2.0],"b":"é"}'


def test_half_a_surrogate_pair_is_escaped() -> None:
    assert raw_json(["\ud83d", "\U0001f600"]) == '["\\ud83d","\U0001f600"]'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"a": 1, "b": {"c": 1, "c": 1}}', "'c' appears twice"),
        (b"[NaN]", "NaN is not"),
        (b"[-Infinity]", "-Infinity is not"),
        (b"[1e400]", "too large"),
        (b"[" + b"1" * 5_000 + b"]", "not readable JSON"),
        (b"[" * 100_000, "not readable JSON"),
        (b'"text"', "neither a JSON object nor an array"),
        (b"\xff", "not readable JSON"),
        (b"", "not readable JSON"),
    ],
)
def test_what_could_not_be_written_again_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=r"^x is ") as error:
        parse_strictly(content, "x")
    assert reason in str(error.value)


def test_what_is_nested_too_deeply_to_be_written_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InputError, match="nested too deeply"):
        raw_json(value)
    while value:  # taken apart level by level, since freeing it at once recurses
        value = value.pop()


def test_a_mark_of_the_byte_order_is_passed_over() -> None:
    assert parse_strictly(b"\xef\xbb\xbf[1]", "x") == [1]
