"""An ordinary user of this machine, who runs Python with the packages that the tests have."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pydantic
import pytest

import vivavoce

ID = 65534
SYSTEM = "/usr/bin/python3"
CLEAN = {"PATH": "/usr/bin:/bin"}
UNUSED = shutil.ignore_patterns("nvidia*", "ray", "torch*", "transformers", "triton", "xllamacpp*")
"""Packages of gigabytes that no program of this user imports; a copy goes without them."""
ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"'
ABLE = "import inspect_ai, pydantic, vivavoce.sandbox.process"


@dataclass(frozen=True)
class OrdinaryUser:
    """How this user starts Python: whoever runs the tests unless it is root."""

    python: str
    paths: Sequence[Path]
    setpriv: bool = os.geteuid() == 0
    """Another user than the one who runs the tests."""
    groups: Sequence[Path] = ()
    """Control groups that a program of this user is started in."""

    @property
    def ids(self) -> tuple[int, int]:
        """Whose files this user may change: the numbers of the user and of its group."""
        return (ID, ID) if self.setpriv else (os.geteuid(), os.getegid())

    def run(
        self, program: str, *arguments: object, cwd: Path = Path("/"), **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the text of a program to its end."""
        enter = ["/bin/sh", "-c", ENTER, "sh", *map(str, self.groups), "--"]
        user = ["setpriv", f"--reuid={ID}", f"--regid={ID}", "--clear-groups"]
        wanted = f"import sys; sys.path[:0] = {list(map(str, self.paths))!r}\n"
        command = [
            *(enter if self.groups else []),
            *(user if self.setpriv else []),
            self.python,
            "-B",
            "-c",
            wanted + program,
        ]
        return subprocess.run(
            [*command, *map(str, arguments)], env={**CLEAN, **environment},
            capture_output=True, text=True, cwd=cwd, check=False, timeout=500,
        )  # fmt: skip


@contextmanager
def ordinary_user() -> Iterator[OrdinaryUser]:
    """A user who can read this Python; of what lies where nobody else may look there is a copy."""
    code, installed, others = (
        Path(vivavoce.__file__).parents[1],
        Path(str(metadata.distribution("vivavoce").locate_file(""))),
        Path(pydantic.__file__).parents[1],
    )
    paths = list(dict.fromkeys((code, installed, others)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for user in _ways(sys._base_executable, paths, folder):  # type: ignore[attr-defined]
            if _is_able(user):
                yield user
                return
        pytest.skip(f"no Python {sys.version_info[:2]} that an ordinary user can read")


def _ways(python: str, paths: Sequence[Path], folder: Path) -> Iterator[OrdinaryUser]:
    """Ways to start Python, the cheap ones first."""
    yield OrdinaryUser(python, paths)
    yield OrdinaryUser(SYSTEM, paths)
    copies = [_readable(path, folder / str(number)) for number, path in enumerate(paths)]
    yield OrdinaryUser(python, copies)
    yield OrdinaryUser(SYSTEM, copies)


def _is_able(user: OrdinaryUser) -> bool:
    try:
        return user.run(ABLE).returncode == 0
    except PermissionError:  # for whoever is not root
        return False


def _readable(path: Path, copy: Path) -> Path:
    """Copy a tree for everybody to read, by further links to its files where it can be done."""

    def link(source: str, target: str) -> None:
        if Path(source).stat().st_mode & 0o004:
            try:
                os.link(source, target)
                return
            except OSError:  # on another file system
                pass
        shutil.copy(source, target)
        Path(target).chmod(0o755)

    shutil.copytree(path, copy, ignore=UNUSED, copy_function=link)
    for one in (copy, *copy.rglob("*/")):
        one.chmod(0o755)
    return copy
