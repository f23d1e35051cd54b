r"""Conditions whose branches are arguments, as `\iftoggle{long}{...}{...}`: what is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from vivavoce.sources.fulltext.latex.tokens import TokenStream

_MAX_EXPANSIONS = 10
_MAX_DEPTH = 20
"""Brackets within brackets of a test that are read."""


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
        _set(command, stream, known)
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


def _set(command: str, stream: TokenStream, known: DefinedNames) -> None:
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


def _compare(known: DefinedNames, given: Sequence[Sequence[str]], sign: str) -> bool:
    try:
        first, second = (float(text_of(known, each)) for each in given)
    except ValueError:
        return False
    return {"<": first < second, "=": first == second, ">": first > second}[sign]


Test = Callable[[DefinedNames, Sequence[Sequence[str]]], bool]
_TESTS: dict[str, tuple[int, Test]] = {
    "iftoggle": (1, lambda known, given: known.switches.get(f"toggle {_name(given)}", False)),
    "ifbool": (1, lambda known, given: _holds(known, _name(given))),
    "ifthenelse": (1, lambda known, given: _Expression(given[0], known).any()),
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
    "ifnumequal": (2, lambda known, given: _compare(known, given, "=")),
    "ifnumgreater": (2, lambda known, given: _compare(known, given, ">")),
    "ifnumless": (2, lambda known, given: _compare(known, given, "<")),
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


class _Expression(TokenStream):
    r"""A test of ifthen, as `\boolean{draft} \AND \NOT \equal{a}{b}`."""

    def __init__(self, tokens: Sequence[str], known: DefinedNames) -> None:
        super().__init__()
        self.push([bare for token in tokens if (bare := token.replace(" ", ""))])
        self._known = known
        self._depth = 0

    def any(self) -> bool:
        """Check whether one of the parts between `or` holds."""
        answer = self._all()
        while self.take("\\or") or self.take("\\OR"):
            answer = self._all() or answer
        return answer

    def _all(self) -> bool:
        answer = self._one()
        while self.take("\\and") or self.take("\\AND"):
            answer = self._one() and answer
        return answer

    def _one(self) -> bool:
        is_negated = False
        while self.take("\\not") or self.take("\\NOT"):
            is_negated = not is_negated
        return self._plain() != is_negated

    def _plain(self) -> bool:
        if self._depth < _MAX_DEPTH and self.take("\\("):
            self._depth += 1
            answer = self.any()
            self._depth -= 1
            self.take("\\)")
            return answer
        if self.take("\\boolean"):
            name = "".join(self.argument()).strip()
            return name == "true" or _holds(self._known, name)
        if self.take("\\equal"):
            return _are_equal(self._known, (self.argument(), self.argument()))
        if self.take("\\isundefined"):
            return not self._known.is_defined("".join(self.argument()).strip())
        return self._numbers()

    def _numbers(self) -> bool:
        collected: list[str] = []
        while (token := self.peek()) is not None and token not in _ENDS_OF_TEST:
            collected.append(token)
            self.next()
        text = text_of(self._known, collected)
        sign = next((each for each in "<=>" if each in text), "=")
        first, _, second = text.partition(sign)
        return _compare(self._known, ([first], [second]), sign)


_ENDS_OF_TEST = frozenset({"\\or", "\\OR", "\\and", "\\AND", "\\)"})
