r"""Acronyms and numbers with units as packages print them.

An acronym has its long form at first. Numbers with units are those of siunitx.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.latex.tokens import LITERAL, TokenStream, source_of
from vivavoce.text.data import read_data

_DEFINITIONS = frozenset(
    f"\\{name}"
    for name in ("DeclareAcronym", "newglossaryentry", "newacronym", "newabbreviation", "acrodef")
)
_USE = re.compile(
    r"\\(?:(?:ac|acr|gls|glsentry|glsxtr)(?P<form>short|long|full|s|l|f)?(?P<plural>pl?)?)",
    re.IGNORECASE,
)
_RESETS = frozenset({"\\acresetall", "\\glsresetall"})


@dataclass(frozen=True, slots=True)
class Acronym:
    """Tokens of both forms of an acronym, and of their plurals."""

    short: Sequence[str]
    long: Sequence[str]
    short_plural: Sequence[str]
    long_plural: Sequence[str]


class Acronyms:
    """The acronyms of a paper, and which of them it has used."""

    def __init__(self) -> None:
        self._known: dict[str, Acronym] = {}
        self._used: set[str] = set()

    def print(self, command: str, stream: TokenStream) -> list[str] | None:
        """Tokens that a command of these packages prints; None for one that is left to others."""
        if command in _DEFINITIONS:
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
        acronym = self._known.get(key)
        if acronym is None:
            return [LITERAL + key]
        is_plural = use["plural"] is not None
        form = (use["form"] or "").lower()[:1]
        if not form:
            form = "s" if key in self._used or not acronym.long else "f"
            self._used.add(key)
        short = acronym.short_plural if is_plural else acronym.short
        long = acronym.long_plural if is_plural else acronym.long
        printed = list(long if form == "l" else short)
        if form == "f" and long:
            printed = [*long, f"{LITERAL} (", *short, f"{LITERAL})"]
        if command[1].isupper() and printed and printed[0][:1].islower():
            printed[0] = printed[0][0].upper() + printed[0][1:]
        return printed

    def _define(self, command: str, stream: TokenStream) -> None:
        options = _fields(stream.optional() or [])
        key = source_of(stream.argument()).strip()
        if command in {"\\DeclareAcronym", "\\newglossaryentry"}:
            options = _fields(stream.argument())
            short = options.get("short") or options.get("name") or options.get("text") or [key]
            long = options.get("long", [])
        elif command == "\\acrodef":
            short, long = stream.optional() or [key], stream.argument()
        else:
            short, long = stream.argument(), stream.argument()
        plural = options.get("shortplural") or options.get("plural") or [*short, "s"]
        long_plural = options.get("longplural") or ([*long, "s"] if long else [])
        self._known[key] = Acronym(short, long, plural, long_plural)


def _fields(tokens: Sequence[str]) -> dict[str, list[str]]:
    """Values by name of `short = {A}, long = b`; hyphens in names are left off."""
    fields: dict[str, list[str]] = {}
    name, depth = "", 0
    value: list[str] = []
    parts = [part for token in tokens for part in re.split("([,=])", token)]
    for part in [*parts, ","]:
        if part in "{}" and part:
            depth += 1 if part == "{" else -1
            value += [part] if depth + (part == "}") > 1 else []
        elif part == "," and depth == 0:
            if name:
                # Tokens without spaces before and behind them.
                start, end = 0, len(value)
                while start < end and not value[start].strip():
                    start += 1
                while end > start and not value[end - 1].strip():
                    end -= 1
                kept = list(value[start:end])
                if kept:
                    kept[0] = kept[0].lstrip()
                    kept[-1] = kept[-1].rstrip()
                fields[name.replace("-", "")] = kept
            name, value = "", []
        elif part == "=" and depth == 0 and not name:
            name, value = "".join(value).strip(), []
        elif part:
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
    "\\ang": "a",
}
"""Arguments of each command: numbers, a list of them, an angle, and the unit."""


def quantity(command: str, stream: TokenStream) -> list[str] | None:
    """Tokens that a command of siunitx prints; None for another command, which stays unread."""
    form = _FORMS.get(command)
    if form is None:
        return None
    stream.optional()
    given = [stream.argument() for _ in form]
    unit = f"{LITERAL} {unit_text(given.pop())}" if form.endswith("u") else ""
    if form[0] == "a":
        parts = zip(source_of(given[0]).split(";"), "°′″", strict=False)
        angle = "".join(f"{number.strip()}{sign}" for number, sign in parts if number.strip())
        return [LITERAL + angle]
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
