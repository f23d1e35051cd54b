"""Safe reading of a program's result files: a factor, layers, a number.

A factor's Parquet file is decoded inside the sandbox, by a fresh interpreter after all processes of
the program were killed. The output is a plain array. A safetensors file has only numbers. So no
code can run here, but a hostile file can be huge or lie about sizes: these are checked before use,
for layers by the safetensors library.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from inspect_ai.util import sandbox
from safetensors import SafetensorError
from safetensors.numpy import load

from vivavoce.metrics.factor import FactorFrame
from vivavoce.tasks.implementation.program import FAILURES, python_inside, read_bytes
from vivavoce.tasks.scoring import FaultyAnswer

_MAX_COLUMNS = 8
_MAX_NAME = 64
"""Maximum characters of an instrument."""
_MAX_NUMBER = 4_096
"""Maximum bytes of a JSON file with a number."""
_NOT_PARSED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)

Layers = dict[str, npt.NDArray[Any]]

_DECODER = """
import datetime, json, sys
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

source, target, max_rows, max_columns, longest = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])


UTC = ("UTC", "Etc/UTC", "Z", "+00:00")


def days(column):
    if pa.types.is_timestamp(column.type) and column.type.tz:
        # The day is the one on the clock. There is no list of time zones here; UTC needs none.
        if column.type.tz in UTC:
            column = pc.cast(column, pa.timestamp(column.type.unit))
        else:
            column = pc.local_timestamp(column)
    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        return pc.cast(pc.cast(column, pa.date32(), safe=False), pa.int32()).to_numpy()
    if pa.types.is_dictionary(column.type):
        return days(column.cast(column.type.value_type))
    first = datetime.date(1970, 1, 1).toordinal()
    texts = map(str, column.to_pylist())  # 20240131 may be a number
    return np.array([datetime.date.fromisoformat(t[:10]).toordinal() - first for t in texts])


def finish(header, arrays=()):
    with open(target, "wb") as stream:
        stream.write(json.dumps(header).encode() + b"\\n")
        for array in arrays:
            stream.write(array.tobytes())
    sys.exit(0)


parquet = pq.ParquetFile(source)
names = [n for n in parquet.schema_arrow.names if n not in ("datetime", "instrument")]
names = [n for n in names if not (n.startswith("__index_level_") and n.endswith("__"))]
rows = parquet.metadata.num_rows
known = parquet.schema_arrow.names
if rows > max_rows or len(known) > max_columns or len(set(known)) < len(known):
    finish({"rows": int(rows), "columns": len(names), "readable": False})
if "datetime" not in known or "instrument" not in known:
    finish({"rows": int(rows), "columns": len(names), "readable": False})
table = parquet.read(use_threads=False).combine_chunks()
try:
    day = np.asarray(days(table["datetime"]), dtype="<i8")
    texts = [str(value)[:longest] for value in table["instrument"].to_pylist()]
    values = [
        np.asarray(pc.cast(table[n], pa.float64(), safe=False).to_numpy(), dtype="<f8")
        for n in names
    ]
except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError, ValueError, OverflowError):
    finish({"rows": int(rows), "columns": len(names), "readable": False})
instruments = sorted(set(texts))
place = {text: index for index, text in enumerate(instruments)}
codes = np.array([place[text] for text in texts], dtype="<i8")
header = {"rows": len(texts), "columns": len(values), "readable": True, "instruments": instruments}
finish(header, [day, codes, *values])
"""


@contextmanager
def _guard(*kinds: type[BaseException]) -> Iterator[None]:
    """Turn errors of these kinds into the fault `unreadable`."""
    try:
        yield
    except kinds as error:
        raise FaultyAnswer("unreadable") from error


async def read_factor(name: str, *, max_rows: int, timeout: int) -> FactorFrame | None:
    """Read the factor that a program wrote in the sample's sandbox.

    None if the table is not a factor: without datetime or instrument, with values that are not
    numbers, or with too many rows or columns.

    Raises:
        FaultyAnswer: `no_file` without a file, `unreadable` if it is not Parquet.
    """
    box = sandbox()
    with _guard(*FAILURES):
        there = await box.exec(["/usr/bin/test", "-f", name], timeout=timeout)
    if not there.success:
        raise FaultyAnswer("no_file")
    # A random name, for which no program can have set a trap.
    target = f"/tmp/{secrets.token_hex(16)}"
    limits = [str(max_rows), str(_MAX_COLUMNS), str(_MAX_NAME)]
    command = [*python_inside(box), "-c", _DECODER, name, target, *limits]
    with _guard(*FAILURES):
        done = await box.exec(command, cwd="/work", timeout=timeout)
        if not done.success:
            raise FaultyAnswer("unreadable")
        content = await read_bytes(box, target)
    with _guard(*_NOT_PARSED):
        return _frame(content, max_rows)


def _frame(content: bytes, max_rows: int) -> FactorFrame | None:
    """Check all sizes before using the numbers."""
    line, _, body = content.partition(b"\n")
    header = json.loads(line)
    if not header["readable"]:
        return None
    rows, columns = int(header["rows"]), int(header["columns"])
    if not (0 <= rows <= max_rows and 0 <= columns <= _MAX_COLUMNS):
        raise ValueError("more rows or columns than were asked for")
    numbers = np.frombuffer(body, dtype="<i8").reshape(columns + 2, rows)
    instruments = np.array([*header["instruments"], ""], dtype=np.str_)
    values = tuple(numbers[2 + column].view("<f8") for column in range(columns))
    return FactorFrame(numbers[0].astype("datetime64[D]"), instruments[numbers[1]], values)


async def read_layers(name: str, *, max_bytes: int) -> Layers:
    """Read the layers that a program wrote in the sample's sandbox, by key.

    Raises:
        FaultyAnswer: `no_file` without a file, `unreadable` if it is not safetensors.
    """
    with _guard(*FAILURES):
        try:
            content = await read_bytes(sandbox(), name)
        except FileNotFoundError as error:
            raise FaultyAnswer("no_file") from error
    if len(content) > max_bytes:
        raise FaultyAnswer("unreadable")
    with _guard(*_NOT_PARSED, SafetensorError):
        return load(content)


async def read_number(name: str, key: str, *, timeout: int) -> float | None:
    """Read a number by key from a small JSON file in the sample's sandbox.

    None if the file is missing, too large or not a JSON object, or the value is not a finite
    number.
    """
    # Without waiting, since the file may be a pipe.
    once = ["count=1", f"bs={_MAX_NUMBER + 1}", "iflag=nonblock", "status=none"]
    command = ["/bin/dd", f"if={name}", *once]
    try:
        done = await sandbox().exec(command, timeout=timeout)
        if not done.success or len(done.stdout) > _MAX_NUMBER:
            return None
        value = json.loads(done.stdout)[key]
    except (*FAILURES, *_NOT_PARSED):
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return _finite(value) if is_number else None


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
