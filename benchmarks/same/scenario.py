"""Groups of commands that are run in each tree, and their order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Words = list[str]
WORK_FILES = (".lock", ".eval-set-id", "eval-set.json", "logs.json", "runs.jsonl", "cache")
"""What carries times, random ids or hashes of the source code wherever it lies."""


@dataclass(frozen=True, slots=True)
class Group:
    """Commands that are run in one process, one after the other."""

    name: str
    calls: Sequence[Words]
    needs: tuple[str, ...] = ()
    """Groups whose leavings the commands start from; they must not change them."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Texts of files that are written first."""
    prepare: Callable[[Path], None] | None = None
    """Makes further files in the working folder."""
    kept: tuple[str, ...] = ()
    """Folders and files that are compared."""
    named: tuple[str, ...] = ()
    """Folders of which only the names of files are compared."""
    passed_over: tuple[str, ...] = WORK_FILES
    """Names of files and folders that are not compared."""
    evened: Mapping[str, str] = field(default_factory=dict)
    """Folders of logs, and where copies with equal times go."""
    left: tuple[str, ...] = ()
    """Folders that other groups start from."""
    has_data: bool = False
    """Whether real papers are read."""


def both(*words: str) -> list[Words]:
    """Give a command line for programs and for people."""
    return [[*words, "--json"], list(words)]


def as_json(*lines: str) -> list[Words]:
    """Give command lines for programs, each written as one text."""
    return [[*line.split(), "--json"] for line in lines]
