"""Numbers with units as the package siunitx prints them, in running text."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.sources.fulltext.latex.tokens import LITERAL, TokenStream, source_of
from vivavoce.text.data import read_data

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
    "\\ang": "a",
}
"""Arguments of each command: numbers, a list of them, an angle, and the unit."""


def quantity(command: str, stream: TokenStream) -> list[str] | None:
    """Tokens that a command of siunitx prints; None for another command, which stays unread.

    Args:
        command: The command that was read last.
        stream: Where its arguments follow.
    """
    form = _FORMS.get(command)
    if form is None:
        return None
    stream.optional()
    given = [stream.argument() for _ in form]
    unit = f"{LITERAL} {unit_text(given.pop())}" if form.endswith("u") else ""
    if form[0] == "a":
        return [f"{LITERAL}{_angle(source_of(given[0]))}"]
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


def _angle(text: str) -> str:
    parts = zip(text.split(";"), "°′″", strict=False)
    return "".join(f"{number.strip()}{sign}" for number, sign in parts if number.strip())
