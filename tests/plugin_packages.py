"""Small packages installed into a folder, with what they register under entry point groups."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def install(
    folder: Path,
    package: str,
    groups: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str] | None = None,
) -> None:
    """Put a package into a folder as pip does.

    Args:
        folder: To be put on `sys.path`.
        package: Its name.
        groups: For each entry point group the registered names, with their modules.
        modules: The text of each of its modules, by file name.
    """
    about = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [
        line
        for group, names in groups.items()
        for line in (f"[{group}]", *(f"{name} = {module}" for name, module in names.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for name, text in (modules or {}).items():
        (folder / name).write_text(text, "utf-8")


def install_project(project: Path, folder: Path) -> None:
    """Install the package of a `pyproject.toml` into a folder to be put on `sys.path`."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, *offline, "--target", str(folder), str(project)], check=True)
