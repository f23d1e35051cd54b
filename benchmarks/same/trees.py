"""Trees of the project: a commit checked out, and how processes find the package of a tree."""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Check a commit out into a temporary worktree.

    Raises:
        SystemExit: Git does not know the commit.
    """
    with tempfile.TemporaryDirectory(prefix="same-") as folder:
        tree = Path(folder, "tree")
        git = ["git", "-C", str(PROJECT), "worktree"]
        added = subprocess.run(
            [*git, "add", "--quiet", "--detach", str(tree), commit], capture_output=True, text=True
        )
        if added.returncode:
            raise SystemExit(f"{commit}: {added.stderr.strip()}")
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def write_entry_points(tree: Path, folder: Path) -> Path:
    """Write what an installation of the tree would tell of its entry points.

    The interpreter's own installation is that of another tree; its entry points may be others.
    Inspect gives tasks their package's name only where the package is installed, if editable.

    Returns:
        The folder to put on the path.
    """
    project = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]
    source = (tree / "src" / project["name"] / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    version = found.group(1) if found else "0"
    told = folder / f"{project['name']}-{version}.dist-info"
    told.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
    extras = project.get("optional-dependencies", {})
    (told / "METADATA").write_text(
        head + "".join(f"Provides-Extra: {extra}\n" for extra in sorted(extras)), "utf-8"
    )
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in points.items())]
    (told / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    place = {"url": tree.resolve().as_uri(), "dir_info": {"editable": True}}
    (told / "direct_url.json").write_text(json.dumps(place), "utf-8")
    return folder


def environment(tree: Path, points: Path) -> dict[str, str]:
    """Give the variables under which a process finds the tree's package first."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("VIVAVOCE_", "INSPECT_", "COV_"))
    }
    fixed = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    shown = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    path = {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(points)])}
    return kept | fixed | shown | path | {"PYTHONDONTWRITEBYTECODE": "1"}


def package_of(tree: Path, variables: dict[str, str]) -> Path:
    """Name the folder that `import vivavoce` finds under those variables."""
    asked = "import vivavoce; print(vivavoce.__file__)"
    command = [sys.executable, "-c", asked]
    found = subprocess.run(
        command, env=variables, cwd=tree, capture_output=True, text=True, check=True
    )
    return Path(found.stdout.strip()).parent
