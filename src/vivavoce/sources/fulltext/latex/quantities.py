r"""Numbers, quantities, angles and units of the package siunitx, as it prints them.

Options of a command and of `\sisetup` count where they change what is printed: rounding, exponents,
digit groups, uncertainties, separators, units below a stroke.
"""

import re
from collections.abc import Mapping, Sequence
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
_PREFIX_LETTERS = {**{sign: sign for sign in _PREFIXES.values()}, "u": "µ"}
_NAMES_OF_UNITS = frozenset({*_SYMBOLS, *_PREFIXES, *_POWERS, *_LEADING_POWERS})
_UNIT_SIGNS = frozenset(_SYMBOLS.values())
_COMMAND = re.compile(
    r"\\(?P<kind>num|qty|SI|unit|si|ang|complexnum|complexqty|tablenum)"
    r"(?P<many>list|range|product)?"
)
_NUMBER = re.compile(
    r"(?P<sign>(?:[<>≤≥≈≪≫~]|)(?:[+±∓-]|))(?P<whole>[0-9]{0,60})(?:[.,](?P<part>[0-9]{0,60}))?"
    r"(?:\((?P<spread>[0-9.]{1,60})\)|(?:\+-|±)(?P<error>[0-9]{0,60}\.?[0-9]{1,60}))?"
    r"(?:[eEdD](?P<power>[+-]?[0-9]{1,4}))?"
)
_COMPLEX = re.compile(r"(?P<real>.{0,90}?[0-9])??(?P<imaginary>[+-]?[0-9.,]{0,60})[ij]")
_TIMES = re.compile(r"(?<=[0-9.)])x(?=[+0-9.-])")
_SPELLED = {
    **{"\\pm": "±", "\\mp": "∓", "\\times": "x", "\\sim": "~", "\\approx": "≈", "\\le": "≤"},
    **{"\\leq": "≤", "\\ge": "≥", "\\geq": "≥", "\\ll": "≪", "\\gg": "≫"},
    **dict.fromkeys(("\\,", "\\ ", "~", "{", "}", "$"), ""),
}
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_DEGREES = "°′″"
_MAX_DIGITS = 60
_MAX_OWN_UNITS = 20
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
        kind, many = form["kind"], form["many"]
        if kind in {"unit", "si"}:
            return [LITERAL + self._unit(stream, options)]
        given = [
            _spelled(stream.expanded(stream.argument())) for _ in range(2 if many == "range" else 1)
        ]
        before = stream.optional() or []
        has_unit = kind in {"SI", "qty", "complexqty"}
        unit = self._unit(stream, options) if has_unit else ""
        if unit and unit[0] not in _DEGREES:
            gap = options.get("quantityproduct", options.get("numberunitproduct", [" "]))
            unit = _spaced(gap) + unit
        if _text(options, "parsenumbers") == "false":
            texts = given
        elif kind == "ang":
            texts = [_angle(given[0], options)]
        elif kind.startswith("complex"):
            texts = [_complex(given[0], options, bool(unit))]
        else:
            if many == "list":
                given = given[0].split(";")
            elif many != "range" and len(factors := _TIMES.split(given[0])) > 1:
                given, many = factors, "product"
            texts = [_number(number, options, has_unit) for number in given if number]
        return [*before, *_joined(texts, unit, many or "list", options)]

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
            elif name == "raiseto":
                power = source_of(stream.argument())
            elif name in _PREFIXES:
                prefix = _PREFIXES[name]
            elif name in {"highlight", "cancel"}:
                stream.argument()
            elif factors and (name in _POWERS or name in {"tothe", "^", "of", "_"}):
                given = _POWERS.get(name) or source_of(stream.argument())
                symbol, raised = factors[-1]
                if name in {"of", "_"}:
                    factors[-1] = f"{symbol}_{given}", raised
                else:
                    factors[-1] = symbol, f"{raised.removesuffix('1')}{given}"
            elif token[0] != "\\" or not name[0].isalpha():
                # Letters stand for themselves; a full stop or a tie separates them.
                for part in filter(None, re.split(r"[.~\s{}]|\\[,; ]", token)):
                    factors.append((prefix + part, sign + (power or ("1" if sign else ""))))
                    prefix = power = sign = ""
            else:
                factors.append((prefix + _symbol(name), sign + (power or ("1" if sign else ""))))
                prefix = power = sign = ""
        if prefix:
            factors.append((prefix, ""))
        return _print_unit(factors, options)


def _symbol(name: str) -> str:
    """The symbol of a unit by its name, or by its abbreviation with or without a prefix."""
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    for start, sign in _PREFIX_LETTERS.items():
        rest = name.removeprefix(start)
        if rest != name and (rest in _UNIT_SIGNS or rest in _SYMBOLS):
            return sign + _SYMBOLS.get(rest, rest)
    return name


def _print_unit(factors: Sequence[tuple[str, str]], options: Options) -> str:
    mode = _text(options, "permode")
    if "symbol" not in mode and "fraction" not in mode:
        return " ".join(symbol + power.translate(_RAISED) for symbol, power in factors)
    above = [symbol + power.translate(_RAISED) for symbol, power in factors if power[:1] != "-"]
    below = [
        symbol + power[1:].removeprefix("1").translate(_RAISED)
        for symbol, power in factors
        if power[:1] == "-"
    ]
    if not below:
        return " ".join(above)
    stroke = _text(options, "persymbol") or "/"
    if "repeated" in mode:
        return stroke.join([" ".join(above) or "1", *below])
    under = " ".join(below)
    return f"{' '.join(above) or '1'}{stroke}{f'({under})' if len(below) > 1 else under}"


def _text(options: Options, name: str) -> str:
    return source_of(list(options.get(name, ()))).strip()


def _spaced(tokens: Sequence[str]) -> str:
    """A separator that an option gives, with its spaces."""
    return "".join(SYMBOLS.get(token, token.replace("~", " ")) for token in tokens)


def _spelled(tokens: Sequence[str]) -> str:
    """A number as it is written, without spaces and with signs for commands."""
    written = "".join(_SPELLED.get(token, token.removeprefix(LITERAL)) for token in tokens)
    return "".join(written.split()).replace("\\times", "x")


def _number(written: str, options: Options, has_unit: bool = False) -> str:
    """A number as printed; one that is none for siunitx stays as it is written."""
    found = _NUMBER.fullmatch(written)
    if found is None or not (found["whole"] or found["part"] or found["power"]):
        return written
    sign = found["sign"]
    if sign.endswith("+") and _text(options, "retainexplicitplus") != "true":
        sign = sign[:-1]
    power = int(found["power"] or 0)
    if not (found["whole"] or found["part"]):
        return f"{sign}10^{power}"
    value = Decimal(f"{found['whole'] or '0'}.{found['part'] or ''}")
    error = _error(found, value)
    value, error, power = _with_exponent(value, error, power, options)
    value, error = _rounded(value, error, options)
    text = _grouped(_plain(value, options), options)
    is_apart = _text(options, "uncertaintymode") == "separate" or (
        _text(options, "separateuncertainty") == "true"
    )
    if error is not None and is_apart:
        text = f"{text} ± {_grouped(f'{error:f}', options)}"
        text = f"({text})" if power or has_unit else text
    elif error is not None:
        places = max(0, -int(value.as_tuple().exponent))
        spread = error.scaleb(places)
        text += f"({spread:f})" if places == 0 else f"({spread.normalize():f})"
    if power:
        times = _spaced(options.get("exponentproduct", ["×"])).strip()
        text = f"{text} {times} 10^{power}"
    return sign + text


def _error(found: re.Match[str], value: Decimal) -> Decimal | None:
    """The uncertainty of a number, which in brackets counts its last places."""
    if found["error"]:
        return Decimal(found["error"])
    if not found["spread"]:
        return None
    spread = found["spread"]
    if spread.count(".") == 1:
        return Decimal(spread) if len(spread) > 1 else None
    exponent = int(value.as_tuple().exponent)
    return Decimal(spread).scaleb(exponent) if spread.isdigit() else None


def _with_exponent(
    value: Decimal, error: Decimal | None, power: int, options: Options
) -> tuple[Decimal, Decimal | None, int]:
    """The number with the exponent that the options ask for."""
    mode = _text(options, "exponentmode") or _text(options, "scientificnotation")
    wanted = power
    if mode in {"scientific", "true", "engineering"} and value:
        wanted = power + value.adjusted()
        wanted -= wanted % 3 if mode == "engineering" else 0
    elif mode == "fixed":
        given = _text(options, "fixedexponent")
        wanted = int(given) if re.fullmatch(r"-?[0-9]{1,2}", given) else 0
    if abs(power - wanted) > _MAX_DIGITS:
        return value, error, power
    shifted = power - wanted
    return value.scaleb(shifted), None if error is None else error.scaleb(shifted), wanted


def _rounded(
    value: Decimal, error: Decimal | None, options: Options
) -> tuple[Decimal, Decimal | None]:
    mode, given = _text(options, "roundmode"), _text(options, "roundprecision") or "2"
    if not re.fullmatch(r"[0-9]{1,2}", given):
        return value, error
    if mode == "uncertainty" and error:
        place = error.adjusted() - int(given) + 1
    elif error is None and mode == "places":
        place = -int(given)
    elif error is None and mode == "figures" and value:
        place = value.adjusted() - int(given) + 1
    else:
        return value, error
    unit = Decimal(1).scaleb(place)
    value = value.quantize(unit, ROUND_HALF_UP)
    return value, None if error is None else error.quantize(unit, ROUND_HALF_UP)


def _plain(value: Decimal, options: Options) -> str:
    text = f"{value:f}"
    whole, _, part = text.partition(".")
    if part and not part.strip("0") and _text(options, "dropzerodecimal") == "true":
        part = ""
    least = _text(options, "minimumdecimaldigits")
    part = part.ljust(int(least), "0") if re.fullmatch(r"[1-9][0-9]?", least) else part
    return f"{whole}.{part}" if part else whole


def _grouped(text: str, options: Options) -> str:
    """A number with its digits in groups of three."""
    kind = _text(options, "groupdigits")
    least = _text(options, "groupminimumdigits") or "5"
    if _text(options, "groupfourdigits") == "true":
        least = "4"
    most = int(least) if re.fullmatch(r"[0-9]{1,2}", least) else 5
    gap = _spaced(options.get("groupseparator", [" "]))
    marker = _text(options, "outputdecimalmarker") or "."
    whole, dot, part = text.partition(".")
    if kind not in {"none", "false", "decimal"} and len(whole) >= most:
        whole = re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", gap, whole)
    if kind not in {"none", "false", "integer"} and len(part) >= most:
        part = gap.join(re.findall(r"[0-9]{1,3}", part))
    return f"{whole}{marker if dot else ''}{part}"


def _angle(written: str, options: Options) -> str:
    """An angle, in decimals or as `degrees;minutes;seconds`."""
    parts = zip(written.split(";"), _DEGREES, strict=False)
    return "".join(f"{_number(part, options)}{sign}" for part, sign in parts if part)


def _complex(written: str, options: Options, has_unit: bool) -> str:
    found = _COMPLEX.fullmatch(written)
    if found is None:
        return _number(written, options, has_unit)
    sign, imaginary = found["imaginary"][:1], found["imaginary"].lstrip("+-")
    second = f"{_number(imaginary, options) if imaginary else ''}i"
    if not found["real"]:
        return f"{sign if sign == '-' else ''}{second}"
    text = f"{_number(found['real'], options)} {sign} {second}"
    return f"({text})" if has_unit else text


_SEPARATORS = {
    "list": ("listseparator", ", "),
    "final": ("listfinalseparator", " and "),
    "pair": ("listpairseparator", " and "),
    "range": ("rangephrase", " to "),
    "product": ("productphrase", " × "),
}
"""Option and default of the words between numbers."""


def _joined(texts: Sequence[str], unit: str, many: str, options: Options) -> list[str]:
    """Numbers with words between them, and a unit after each or after all."""
    if not texts:
        return []
    how = _text(options, f"{many}units")
    is_bracketed = "bracket" in how and len(texts) > 1 and unit != ""
    is_single = is_bracketed or how == "single"
    printed = list(texts) if is_single else [text + unit for text in texts]
    *first, last = printed
    out: list[str] = [f"{LITERAL}("] if is_bracketed else []
    for place, text in enumerate(first):
        kind = many
        if many == "list" and place == len(first) - 1:
            kind = "pair" if len(texts) == 2 else "final"
        name, default = _SEPARATORS[kind]
        out += [*_tokens(text), *options.get(name, [LITERAL + default])]
    end = ")" if is_bracketed else ""
    return [*out, *_tokens(last), f"{LITERAL}{end}{unit if is_single else ''}"]


def _tokens(text: str) -> list[str]:
    """A number as tokens; one that siunitx does not read may hold commands."""
    return tokenise(text) if "\\" in text else [LITERAL + text]
