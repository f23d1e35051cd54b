"""Safetensors files of a program: read as numbers, or refused before anything large is made."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from vivavoce.tasks.programs.result_files import parse_layers

REFUSED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What the reader of a sample's file counts as unreadable."""


def file(header: Any, body: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def entry(dtype: str = "F64", shape: Any = (1,), offsets: Any = (0, 8)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "?"])
def test_arrays_come_back_as_the_library_wrote_them(kind: str) -> None:
    layers = {
        "layer_00": np.array([[0, 1, 1], [1, 0, 1]], dtype=kind),
        "layer_01": np.array(1, dtype=kind),
        "layer_02": np.zeros((0, 3), dtype=kind),
    }
    found = parse_layers(save(layers, metadata={"made": "by a program"}))
    assert found.keys() == layers.keys()
    for key, layer in layers.items():
        assert found[key].dtype == layer.dtype
        np.testing.assert_array_equal(found[key], layer, strict=True)


def test_a_number_that_is_none_is_data() -> None:
    found = parse_layers(save({"layer_00": np.array([np.nan, np.inf])}))
    np.testing.assert_array_equal(found["layer_00"], [np.nan, np.inf])


HOSTILE = {
    "nothing": b"",
    "cut off": b"\x10\x00\x00",
    "a header longer than the file": (1 << 40).to_bytes(8, "little") + b"{}",
    "a long header": file(b"{" + b" " * (1 << 18) + b"}"),
    "no JSON": file(b"PK\x03\x04"),
    "no object": file([1, 2]),
    "an entry that is none": file({"layer_00": 7}, bytes(8)),
    "a deep header": file(b"[" * 100_000),
    "a long number": file(b'{"a": {"shape": [' + b"9" * 5000 + b"]}}"),
    "an unknown type": file({"a": entry("BF16", (4,))}, bytes(8)),
    "a type that is a list": file({"a": {**entry(), "dtype": []}}, bytes(8)),
    "more values than bytes": file({"a": entry(shape=(1 << 39,))}, bytes(8)),
    "fewer values than bytes": file({"a": entry(offsets=(0, 16))}, bytes(16)),
    "a place behind the end": file({"a": entry(offsets=(8, 16))}, bytes(8)),
    "a place before the start": file({"a": entry(offsets=(-8, 0))}, bytes(8)),
    "a negative size": file({"a": entry(shape=(-1, -1))}, bytes(8)),
    "a size that is not a whole number": file({"a": entry(shape=(1.0,))}, bytes(8)),
    "three places": file({"a": entry(offsets=(0, 8, 8))}, bytes(8)),
    "seventeen dimensions": file({"a": entry(shape=[1] * 17)}, bytes(8)),
    "too many layers": file({f"layer_{i}": entry(shape=(0,), offsets=(0, 0)) for i in range(501)}),
    "a long name": file({"a" * 65: entry()}, bytes(8)),
    "layers over one another": file({"a": entry(), "b": entry()}, bytes(8)),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_lies_about_its_sizes_is_refused(content: bytes) -> None:
    with pytest.raises(REFUSED):
        parse_layers(content)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_no_bytes_give_any_other_failure(noise: bytes, place: int) -> None:
    whole = bytearray(save({"layer_00": np.ones((2, 3)), "layer_01": np.ones(4)}))
    whole[place : place + len(noise)] = noise
    try:
        layers = parse_layers(bytes(whole))
    except REFUSED:
        return
    assert sum(layer.nbytes for layer in layers.values()) <= len(whole)
