"""Sources whose files are JSON: whatever a record holds, what comes out holds together."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.documents import check_document
from tests.fuzz.json_paths import JSON_PATHS
from tests.fuzz.record_seeds import RECORDS

from vivavoce.records import Document
from vivavoce.sources import ReadOptions, get_source

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
@settings(deadline=None, max_examples=25)
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
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(json.dumps(record))
    source = get_source(kind)
    found = [item for piece in source.pieces(path) for item in source.read(piece, ReadOptions())]
    documents = [item for item in found if isinstance(item, Document)]
    assert len(documents) == 1
    check_document(documents[0])
    kept = documents[0].key + "".join(documents[0].categories)
    assert "\ufffd" in kept
