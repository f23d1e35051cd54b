"""Formulas in LaTeX as plain lines of text, and two of them compared as a reader would.

A fraction becomes `(a / b)`, a root `sqrt(a)`, a bar `bar(a)`; indices keep their braces, Greek
letters become characters, and commands that only set type are dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from vivavoce.text.data import read_data
from vivavoce.text.formula_values import same_values

_MAX_LENGTH = 5_000
_MAX_DEPTH = 40
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_COMMANDS = read_data(__file__, "latex_formulas.toml")
_NAMES: dict[str, str] = {
    **{f"\\{name}": chr(0x3B1 + at) for at, name in enumerate(_COMMANDS["greek"])},
    **{f"\\{name.title()}": chr(0x391 + at) for at, name in enumerate(_COMMANDS["greek"])},
    **_COMMANDS["names"],
}
_SILENT = frozenset(_COMMANDS["silent"])
_SPACES = frozenset([*r"\, \; \: \quad \qquad \thinspace ~".split(), "\\ "])
_WRAPPED: dict[str, str] = _COMMANDS["wrapped"]
_FRACTIONS = (r"\frac", r"\dfrac", r"\tfrac")
_OPERATOR = re.compile(r"[-+*/=<>\s]")
_INDEX = re.compile(r"_(?:\{[^{}]*\}|[\w,]+)")
_ASSIGNMENT = re.compile(r"[^=<>]{1,20}=[\d.]+")


@dataclass(slots=True)
class _Tokens:
    texts: list[str]
    place: int = 0

    def take(self) -> str | None:
        """The next token; None at the end."""
        self.place += 1
        return self.texts[self.place - 1] if self.place <= len(self.texts) else None

    def skip_spaces(self) -> None:
        while self.place < len(self.texts) and self.texts[self.place].isspace():
            self.place += 1


def linear_form(latex: str) -> str:
    """A formula as one line of text; what is too long or too deep is cut."""
    tokens = _Tokens(_TOKEN.findall(unicodedata.normalize("NFC", latex[:_MAX_LENGTH])))
    return " ".join(_read(tokens, "", 0).split())


def same_formula(one: str, other: str) -> bool:
    """Check whether two formulas read the same, or give the same numbers wherever they are tried.

    Spaces, typesetting, signs of multiplication, the order of the equations and the left side of a
    lone `=` do not matter. An equation that sets a symbol to a number is left out beside others.
    For numbers see `formula_values`.
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


def _read(tokens: _Tokens, closing: str, depth: int) -> str:
    """The text up to a closing token, which is taken."""
    parts: list[str] = []
    while (token := tokens.take()) is not None and token != closing:
        parts.append(_one(token, tokens, depth))
    return "".join(parts)


def _one(token: str, tokens: _Tokens, depth: int) -> str:
    """A token with what belongs to it."""
    if depth >= _MAX_DEPTH:
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
    return _NAMES.get(token) or _plain(token)


def _plain(token: str) -> str:
    if not token.startswith("\\") or len(token) == 1:
        return token
    return f"{token[1:]} " if token[1:] in ("ln", "log", "exp", "max", "min") else token[1:]


def _argument(tokens: _Tokens, depth: int) -> str:
    """Argument of a command: a group in braces or one token."""
    tokens.skip_spaces()
    token = tokens.take()
    return "" if token is None else _one(token, tokens, depth + 1)


def _enclosed(text: str) -> str:
    """Part of a fraction, in brackets unless it is one symbol or number."""
    inner = text.strip()
    bare = re.sub(r"\{[^{}]*\}", "", inner)
    return f"({inner})" if _OPERATOR.search(bare) and not _is_wrapped(inner) else inner


def _equations(latex: str) -> list[str]:
    parts = [part for part in map(_normal, _cut(linear_form(latex))) if part]
    telling = [part for part in parts if not _ASSIGNMENT.fullmatch(part)]
    return sorted(map(_right_side, telling or parts))


def _cut(text: str) -> Iterator[str]:
    """The equations of a line: they are parted by commas and semicolons outside brackets."""
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if character == ";" or (character == "," and depth <= 0):
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _normal(equation: str) -> str:
    return re.sub(r"[\s{}*]", "", equation).rstrip(".,")


def _right_side(equation: str) -> str:
    left, sign, right = equation.partition("=")
    is_plain = bool(sign) and not re.search(r"[-+/^(=<>]", left.replace("bar(", ""))
    side = right if is_plain else equation
    while _is_wrapped(side):
        side = side[1:-1]
    return side


def _is_wrapped(text: str) -> bool:
    """Check whether the first bracket is closed by the last character."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False
