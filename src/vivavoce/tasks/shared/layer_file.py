"""Layers that a program left in a safetensors file, read without trusting it.

The format holds numbers alone: a header in JSON that says where each array lies, then the arrays.
Nothing in it can run, but a hostile header can be huge or lie about sizes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from inspect_ai.util import OutputLimitExceededError, sandbox

from vivavoce.sandbox.errors import SandboxLost
from vivavoce.tasks.scoring.guard import FaultyAnswer
from vivavoce.tasks.shared.sandboxes import read_bytes

_LENGTH = 8
"""Bytes at the start that hold the header's length."""
_LONGEST_HEADER = 1 << 17
_MAX_LAYERS = 500
_MAX_RANK = 16
_LONGEST_NAME = 64
_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
    "BOOL": "?",
}
"""Number types that are read, in numpy's words; the driver writes no other float than F64."""

Layers = dict[str, npt.NDArray[Any]]


async def read_layers(name: str, *, max_bytes: int) -> Layers:
    """The layers that a program left in the sample's sandbox, by key.

    Args:
        name: The file in the program's folder.
        max_bytes: A larger file is not read.

    Raises:
        FaultyAnswer: `no_file` when there is none, `unreadable` when it is no such file.
    """
    try:
        content = await read_bytes(sandbox(), name)
    except FileNotFoundError as error:
        raise FaultyAnswer("no_file") from error
    except (OSError, TimeoutError, OutputLimitExceededError, SandboxLost) as error:
        raise FaultyAnswer("unreadable") from error
    if len(content) > max_bytes:
        raise FaultyAnswer("unreadable")
    try:
        return parse_layers(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FaultyAnswer("unreadable") from error


def parse_layers(content: bytes) -> Layers:
    """The arrays of a safetensors file; `ValueError` or the like when it is none, or has too many.

    Every size is checked before it is used.
    """
    length = int.from_bytes(content[:_LENGTH], "little")
    if len(content) < _LENGTH or length > min(_LONGEST_HEADER, len(content) - _LENGTH):
        raise ValueError("the header is longer than allowed, or than the file")
    header = json.loads(content[_LENGTH : _LENGTH + length])
    entries = {key: entry for key, entry in header.items() if key != "__metadata__"}
    if len(entries) > _MAX_LAYERS or any(len(key) > _LONGEST_NAME for key in entries):
        raise ValueError("too many layers, or a name too long")
    body = memoryview(content)[_LENGTH + length :]
    arrays = {key: _array(entry, body) for key, entry in sorted(entries.items())}
    # Parts that overlap would make a small file into much work.
    if sum(array.nbytes for array in arrays.values()) > len(body):
        raise ValueError("layers lie over one another")
    return arrays


def _array(entry: Mapping[str, Any], body: memoryview) -> npt.NDArray[Any]:
    kind = np.dtype(_TYPES[entry["dtype"]])
    shape, (start, end) = entry["shape"], entry["data_offsets"]
    if len(shape) > _MAX_RANK or not all(_is_count(number) for number in (*shape, start, end)):
        raise ValueError("a shape or a place is no list of sizes")
    if not start <= end <= len(body) or end - start != math.prod(shape) * kind.itemsize:
        raise ValueError("a layer does not fill its place")
    return np.frombuffer(body[start:end], dtype=kind).reshape(shape)


def _is_count(number: object) -> bool:
    return type(number) is int and 0 <= number < 1 << 40
