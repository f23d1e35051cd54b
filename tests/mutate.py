"""Small changes to a room of src, and how many of them its tests notice.

    python -m tests.mutate ROOM [--mutants 200] [--seed 0]

Each mutant changes one comparison, operator, condition, number or return value in a copy of src.
The room's quick tests that reach the changed module run against the copy. Mutants that no test
notices are printed: each is a gap in the tests, or changes nothing that can be seen.
"""

import argparse
import ast
import functools
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.changed import ROOT, SOURCE, concerned, imports_of, module_of

_SECONDS = 300
"""A mutant that runs longer counts as noticed: it never ends."""
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    path: Path
    line: int
    before: str
    after: str
    text: str
    """The whole file with the change."""


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    source = path.read_text("utf-8")
    count = sum(1 for _ in _places(ast.parse(source)))
    for number in range(count):
        tree = ast.parse(source)
        node = list(_places(tree))[number]
        before = ast.unparse(node)
        _change(node)
        yield Mutant(path, node.lineno, before, ast.unparse(node), ast.unparse(tree))


def _places(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Nodes that can be changed; texts, annotations and what is for type checkers alone are not."""
    for node in ast.walk(tree):
        is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        is_changed = (
            (isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS)
            or (isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS)
            or isinstance(node, ast.BoolOp)
            or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        )
        if (is_number or is_changed) and isinstance(node, ast.expr):
            yield node


def _change(node: ast.expr | ast.stmt) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = _COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp):
        node.op = _OPERATORS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()
        node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        node.value = node.value + 1


def is_noticed(mutant: Mutant, tests: list[Path], copy: Path) -> bool:
    """Check whether one of the tests fails with a mutant."""
    place = copy / mutant.path.relative_to(SOURCE)
    original = place.read_text("utf-8")
    place.write_text(mutant.text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-m", "not slow"]
    try:
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", *map(str, tests)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}"},
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        place.write_text(original, "utf-8")
    return done.returncode != 0


@functools.cache
def tests_of(path: Path, room: str) -> list[Path]:
    """Test files of a room that reach a module, those that import it by name first."""
    name = module_of(path, SOURCE)
    files = [ROOT / file for file in concerned([path]) if file.parts[1] == room]
    return sorted(files, key=lambda file: name not in imports_of(file))


def main() -> None:
    parser = argparse.ArgumentParser(description="Change a room, and see what its tests notice.")
    parser.add_argument("room", help="such as metrics, statistics, results, rounds")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    paths = sorted((SOURCE / "vivavoce" / given.room).rglob("*.py"))
    every = [mutant for path in paths for mutant in mutants_of(path)]
    chosen = random.Random(given.seed).sample(every, min(given.mutants, len(every)))
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(SOURCE, copy)
        for mutant in chosen:
            if not is_noticed(mutant, tests_of(mutant.path, given.room), copy):
                missed.append(mutant)
                where = f"{mutant.path.relative_to(ROOT)}:{mutant.line}"
                print(f"{where}: {mutant.before}  ->  {mutant.after}", flush=True)
    caught = len(chosen) - len(missed)
    print(f"{given.room}: {caught} of {len(chosen)} mutants noticed ({caught / len(chosen):.0%})")


if __name__ == "__main__":
    main()
