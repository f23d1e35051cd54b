r"""Conditions of TeX, LaTeX and its packages: the branch that is printed is read, no other.

A condition that cannot be known, such as one about the page, prints its second branch: so does a
switch that nothing has set. Conditions end in `\fi`, or take their branches as arguments.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

from vivavoce.sources.fulltext.latex.definitions import Definitions
from vivavoce.sources.fulltext.latex.tokens import PARAGRAPH, TokenStream

_MAX_NESTED = 20
_MAX_TEXT = 300
_MAX_AHEAD = 20_000
_MAX_COUNTERS = 1_000
_MAX_COUNT = 10**12
_SETTER = re.compile(
    r"\\(?:(?P<how>new|provide|set)(?:(?P<kind>toggle|bool)|boolean)"
    r"|(?P<own>toggle|bool)(?P<value>true|false))"
)
COUNTING = {
    **dict.fromkeys(("\\setcounter", "\\addtocounter"), 2),
    **dict.fromkeys(("\\newcounter", "\\stepcounter", "\\refstepcounter"), 1),
}
"""Commands that set a counter, with their number of arguments."""
_OPERANDS = {
    "\\ifnum": re.compile(r"\s*([-+]?[0-9]{1,9})\s*([<>=])\s*([-+]?[0-9]{1,9})\s?"),
    **dict.fromkeys(("\\ifodd", "\\ifcase"), re.compile(r"\s*([-+]?[0-9]{1,9})\s?")),
}
"""Numbers and signs between a condition about numbers and its first branch."""
_TERM = r"([-+]*)([0-9]{1,9})"
_NOT_PRINTED = re.compile(r"\\(?:numexpr|relax|number|the)|[{}\s]")
_VALUE = re.compile(r"\\(?:value *\{([^{}]{1,40})\}|(?:the|c@)([A-Za-z]{1,40}))")
_WORD = re.compile(r"\\[A-Za-z@]+|\\.|[()<>=]|[^\s()<>=\\]+|\s+")
_SIGNS = {"and": "&", "or": "|", "not": "!", "(": "(", ")": ")"}
_NEGATED = re.compile("(!+)([01])")
_ALL = re.compile("[01](?:&[01])+")
_ANY = re.compile(r"(?<![&!])[01](?:\|[01])+(?![&])")
_BRACKETED = re.compile(r"\(([01])\)")


class Conditions(Definitions):
    """A token stream that decides the conditions in it."""

    skipped = 0
    """Number of open conditions, counted from the one being skipped; 0 when reading."""
    _to_pass = 0
    r"""Number of `\or` before the branch that is read; -1 if no further branch is."""
    _depth = 0

    def choose(self, command: str) -> list[str] | None:
        """Tokens of the branch that is printed, of those given as arguments; None for no such."""
        if (setter := _SETTER.fullmatch(command)) is not None:
            self._set(setter)
            return []
        name, branches, wanted = command[1:], "TF", True
        if name not in _TESTS and name.startswith("If") and (stem := name.rstrip("TF")) != name:
            name, branches = stem, name[len(stem) :]
        if name in _NEGATIONS:
            name, wanted = _NEGATIONS[name], False
        if name not in _TESTS:
            is_unknown = name[:2].lower() == "if" and command not in self.switches
            return self._last_branch(branches) if is_unknown and self.peek() == "{" else None
        count, test = _TESTS[name]
        given = [self.argument() for _ in range(count)]
        texts = dict(zip(branches, (self.argument() for _ in branches), strict=True))
        return texts.get("T" if test(self, given) == wanted else "F", [])

    def _last_branch(self, branches: str) -> list[str] | None:
        """The branch of an unknown condition: the last of several arguments."""
        groups: list[list[str]] = []
        while len(groups) < 9 and self.peek() == "{":
            groups.append(self.argument())
        if len(groups) > 1:
            return [] if branches == "T" else groups[-1]
        self.push(["{", *groups[0], "}"])
        return None

    def _set(self, setter: re.Match[str]) -> None:
        name = "".join(self.argument()).strip()
        is_taken = name == "draft" and "ifdraft" in self.packages
        is_toggle = "toggle" in (setter["kind"], setter["own"])
        key = f"toggle {name}" if is_toggle or is_taken else f"\\if{name}"
        if setter["how"] in ("new", "provide"):
            self.switches.setdefault(key, False)
        else:
            value = setter["value"] or "".join(self.argument()).strip()
            self.switches[key] = value == "true"

    def count(self, command: str) -> list[str]:
        """Change a counter as a command says; return the command's arguments."""
        name = self.argument()
        value = self.argument() if COUNTING[command] == 2 else []
        key = "".join(name).strip()
        change = self.value_of(value) if value else int("step" in command)
        if change is not None and len(self.counters) < _MAX_COUNTERS:
            is_added = command.startswith(("\\add", "\\step", "\\ref"))
            before = self.counters.get(key, 0) if is_added else 0
            self.counters[key] = min(before + change, _MAX_COUNT)
        return ["{", *name, "}", *(["{", *self.expanded(value), "}"] if value else [])]

    def is_open_condition(self, token: str) -> bool:
        r"""Check whether a command is a condition that ends in `\fi`, whether known or not."""
        if token in self.switches:
            return True
        if token[:3] != "\\if" or token == "\\iff" or self.peek() in {"{", None}:
            return False
        frame = self.frames[-1]
        return "\\fi" in frame.tokens[frame.place : frame.place + _MAX_AHEAD]

    def decide(self, token: str) -> None:
        r"""Answer a condition that ends in `\fi`: read its first branch, or begin to skip."""
        answer = self.switches.get(token, self.switches.get(token.lower(), False))
        if token == "\\ifx":
            first, second = self.next() or "", self.next() or ""
            answer = self.macros.get(first, first) == self.macros.get(second, second)
        elif token == "\\ifdefined":
            answer = self.is_defined(self.next() or "")
        elif token == "\\ifcsname":
            parts: list[str] = []
            while (part := self.next()) not in {None, "\\endcsname"}:
                parts.append(part or "")
            answer = self.is_defined("\\" + "".join(parts).strip())
        elif token in _OPERANDS:
            operands = self._operands(_OPERANDS[token])
            if operands and token == "\\ifcase":
                number = int(operands[0])
                self.skipped, self._to_pass = int(number != 0), max(number, 0)
                return
            if operands and token == "\\ifodd":
                answer = int(operands[0]) % 2 == 1
            elif operands:
                first, sign, second = operands
                answer = self.compare([first], sign, [second])
        if not answer:
            self.skipped, self._to_pass = 1, 0

    def leave_branch(self) -> None:
        r"""Skip from the end of the branch that was read to `\fi`."""
        self.skipped, self._to_pass = 1, -1

    def skip(self, token: str) -> None:
        """Skip a token of a branch that is not read."""
        if token in {"\\fi", "\\repeat"}:
            self.skipped -= 1
        elif self.skipped == 1 and self._to_pass >= 0 and token == "\\else":
            self.skipped = 0
        elif self.skipped == 1 and self._to_pass > 0 and token == "\\or":
            self._to_pass -= 1
            self.skipped = int(self._to_pass > 0)
        elif self.is_open_condition(token):
            self.skipped += 1

    def _operands(self, pattern: re.Pattern[str]) -> tuple[str, ...] | None:
        """The operands of a condition of TeX, expanded; None if they are not known."""
        text = ""
        while (found := pattern.match(text)) is None or found.end() == len(text):
            token = self.next()
            if token is None or len(text) > _MAX_TEXT:
                break
            if (body := self.body(token)) is not None:
                self.push(body)
            elif token == "\\value":
                text += self.text_of([token, "{", *self.argument(), "}"])
            elif token[0] == "\\" and not _NOT_PRINTED.fullmatch(token):
                self.push([token])
                break
            elif token[0] != "\\" and token != PARAGRAPH:
                text += token
        if found is None:
            return None
        if text[found.end() :]:
            self.push([text[found.end() :]])
        return found.groups()

    def text_of(self, tokens: Sequence[str]) -> str:
        """The text of an argument, with counters and commands without arguments expanded."""
        text = "".join(self.expanded(tokens)).strip()
        return _VALUE.sub(lambda found: str(self.counters.get(found[1] or found[2], "")), text)

    def value_of(self, tokens: Sequence[str]) -> int | None:
        """The number that a sum gives; None if it is not known."""
        text = _NOT_PRINTED.sub("", self.text_of(tokens))
        if len(text) > _MAX_TEXT or not re.fullmatch(f"(?:{_TERM})+", text):
            return None
        return sum(
            -int(number) if signs.count("-") % 2 else int(number)
            for signs, number in re.findall(_TERM, text)
        )

    def compare(self, left: Sequence[str], sign: str, right: Sequence[str]) -> bool:
        """Compare two numbers; False if one of them is not known."""
        first, second = self.value_of(left), self.value_of(right)
        if first is None or second is None:
            return False
        return {"<": first < second, "=": first == second, ">": first > second}.get(sign, False)

    def is_true(self, tokens: Sequence[str]) -> bool:
        r"""The answer of an expression such as `\boolean{a} \AND \NOT \equal{b}{c}`."""
        stream = TokenStream()
        words = [word for token in tokens for word in _WORD.findall(token)]
        stream.push(words if self._depth < _MAX_NESTED else [])
        self._depth += 1
        signs: list[str] = []
        compared: list[str] = []
        while (token := stream.next()) is not None:
            word = token.removeprefix("\\").strip().lower()
            if word in _SIGNS:
                signs += [*self._compared(compared), _SIGNS[word]]
            elif word in _ATOMS:
                given = [stream.argument() for _ in range(1 + (word == "equal"))]
                signs.append(str(int(_ATOMS[word](self, given))))
            else:
                compared.append(token)
        signs += self._compared(compared)
        self._depth -= 1
        return _folded("".join(signs)) == "1"

    def _compared(self, tokens: list[str]) -> list[str]:
        """The answer of a comparison such as `1 < 2`, which is taken out of the tokens."""
        place = next((p for p, token in enumerate(tokens) if token in {"<", "=", ">"}), None)
        left, rest = tokens[:place], tokens[place:] if place is not None else []
        is_there = bool("".join(tokens).strip())
        tokens.clear()
        answer = bool(rest) and self.compare(left, rest[0], rest[1:])
        return [str(int(answer))] if is_there else []

    def passes(self, tokens: Sequence[str]) -> bool:
        r"""The answer of a whole condition without its branches, such as `\ifdef{x}`."""
        self.push([*tokens, "{", "1", "}", "{", "0", "}"])
        return self.choose(self.next() or "") == ["1"]


def _folded(signs: str) -> str:
    """The value of an expression of 0 and 1 with `!`, `&`, `|` and brackets."""
    for _ in range(2 * _MAX_NESTED):
        before = signs
        signs = _NEGATED.sub(lambda found: str(int(found[2]) ^ len(found[1]) % 2), signs)
        signs = _ALL.sub(lambda found: "0" if "0" in found[0] else "1", signs)
        signs = _ANY.sub(lambda found: "1" if "1" in found[0] else "0", signs)
        signs = _BRACKETED.sub(r"\1", signs)
        if signs == before:
            break
    return signs


Given = Sequence[Sequence[str]]
Test = Callable[[Conditions, Given], bool]


def _name(given: Given) -> str:
    return "".join(given[0]).strip()


def _holds(known: Conditions, given: Given) -> bool:
    name = _name(given)
    return name == "true" or known.switches.get(f"\\if{name}", _is_on(known, given))


def _is_on(known: Conditions, given: Given) -> bool:
    return known.switches.get(f"toggle {_name(given)}", False)


def _is_empty(known: Conditions, given: Given) -> bool:
    return not known.text_of(given[0])


def _are_equal(known: Conditions, given: Given) -> bool:
    return known.text_of(given[0]) == known.text_of(given[1])


def _compare(known: Conditions, given: Given, sign: str) -> bool:
    return known.compare(given[0], sign, given[1])


def _is_odd(known: Conditions, given: Given) -> bool:
    return (known.value_of(given[0]) or 0) % 2 == 1


def _is_named(known: Conditions, given: Given) -> bool:
    return known.is_defined(f"\\{_name(given)}")


def _is_loaded(known: Conditions, given: Given) -> bool:
    return _name(given) in known.packages


def _by_name(known: Conditions, given: Given, test: Test) -> bool:
    """The answer of a test about the command whose name is given without its backslash."""
    return test(known, [[f"\\{_name(given)}"], *given[1:]])


_ATOMS: dict[str, Test] = {
    **{"boolean": _holds, "bool": _holds, "togl": _is_on, "equal": _are_equal, "isodd": _is_odd},
    "isundefined": lambda known, given: not known.is_defined(_name(given)),
    "isempty": _is_empty,
    "test": lambda known, given: known.passes(given[0]),
}
"""Tests inside an expression."""
_TESTS: dict[str, tuple[int, Test]] = {
    **dict.fromkeys(
        ("ifthenelse", "ifboolexpr", "ifboolexpe"),
        (1, lambda known, given: known.is_true(given[0])),
    ),
    "iftoggle": (1, _is_on),
    "ifbool": (1, _holds),
    **dict.fromkeys(
        ("ifstrequal", "ifdefstring", "ifdefstrequal", "ifdefequal", "IfStrEq"), (2, _are_equal)
    ),
    "IfSubStr": (2, lambda known, given: known.text_of(given[1]) in known.text_of(given[0])),
    **dict.fromkeys(
        ("ifcsstring", "ifcsstrequal", "ifcsequal"), (2, partial(_by_name, test=_are_equal))
    ),
    **dict.fromkeys(
        ("ifstrempty", "ifblank", "ifdefempty", "ifdefvoid", "IfBlank"), (1, _is_empty)
    ),
    **dict.fromkeys(("ifcsempty", "ifcsvoid"), (1, partial(_by_name, test=_is_empty))),
    **{
        f"ifnum{how}": (2, partial(_compare, sign=sign))
        for how, sign in (("equal", "="), ("greater", ">"), ("less", "<"))
    },
    "ifnumcomp": (3, lambda known, given: known.compare(given[0], _name(given[1:]), given[2])),
    "ifnumodd": (1, _is_odd),
    "IfBoolean": (1, lambda _, given: _name(given) == "\\BooleanTrue"),
    "IfNoValue": (1, lambda _, given: _name(given) == "\\NoValue"),
    **dict.fromkeys(("ifdef", "ifdefmacro"), (1, lambda k, given: k.is_defined(_name(given)))),
    **dict.fromkeys(("ifcsdef", "ifcsmacro"), (1, _is_named)),
    **dict.fromkeys(
        ("@ifpackageloaded", "@ifclassloaded", "IfPackageLoaded", "IfClassLoaded"), (1, _is_loaded)
    ),
    **dict.fromkeys(("@ifpackagelater", "IfPackageAtLeast", "IfClassAtLeast"), (2, _is_loaded)),
    "IfFormatAtLeast": (1, lambda known, _: True),
    "IfFileExists": (1, lambda known, given: known.has_file(_name(given))),
    "@ifstar": (0, lambda known, _: known.take("*")),
    "@ifnextchar": (1, lambda known, given: (known.peek() or "")[:1] == _name(given)),
    **dict.fromkeys(("ifdraft", "ifoptiondraft"), (0, lambda known, _: "draft" in known.options)),
    "ifoptionfinal": (0, lambda known, _: "final" in known.options),
}
"""Number of arguments of each test before its branches, and the test itself."""
_NEGATIONS = {
    "nottoggle": "iftoggle",
    "notbool": "ifbool",
    "notblank": "ifblank",
    "ifundef": "ifdef",
    "ifcsundef": "ifcsdef",
    "@ifundefined": "ifcsdef",
    "IfValue": "IfNoValue",
}
