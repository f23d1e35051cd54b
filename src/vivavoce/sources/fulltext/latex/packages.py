r"""Package commands: conditions with their branches as arguments, acronyms, and quantities.

The first use of an acronym prints its long form. Quantities are siunitx's numbers with units.
"""

import re
from collections.abc import Callable, Sequence

from vivavoce.sources.fulltext.latex.definitions import Definitions
from vivavoce.sources.fulltext.latex.tokens import LITERAL, TokenStream, source_of
from vivavoce.text import read_data

_MAX_EXPANSIONS = 10


def choose(command: str, known: Definitions) -> list[str] | None:
    """Tokens of the branch that is printed; None if the command is not such a condition."""
    if (setter := _SETTER.fullmatch(command)) is not None:
        name = "".join(known.argument()).strip()
        is_taken = name == "draft" and "ifdraft" in known.packages
        is_toggle = "toggle" in (setter["kind"], setter["own"])
        key = f"toggle {name}" if is_toggle or is_taken else f"\\if{name}"
        if setter["how"] in ("new", "provide"):
            known.switches.setdefault(key, False)
        else:
            value = setter["value"] or "".join(known.argument()).strip()
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
    given = [known.argument() for _ in range(count)]
    texts = dict(zip(branches, (known.argument() for _ in branches), strict=True))
    return texts.get("T" if test(known, given) != is_negated else "F", [])


_SETTER = re.compile(
    r"\\(?:(?P<how>new|provide|set)(?:(?P<kind>toggle|bool)|boolean)"
    r"|(?P<own>toggle|bool)(?P<value>true|false))"
)


def text_of(known: Definitions, tokens: Sequence[str]) -> str:
    """The text of an argument, with commands that take no arguments expanded."""
    left = list(tokens)
    for _ in range(_MAX_EXPANSIONS):
        place = next((p for p, token in enumerate(left) if known.body(token) is not None), None)
        if place is None:
            break
        left[place : place + 1] = known.body(left[place]) or ()
    return "".join(left).strip()


def _holds(known: Definitions, name: str) -> bool:
    return known.switches.get(f"\\if{name}", known.switches.get(f"toggle {name}", False))


def _is_empty(known: Definitions, given: Sequence[Sequence[str]]) -> bool:
    return not text_of(known, given[0])


def _are_equal(known: Definitions, given: Sequence[Sequence[str]]) -> bool:
    return text_of(known, given[0]) == text_of(known, given[1])


Test = Callable[[Definitions, Sequence[Sequence[str]]], bool]
_TESTS: dict[str, tuple[int, Test]] = {
    "iftoggle": (1, lambda known, given: known.switches.get(f"toggle {_name(given)}", False)),
    "ifbool": (1, lambda known, given: _holds(known, _name(given))),
    "ifthenelse": (1, lambda known, given: _expression(given[0], known)),
    **dict.fromkeys(("ifstrequal", "ifdefstring", "ifdefstrequal", "ifdefequal"), (2, _are_equal)),
    **dict.fromkeys(
        ("ifstrempty", "ifblank", "ifdefempty", "IfBlank", "IfNoValue"), (1, _is_empty)
    ),
    "ifnumcomp": (3, lambda known, given: _compare(known, given)),
    "IfValue": (1, lambda known, given: not _is_empty(known, given)),
    "IfBoolean": (1, lambda known, given: _name(given) in {"*", "\\BooleanTrue"}),
    "ifdef": (1, lambda known, given: known.is_defined(_name(given))),
    "ifcsdef": (1, lambda known, given: known.is_defined(f"\\{_name(given)}")),
    "IfFileExists": (1, lambda known, given: known.has_file(_name(given))),
    "ifdraft": (0, lambda known, _: "draft" in known.options),
    "ifoptiondraft": (0, lambda known, _: "draft" in known.options),
    "ifoptionfinal": (0, lambda known, _: "final" in known.options),
}
"""Number of arguments of each test, and the test itself."""
_NEGATIONS = {
    "nottoggle": "iftoggle",
    "notbool": "ifbool",
    "notblank": "ifblank",
    "ifundef": "ifdef",
    "ifcsundef": "ifcsdef",
    "@ifundefined": "ifcsdef",
}


def _compare(known: Definitions, given: Sequence[Sequence[str]]) -> bool:
    left, sign, right = (text_of(known, each) for each in given)
    if not (_WHOLE.fullmatch(left) and _WHOLE.fullmatch(right)):
        return False
    if sign == "=":
        return int(left) == int(right)
    return int(left) < int(right) if sign == "<" else int(left) > int(right)


_WHOLE = re.compile(r"[+-]?[0-9]{1,10}")


def _name(given: Sequence[Sequence[str]]) -> str:
    return "".join(given[0]).strip()


def _expression(tokens: Sequence[str], known: Definitions) -> bool:
    r"""The answer of an ifthen test such as `\boolean{draft} \AND \NOT \equal{a}{b}`."""
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


_OF_ACRONYM = frozenset({"\\acrodef", "\\newacro", "\\acro"})
"""Definitions of the package acronym, which give the short form as an option."""
_DEFINITIONS = _OF_ACRONYM | {
    f"\\{name}" for name in ("DeclareAcronym", "newglossaryentry", "newacronym", "newabbreviation")
}
_USE = re.compile(
    r"\\(?:ac|acr|gls|glsentry|glsxtr)(?P<form>short|long|full|first|text|name|s|l|f)?(?P<plural>plural|pl?)?",
    re.IGNORECASE,
)
_RESETS = frozenset({"\\acresetall", "\\glsresetall"})


class Acronyms:
    """The acronyms of a paper, and those that it has used so far."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[dict[str, Sequence[str]], ...]] = {}
        """Tokens of the short, the long and the first form, then of their plurals."""
        self._used: set[str] = set()

    def print(self, command: str, stream: Definitions) -> list[str] | None:
        """Tokens that an acronym command prints; None for any other command."""
        is_text = command == "\\acro" and "acronym" not in stream.packages
        if command in _DEFINITIONS and not is_text:
            self._define(command, stream)
            return []
        if command in _RESETS:
            self._used.clear()
            return []
        use = _USE.fullmatch(command) if self._known else None
        if use is None:
            return None
        stream.take("*")
        stream.optional()
        given = stream.argument()
        key = source_of(given).strip()
        if key not in self._known:
            return [LITERAL + key]
        form = (use["form"] or "").lower()[:1]
        if not form:
            form = "s" if key in self._used else "f"
            self._used.add(key)
        forms = self._known[key][use["plural"] is not None]
        printed = list(forms.get(form, forms["s"]))
        if command[1].isupper() and printed and printed[0][:1].islower():
            printed[0] = printed[0][0].upper() + printed[0][1:]
        return printed

    def _define(self, command: str, stream: TokenStream) -> None:
        options = {} if command in _OF_ACRONYM else _fields(stream.optional() or [])
        key = source_of(stream.argument()).strip()
        if command in {"\\DeclareAcronym", "\\newglossaryentry"}:
            options = _fields(stream.argument())
            short = options.get("short") or options.get("text") or options.get("name") or [key]
            long = options.get("long", [])
        elif command in _OF_ACRONYM:
            short, long = stream.optional() or [key], stream.argument()
        else:
            short, long = stream.argument(), stream.argument()
        plural = options.get("shortplural") or options.get("plural") or [*short, "s"]
        long_plural = options.get("longplural") or ([*long, "s"] if long else [])
        first = options.get("first") or _both(long, short)
        first_plural = options.get("firstplural") or (
            [*first, "s"] if "first" in options else _both(long_plural, plural)
        )
        self._known[key] = (
            {"s": short, "l": long, "f": first},
            {"s": plural, "l": long_plural, "f": first_plural},
        )


def _both(long: Sequence[str], short: Sequence[str]) -> Sequence[str]:
    """A long form with the short one in brackets, or the only form."""
    return [*long, f"{LITERAL} (", *short, f"{LITERAL})"] if long else short


def _fields(tokens: Sequence[str]) -> dict[str, list[str]]:
    """Values by name in a list such as `short = {A}, long = b`; drops hyphens from names."""
    fields: dict[str, list[str]] = {}
    name, depth = "", 0
    value: list[str] = []
    parts = [part for token in tokens for part in re.split("([,=])", token)]
    for part in [*parts, ","]:
        if part in "{}" and part:
            depth += 1 if part == "{" else -1
            value += [part] if depth + (part == "}") > 1 else []
        elif part == "," and depth == 0:
            while value and not value[-1].strip():
                value.pop()
            if value:
                value[0] = value[0].lstrip()
                value[-1] = value[-1].rstrip()
            if name:
                fields[name.replace("-", "")] = value
            name, value = "", []
        elif part == "=" and depth == 0 and not name:
            name, value = "".join(value).strip(), []
        elif part and (value or part.strip()):
            value.append(part)
    return fields


_NAMES = read_data(__file__, "units.toml")
_PREFIXES = {f"\\{name}": sign for name, sign in _NAMES["prefixes"].items()}
_UNITS = {f"\\{name}": sign for name, sign in _NAMES["units"].items()}
_POWERS = {f"\\{name}": sign for name, sign in _NAMES["powers"].items()}
_LEADING_POWERS = {f"\\{name}": sign for name, sign in _NAMES["leading_powers"].items()}
_FORMS = {
    **dict.fromkeys(("\\num", "\\tablenum", "\\numproduct"), "n"),
    **dict.fromkeys(("\\SI", "\\qty", "\\qtyproduct"), "nu"),
    **dict.fromkeys(("\\si", "\\unit"), "u"),
    "\\numrange": "nn",
    **dict.fromkeys(("\\SIrange", "\\qtyrange"), "nnu"),
    "\\numlist": "l",
    **dict.fromkeys(("\\SIlist", "\\qtylist"), "lu"),
}
"""Arguments of each command: `n` is a number, `l` a list of numbers, `u` a unit."""


def quantity(command: str, stream: TokenStream) -> list[str] | None:
    """Tokens that a siunitx command prints; None for any other command, which stays unread."""
    form = _FORMS.get(command)
    if form is None:
        return None
    stream.optional()
    given = [stream.argument() for _ in form]
    unit = f"{LITERAL} {unit_text(given.pop())}" if form.endswith("u") else ""
    if form[0] == "l":
        given = [[number.strip()] for number in source_of(given[0]).split(";") if number.strip()]
    quantities = [[*number, unit] if unit else list(number) for number in given]
    if not quantities:
        return [LITERAL + unit[2:]] if unit else []
    *first, last = quantities
    joined: list[str] = []
    for place, one in enumerate(first):
        is_before_last = place == len(first) - 1
        word = " to " if form[0] == "n" else " and " if is_before_last else ", "
        joined += [*one, LITERAL + word]
    return [*joined, *last]


def unit_text(tokens: Sequence[str]) -> str:
    r"""A unit as printed: `\kilo\watt` is kW, `\metre\per\second\squared` is m/s²."""
    out, power = "", ""
    is_joined = True
    for token in tokens:
        if token == "\\per":
            out, is_joined = out + "/", True
        elif token in _LEADING_POWERS:
            power = _LEADING_POWERS[token]
        elif token in _POWERS:
            out += _POWERS[token]
        elif token in _PREFIXES:
            out, is_joined = out + ("" if is_joined else " ") + _PREFIXES[token], True
        else:
            sign = _UNITS.get(token, " " if token in {"~", "."} else token.lstrip("\\"))
            out += ("" if is_joined else " " * (token in _UNITS)) + sign + power
            is_joined, power = token in {"~", "."}, ""
    return " ".join(out.split())
