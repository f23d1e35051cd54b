"""Grammar of composed trees: operators over leaves, written by templates.

A tree is written in words or LaTeX, as one expression or as lines that each define a part from
leaves and earlier parts. The templates are unambiguous. `composed_grammar.toml` has the operators
of formulas over columns of the market.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from vivavoce.text import read_data

CLASSES = 97
"""Number of classes of trees; a round uses the class of its seed."""

_SLOT = re.compile(r"(<[abcdn]>)")


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """An operator with its arguments, or a leaf."""

    name: str
    args: tuple[Node, ...] = ()
    number: int = 0
    """Number of an operator, such as the days of a window; 0 without one."""

    @property
    def is_leaf(self) -> bool:
        """True without arguments."""
        return not self.args

    @property
    def depth(self) -> int:
        """Number of operators on the longest path to a leaf."""
        return 1 + max(arg.depth for arg in self.args) if self.args else 0

    def nodes(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for arg in self.args:
            yield from arg.nodes()


@dataclass(frozen=True)
class Notation:
    """Templates of operators; <a> to <d> are arguments and <n> is the number."""

    leaves: Mapping[str, str]
    operators: Mapping[str, str]
    part: str = "quantity <n>"
    """Template for the name of a part."""
    whole: str = "the factor"
    equals: str = " is "
    """Text between the name of a part and its definition."""
    end: str = "."

    def write(self, tree: Node) -> str:
        """A tree as one expression."""
        if tree.is_leaf:
            return self.leaves[tree.name]
        return fill(self.operators[tree.name], map(self.write, tree.args), tree.number)

    def write_lines(self, tree: Node, is_inline: Callable[[Node], bool]) -> list[str]:
        """A tree as lines, the whole tree last; inline parts have no separate line."""
        parts = named_parts(tree, is_inline)
        names = {part: fill(self.part, (), number) for number, part in enumerate(parts, 1)}

        def say(node: Node) -> str:
            return fill(self.operators[node.name], map(operand, node.args), node.number)

        def operand(node: Node) -> str:
            return names.get(node) or (self.leaves[node.name] if node.is_leaf else say(node))

        definitions = [(names[part], say(part)) for part in parts]
        lines = [*definitions, (self.whole, say(tree) if tree.args else operand(tree))]
        return [f"{name[0].upper()}{name[1:]}{self.equals}{is_}{self.end}" for name, is_ in lines]


def fill(template: str, args: Iterable[str], number: int | str) -> str:
    """Fill a template."""
    slots = dict(zip(("<a>", "<b>", "<c>", "<d>"), args, strict=False)) | {"<n>": str(number)}
    return "".join(slots.get(part, part) for part in _SLOT.split(template))


def functions_used(code: str, known: Mapping[str, str]) -> str:
    """Sources of the functions that code calls, directly or indirectly, sorted by name."""
    chosen: set[str] = set()
    while more := {n for n in known if n not in chosen and re.search(rf"\b{n}\(", code)}:
        chosen |= more
        code += "\n".join(known[name] for name in more)
    return "".join(f"{known[name].strip()}\n\n\n" for name in sorted(chosen))


def named_parts(tree: Node, is_inline: Callable[[Node], bool]) -> list[Node]:
    """Parts below a tree that are not inline, each once, after the parts that it needs."""
    parts: dict[Node, None] = {}

    def visit(node: Node) -> None:
        for arg in node.args:
            if arg not in parts:
                visit(arg)
                if not is_inline(arg):
                    parts[arg] = None

    visit(tree)
    return list(parts)


def replaced(tree: Node, old: Node, new: Node) -> Node:
    """Replace every occurrence of a part of a tree."""
    if tree == old:
        return new
    return Node(tree.name, tuple(replaced(arg, old, new) for arg in tree.args), tree.number)


def shortened(tree: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Yield operator, argument, and the tree with the operator replaced by the argument."""
    for node in dict.fromkeys(tree.nodes()):
        for arg in node.args:
            yield node, arg, replaced(tree, node, arg)


def canonical(node: Node, operators: Mapping[str, Any]) -> Node:
    """The tree with sorted arguments of commutative operators."""
    args = tuple(canonical(arg, operators) for arg in node.args)
    commutes = bool(args) and operators[node.name].get("commutes", False)
    return Node(node.name, tuple(sorted(args)) if commutes else args, node.number)


def digest(text: str) -> bytes:
    """Hash of a tree by its text."""
    return hashlib.sha256(text.encode()).digest()


def is_of_round(text: str, seed: int) -> bool:
    """True if a round of a seed may have a tree, given its text."""
    return int.from_bytes(digest(text)[:8], "big") % CLASSES == seed % CLASSES


GRAMMAR = read_data(__file__, "composed_grammar.toml")
COLUMNS: Mapping[str, Any] = GRAMMAR["columns"]
"""Columns by `table.column`."""
OPERATORS: Mapping[str, Any] = GRAMMAR["operators"]

ENDINGS = {
    "day": "It has a value for each stock and trading day.",
    "joined": "It has a value for each stock and day of the minute quotes.",
}


class Kind(NamedTuple):
    """Type of a value."""

    frequency: str
    """minute, day, or joined (only on days with minutes)."""
    unit: str
    is_positive: bool


@cache
def kind_of(node: Node) -> Kind | None:
    """Type of a tree's values; None if the grammar does not allow it."""
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
    unit, units = operator["units"], [kind.unit for kind in kinds]
    if unit in ("same", "keep"):
        unit = units[0]
    elif unit == "ratio":
        unit = "number" if units[0] == units[1] else f"{units[0]}/{units[1]}"
    elif unit == "product":
        unit = "*".join(sorted(units))
    return Kind(frequency, unit, keeps_sign)


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


def _notation(of_operator: str, of_column: str) -> Notation:
    return Notation(
        {name: column[of_column] for name, column in COLUMNS.items()},
        {name: operator[of_operator] for name, operator in OPERATORS.items()},
    )


LATEX, WORDS = _notation("latex", "symbol"), _notation("text", "words")


def write_latex(node: Node) -> str:
    """A tree as one expression."""
    return LATEX.write(node)


def write_text(tree: Node) -> str:
    """A tree in words: quantities, then the factor, then the rows with values."""
    kind = kind_of(tree)
    ending = ENDINGS[kind.frequency if kind else "day"]
    lines = WORDS.write_lines(tree, lambda node: node.depth < 2 and len(node.args) < 2)
    return " ".join([*lines, ending])


def symbols(tree: Node) -> dict[str, str]:
    """Meanings of the column symbols and operators of a tree."""
    names = sorted({node.name for node in tree.nodes()})
    columns = {COLUMNS[n]["symbol"]: COLUMNS[n]["words"] for n in names if n in COLUMNS}
    operators = [OPERATORS[n] for n in names if n in OPERATORS and OPERATORS[n]["meaning"]]
    indices = {"i": "the stock", "t": "the trading day"}
    if any(symbol.endswith("m}") for symbol in columns):
        indices["m"] = "the minute of the day"
    meanings = {fill(given["latex"], "xyzw", "n"): given["meaning"] for given in operators}
    return columns | meanings | indices


def simpler(tree: Node) -> list[Node]:
    """Allowed trees in which an operator is replaced by one of its arguments."""
    made = {
        other
        for node, arg, other in shortened(tree)
        if (one := kind_of(node)) and (inner := kind_of(arg)) and one.frequency == inner.frequency
    }
    return sorted(node for node in made if node != tree)


def columns_of(tree: Node) -> list[str]:
    """Columns that a tree needs, as `table.column`, sorted."""
    needed = {node.name for node in tree.nodes() if node.is_leaf}
    for node in tree.nodes():
        needed |= set(OPERATORS.get(node.name, {}).get("columns", ()))
    return sorted(needed)


@cache
def operators_giving(frequency: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Operators that give values of a frequency, with the frequencies of their arguments."""
    giving = []
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
            giving.append((name, choices))
    return giving


@cache
def columns_giving(frequency: str, tables: tuple[str, ...]) -> list[str]:
    """Columns of a frequency in given tables, or in all."""
    return [
        name
        for name in COLUMNS
        if name.startswith("high_freq.") is (frequency == "minute")
        and (not tables or name.partition(".")[0] in tables)
    ]
