"""Programs by a model: found in its answer and run in the sandbox only.

Inspect's `local` is not a sandbox and is refused.
"""

from __future__ import annotations

import ast
import base64
import binascii
import errno
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from inspect_ai.util import (
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentSpec,
    registry_info,
    sandbox,
)

from vivavoce.errors import InputError
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

    Raises:
        FileNotFoundError: It does not exist or, in a container, cannot be read.
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
