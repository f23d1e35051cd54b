"""The grammar of composed formulas: operators over columns of the market, words and LaTeX.

A tree is written in words as numbered quantities, one sentence each, and in LaTeX as one
expression. `grammar.toml` holds columns, operators and both notations.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from vivavoce.tasks.implementation.items.composed.notation import Node, Notation, fill, shortened
from vivavoce.text.data import read_data

GRAMMAR = read_data(__file__, "grammar.toml")
COLUMNS: Mapping[str, Any] = GRAMMAR["columns"]
"""By `table.column`."""
OPERATORS: Mapping[str, Any] = GRAMMAR["operators"]

_ENDINGS = {
    "day": "It has a value for each stock and trading day.",
    "joined": "It has a value for each stock and day of the minute quotes.",
}


class Kind(NamedTuple):
    """Type of a value."""

    frequency: str
    """minute, day, or joined: only on days that have minutes."""
    unit: str
    is_positive: bool


@cache
def kind_of(node: Node) -> Kind | None:
    """Type of a tree's values; None for one that the grammar does not allow."""
    if node.is_leaf:
        column = COLUMNS[node.name]
        frequency = "minute" if node.name.startswith("high_freq.") else "day"
        return Kind(frequency, column["unit"], column.get("positive", False))
    operator = OPERATORS[node.name]
    kinds = [kind for arg in node.args if (kind := kind_of(arg)) is not None]
    if len(kinds) < len(operator["of"]) or not _fits(operator, node, kinds):
        return None
    keeps_sign = operator.get("sign") == "keep" and all(kind.is_positive for kind in kinds)
    frequency = operator["gives"]
    if frequency == "day" and any(kind.frequency == "joined" for kind in kinds):
        frequency = "joined"
    return Kind(frequency, _unit(operator["units"], [kind.unit for kind in kinds]), keeps_sign)


def _fits(operator: Mapping[str, Any], node: Node, kinds: list[Kind]) -> bool:
    alike = ["abcd"[: len(kinds)]] if operator["units"] == "same" else operator.get("alike", [])
    minutes = operator["of"][0] == "minute"
    distinct = [node.args[i : i + 2] for i in range(0, len(node.args) - 1, 2)]
    return (
        all((kind.frequency == "minute") is minutes for kind in kinds)
        and all(len({kinds["abcd".index(a)].unit for a in group}) == 1 for group in alike)
        and ("needs" not in operator or kinds[0].is_positive)
        and all(one != other for one, other in distinct)
    )


def _unit(rule: str, units: list[str]) -> str:
    if rule in ("same", "keep"):
        return units[0]
    if rule == "ratio":
        return "number" if units[0] == units[1] else f"{units[0]}/{units[1]}"
    return "*".join(sorted(units)) if rule == "product" else rule


def write_latex(node: Node) -> str:
    """A tree as one expression."""
    return _notation("latex", "symbol").write(node)


def write_text(tree: Node) -> str:
    """A tree in words: quantities, then the factor, then where it has values."""
    kind = kind_of(tree)
    ending = _ENDINGS[kind.frequency if kind else "day"]
    return " ".join([*_notation("text", "words").write_lines(tree, _is_inline), ending])


def read_latex(text: str) -> list[Node]:
    """Every tree that an expression can mean."""
    return _notation("latex", "symbol").read(text)


def read_text(text: str) -> list[Node]:
    """Every tree that a text of `write_text` can mean."""
    for ending in _ENDINGS.values():
        text = text.removesuffix(ending).strip()
    return _notation("text", "words").read_lines(text)


def _is_inline(node: Node) -> bool:
    return node.depth < 2 and len(node.args) < 2


def _notation(of_operator: str, of_column: str) -> Notation:
    return Notation(
        {name: column[of_column] for name, column in COLUMNS.items()},
        {name: operator[of_operator] for name, operator in OPERATORS.items()},
    )


def symbols(tree: Node) -> dict[str, str]:
    """Meanings of the columns' symbols and of the operators that a tree has."""
    names = sorted({node.name for node in tree.nodes()})
    columns = {COLUMNS[n]["symbol"]: COLUMNS[n]["words"] for n in names if n in COLUMNS}
    operators = [OPERATORS[n] for n in names if n in OPERATORS and OPERATORS[n]["meaning"]]
    indices = {"i": "the stock", "t": "the trading day"}
    if any(symbol.endswith("m}") for symbol in columns):
        indices["m"] = "the minute of the day"
    said = {fill(given["latex"], "xyzw", "n"): given["meaning"] for given in operators}
    return columns | said | indices


def simpler(tree: Node) -> list[Node]:
    """Allowed trees without one of the operators: an argument takes its place."""
    made = {
        other
        for node, arg, other in shortened(tree)
        if kind_of(node) and kind_of(arg) and _same_rows(node, arg)
    }
    return sorted(node for node in made if node != tree)


def _same_rows(node: Node, arg: Node) -> bool:
    frequencies = {kind.frequency for each in (node, arg) if (kind := kind_of(each))}
    return len(frequencies) == 1


def all_readings(tree: Node) -> list[Node]:
    """Readings of both notations; a tree that is told without ambiguity twice, and nothing else."""
    return [*read_text(write_text(tree)), *read_latex(write_latex(tree))]


def columns_of(tree: Node) -> list[str]:
    """Columns that a tree needs, as `table.column`, sorted."""
    needed = {node.name for node in tree.nodes() if node.is_leaf}
    for node in tree.nodes():
        needed |= set(OPERATORS.get(node.name, {}).get("columns", ()))
    return sorted(needed)


@cache
def operators_giving(frequency: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Operators that give values of a frequency, each with the frequencies it takes for that."""
    found = []
    for name, given in OPERATORS.items():
        count = len(given["of"])
        if given["of"][0] == "minute":
            choices = [("minute",) * count] if given["gives"] == frequency else []
        elif frequency == "joined":
            mixed = product(("day", "joined"), repeat=count)
            choices = [choice for choice in mixed if "joined" in choice]
        else:
            choices = [("day",) * count] if frequency == "day" else []
        if choices:
            found.append((name, choices))
    return found


@cache
def columns_giving(frequency: str, tables: tuple[str, ...]) -> list[str]:
    """Columns of some tables, or of all if none is named, that are of a frequency."""
    return [
        name
        for name in COLUMNS
        if name.startswith("high_freq.") is (frequency == "minute")
        and (not tables or name.partition(".")[0] in tables)
    ]
