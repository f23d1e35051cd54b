"""What the source says of public names, read without importing it: an optional package may lack."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SRC = Path(__file__).resolve().parents[2] / "src" / "vivavoce"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_ARRAYS = {"NDArray", "ndarray", "ArrayLike"}
_SHAPE = re.compile(
    r"\bshape\b|\beach\b|\bevery\b|\brows?\b|\bcolumns?\b|\bone (?:an?|for|per)\b|\bnumbers?\b",
    re.I,
)
_AMOUNT = re.compile(
    r"(?:^|_)(?:timeout|limit|wait|delay|deadline|budget|memory|window|context|idle)$"
)
_UNIT = re.compile(
    r"\b(?:seconds?|minutes?|days?|tokens?|words?|characters?|bytes|MiB|dollars|items?"
    r"|samples?|papers?|titles?|results?|rows?|lines?)\b",
    re.I,
)
_RAISES = re.compile(r"^Raises:\n((?: {4}.*\n?|\n)+)", re.M)
_ENTRY = re.compile(r"^    (\w+(?:, \w+)*):", re.M)


@dataclass(frozen=True)
class Public:
    """A module, class or function that can be imported from outside, or a method of one."""

    where: str
    node: Documented
    around: str
    """The docstrings of the class and the module it stands in."""

    @property
    def doc(self) -> str:
        return ast.get_docstring(self.node) or ""

    @property
    def context(self) -> str:
        return f"{self.around}\n{self.doc}"


@cache
def modules() -> dict[str, ast.Module]:
    """Every public module of the package, by its path."""
    paths = {path.relative_to(SRC).as_posix(): path for path in sorted(SRC.rglob("*.py"))}
    return {
        name: ast.parse(path.read_text("utf-8"))
        for name, path in paths.items()
        if not any(part.startswith("_") for part in name.split("/") if part != "__init__.py")
    }


def module_of(name: str | None) -> ast.Module | None:
    """A public module of ours by its dotted name."""
    path = (name or "").removeprefix("vivavoce.").replace(".", "/")
    return modules().get(f"{path}.py") or modules().get(f"{path}/__init__.py")


def public_names(tree: ast.Module, where: str) -> Iterator[Public]:
    """Everything public in a module, itself included."""
    yield Public(where, tree, "")
    yield from _inside(tree, where, ast.get_docstring(tree) or "")


def _inside(node: ast.Module | ast.ClassDef, where: str, around: str) -> Iterator[Public]:
    for child in node.body:
        if not isinstance(child, ast.ClassDef | Function) or child.name.startswith("_"):
            continue
        if any(last_name(each) == "overload" for each in child.decorator_list):
            continue
        if _is_outline(node, child):
            continue
        yield Public(f"{where}:{child.lineno} {child.name}", child, around)
        if isinstance(child, ast.ClassDef):
            yield from _inside(child, where, f"{around}\n{ast.get_docstring(child) or ''}")


def _is_outline(node: ast.Module | ast.ClassDef, child: ast.stmt) -> bool:
    """Whether it only says what fits a protocol: that is documented where it is made."""
    return (
        isinstance(node, ast.ClassDef)
        and any(last_name(base) == "Protocol" for base in node.bases)
        and isinstance(child, Function)
        and len(child.body) == 1
        and isinstance(child.body[0], ast.Expr)
        and not _text_of(child.body[0])
    )


def unnamed_errors(tree: ast.Module, where: str) -> list[str]:
    """Public functions that raise what neither they nor their class or module speak of."""
    helpers = _error_helpers(tree)
    return [
        f"{found.where}: {name}"
        for found in public_names(tree, where)
        if isinstance(found.node, Function) and not _is_page(found.node)
        for name in sorted(_raised(found.node.body, helpers))
        if not any(each in found.context for each in (name, *_parents(name)))
    ]


def errors_that_are_none(tree: ast.Module, where: str, known: set[str]) -> list[str]:
    """Entries of `Raises:` that name no class."""
    return [
        f"{found.where}: {name}"
        for found in public_names(tree, where)
        for section in _RAISES.findall(found.doc)
        for names in _ENTRY.findall(section)
        for name in names.split(", ")
        if name not in known
    ]


def _raised(nodes: Sequence[ast.AST], helpers: dict[str, str]) -> set[str]:
    """Classes raised in a body, also those that a helper makes, without those caught in it."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Function | ast.ClassDef | ast.Lambda):
            continue
        inner: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Raise) and node.exc is not None:
            name = last_name(node.exc)
            found.add(helpers.get(name, name))
        elif isinstance(node, ast.Try):
            caught = {name for handler in node.handlers for name in _caught(handler)}
            tried = _raised(node.body, helpers)
            found |= {name for name in tried if not _is_caught(name, caught)}
            inner = [*node.handlers, *node.orelse, *node.finalbody]
        found |= _raised(inner, helpers)
    # A name in small letters is an error that was caught and is raised again.
    return {name for name in found if name[:1].isupper()}


def _parents(name: str) -> Iterator[str]:
    """The errors of ours that an error is one of, but for `VivaError`, which they all are."""
    for parent in _bases().get(name, ()):
        if parent in _bases() and parent != "VivaError":
            yield parent
            yield from _parents(parent)


@cache
def _bases() -> dict[str, tuple[str, ...]]:
    """What each class of the package is made from, by name."""
    return {
        node.name: tuple(last_name(base) for base in node.bases)
        for tree in modules().values()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def known_errors() -> set[str]:
    """Names of classes that may be raised: built in, our own, or imported by a module."""
    imported = {
        alias.name
        for tree in modules().values()
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {name for name in {*dir(builtins), *imported} if name.endswith("Error")} | {*_bases()}


def _error_helpers(tree: ast.Module) -> dict[str, str]:
    """Functions and methods of a module that return an error, with its class."""
    returned = {
        node.name: last_name(node.returns)
        for node in ast.walk(tree)
        if isinstance(node, Function) and node.returns is not None
    }
    return {name: kind for name, kind in returned.items() if kind.endswith("Error")}


def _caught(handler: ast.ExceptHandler) -> set[str]:
    return {"BaseException"} if handler.type is None else set(_names(handler.type))


def _is_caught(name: str, caught: set[str]) -> bool:
    kind = getattr(builtins, name, None)
    return name in caught or (
        isinstance(kind, type) and any(parent.__name__ in caught for parent in kind.__mro__)
    )


def _is_page(function: Function) -> bool:
    """Whether it answers a request: what it raises is an answer as well."""
    owners = [each.func for each in function.decorator_list if isinstance(each, ast.Call)]
    return any(isinstance(o, ast.Attribute) and last_name(o.value) == "router" for o in owners)


def arrays_without_shape(tree: ast.Module, where: str) -> list[str]:
    """Public functions that take or give arrays and do not say what their axes are."""
    arrays = _array_names(tree)
    return [
        found.where
        for found in public_names(tree, where)
        if isinstance(found.node, Function)
        and _names_in_signature(found.node) & arrays
        and not _SHAPE.search(found.context)
    ]


def _array_names(tree: ast.Module) -> set[str]:
    """What a module calls arrays: its own names for kinds of them, and those it imports."""
    found = _ARRAYS | _own_arrays(tree)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (home := module_of(node.module)) is not None:
            found |= _own_arrays(home) & {alias.name for alias in node.names}
    return found


@cache
def _own_arrays(tree: ast.Module) -> set[str]:
    return {
        last_name(node.targets[0])
        for node in tree.body
        if isinstance(node, ast.Assign) and _ARRAYS & set(_names(node.value))
    }


def _arguments(function: Function) -> tuple[ast.arg, ...]:
    return (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)


def _names_in_signature(function: Function) -> set[str]:
    noted = [each.annotation for each in _arguments(function)] + [function.returns]
    return {name for note in noted if note is not None for name in _names(note)}


def amounts_without_unit(tree: ast.Module, where: str) -> list[str]:
    """Numeric fields and arguments such as `time_limit` of which nobody says what they count."""
    found = []
    for record in public_names(tree, where):
        if isinstance(record.node, ast.ClassDef):
            body = record.node.body
            for field, after in zip(body, [*body[1:], None], strict=True):
                name = _amount(field)
                if name and not _UNIT.search(f"{_text_of(after)} {record.doc}"):
                    found.append(f"{record.where}.{name}")
        elif isinstance(record.node, Function) and not _UNIT.search(record.context):
            names = [each.arg for each in _arguments(record.node) if _is_number(each.annotation)]
            found += [f"{record.where}({name})" for name in names if _AMOUNT.search(name)]
    return found


def _is_number(note: ast.expr | None) -> bool:
    return note is not None and bool({"int", "float"} & set(_names(note)))


def _amount(node: ast.stmt) -> str:
    """The name of a numeric field that limits or measures something; empty for other fields."""
    if not isinstance(node, ast.AnnAssign) or not _is_number(node.annotation):
        return ""
    name = last_name(node.target)
    return name if _AMOUNT.search(name) else ""


def exported_constants(tree: ast.Module) -> dict[str, str]:
    """Constants in a package's `__all__`, with the module each comes from."""
    exported: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and last_name(node.targets[0]) == "__all__":
            exported = {str(name) for name in ast.literal_eval(node.value)}
    return {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if alias.name in exported and alias.name.isupper()
    }


def documented_constants(tree: ast.Module) -> set[str]:
    """Names of a module below whose assignment stands a docstring."""
    return {
        name
        for node, after in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(node, ast.Assign | ast.AnnAssign) and _text_of(after)
        for name in _names(node.targets[0] if isinstance(node, ast.Assign) else node.target)
    }


def assigned(tree: ast.Module) -> set[str]:
    """Names that a module gives to values."""
    return {
        name
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for name in _names(node.targets[0] if isinstance(node, ast.Assign) else node.target)
    }


def _text_of(node: ast.stmt | None) -> str:
    """The docstring that a statement is; empty for any other."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else ""
    return ""


def last_name(node: ast.expr) -> str:
    """The name that a dotted or called expression ends with; empty for others."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Call():
            return last_name(node.func)
    return ""


def _names(node: ast.expr) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute) and each.attr in _ARRAYS:
            yield each.attr
