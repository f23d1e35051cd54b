"""Loading of hand-made items, and of the functions that their files name."""

import ast
import importlib
import inspect
import warnings
from collections.abc import Callable, Iterable
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

import yaml
from pydantic import ConfigDict, StringConstraints, ValidationError

from vivavoce.errors import InputError
from vivavoce.plugins import module_of_file

Text = Annotated[str, StringConstraints(min_length=1)]
"""A required text of an item."""
FIELDS = ConfigDict(extra="forbid")
"""Fields other than those of the class are refused."""


class NamedItem(Protocol):
    """An item with a name."""

    @property
    def name(self) -> str:
        """Id of the item in rounds."""


ItemT = TypeVar("ItemT", bound=NamedItem)


def read_items(
    kind: str, folders: Iterable[str], suffix: str, read: Callable[[Path], Iterable[ItemT]]
) -> dict[str, ItemT]:
    """Read the items of all files in folders, by name, sorted.

    `InputError` if a file is not a complete item, or a name is repeated.
    """
    items: dict[str, ItemT] = {}
    for path in sorted(path for folder in folders for path in Path(folder).glob(f"*{suffix}")):
        for item in _read(kind, path, read):
            if item.name in items:
                raise InputError(f"Two {kind}s have the name {item.name!r}.")
            items[item.name] = item
    return dict(sorted(items.items()))


def _read(kind: str, path: Path, read: Callable[[Path], Iterable[ItemT]]) -> list[ItemT]:
    try:
        return list(read(path))
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except KeyError as error:
        reason = f"{error.args[0]}: Field required"
    except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        reason = str(error)
    raise InputError(f"{path} is not a complete {kind}. {reason}")


def find_function(package: str, name: str, folder: Path) -> Callable[..., Any]:
    """Find the function `MODULE:FUNCTION` named in a file.

    MODULE is a file in the same folder, or `reference` for a function of the package.
    """
    module, _, function = name.partition(":")
    own = folder / f"{module}.py"
    if own.is_file():
        return _own_function(own, function)
    if module != "reference":
        raise InputError(f"{own} does not exist, but {name} refers to it.")
    shipped: Callable[..., Any] = getattr(importlib.import_module(package), function)
    return shipped


def _own_function(path: Path, function: str) -> Callable[..., Any]:
    """Load a function from a user's file; `InputError` if its code fails."""
    loaded: Callable[..., Any] | None = getattr(module_of_file(path), function, None)
    if loaded is None:
        raise InputError(f"{path} has no function {function}.")

    @wraps(loaded)
    def own(*given: Any, **options: Any) -> Any:
        try:
            return loaded(*given, **options)
        except Exception as error:
            raise InputError(
                f"The {source_of(loaded)} failed: {type(error).__name__}: {error}."
            ) from error

    return own


def source_of(function: Callable[..., Any]) -> str:
    """The function's name and its file, for messages."""
    while isinstance(function, partial):
        function = function.func
    return f"function {function.__name__} of {inspect.getsourcefile(inspect.unwrap(function))}"


def own_folders(kind: str, folder: Path | None) -> list[str]:
    """Folders of a kind of items in a user's folder; empty if there is none."""
    return [str(folder / kind)] if folder and (folder / kind).is_dir() else []


def unfold(text: str) -> str:
    """Join the wrapped lines of a text; a blank line becomes a line break."""
    return "\n".join(part.replace("\n", " ") for part in text.strip().split("\n\n"))


def parse(text: str) -> ast.Module | None:
    """Parse a program; None if the text is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def named_in(program: str) -> set[str]:
    """String constants of a program, and attributes that it reads without calling."""
    nodes = list(ast.walk(tree)) if (tree := parse(program)) else []
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return texts | {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and id(node) not in called
    }
