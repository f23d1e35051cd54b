"""Files and records of any content: what is read of them holds together; JSON is read strictly."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.documents import check_document, through_source
from tests.fuzz.json_paths import JSON_PATHS
from tests.fuzz.record_seeds import RECORDS
from tests.sources.reading import paper_in

from vivavoce.errors import InputError
from vivavoce.sources.json_records import parse_strictly, raw_json

ODD = (
    st.sampled_from(["\ud800", "\x00", "\u202e\ufeff", "1" * 400, "[1]" * 60, "NaN"])
    | st.text(max_size=8)
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    ODD,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a record: what holds a value, and under which key."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    found = [(value, key) for key in keys]
    for _, key in list(found):
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found


@pytest.mark.parametrize("choice", sorted({choice for choice, _ in RECORDS}))
@given(data=st.data())
@settings(deadline=None, max_examples=10)
def test_a_record_with_odd_values_is_read_or_refused(choice: int, data: st.DataObject) -> None:
    record = copy.deepcopy(data.draw(st.sampled_from([r for c, r in RECORDS if c == choice])))
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(places(record)))
        holder[key] = data.draw(VALUES)
        if not places(record):
            break
    JSON_PATHS[choice](json.dumps(record).encode())


@pytest.mark.parametrize(
    ("kind", "name", "record"),
    [
        (
            "digestables",
            "silver/arxiv2table.jsonl",
            {"table_id": "t\ud800\x00", "table_query_id": 1, "table": {}, "table_references": []},
        ),
        (
            "academiceval",
            "title/sample.json",
            {
                "url": "http://arxiv.org/abs/2406.00001",
                "primary_cat": "a",
                "cats": ["\ud800"],
                "gt": "x",
            },
        ),
    ],
)
def test_half_a_surrogate_pair_in_an_id_or_category_is_replaced(
    tmp_path: Path, kind: str, name: str, record: dict[str, Any]
) -> None:
    (tmp_path / name).parent.mkdir()
    found = paper_in(kind, name, tmp_path, record)
    check_document(found)
    assert "\ufffd" in found.key + "".join(found.categories)


FILES = [
    *(("tei", "a.tei.xml"), ("jats", "a.nxml"), ("html", "a.html"), ("acl", "2020.acl.xml")),
    *(("arxiv", "a.atom.xml"), ("oai", "a.oai.xml"), ("latex", "a.gz"), ("latex", "a.tar")),
    *(("latex", "a.zip"), ("latex", "a.tex"), ("s2orc", "a.json"), ("unarxive", "a.jsonl")),
    *(("survey", "a.md"), ("metadata", "a.jsonl"), ("metadata", "a.csv"), ("pwc", "a.jsonl")),
    *(("metadata", "a.parquet"), ("snapshot", "a.snapshot.jsonl"), ("tdms", "a.tsv")),
]
HEADS = [
    b"",
    b"<TEI><text><body><p>",
    b"id,title\n",
    b'{"id": 1}\n',
    b"PAR1",
    b"\x1f\x8b\x08",
    b"PK",
]


@pytest.mark.parametrize(("kind", "name"), FILES)
@given(st.sampled_from(HEADS), st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
@settings(deadline=None, max_examples=15)
def test_any_bytes_are_papers_or_faults(kind: str, name: str, head: bytes, content: bytes) -> None:
    through_source(kind, name)(head + content)


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
