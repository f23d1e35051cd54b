"""Items and their labels: every fault of a row is named, and the majority decides."""

from typing import Any

import pytest
from tests.servers.annotation import content_of, full_content

from vivavoce.errors import InputError
from vivavoce.store import Row
from vivavoce.web.annotation.kinds import KINDS, Item, Label, Value, check_rows


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_rows_of_any_kind_are_read(kind: str) -> None:
    rows = [
        {"id": "least", "content": content_of(kind, 1)},
        {"id": "full", "content": full_content(kind), "cluster": "c"},
    ]
    least, full = check_rows(KINDS[kind], [(row, "here") for row in rows])
    assert (least.key, least.cluster, least.content) == ("least", "least", content_of(kind, 1))
    assert (full.cluster, full.content) == ("c", full_content(kind))


QA = content_of("qa", 1)
ASKED = {"question": "Q", "answer": "a"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"content": QA}, "id: Field required"),
        ({"id": "x", "content": {"question": "Q"}}, "content for qa: answer: Field required"),
        ({"id": "x", "content": {"question": " ", "answer": "a"}}, "question: Value error, it is"),
        ({"id": "x", "content": ASKED}, "it needs one of passage, rows"),
        ({"id": "x", "content": ASKED | {"rows": [["1"]]}}, "rows needs columns"),
        (
            {"id": "x", "content": ASKED | {"columns": ["c"], "rows": [["1", "2"]]}},
            "rows.0 has 2 cells for 1 columns",
        ),
        ({"id": "x", "content": QA | {"caption": "P" * 200_001}}, "at most 200000 characters"),
        ({"id": "x", "content": QA | {"suggestion": {"right": "maybe"}}}, "'yes' or 'no'"),
        ({"id": "one", "content": QA}, "'one' is repeated"),
    ],
)
def test_what_is_wrong_with_a_row_is_reported_with_its_place(row: Row, message: str) -> None:
    rows = [({"id": "one", "content": QA}, "items.jsonl:1"), (row, "items.jsonl:2")]
    with pytest.raises(InputError) as refused:
        check_rows(KINDS["qa"], rows)
    assert str(refused.value).startswith("items.jsonl:2: ")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("distractors", {"candidate": {"title": "t", "x": 1}}, "candidate.x: Extra inputs"),
        ("preference", {"names": {"a": "x"}}, "names: Dictionary should have at least 2 items"),
        ("preference", {"source": {"what": "t"}}, "'id', 'task', 'setting' or 'draw'"),
    ],
)
def test_parts_of_the_content_are_checked(kind: str, change: Row, message: str) -> None:
    row = {"id": "x", "content": content_of(kind, 1) | change}
    with pytest.raises(InputError) as refused:
        check_rows(KINDS[kind], [(row, "here")])
    assert message in str(refused.value)


def test_half_a_surrogate_pair_is_replaced() -> None:
    row = {"id": "x", "content": QA | {"caption": "a\ud800b"}}
    (item,) = check_rows(KINDS["qa"], [(row, "here")])
    assert item.content["caption"] == "a?b"


def test_no_item_is_reported() -> None:
    with pytest.raises(InputError, match="no items"):
        check_rows(KINDS["qa"], [])


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ({"grounded": "yes", "right": "maybe"}, "right: Input should be 'yes' or 'no'"),
        ({"grounded": "yes", "right": "no", "x": "y"}, "x: Extra inputs"),
    ],
)
def test_a_label_has_the_fields_of_its_kind(label: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        KINDS["qa"].check_label(label, "here")


def item(*labels: Value) -> Item:
    given = tuple(Label(f"A{place}", one, "", "", "") for place, one in enumerate(labels))
    return Item("x", {}, "x", given)


A, B, TIE = ({"verdict": value} for value in ("a", "b", "tie"))


@pytest.mark.parametrize(
    ("labels", "is_open", "final"),
    [
        ((A,), True, None),
        ((A, A), False, A),
        ((A, B), True, None),
        ((A, B, B), False, B),
        ((A, B, TIE), False, None),
        ((A, A, B), False, A),  # a label that came late
        ((A, B, A, B), False, A),  # the fourth does not count
    ],
)
def test_two_labels_decide_and_a_third_where_they_differ(
    labels: tuple[Value, ...], is_open: bool, final: Value | None
) -> None:
    found = item(*labels)
    assert (found.is_open, found.final) == (is_open, final)
    assert (found.pair is None) == (len(labels) < 2)


def test_the_majority_is_that_of_each_field() -> None:
    """No two of the three agree in both fields."""
    found = item({"g": "y", "r": "n"}, {"g": "n", "r": "y"}, {"g": "y", "r": "y"})
    assert found.final == {"g": "y", "r": "y"}


def test_keys_of_a_page_do_not_clash() -> None:
    for kind in KINDS.values():
        keys = [option.key for field in kind.fields for option in field.options]
        assert len(set(keys)) == len(keys)
        assert not {"n", "p", "s", "z", "enter"} & set(keys)
