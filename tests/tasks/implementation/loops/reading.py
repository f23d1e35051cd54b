"""Every tree that a text of composed formulas or networks can mean, by brute force."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vivavoce.tasks.implementation.items.composed_grammar import Node, Notation

_SLOT = re.compile(r"(<[abcdn]>)")
_NUMBER = re.compile(r"\d+")
_Known = Mapping[str, list[Node]]


def read_expression(text: str, notation: Notation, known: _Known | None = None) -> list[Node]:
    """Every tree that an expression can mean, where parts with a name are known."""
    return [node for node, end in _Reader(text, notation, known or {}).at(0) if end == len(text)]


def read_lines(text: str, notation: Notation) -> list[Node]:
    """Every tree that the last of some lines can mean."""
    known: dict[str, list[Node]] = {}
    for line in text.split(notation.end):
        name, _, definition = line.strip().partition(notation.equals)
        known[name.casefold()] = read_expression(definition, notation, known)
    return known.get(notation.whole.casefold(), [])


class _Reader:
    def __init__(self, text: str, notation: Notation, known: _Known) -> None:
        self.text, self.leaves, self.known = text, notation.leaves, known
        self.templates = {
            name: [part for part in _SLOT.split(template) if part]
            for name, template in notation.operators.items()
        }
        self.part = re.compile(re.escape(notation.part).replace("<n>", r"\d+"))
        self.found: dict[int, list[tuple[Node, int]]] = {}

    def at(self, place: int) -> list[tuple[Node, int]]:
        """Trees that begin at a place, each with where it ends."""
        if place not in self.found:
            self.found[place] = [*self._leaves(place), *self._operators(place)]
        return self.found[place]

    def _leaves(self, place: int) -> Iterator[tuple[Node, int]]:
        for name, words in self.leaves.items():
            if self.text.startswith(words, place):
                yield Node(name), place + len(words)
        if named := self.part.match(self.text, place):
            for node in self.known.get(named[0].casefold(), []):
                yield node, named.end()

    def _operators(self, place: int) -> Iterator[tuple[Node, int]]:
        for name, parts in self.templates.items():
            for slots, end in self._match(parts, place):
                args = tuple(slots[key] for key in sorted(slots) if key != "<n>")
                yield Node(name, args, slots.get("<n>", 0)), end

    def _match(self, parts: list[str], place: int) -> Iterator[tuple[dict[str, Any], int]]:
        """Fillings of the slots of a template from a place on."""
        if not parts:
            yield {}, place
            return
        first: list[tuple[Any, int]] = []
        if parts[0] == "<n>":
            number = _NUMBER.match(self.text, place)
            first = [(int(number[0]), number.end())] if number else []
        elif _SLOT.fullmatch(parts[0]):
            first = list(self.at(place))
        elif self.text.startswith(parts[0], place):
            first = [(None, place + len(parts[0]))]
        for filled, end in first:
            slot = {} if filled is None else {parts[0]: filled}
            for others, last in self._match(parts[1:], end):
                yield slot | others, last
