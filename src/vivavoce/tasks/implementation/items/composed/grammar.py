"""Trees of operators over columns of the market, and their two notations: words and LaTeX.

A tree is written in words as numbered quantities, one sentence each, and in LaTeX as one
expression. Readers give back *every* tree that a text can mean, so that a text with one reading is
shown to be unambiguous. `grammar.toml` holds columns, operators and both notations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from vivavoce.text.data import read_data

GRAMMAR = read_data(__file__, "grammar.toml")
COLUMNS: Mapping[str, Any] = GRAMMAR["columns"]
"""By `table.column`."""
OPERATORS: Mapping[str, Any] = GRAMMAR["operators"]

_SLOT = re.compile(r"(<[abcdn]>)")
_ENDINGS = {
    "day": "It has a value for each stock and trading day.",
    "joined": "It has a value for each stock and day of the minute quotes.",
}


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """An operator with its arguments, or a column."""

    name: str
    """An operator, or `table.column`."""
    args: tuple[Node, ...] = ()
    number: int = 0
    """Days of a lag or a window; 0 for operators without."""

    @property
    def is_column(self) -> bool:
        """True for a leaf."""
        return self.name in COLUMNS

    @property
    def depth(self) -> int:
        """Operators on the longest way down to a column."""
        return 1 + max(arg.depth for arg in self.args) if self.args else 0

    def nodes(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for arg in self.args:
            yield from arg.nodes()


class Kind(NamedTuple):
    """Type of a value."""

    frequency: str
    """minute, day, or joined: only on days that have minutes."""
    unit: str
    is_positive: bool


@cache
def kind_of(node: Node) -> Kind | None:
    """Type of a tree's values; None for one that the grammar does not allow."""
    if node.is_column:
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


def canonical(node: Node) -> Node:
    """The tree with the arguments of operators that commute in one order."""
    args = tuple(map(canonical, node.args))
    commutes = bool(args) and OPERATORS[node.name].get("commutes", False)
    return Node(node.name, tuple(sorted(args)) if commutes else args, node.number)


def write_latex(node: Node) -> str:
    """A tree as one expression."""
    if node.is_column:
        return str(COLUMNS[node.name]["symbol"])
    return _fill(OPERATORS[node.name]["latex"], map(write_latex, node.args), node.number)


def write_text(tree: Node) -> str:
    """A tree in words: quantities, then the factor, then where it has values."""
    names: dict[Node, str] = {}
    sentences: list[str] = []

    def phrase(node: Node) -> str:
        if node.is_column:
            return str(COLUMNS[node.name]["words"])
        return _fill(OPERATORS[node.name]["text"], map(operand, node.args), node.number)

    def operand(node: Node) -> str:
        if node.depth < 2 and len(node.args) < 2:
            return phrase(node)
        if node not in names:
            sentence = phrase(node)
            names[node] = f"quantity {len(names) + 1}"
            sentences.append(f"{names[node].capitalize()} is {sentence}.")
        return names[node]

    factor = f"The factor is {phrase(tree)}."
    kind = kind_of(tree)
    return " ".join([*sentences, factor, _ENDINGS[kind.frequency if kind else "day"]])


def read_latex(text: str) -> list[Node]:
    """Every tree that an expression can mean."""
    return _Reader(text, "latex", "symbol", {}).whole()


def read_text(text: str) -> list[Node]:
    """Every tree that a text of `write_text` can mean."""
    for ending in _ENDINGS.values():
        text = text.removesuffix(ending).strip()
    known: dict[str, list[Node]] = {}
    for name, said in re.findall(r"(Quantity \d+|The factor) is ([^.]*)\.\s*", text):
        known[name.lower()] = _Reader(said, "text", "words", known).whole()
    return known.get("the factor", [])


def symbols(tree: Node) -> dict[str, str]:
    """Meanings of the columns' symbols and of the operators that a tree has."""
    names = sorted({node.name for node in tree.nodes()})
    columns = {COLUMNS[n]["symbol"]: COLUMNS[n]["words"] for n in names if n in COLUMNS}
    operators = [OPERATORS[n] for n in names if n in OPERATORS and OPERATORS[n]["meaning"]]
    indices = {"i": "the stock", "t": "the trading day"}
    if any(symbol.endswith("m}") for symbol in columns):
        indices["m"] = "the minute of the day"
    said = {_fill(given["latex"], "xyzw", "n"): given["meaning"] for given in operators}
    return columns | said | indices


def _fill(template: str, args: Iterable[str], number: int | str) -> str:
    slots = dict(zip(("<a>", "<b>", "<c>", "<d>"), args, strict=False)) | {"<n>": str(number)}
    return "".join(slots.get(part, part) for part in _SLOT.split(template))


class _Reader:
    """Every reading of a text by the templates of one notation."""

    def __init__(
        self, text: str, notation: str, of_column: str, known: Mapping[str, list[Node]]
    ) -> None:
        self.text = text
        self.parts = {
            name: [part for part in _SLOT.split(given[notation]) if part]
            for name, given in OPERATORS.items()
        }
        self.words = {name: column[of_column] for name, column in COLUMNS.items()}
        self.known = known
        self.found: dict[int, list[tuple[Node, int]]] = {}

    def whole(self) -> list[Node]:
        """Trees of the whole text."""
        return [node for node, end in self.at(0) if end == len(self.text)]

    def at(self, place: int) -> list[tuple[Node, int]]:
        """Trees that begin at a place, each with where it ends."""
        if place not in self.found:
            self.found[place] = [*self._leaves(place), *self._operators(place)]
        return self.found[place]

    def _leaves(self, place: int) -> Iterator[tuple[Node, int]]:
        for name, words in self.words.items():
            if self.text.startswith(words, place):
                yield Node(name), place + len(words)
        named = re.compile(r"quantity \d+").match(self.text, place)
        for node in self.known.get(named[0], []) if named else []:
            yield node, place + len(named[0] if named else "")

    def _operators(self, place: int) -> Iterator[tuple[Node, int]]:
        for name, parts in self.parts.items():
            if self.text.startswith(parts[0], place):
                for slots, end in self._match(parts, place):
                    args = tuple(slots[key] for key in sorted(slots) if key != "<n>")
                    yield Node(name, args, slots.get("<n>", 0)), end

    def _match(self, parts: list[str], place: int) -> Iterator[tuple[dict[str, Any], int]]:
        """Fillings of the slots of a template from a place on."""
        if not parts:
            yield {}, place
            return
        part, rest = parts[0], parts[1:]
        first: list[tuple[Any, int]] = []
        if part == "<n>":
            number = re.compile(r"\d+").match(self.text, place)
            first = [(int(number[0]), number.end())] if number else []
        elif _SLOT.fullmatch(part):
            first = list(self.at(place))
        elif self.text.startswith(part, place):
            first = [(None, place + len(part))]
        for filled, end in first:
            slot = {} if filled is None else {part: filled}
            for others, last in self._match(rest, end):
                yield slot | others, last


def replaced(tree: Node, old: Node, new: Node) -> Node:
    """A tree with every occurrence of one part replaced."""
    if tree == old:
        return new
    return Node(tree.name, tuple(replaced(arg, old, new) for arg in tree.args), tree.number)


def simpler(tree: Node) -> list[Node]:
    """Allowed trees without one of the operators: an argument takes its place."""
    made = {
        replaced(tree, node, arg)
        for node in tree.nodes()
        for arg in node.args
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
    needed = {node.name for node in tree.nodes() if node.is_column}
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
