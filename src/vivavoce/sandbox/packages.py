"""Which installed files a sandbox may see: those of named distributions and what they require."""

from __future__ import annotations

import functools
import re
from importlib import metadata
from pathlib import Path

from vivavoce.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NEVER = frozenset({"vivavoce", "torch-geometric", "inspect-ai"})


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required(found: metadata.Distribution) -> list[str]:
    names = []
    for line in found.requires or []:
        requirement, _, marker = line.partition(";")
        match = _NAME.match(requirement.strip())
        if match and "extra" not in marker:
            names.append(match.group())
    return names


def closure(packages: tuple[str, ...]) -> tuple[metadata.Distribution, ...]:
    """The distributions named and all they require, by name; raises InputError if one is absent."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [(name, True) for name in packages]
    while waiting:
        name, named = waiting.pop()
        key = _key(name)
        if key in found:
            continue
        if key in _NEVER:
            raise InputError(f"The package {name} may not be put into a sandbox.")
        try:
            found[key] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if named:
                raise InputError(
                    f"The sandbox is to hold the package {name}, which is not installed. "
                    f"Install it with: pip install {name}"
                ) from None
            continue  # a requirement of another platform
        waiting += [(one, False) for one in _required(found[key])]
    return tuple(found[key] for key in sorted(found))


@functools.cache
def site_entries(packages: tuple[str, ...]) -> tuple[tuple[Path, str], ...]:
    """Pairs (host path, name below the sandbox's site folder), by name."""
    entries: dict[str, Path] = {}
    for one in closure(packages):
        for file in one.files or []:
            top = file.parts[0]
            if top in {"..", "/", "__pycache__"} or top.endswith(".pth"):
                continue
            path = Path(str(one.locate_file(top)))
            if path.exists():
                entries[top] = path
    return tuple((entries[name], name) for name in sorted(entries))
