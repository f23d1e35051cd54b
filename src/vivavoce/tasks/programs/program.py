"""Programs that a model wrote: found in its answer, and run in the sandbox, never elsewhere."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from inspect_ai.util import sandbox

from vivavoce.sandbox.errors import SandboxLost
from vivavoce.tasks.programs.sandboxes import clear, end_all, python_inside

_FENCE = re.compile(r"^[ \t]{0,3}```[ \t]*(?P<kind>[\w+-]{0,20})[^\n`]*\n", re.MULTILINE)
_CLOSE = re.compile(r"^[ \t]{0,3}```[ \t]*$", re.MULTILINE)
_MAX_PROGRAM = 200_000
"""Characters; nobody writes a longer one for one formula."""
_PYTHON = frozenset({"python", "python3", "py"})
_PLACEHOLDER = re.compile(
    r"#[^\n]{0,80}\b(?:replace (?:this|with)|your (?:code|implementation) (?:here|goes)|placeholder"
    r"|to be implemented|not implemented|todo:? implement"
    # "Fill in missing values" is work, not work left undone.
    r"|fill (?:this )?in(?: here| later| your code| the (?:code|rest|logic|details))?"
    r"(?=[ .:!]{0,9}$)"
    r")\b",
    re.IGNORECASE | re.MULTILINE,
)
PROGRAM_FILE = "program.py"
_MAX_REPORT = 2_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a program."""

    failure: str | None
    """`error`, `timeout`, or None when it ended by itself and without an error."""
    stderr: str

    def report(self) -> str:
        """Report of a failure for the program's author: the end of its standard error."""
        said = self.stderr.strip()
        if len(said) > _MAX_REPORT:
            said = f"[...]\n{said[-_MAX_REPORT:]}"
        return said or "It ended with an error code and wrote nothing to standard error."


def find_program(answer: str) -> str | None:
    """The program in an answer: the last block marked as Python, else the last block, else all.

    None when there is no block and the text is not Python either.
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
        return (python or [text for _, text in blocks])[-1]
    tree = _parse(answer)
    is_code = tree is not None and any(
        isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.FunctionDef)
        for node in tree.body
    )
    return answer if is_code else None


def is_placeholder(program: str) -> bool:
    """True for a program with work left undone: an empty body, or a comment that says so."""
    if _PLACEHOLDER.search(program):
        return True
    tree = _parse(program)
    functions = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return any(all(_is_nothing(node) for node in function.body) for function in functions)


async def run_program(
    program: str,
    files: Mapping[str, bytes],
    timeout: int,
    *,
    name: str = PROGRAM_FILE,
    start: str | None = None,
) -> Outcome:
    """Run a program in the sample's sandbox, in a folder with the files it may read.

    Nothing of a program that ran in it before is left. One that takes the sandbox down with it
    has failed.

    Args:
        program: What the model wrote.
        files: Contents by name.
        timeout: Seconds it may run.
        name: The program's own file.
        start: The one of `files` that is started instead, and imports the program.
    """
    box = sandbox()
    await clear(box)
    for file, content in {**files, name: program.encode("utf-8", "replace")}.items():
        await box.write_file(file, content)
    try:
        done = await box.exec([*python_inside(box), start or name], timeout=timeout)
    except TimeoutError:
        return Outcome("timeout", f"The program ran for more than {timeout} seconds.")
    except SandboxLost as error:
        return Outcome("error", str(error))
    finally:
        await end_all(box)
    return Outcome(None if done.success else "error", done.stderr)


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass):
        return True
    if isinstance(node, ast.Raise):
        return "NotImplementedError" in ast.dump(node)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
