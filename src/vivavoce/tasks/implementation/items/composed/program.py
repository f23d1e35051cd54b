"""Programs of composed formulas: the reference, and those of readers who mistake one thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from vivavoce.tasks.implementation.items.composed.grammar import (
    COLUMNS,
    GRAMMAR,
    OPERATORS,
    columns_of,
    kind_of,
)
from vivavoce.tasks.implementation.items.composed.notation import Node, functions_used, replaced

HELPERS: Mapping[str, str] = GRAMMAR["helpers"]
MISTAKES: Mapping[str, Mapping[str, str]] = GRAMMAR["mistakes"]
"""Helpers as careless programs have them: `lags` forgets the stock, `corner` fills no windows."""

_IMPORTS = "import numpy as np\nimport pandas as pd\n\n\n"


def write_program(tree: Node, result: str, mistake: str = "") -> str:
    """A program that computes a tree and leaves its values in the file `result`.

    Args:
        tree: The formula.
        result: Name of the file.
        mistake: One of `MISTAKES` that it makes; none if empty.
    """
    own = "\n\n".join(f"{OPERATORS[name]['code'].strip()}\n" for name in _operators(tree))
    helpers = functions_used(own, {**HELPERS, **MISTAKES.get(mistake, {})})
    tables = sorted({column.partition(".")[0] for column in columns_of(tree)})
    reads = [
        f'{table} = pd.read_parquet("{table}.parquet")\n'
        f'{table} = {table}.set_index(["datetime", "instrument"]).sort_index()\n'
        for table in tables
    ]
    return (
        f"{_IMPORTS}{helpers}{own}\n\n{''.join(reads)}values = {_call(tree)}\n"
        f'values.rename("value").to_frame().to_parquet("{result}")\n'
    )


def evaluate(
    tree: Node, frames: Mapping[str, Any], known: dict[Node, Any], mistake: str = ""
) -> Any:
    """Values of a tree, as its program computes them.

    Args:
        tree: The formula.
        frames: Tables by (datetime, instrument), in order.
        known: Values of parts, by tree; those computed are added.
        mistake: One of `MISTAKES`; none if empty.
    """
    if tree not in known:
        table, _, column = tree.name.partition(".")
        if tree.is_leaf:
            known[tree] = frames[table][column]
        else:
            args = [evaluate(arg, frames, known, mistake) for arg in tree.args]
            more = [_extra(name, frames) for name in OPERATORS[tree.name].get("columns", ())]
            numbers = [tree.number] if tree.number else []
            known[tree] = _functions(mistake)[tree.name](*args, *more, *numbers)
    return known[tree]


def mistaken(tree: Node, names: Mapping[str, Any]) -> Node | None:
    """The tree with one column or operator mistaken for another of `names`; None where none fits.

    The first part that can be mistaken is, from the factor downwards.
    """
    for node in tree.nodes():
        other = names.get(node.name, {}).get("mistaken")
        if other is None:
            continue
        number = node.number if other in COLUMNS or "number" in OPERATORS[other] else 0
        wrong = replaced(tree, node, Node(other, node.args, number))
        if kind_of(wrong) is not None:
            return wrong
    return None


def _extra(name: str, frames: Mapping[str, Any]) -> Any:
    table, _, column = name.partition(".")
    return frames[table][column]


@cache
def _functions(mistake: str) -> Mapping[str, Callable[..., Any]]:
    """The operators as functions; their code is the package's own."""
    helpers = {**HELPERS, **MISTAKES.get(mistake, {})}
    codes = [*helpers.values(), *(operator["code"] for operator in OPERATORS.values())]
    namespace: dict[str, Any] = {}
    exec(_IMPORTS + "\n".join(codes), namespace)
    return namespace


def _operators(tree: Node) -> list[str]:
    return sorted({node.name for node in tree.nodes() if not node.is_leaf})


def _call(node: Node) -> str:
    if node.is_leaf:
        return _column(node.name)
    more = [_column(name) for name in OPERATORS[node.name].get("columns", ())]
    numbers = [str(node.number)] if node.number else []
    return f"{node.name}({', '.join([*map(_call, node.args), *more, *numbers])})"


def _column(name: str) -> str:
    table, _, column = name.partition(".")
    return f'{table}["{column}"]'
