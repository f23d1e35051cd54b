"""Plug-ins: modules that installed packages register under an entry point group.

The project registers its own plug-ins in the same way, in `pyproject.toml`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from itertools import pairwise
from types import ModuleType
from typing import Generic, TypeVar

from vivavoce.errors import PluginError, StaleError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plugins(Generic[T]):
    """Plug-ins of one group."""

    loaded: dict[str, T]
    """Plugins by name, in alphabetical order."""
    broken: dict[str, PluginError]
    """Error of each plugin that cannot be loaded, by name."""


def load_plugins(group: str, read: Callable[[str, ModuleType], T]) -> Plugins[T]:
    """Load every plug-in of a group; a broken one does not affect the others.

    Args:
        group: Name of the group, such as `vivavoce.sources`.
        read: Takes a name and the module registered under it; raises if the module is not valid.

    Raises:
        PluginError: Two packages register the same name.
        StaleError: The project's own plug-ins are missing, so its installation is out of date.
    """
    points = sorted(entry_points(group=group), key=lambda point: (point.name, _package(point)))
    for first, second in pairwise(points):
        if first.name == second.name:
            raise PluginError(
                f"The packages {_package(first)} and {_package(second)} both register "
                f"{first.name!r} in the group {group}. Uninstall one of them."
            )
    if "vivavoce" not in map(_package, points):
        raise StaleError(
            f"The installed package vivavoce registers nothing in the group {group}: "
            "its code is newer than its installation. Install it again: pip install -e ."
        )
    loaded: dict[str, T] = {}
    broken: dict[str, PluginError] = {}
    for point in points:
        try:
            loaded[point.name] = read(point.name, point.load())
        except (Exception, SystemExit) as error:
            broken[point.name] = PluginError(
                f"The package {_package(point)} registers {point.name!r} in the group {group}, "
                f"but {point.value} cannot be used: {type(error).__name__}: {error}. "
                "Repair or uninstall the package."
            )
    return Plugins(loaded, broken)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"
