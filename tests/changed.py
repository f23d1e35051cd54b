"""Test files that a change concerns: those that import what changed, directly or through others.

    python -m tests.changed [BASE]

prints the files, which `make test CHANGED=1` runs. BASE is the commit to compare with; by default
the working tree is compared with HEAD.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"


def module_of(path: Path, above: Path) -> str:
    """The dotted name of a module in a folder of modules."""
    return ".".join(path.relative_to(above).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path) -> set[str]:
    """Modules that a file names in its imports, also those inside of functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def concerned(changed: Iterable[Path]) -> Iterator[Path]:
    """Test files that import one of the changed files, directly or through others."""
    files = set(changed)
    graph = grimp.build_graph("vivavoce")
    reached: set[str] = set()
    for path in files:
        owner = path if path.suffix == ".py" else path.parent / "__init__.py"
        name = module_of(owner, SOURCE) if owner.is_relative_to(SOURCE) else ""
        if name in graph.modules:
            reached |= {name, *graph.find_downstream_modules(name)}
    imports = {path: imports_of(path) for path in (ROOT / "tests").rglob("*.py")}
    reached |= {module_of(path, ROOT) for path in files if path in imports}
    while True:
        more = {
            module_of(path, ROOT)
            for path, names in imports.items()
            if not reached.isdisjoint(names)
        }
        if more <= reached:
            break
        reached |= more
    for path in sorted(imports):
        if path.name.startswith("test_") and module_of(path, ROOT) in reached:
            yield path.relative_to(ROOT)


def changed_files(base: str) -> list[Path]:
    """Files that differ from a commit, and new ones."""
    commands = (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"])
    names: list[str] = []
    for command in commands:
        done = subprocess.run(
            ["git", *command], cwd=ROOT, capture_output=True, text=True, check=True
        )
        names += done.stdout.split()
    return [path for name in names if (path := ROOT / name).exists()]


if __name__ == "__main__":
    print(*concerned(changed_files(sys.argv[1] if len(sys.argv) > 1 else "HEAD")))
