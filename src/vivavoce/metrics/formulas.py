"""LaTeX formulas as plain lines of text, and the comparison of two formulas by form or by value.

A fraction becomes `(a / b)`, a root `sqrt(a)`; Greek letters become characters, layout is dropped.
Formulas that differ only in form have equal values at all random points. Every symbol has a random
number at each point, and an unknown function gives a random number for its arguments, so that
`rank(a + b)` equals `rank(b + a)`. A symbol that an equation defines has the value of its right
side. Nothing is rewritten and numbers stay bounded, so comparing takes only as long as reading.
"""

import cmath
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from vivavoce.text import read_data

_POINTS = 4
_MAX_TOKENS = 3_000
_MAX_DEPTH = 60
_KNOWN = r"(?:ln|log|exp|sqrt|sum|prod|max|min|bar|hat|tilde)(?![^\W\d_])"
_TOKEN = re.compile(
    rf"\s*(?P<text>\d+(?:\.\d+)?|{_KNOWN}|[^\W\d_](?:\s*(?!{_KNOWN})[^\W\d_])*|<=|>=|\S)"
)
_EXACT = {"ln": cmath.log, "log": cmath.log, "exp": cmath.exp, "sqrt": cmath.sqrt}
_LARGE = ("sum", "prod")
_RELATIONS = {"<": (1, "<"), ">": (-1, "<"), "<=": (1, "<="), ">=": (-1, "<=")}
"""Sign of the difference, and its relation to zero."""


def same_values(one: Sequence[str], other: Sequence[str]) -> bool:
    """Check that two lists of equations are equal at every point; False for unreadable ones."""
    for point in range(_POINTS):
        values, others = _values(one, point), _values(other, point)
        if values is None or others is None or len(values) != len(others):
            return False
        pairs = zip(values, others, strict=True)
        if not all(cmath.isclose(*pair, rel_tol=1e-7, abs_tol=1e-12) for pair in pairs):
            return False
    return True


def _values(equations: Sequence[str], point: int) -> list[complex] | None:
    """Sorted values of the equations that no other equation uses; None if any is unreadable."""
    sides = [
        equation.partition("=") if _is_plain(equation) else ("", "", equation)
        for equation in equations
    ]
    defined = {_squeezed(left): right for left, sign, right in sides if sign}
    reader = _Reader(defined, point)
    try:
        evaluated = [(_squeezed(left), reader.value(right, 0)) for left, _, right in sides]
    except (ValueError, ArithmeticError):
        return None
    roots = [value for left, value in evaluated if not left or left not in reader.used]
    return sorted(roots, key=lambda value: (round(value.real, 6), round(value.imag, 6)))


def _is_plain(equation: str) -> bool:
    """Check that an equation defines one symbol, whatever its indices."""
    left, sign, _ = equation.partition("=")
    bare = re.sub(r"[_^](?:\{[^{}]*\}|\w)", "", left)
    return bool(sign) and bool(re.fullmatch(r"[\w\s]+|\s*(?:bar|hat|tilde)\(\w+\)\s*", bare))


def _squeezed(text: str) -> str:
    return re.sub(r"[\s{}*]", "", text)


class _Reader:
    def __init__(self, defined: Mapping[str, str], point: int) -> None:
        self.defined = defined
        self.point = point
        self.used: set[str] = set()
        self.known: dict[str, complex] = {}

    def value(self, text: str, depth: int) -> complex:
        """Value of a whole text; `ValueError` or `ArithmeticError` if it has none."""
        tokens = [re.sub(r"\s", "", match["text"]) for match in _TOKEN.finditer(text)]
        if not tokens or len(tokens) > _MAX_TOKENS:
            raise ValueError("nothing to read, or too much")
        line = _Line(self, tokens, depth)
        result = line.relation()
        if line.place < len(tokens) and tokens[line.place :] != ["."]:
            raise ValueError(f"{tokens[line.place]!r} is out of place")
        return result

    def symbol(self, name: str, depth: int) -> complex:
        """Value of a symbol: its definition's right side, or else a drawn number."""
        if name in self.defined:
            self.used.add(name)
            if name not in self.known:
                self.known[name] = self.draw(name)  # in case it is defined in terms of itself
                self.known[name] = self.value(self.defined[name], depth + 1)
            return self.known[name]
        return self.draw(name)

    def draw(self, name: str, *values: complex) -> complex:
        """A number from 1 to 2 for a name, or for a function's name and arguments."""
        arguments = ",".join(f"{v.real + 0.0:.8g}:{v.imag + 0.0:.8g}" for v in values)
        seed = hashlib.sha256(f"{self.point} {name} {arguments}".encode()).digest()
        return complex(1 + int.from_bytes(seed[:6], "big") / 2**48)


class _Line:
    def __init__(self, reader: _Reader, tokens: list[str], depth: int) -> None:
        self.reader = reader
        self.tokens = tokens
        self.place = 0
        self.depth = depth
        self.bars = 0

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise ValueError(f"{wanted or 'more'} is missing")
        self.place += 1
        return token

    def relation(self) -> complex:
        """A sum, or two with a relation between them."""
        value = self.sum()
        if self.peek() in _RELATIONS:
            sign, relation = _RELATIONS[self.take()]
            value = self.reader.draw(relation, sign * (value - self.sum()))
        return value

    def sum(self) -> complex:
        sign = -1 if self.peek() == "-" else 1
        if self.peek() in ("-", "+"):
            self.take()
        total = sign * self.product()
        while self.peek() in ("-", "+"):
            sign = -1 if self.take() == "-" else 1
            total += sign * self.product()
        return total

    def product(self) -> complex:
        value = self.factor()
        while True:
            token = self.peek()
            if token in ("/", "*"):
                self.take()
            elif not (
                token in ("(", "{", "[") or token[:1].isalnum() or (token == "|" and not self.bars)
            ):
                return value
            value = value / self.factor() if token == "/" else value * self.factor()

    def factor(self) -> complex:
        """A number, a symbol, a function or a bracket, with its power."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ValueError("too deep")
        value = self.unit()
        self.depth -= 1
        return value

    def unit(self) -> complex:
        token = self.take()
        if token in ("(", "{", "["):
            value = self.relation()
            self.take({"(": ")", "{": "}", "[": "]"}[token])
        elif token == "|":
            self.bars += 1
            value = complex(abs(self.sum()))
            self.bars -= 1
            self.take("|")
        elif token[0].isdigit():
            value = complex(float(token))
        elif token[0].isalpha():
            return self.named(token)
        else:
            raise ValueError(f"{token!r} begins nothing")
        return self.powered(value)

    def named(self, name: str) -> complex:
        """A symbol with its indices, or a function with its arguments."""
        plain = name
        power = None
        while self.peek() in ("_", "^"):
            mark = self.take()
            if mark == "_" or name in _LARGE:
                name += mark + self.raw()
            else:
                power = self.exponent()
        if plain in _LARGE:
            return self.reader.draw(name, self.product())
        if plain in _EXACT and name == plain:
            value = _EXACT[plain](self.factor())
        elif len(plain) > 1 and self.peek() == "(":
            args = self.arguments(plain in ("max", "min"))
            while self.peek() == "_":
                name += self.take() + self.raw()
            value = self.powered(self.reader.draw(name, *args))
        else:
            value = self.reader.symbol(name, self.depth)
        return value if power is None else value**power

    def arguments(self, commute: bool) -> list[complex]:
        self.take("(")
        values = [self.relation()]
        while self.peek() in (",", ";"):
            self.take()
            values.append(self.relation())
        self.take(")")
        return sorted(values, key=lambda v: (v.real, v.imag)) if commute else values

    def powered(self, base: complex) -> complex:
        if self.peek() != "^":
            return base
        self.take()
        return base ** self.exponent()

    def exponent(self) -> complex:
        if self.peek() == "-":
            self.take()
            return -self.exponent()
        return self.factor()

    def raw(self) -> str:
        """An index as it is written."""
        if self.peek() != "{":
            return self.take()
        self.take()
        parts: list[str] = []
        open_ones = 1
        while open_ones:
            token = self.take()
            open_ones += (token == "{") - (token == "}")
            parts.append(token)
        return "".join(part for part in parts if part not in "{}")


_MAX_LENGTH = 5_000
_MAX_NESTING = 40
_LATEX_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_COMMANDS = read_data(__file__, "formulas.toml")
_NAMES: dict[str, str] = {
    **{f"\\{name}": chr(0x3B1 + n) for n, name in enumerate(_COMMANDS["greek"])},
    **{f"\\{name.title()}": chr(0x391 + n) for n, name in enumerate(_COMMANDS["greek"])},
    **_COMMANDS["names"],
}
_SILENT = frozenset(_COMMANDS["silent"])
_SPACES = frozenset([*r"\, \; \: \quad \qquad \thinspace ~".split(), "\\ "])
_WRAPPED: dict[str, str] = _COMMANDS["wrapped"]
_FRACTIONS = (r"\frac", r"\dfrac", r"\tfrac")
_OPERATOR = re.compile(r"[-+*/=<>\s]")
_INDEX = re.compile(r"_(?:\{[^{}]*\}|[\w,]+)")
_ASSIGNMENT = re.compile(r"[^=<>]{1,20}=[\d.]+")


def linear_form(latex: str) -> str:
    """Write a formula as one line of text; text beyond the limits is cut."""
    tokens = iter(_LATEX_TOKEN.findall(unicodedata.normalize("NFC", latex[:_MAX_LENGTH])))
    return " ".join(_read(tokens, "", 0).split())


def same_formula(one: str, other: str) -> bool:
    """Check whether two formulas read the same, or give the same numbers wherever they are tried.

    Spaces, typesetting, multiplication signs, the order of the equations and the left side of a
    lone `=` do not matter. An equation that sets a symbol to a number is ignored if there are
    others. For numbers see `same_values`.
    """
    if _equations(one) == _equations(other):
        return True
    return same_values(*([e for e in _cut(linear_form(x)) if e.strip()] for x in (one, other)))


def symbol_stem(symbol: str) -> str:
    r"""A symbol without its indices: `\overline{q}_{i,t}` gives `bar(q)`."""
    barred = re.sub(
        "(.)[\u0304\u0305]", r"\\bar{\1}", unicodedata.normalize("NFD", symbol[:_MAX_LENGTH])
    )
    stem = _INDEX.sub("", linear_form(barred))
    return re.sub(r"[\s{}]", "", stem).strip("()") if "bar(" not in stem else stem.replace(" ", "")


def _read(tokens: Iterator[str], closing: str, depth: int) -> str:
    """Read the text up to a closing token, and take that token."""
    parts: list[str] = []
    for token in tokens:
        if token == closing:
            break
        parts.append(_one(token, tokens, depth))
    return "".join(parts)


def _one(token: str, tokens: Iterator[str], depth: int) -> str:
    """Read a token with its arguments."""
    if depth >= _MAX_NESTING:
        return token
    if token == "{":
        return _read(tokens, "}", depth + 1)
    if token in _FRACTIONS:
        upper, lower = (_enclosed(_argument(tokens, depth)) for _ in range(2))
        return f"({upper} / {lower})"
    if token in _WRAPPED:
        return f"{_WRAPPED[token]}({_argument(tokens, depth).strip()})"
    if token in ("_", "^"):
        inner = _argument(tokens, depth).strip()
        return f"{token}{inner}" if len(inner) == 1 else f"{token}{{{inner}}}"
    if token in _SILENT:
        return ""
    if token in _SPACES or token.isspace():
        return " "
    if token in _NAMES or not token.startswith("\\") or len(token) == 1:
        return _NAMES.get(token) or token
    return f"{token[1:]} " if token[1:] in ("ln", "log", "exp", "max", "min") else token[1:]


def _argument(tokens: Iterator[str], depth: int) -> str:
    """Read the argument of a command: a group in braces or one token."""
    token = next((token for token in tokens if not token.isspace()), None)
    return "" if token is None else _one(token, tokens, depth + 1)


def _enclosed(text: str) -> str:
    """Part of a fraction, in brackets unless it is one symbol or number."""
    inner = text.strip()
    bare = re.sub(r"\{[^{}]*\}", "", inner)
    return f"({inner})" if _OPERATOR.search(bare) and not _is_wrapped(inner) else inner


def _equations(latex: str) -> list[str]:
    cut = (_squeezed(part).rstrip(".,") for part in _cut(linear_form(latex)))
    parts = [part for part in cut if part]
    telling = [part for part in parts if not _ASSIGNMENT.fullmatch(part)]
    sides = []
    for equation in telling or parts:
        left, sign, right = equation.partition("=")
        is_plain = bool(sign) and not re.search(r"[-+/^(=<>]", left.replace("bar(", ""))
        side = right if is_plain else equation
        while _is_wrapped(side):
            side = side[1:-1]
        sides.append(side)
    return sorted(sides)


def _cut(text: str) -> Iterator[str]:
    """Split a line into equations at semicolons, and at commas outside brackets."""
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if character == ";" or (character == "," and depth <= 0):
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _is_wrapped(text: str) -> bool:
    """Check whether the first bracket is closed by the last character."""
    if not text.startswith("("):
        return False
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False
