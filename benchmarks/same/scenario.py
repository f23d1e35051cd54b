"""The commands that are compared, by group, with the files they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

DEMO_ROUND = "demo/round/sample-2024"
GROUPS = ("lists", "demo", "boards")


@dataclass(frozen=True, slots=True)
class Group:
    """Commands that are run in one process, one after the other."""

    name: str
    calls: Sequence[Sequence[str]] | Literal["help"]
    needs: tuple[str, ...] = ()
    """Groups whose leavings the commands start from."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Texts of files that are written first."""
    prepare: Callable[[Path], None] | None = None
    """Makes further files in the working folder."""
    kept: tuple[str, ...] = ()
    """Folders and files that are compared."""
    named: tuple[str, ...] = ()
    """Folders of which only the names of files are compared."""
    passed_over: tuple[str, ...] = ()
    """Names of files and folders that are not compared."""
    evened: Mapping[str, str] = field(default_factory=dict)
    """Folders of logs, and where copies with equal times go."""
    left: tuple[str, ...] = ()
    """Folders that other groups start from."""


def list_groups(*, has_data: bool) -> list[Group]:
    """List the groups, those with needs after what they need."""
    groups = [_lists(), _demo(), _boards()]
    return groups if has_data else [group for group in groups if group.name != "sources"]


def both(*words: str) -> list[list[str]]:
    """Give a command line for programs and for people."""
    return [[*words, "--json"], list(words)]


def _lists() -> Group:
    return Group("lists", "help")


def _demo() -> Group:
    return Group(
        "demo",
        [["demo", "--out", "demo", "--json"]],
        kept=("demo",),
        named=("demo/site",),
        passed_over=(
            *(".lock", ".eval-set-id", "eval-set.json", "logs.json", "runs.jsonl"),
            *("--cost.svg", "cache"),
        ),
        evened={"demo/logs": "even/demo"},
        left=("demo/corpus", "demo/round", "even/demo"),
    )


def _boards() -> Group:
    few = ("--resamples", "500")
    return Group(
        "boards",
        [
            ["board", "build", "even/demo", "--out", "site", "--json"],
            *both("board", "show", "even/demo", *few, "--all", "--costs"),
        ],
        needs=("demo",),
        kept=("site",),
    )
