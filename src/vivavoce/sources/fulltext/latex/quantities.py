r"""Numbers, quantities, angles and units of the package siunitx, as it prints them.

Options of a command and of `\sisetup` count where they change what is printed: rounding, digit
groups, scientific notation, uncertainties, separators, units below a stroke.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from vivavoce.sources.fulltext.latex.definitions import Definitions
from vivavoce.sources.fulltext.latex.layout import SYMBOLS
from vivavoce.sources.fulltext.latex.tokens import (
    LITERAL,
    TokenStream,
    fields_of,
    source_of,
    tokenise,
)
from vivavoce.text import read_data

_NAMES = read_data(__file__, "units.toml")
_SYMBOLS: dict[str, str] = _NAMES["units"]
_PREFIXES: dict[str, str] = _NAMES["prefixes"]
_POWERS: dict[str, str] = _NAMES["powers"]
_LEADING_POWERS: dict[str, str] = _NAMES["leading_powers"]
_NAMES_OF_UNITS = frozenset({*_SYMBOLS, *_PREFIXES, *_POWERS, *_LEADING_POWERS})
_ABBREVIATIONS = {
    start + short: sign + symbol
    for name, symbol in _SYMBOLS.items()
    for start, sign in {"": "", **{sign: sign for sign in _PREFIXES.values()}, "u": "µ"}.items()
    for short in (name, symbol)
}
"""Symbols by the short names of units, such as `kg` and `umol`."""
_COMMAND = re.compile(r"\\(?P<kind>num|qty|SI|unit|si|ang|tablenum)(?P<many>list|range|product)?")
_NUMBER = re.compile(
    r"(?P<sign>[<>≤≥≈≪≫~]?[+±∓-]?)(?P<digits>[0-9]{0,60}(?:[.,][0-9]{0,60})?)"
    r"(?:\((?P<spread>[0-9]{1,60})\)|(?:\+-|±)(?P<error>[0-9]{0,60}\.?[0-9]{1,60}))?"
    r"(?:[eEdD](?P<power>[+-]?[0-9]{1,4}))?"
)
_TIMES = re.compile(r"(?<=[0-9.)])x(?=[+0-9.-])")
_SPELLED = {
    **{"\\pm": "±", "\\mp": "∓", "\\times": "x", "\\sim": "~", "\\approx": "≈", "\\le": "≤"},
    **{"\\leq": "≤", "\\ge": "≥", "\\geq": "≥", "\\ll": "≪", "\\gg": "≫"},
    **dict.fromkeys(("\\,", "\\ ", "~", "{", "}", "$"), ""),
}
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_DEGREES = "°′″"
_MAX_OWN_UNITS = 20
_SEPARATORS = {
    "list": ("listseparator", ", "),
    "final": ("listfinalseparator", " and "),
    "pair": ("listpairseparator", " and "),
    "range": ("rangephrase", " to "),
    "product": ("productphrase", " × "),
}
"""Option and default of the words between numbers."""
Options = Mapping[str, Sequence[str]]


class Quantities:
    r"""The options that a paper sets, its own units, and what its commands print."""

    def __init__(self) -> None:
        self._options: dict[str, Sequence[str]] = {}
        self._units: dict[str, Sequence[str]] = {}

    def print(self, command: str, stream: Definitions) -> list[str] | None:
        """Tokens that a command prints; None for a command of another package."""
        if "siunitx" not in stream.packages:
            if command != "\\unit" or "units" not in stream.packages:
                return None
            return [*(stream.optional() or []), " ", *stream.argument()]
        if command == "\\sisetup":
            self._options |= fields_of(stream.argument())
            return []
        if command == "\\DeclareSIUnit":
            stream.optional()
            name = source_of(stream.argument()).strip()
            self._units[name] = stream.argument()
            return []
        form = _COMMAND.fullmatch(command)
        if form is None:
            return None
        options = {**self._options, **fields_of(stream.optional() or [])}
        kind, many = form["kind"], form["many"] or "list"
        if kind in {"unit", "si"}:
            return [LITERAL + self._unit(stream, options)]
        given = [
            _spelled(stream.expanded(stream.argument())) for _ in range(2 if many == "range" else 1)
        ]
        before = stream.optional() or []
        unit = self._unit(stream, options) if kind in {"SI", "qty"} else ""
        if kind == "ang":  # in decimals or as degrees;minutes;seconds
            parts = zip(given[0].split(";"), _DEGREES, strict=False)
            return [
                LITERAL + "".join(_number(part, options) + sign for part, sign in parts if part)
            ]
        if many != "range":
            given = given[0].split(";")
            if len(factors := _TIMES.split(given[0])) > 1:
                given, many = factors, "product"
        if _text(options, "parsenumbers") != "false":
            given = [_number(number, options, has_unit=unit != "") for number in given]
        if unit and unit not in _DEGREES:
            gap = options.get("quantityproduct", options.get("numberunitproduct", [" "]))
            unit = _spaced(gap) + unit
        return [*before, *_joined(given, unit, many, options)]

    def _unit(self, known: Definitions, options: Options) -> str:
        r"""The unit in the next argument as printed: `\metre\per\second\squared` is m s⁻²."""
        stream = TokenStream()
        stream.push(known.expanded(known.argument(), _NAMES_OF_UNITS))
        factors: list[tuple[str, str]] = []
        """Symbols with their powers."""
        prefix = power = sign = ""
        own_units = 0
        while (token := stream.next()) is not None:
            name = token.removeprefix("\\")
            if token in self._units and own_units < _MAX_OWN_UNITS:
                own_units += 1
                stream.push(self._units[token])
            elif name == "per":
                sign = "-"
            elif name in _LEADING_POWERS:
                power = _LEADING_POWERS[name]
            elif name in _PREFIXES:
                prefix = _PREFIXES[name]
            elif factors and (name in _POWERS or name in {"tothe", "^"}):
                symbol, raised = factors[-1]
                given = _POWERS.get(name) or source_of(stream.argument())
                factors[-1] = symbol, raised.removesuffix("1") + given
            else:
                for symbol in _symbols(token):
                    factors.append((prefix + symbol, sign + (power or ("1" if sign else ""))))
                    prefix = power = sign = ""
        return _print_unit([*factors, (prefix, "")] if prefix else factors, options)


def _symbols(token: str) -> Iterator[str]:
    """The symbols for a unit's name, or those written in letters between full stops and ties."""
    if token[0] == "\\" and token[1].isalpha():
        yield _SYMBOLS.get(token[1:]) or _ABBREVIATIONS.get(token[1:], token[1:])
    else:
        yield from filter(None, re.split(r"[.~\s{}]|\\[,; ]", token))


def _print_unit(factors: Sequence[tuple[str, str]], options: Options) -> str:
    mode = _text(options, "permode")
    is_stroked = "symbol" in mode or "fraction" in mode
    below = [(symbol, power[1:]) for symbol, power in factors if is_stroked and power[:1] == "-"]
    above = [(symbol, power) for symbol, power in factors if not is_stroked or power[:1] != "-"]
    over = " ".join(symbol + power.translate(_RAISED) for symbol, power in above)
    if not below:
        return over
    under = " ".join(symbol + power.removeprefix("1").translate(_RAISED) for symbol, power in below)
    stroke = _text(options, "persymbol") or "/"
    return f"{over or '1'}{stroke}{f'({under})' if len(below) > 1 else under}"


def _text(options: Options, name: str) -> str:
    return source_of(list(options.get(name, ()))).strip()


def _spaced(tokens: Sequence[str]) -> str:
    """A separator that an option gives, with its spaces."""
    return "".join(SYMBOLS.get(token, token.replace("~", " ")) for token in tokens)


def _spelled(tokens: Sequence[str]) -> str:
    """A number as it is written, without spaces and with signs for commands."""
    written = "".join(_SPELLED.get(token, token.removeprefix(LITERAL)) for token in tokens)
    return "".join(written.split()).replace("\\times", "x")


def _number(written: str, options: Options, *, has_unit: bool = False) -> str:
    """A number as printed; one that is none for siunitx stays as it is written."""
    found = _NUMBER.fullmatch(written)
    if found is None or not (found["digits"].strip(".,") or found["power"]):
        return written
    sign, power = found["sign"].removesuffix("+"), int(found["power"] or 0)
    if not found["digits"]:
        return f"{sign}10^{power}"
    value = Decimal(found["digits"].replace(",", "."))
    error = Decimal(found["error"]) if found["error"] else None
    if found["spread"]:  # it counts the last places
        error = Decimal(found["spread"]).scaleb(int(value.as_tuple().exponent))
    is_scientific = _text(options, "exponentmode") == "scientific"
    if value and (is_scientific or _text(options, "scientificnotation") == "true"):
        shift = value.adjusted()
        power += shift
        value, error = value.scaleb(-shift), error and error.scaleb(-shift)
    text = _grouped(_rounded(value, options) if error is None else value, options)
    is_apart = _text(options, "separateuncertainty") == "true"
    if error is not None and (is_apart or _text(options, "uncertaintymode") == "separate"):
        text = f"{text} ± {_grouped(error, options)}"
        text = f"({text})" if power or has_unit else text
    elif error is not None:
        places = max(0, -int(value.as_tuple().exponent))
        text += f"({error.scaleb(places).normalize():f})"
    if power:
        times = _spaced(options.get("exponentproduct", ["×"])).strip()
        text = f"{text} {times} 10^{power}"
    return sign + text


def _rounded(value: Decimal, options: Options) -> Decimal:
    """A number rounded to the places or the figures that the options ask for."""
    mode, given = _text(options, "roundmode"), _text(options, "roundprecision") or "2"
    if mode not in {"places", "figures"} or not re.fullmatch(r"[0-9]{1,2}", given):
        return value
    place = -int(given) if mode == "places" else value.adjusted() - int(given) + 1
    return value.quantize(Decimal(1).scaleb(place), ROUND_HALF_UP)


def _grouped(value: Decimal, options: Options) -> str:
    """A number with its digits in groups of three."""
    least = _text(options, "groupminimumdigits")
    most = int(least) if re.fullmatch(r"[0-9]{1,2}", least) else 5
    gap = _spaced(options.get("groupseparator", [" "]))
    whole, dot, part = f"{value:f}".partition(".")
    if _text(options, "groupdigits") not in {"none", "false"}:
        if len(whole) >= most:
            whole = re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", gap, whole)
        if len(part) >= most:
            part = gap.join(re.findall(r"[0-9]{1,3}", part))
    return f"{whole}{(_text(options, 'outputdecimalmarker') or '.') if dot else ''}{part}"


def _joined(texts: Sequence[str], unit: str, many: str, options: Options) -> list[str]:
    """Numbers with words between them, and a unit after each or after all."""
    how = _text(options, f"{many}units")
    is_bracketed = "bracket" in how and len(texts) > 1 and unit != ""
    is_single = is_bracketed or how == "single"
    out: list[str] = [f"{LITERAL}("] if is_bracketed else []
    for place, text in enumerate(texts):
        if place:
            is_last = many == "list" and place == len(texts) - 1
            kind = many if not is_last else "pair" if len(texts) == 2 else "final"
            name, default = _SEPARATORS[kind]
            out += options.get(name, [LITERAL + default])
        # A number that siunitx does not read may hold commands.
        out += tokenise(text) if "\\" in text else [LITERAL + text]
        out += [] if is_single else [LITERAL + unit]
    end = ")" if is_bracketed else ""
    return [*out, f"{LITERAL}{end}{unit}"] if is_single else out
