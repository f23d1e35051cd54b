"""Plug-ins: modules that installed packages register under an entry point group.

The project registers its own plug-ins in the same way, in `pyproject.toml`. An error of another
package names the file of the code at fault: the last line of it that ran, or the function that gave
a wrong result.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from traceback import walk_tb
from types import ModuleType, UnionType
from typing import Any, Generic, TypeVar

from vivavoce.errors import InputError, PluginError, StaleError, VivaError

T = TypeVar("T")
FAMILIES, SOURCES = "vivavoce.families", "vivavoce.sources"
"""The groups."""
_OWN = "vivavoce"


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
    if _OWN not in map(_package, points):
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
                f"but {point.value} cannot be used: {described(error)}. "
                "Repair or uninstall the package."
            )
    _broken.update({(group, name): error for name, error in broken.items()})
    return Plugins(loaded, broken)


_broken: dict[tuple[str, str], PluginError] = {}


def broken_plugins() -> list[PluginError]:
    """Errors of all plug-ins that this process could not load."""
    return [error for _, error in sorted(_broken.items())]


def blamed(error: BaseException) -> PluginError | None:
    """Error that names the other package whose code raised `error`; None if it has no such code."""
    place = _place(error)
    return PluginError(f"{described(error)}. Repair or uninstall the package.") if place else None


def returned(function: Callable[..., Any], value: T, kind: type[T] | UnionType) -> T:
    """The value that a plug-in's function returned; `PluginError` if it has another type."""
    if isinstance(value, kind):
        return value
    wanted = getattr(kind, "__name__", str(kind))
    raise wrong_result(function, f"returned {type(value).__name__}, not {wanted}")


def wrong_result(function: Callable[..., Any], what: str) -> PluginError:
    """Error of a function that did not fail, but returned something unusable."""
    code = getattr(function, "__code__", None)
    place = f"{code.co_filename}:{code.co_firstlineno}: " if code else ""
    return PluginError(f"{place}{getattr(function, '__name__', function)} {what}.")


def described(error: BaseException) -> str:
    """An error in words, with the file and line if code of another package raised it."""
    words = str(error).rstrip(".")
    known = words if isinstance(error, VivaError) else f"{type(error).__name__}: {words}"
    return f"{place}: {known}" if (place := _place(error)) else known


def module_of_file(path: Path) -> ModuleType:
    """Run a user's Python file as a module; `InputError` if it is none, or its code fails."""
    spec = spec_from_file_location(f"vivavoce_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file.")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's code can raise anything
        raise InputError(f"{path} cannot be run: {type(error).__name__}: {error}.") from error
    return module


def _place(error: BaseException) -> str:
    """File and line of the last code of another package that ran; empty if there is none."""
    packages = _packages()
    for frame, line in reversed([*walk_tb(error.__traceback__)]):
        if str(frame.f_globals.get("__name__")).partition(".")[0] in packages:
            return f"{frame.f_code.co_filename}:{line}"
    return ""


def _packages() -> frozenset[str]:
    """Names of the other packages that register plug-ins, as they are imported."""
    points = (*entry_points(group=FAMILIES), *entry_points(group=SOURCES))
    return frozenset(point.module.partition(".")[0] for point in points) - {_OWN}


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"
