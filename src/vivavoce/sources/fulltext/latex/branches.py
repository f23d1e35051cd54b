r"""Conditions whose branches are arguments, as `\iftoggle{long}{...}{...}`: what is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from vivavoce.sources.fulltext.latex.tokens import TokenStream

_MAX_EXPANSIONS = 10


class DefinedNames(Protocol):
    """Commands, switches and options that a paper has defined so far."""

    switches: dict[str, bool]
    r"""Answer of each `\ifname`, and of each toggle by `toggle name`."""
    options: set[str]
    """Options of the document class."""
    packages: set[str]

    def body(self, name: str) -> tuple[str, ...] | None:
        """Tokens that a command without arguments stands for; None for any other."""
        ...

    def is_defined(self, name: str) -> bool:
        """Check whether a command is defined."""
        ...

    def has_file(self, name: str) -> bool:
        """Check whether a file is one of the paper's."""
        ...


def choose(command: str, stream: TokenStream, known: DefinedNames) -> list[str] | None:
    """Tokens of the branch that is printed; None for a command that is no such condition."""
    if command in _SETTERS:
        kind, value = _SETTERS[command]
        name = "".join(stream.argument()).strip()
        is_taken = name == "draft" and "ifdraft" in known.packages
        key = f"toggle {name}" if kind == "toggle" or is_taken else f"\\if{name}"
        if value is None:
            known.switches[key] = "".join(stream.argument()).strip() == "true"
        elif value == "new":
            known.switches.setdefault(key, False)
        else:
            known.switches[key] = value == "true"
        return []
    name = command[1:]
    is_negated = name in _NEGATIONS
    name = _NEGATIONS.get(name, name)
    branches = "TF"
    if name not in _TESTS and name.startswith("If"):
        stem = name.rstrip("TF")
        name, branches = stem, name[len(stem) :]
    if name not in _TESTS or not branches:
        return None
    count, test = _TESTS[name]
    given = [stream.argument() for _ in range(count)]
    texts = dict(zip(branches, (stream.argument() for _ in branches), strict=True))
    return texts.get("T" if test(known, given) != is_negated else "F", [])


_SETTERS: dict[str, tuple[str, str | None]] = {
    **{
        f"\\{new}{kind}": (kind, "new") for new in ("new", "provide") for kind in ("toggle", "bool")
    },
    **{f"\\{new}boolean": ("bool", "new") for new in ("new", "provide")},
    **{
        f"\\{kind}{value}": (kind, value)
        for kind in ("toggle", "bool")
        for value in ("true", "false")
    },
    **{f"\\set{kind}": (kind, None) for kind in ("toggle", "bool", "boolean")},
}


def text_of(known: DefinedNames, tokens: Sequence[str]) -> str:
    """The text of an argument, its commands without arguments expanded."""
    left = list(tokens)
    for _ in range(_MAX_EXPANSIONS):
        place = next((p for p, token in enumerate(left) if known.body(token) is not None), None)
        if place is None:
            break
        left[place : place + 1] = known.body(left[place]) or ()
    return "".join(left).strip()


def _holds(known: DefinedNames, name: str) -> bool:
    return known.switches.get(f"\\if{name}", known.switches.get(f"toggle {name}", False))


def _is_empty(known: DefinedNames, given: Sequence[Sequence[str]]) -> bool:
    return not text_of(known, given[0])


def _are_equal(known: DefinedNames, given: Sequence[Sequence[str]]) -> bool:
    return text_of(known, given[0]) == text_of(known, given[1])


Test = Callable[[DefinedNames, Sequence[Sequence[str]]], bool]
_TESTS: dict[str, tuple[int, Test]] = {
    "iftoggle": (1, lambda known, given: known.switches.get(f"toggle {_name(given)}", False)),
    "ifbool": (1, lambda known, given: _holds(known, _name(given))),
    "ifthenelse": (1, lambda known, given: _expression(given[0], known)),
    **dict.fromkeys(("ifstrequal", "ifdefstring", "ifdefstrequal", "ifdefequal"), (2, _are_equal)),
    **dict.fromkeys(
        ("ifstrempty", "ifblank", "ifdefempty", "IfBlank", "IfNoValue"), (1, _is_empty)
    ),
    "IfValue": (1, lambda known, given: not _is_empty(known, given)),
    "IfBoolean": (1, lambda known, given: _name(given) in {"*", "\\BooleanTrue"}),
    "ifdef": (1, lambda known, given: known.is_defined(_name(given))),
    "ifcsdef": (1, lambda known, given: known.is_defined(f"\\{_name(given)}")),
    "IfFileExists": (1, lambda known, given: known.has_file(_name(given))),
    "ifdraft": (0, lambda known, _: "draft" in known.options),
    "ifoptiondraft": (0, lambda known, _: "draft" in known.options),
    "ifoptionfinal": (0, lambda known, _: "final" in known.options),
}
"""Arguments of a test, and the test."""
_NEGATIONS = {
    "nottoggle": "iftoggle",
    "notbool": "ifbool",
    "notblank": "ifblank",
    "ifundef": "ifdef",
    "ifcsundef": "ifcsdef",
    "@ifundefined": "ifcsdef",
}


def _name(given: Sequence[Sequence[str]]) -> str:
    return "".join(given[0]).strip()


def _expression(tokens: Sequence[str], known: DefinedNames) -> bool:
    r"""The answer of a test of ifthen, as `\boolean{draft} \AND \NOT \equal{a}{b}`."""
    stream = TokenStream()
    stream.push([bare for token in tokens if (bare := token.replace(" ", ""))])
    parts: list[list[bool]] = [[]]
    is_negated = False
    while (token := stream.next()) is not None:
        command = token.lower()
        if command == "\\or":
            parts.append([])
        elif command == "\\not":
            is_negated = not is_negated
        elif command in {"\\boolean", "\\equal"}:
            if command == "\\boolean":
                name = "".join(stream.argument()).strip()
                answer = name == "true" or _holds(known, name)
            else:
                answer = _are_equal(known, (stream.argument(), stream.argument()))
            parts[-1].append(answer != is_negated)
            is_negated = False
    return any(part and all(part) for part in parts)
