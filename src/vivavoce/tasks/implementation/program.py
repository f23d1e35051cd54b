"""A model's programs: found in its answer, run only in the sandbox, and their result files read.

Inspect's `local` is not a sandbox and is refused. A factor's Parquet file is decoded inside the
sandbox, by a fresh interpreter after all processes of the program were killed. The output is a
plain array. A safetensors file has only numbers. So no code can run here, but a hostile file can be
huge or lie about sizes: these are checked before use, for layers by the safetensors library.
"""

import ast
import base64
import binascii
import errno
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import numpy.typing as npt
from inspect_ai.util import (
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentSpec,
    registry_info,
    sandbox,
)
from pydantic import FiniteFloat, TypeAdapter
from safetensors import SafetensorError
from safetensors.numpy import load

from vivavoce.errors import InputError
from vivavoce.metrics import FaultyAnswer
from vivavoce.metrics.factor import FactorFrame
from vivavoce.sandbox.command import (
    BwrapConfig,
    SandboxLost,
    compose_file,
    find_docker,
    python_command,
)
from vivavoce.sandbox.provider import BwrapSandboxEnvironment
from vivavoce.tasks.implementation.items import parse
from vivavoce.text.answers import without_wrapper

PROVIDERS = ("bwrap", "docker")
_CLEAR = "kill -9 -1; chmod -R u+rwX /work /tmp; find /work /tmp -mindepth 1 -delete"
"""Ends all processes of the container's user, except 1 and this shell, and deletes its files."""
FAILURES = (SandboxLost, OutputLimitExceededError, OSError, UnicodeError)
"""Failures of a sandbox after a program has run in it, which count as the program's fault.

Failed samples are asked again, so otherwise a program could discard its own answer.
"""


def sandbox_for(
    packages: tuple[str, ...], provider: str = "bwrap", seconds: int | None = None
) -> SandboxEnvironmentSpec:
    """Choose the sandbox for programs that may import packages and their dependencies.

    The provider is `bwrap`, `docker`, or the path of a compose file or Dockerfile.

    Raises:
        InputError: The sandbox is unknown or unsafe, such as `local`.
        MissingDocker: Docker is requested but not available.
    """
    if provider == "bwrap":
        # CPU seconds of all threads, large enough that busy programs end by the time limit first.
        config = BwrapConfig(packages=packages)
        if seconds is not None:
            cpu = 2 * seconds + 10
            config = BwrapConfig(packages=packages, wall_seconds=seconds, cpu_seconds=cpu)
        return SandboxEnvironmentSpec("bwrap", config)
    path = compose_file(packages) if provider == "docker" else Path(provider)
    is_named_so = path.suffix in {".yaml", ".yml"} or path.name.startswith("Dockerfile")
    if not (is_named_so and path.is_file()):
        raise InputError(
            f"sandbox={provider!r} is not a sandbox that programs of a model may run in. There "
            f"are: {', '.join(PROVIDERS)}, or the path of a compose file or a Dockerfile."
        )
    find_docker()
    return SandboxEnvironmentSpec("docker", str(path.resolve()))


def _kind(box: SandboxEnvironment) -> str:
    """Kind of a sample's sandbox, one of `PROVIDERS`; users may have chosen another."""
    # `sandbox()` returns a proxy; `as_type` with the base class unwraps it.
    actual = box.as_type(SandboxEnvironment)  # type: ignore[type-abstract]
    name = registry_info(type(actual)).name.rpartition("/")[2]
    if name not in PROVIDERS:
        raise InputError(
            f"Programs of a model do not run in the sandbox {name!r}, but in one of: "
            f"{', '.join(PROVIDERS)}. Leave --sandbox out, or name one with -T sandbox=."
        )
    return name


def python_inside(box: SandboxEnvironment) -> tuple[str, ...]:
    """Command prefix for Python in the sandbox, without start-up files or the script's folder."""
    return python_command() if _kind(box) == "bwrap" else ("python3", "-I")


async def clear(box: SandboxEnvironment) -> None:
    """Remove files and processes that an earlier program left in a sandbox."""
    if _kind(box) == "bwrap":
        await box.as_type(BwrapSandboxEnvironment).renew()
    else:
        await box.exec(["/bin/sh", "-c", _CLEAR])


async def end_all(box: SandboxEnvironment) -> None:
    """End processes that a program left running; with bwrap, the supervisor has done so."""
    if _kind(box) == "docker":
        with suppress(*FAILURES):
            await box.exec(["/bin/sh", "-c", "kill -9 -1"])


async def read_bytes(box: SandboxEnvironment, path: str) -> bytes:
    """Read a file; `OSError` or `OutputLimitExceededError` as `read_file` raises them.

    `FileNotFoundError` if it does not exist or, in a container, cannot be read.
    """
    if _kind(box) == "bwrap":
        return await box.read_file(path, text=False)
    # Programs can write only to memory file systems, from which docker cannot copy.
    done = await box.exec(["/usr/bin/base64", "-w0", path])
    if not done.success:
        raise FileNotFoundError(errno.ENOENT, "cannot be read", path)
    try:
        return base64.b64decode(done.stdout, validate=True)
    except binascii.Error as error:
        raise OSError(errno.EIO, "cannot be read", path) from error


_FENCE = re.compile(r"^[ \t]{0,3}```[ \t]*(?P<kind>[\w+-]{0,20})[^\n`]*\n", re.MULTILINE)
_CLOSE = re.compile(r"^[ \t]{0,3}```[ \t]*$", re.MULTILINE)
_MAX_PROGRAM = 200_000
"""Maximum characters of a program."""
_PYTHON = frozenset({"python", "python3", "py"})
PROGRAM_FILE = "program.py"
_MAX_REPORT = 2_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a program."""

    failure: str | None
    """`error`, `timeout`, or None if it ended without an error."""
    stderr: str

    def report(self) -> str:
        """Report of a failure for the program's author: the end of its standard error."""
        message = self.stderr.strip()
        if len(message) > _MAX_REPORT:
            message = f"[...]\n{message[-_MAX_REPORT:]}"
        return message or "It ended with an error code and wrote nothing to standard error."


_STATEMENTS = (ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef)


def find_program(answer: str) -> str | None:
    """Find the program in an answer: the last Python block, or the last block, or the whole text.

    None if there is no block and the text is not Python.
    """
    answer = answer[:_MAX_PROGRAM]
    blocks: list[tuple[str, str]] = []
    position = 0
    while opened := _FENCE.search(answer, position):
        closed = _CLOSE.search(answer, opened.end())
        end = closed.start() if closed else len(answer)
        blocks.append((opened["kind"].lower(), answer[opened.end() : end]))
        position = closed.end() if closed else len(answer)
    python = [text for kind, text in blocks if kind in _PYTHON]
    if python or blocks:
        block = dedent((python or [text for _, text in blocks])[-1])
        return _outside_of_wrapper(block) or block
    return _outside_of_wrapper(answer)


def _outside_of_wrapper(text: str) -> str | None:
    """A bare program, or one in a wrapper such as JSON; None if there is none."""
    for each in (text, without_wrapper(text)):
        tree = parse(each)
        if tree is not None and any(isinstance(node, _STATEMENTS) for node in tree.body):
            return each
    return None


async def run_program(
    program: str,
    files: Mapping[str, bytes],
    timeout: int,
    *,
    name: str = PROGRAM_FILE,
    start: str | None = None,
) -> Outcome:
    """Run a program in the sample's sandbox, in a folder with its input files.

    Traces of earlier programs are removed first. A program that breaks the sandbox has failed. If
    one of the files is named as `start`, this script runs instead and imports the program.
    """
    box = sandbox()
    await clear(box)
    for file, content in {**files, name: program.encode("utf-8", "replace")}.items():
        await box.write_file(file, content)
    try:
        done = await box.exec([*python_inside(box), start or name], timeout=timeout)
    except TimeoutError:
        return Outcome("timeout", f"The program ran for more than {timeout} seconds.")
    except FAILURES as error:
        return Outcome("error", str(error))
    finally:
        await end_all(box)
    return Outcome(None if done.success else "error", done.stderr)


_MAX_COLUMNS = 8
_MAX_NAME = 64
"""Maximum characters of an instrument."""
_MAX_NUMBER = 4_096
"""Maximum bytes of a JSON file with a number."""
_NOT_PARSED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)

_NUMBER = TypeAdapter(FiniteFloat)

Layers = dict[str, npt.NDArray[Any]]

_DECODER = """
import datetime, json, sys
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

source, target, max_rows, max_columns, longest = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])


def days(column):
    if pa.types.is_timestamp(column.type) and column.type.tz:
        # The day is the one on the clock. There is no list of time zones here; UTC needs none.
        if column.type.tz in ("UTC", "Etc/UTC", "Z", "+00:00"):
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
known = parquet.schema_arrow.names
names = [n for n in known if n not in ("datetime", "instrument")]
names = [n for n in names if not (n.startswith("__index_level_") and n.endswith("__"))]
is_factor = {"datetime", "instrument"} <= set(known) and len(set(known)) == len(known)
if parquet.metadata.num_rows > max_rows or len(known) > max_columns or not is_factor:
    finish({"readable": False})
table = parquet.read(use_threads=False).combine_chunks()
try:
    day = np.asarray(days(table["datetime"]), dtype="<i8")
    texts = [str(value)[:longest] for value in table["instrument"].to_pylist()]
    values = [
        np.asarray(pc.cast(table[n], pa.float64(), safe=False).to_numpy(), dtype="<f8")
        for n in names
    ]
except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError, ValueError, OverflowError):
    finish({"readable": False})
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
    numbers, or with too many rows or columns. The fault is `no_file` without a file, `unreadable`
    if it is not Parquet.
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
        line, _, body = content.partition(b"\n")
        header = json.loads(line)
        if not header["readable"]:
            return None
        rows, columns = int(header["rows"]), int(header["columns"])
        # All sizes are checked before the numbers are used.
        if not (0 <= rows <= max_rows and 0 <= columns <= _MAX_COLUMNS):
            raise ValueError("more rows or columns than were asked for")
        numbers = np.frombuffer(body, dtype="<i8").reshape(columns + 2, rows)
        instruments = np.array([*header["instruments"], ""], dtype=np.str_)
        values = tuple(numbers[2 + column].view("<f8") for column in range(columns))
        return FactorFrame(numbers[0].astype("datetime64[D]"), instruments[numbers[1]], values)


async def read_layers(name: str, *, max_bytes: int) -> Layers:
    """Read the layers that a program wrote in the sample's sandbox, by key.

    The fault is `no_file` without a file, `unreadable` if it is not safetensors.
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
        return _NUMBER.validate_python(json.loads(done.stdout)[key], strict=True)
    except (*FAILURES, *_NOT_PARSED):
        return None
