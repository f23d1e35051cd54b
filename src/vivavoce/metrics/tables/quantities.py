"""Quantities and dates in cells, and a check whether two cells state the same ones.

Units are converted first. Two quantities are the same if one is a rounding of the other to at
least three digits (two beside a scale such as `k`). A bound (`>10k`) is not a value. A spread
(`± 0.3`) counts only where both cells give one. A share and its percentage are the same (`0.912`,
`91.2%`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from vivavoce.text.data import read_data

_DATA = read_data(__file__, "units.toml")
_UNITS: dict[str, tuple[str, float]] = {
    name: (base, factor) for base, names in _DATA["units"].items() for name, factor in names.items()
} | {
    prefix + base: (base, factor)
    for base in _DATA["prefixed"]
    for prefix, factor in (("", 1.0), *_DATA["prefixes"].items())
    if prefix + base not in ("min", "T")
}
_SCALES: dict[str, float] = _DATA["scales"]
_BOUNDS: dict[str, str] = {word: sign for sign, words in _DATA["bounds"].items() for word in words}
_FILLERS = frozenset(_DATA["fillers"])
_NUMBER = r"(?:\d{1,3}(?:[, \u2009\u202f]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+"
_POWER = re.compile(
    rf"(?:({_NUMBER})\s*[x×·*]\s*)?\b10\s*(?:\^\s*|(?=\s*[-+]\s*\d$))([-+]?)\s*(\d+)"
)
_SPREAD = re.compile(rf"\(?\s*(?:±|\bSD\b\s*=?)\s*({_NUMBER})\s*%?\s*\)?")
_BOUND = "|".join(sorted(map(re.escape, _BOUNDS), key=len, reverse=True))
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_TOKEN = re.compile(
    rf"(?P<bound>{_BOUND})?\s*(?P<money>[$€])?\s*(?P<sign>(?<![\w)%])[+-])?"
    rf"(?<![^\W_])(?<!\d\.)(?<![^\W\d_]-)(?P<number>{_NUMBER})"
    rf"(?:\s?(?P<scale>(?-i:{_SCALE}))(?![^\W_]))?(?P<plus>\+(?!\s*\d))?"
    r"\s?(?P<unit>percentage points|[%$€]|°[CF]?|"
    r"(?!to\b|and\b|or\b|until\b)[^\W\d_]+(?:[23]\b)?(?:/[^\W\d_]+(?:[23]\b)?)?)?",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\s*(?:-|–|to|and|through|until)\s*", re.IGNORECASE)
_RANGE = re.compile(r"(?<=\d)([kKMBTG%]?)\s*[-~]\s*(?=\d)")
_WORD = re.compile(r"[^\W\d_]+|=")
_MAX_CELL = 200
_RELATIVE = 1e-6
_MIN_DIGITS, _MIN_ROUGH_DIGITS = 3, 2


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a cell."""

    value: float
    printed: float
    """The value as it is printed, without its unit."""
    step: float
    """Value of one unit of the last printed digit."""
    digits: int
    is_rough: bool
    """True with a scale."""
    unit: str
    """Base unit; empty if there is none."""
    bound: str
    """`<`, `>` or empty."""
    spread: float | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of a cell."""

    quantities: tuple[Quantity, ...]
    nouns: frozenset[str]
    """Words beside the numbers that are neither units nor fillers."""


def read_numbers(text: str) -> Numbers | None:
    """Read the numbers of a cell that consists of numbers; None for a cell of words.

    Args:
        text: The cell without markup, with one kind of dash.
    """
    if len(text) > _MAX_CELL or not re.search(r"\d", text):
        return None
    text = _POWER.sub(lambda m: f"{m[1] or 1}e{m[2]}{m[3]}", text)
    text = _RANGE.sub(r"\1 - ", text)
    spreads = [float(match[1].replace(",", "")) for match in _SPREAD.finditer(text)]
    words = _SPREAD.sub(" ", text)
    quantities: list[Quantity] = []
    nouns: set[str] = set()
    position = 0
    for match in _TOKEN.finditer(words):
        between = words[position : match.start()]
        quantity, noun = _quantity(match)
        joins = bool(quantities) and _JOINT.fullmatch(between) is not None
        quantities.append(quantity)
        nouns |= {noun, *_WORD.findall("" if joins else between.lower())}
        position = match.end()
    nouns |= set(_WORD.findall(words[position:].lower()))
    kept = frozenset(word.removesuffix("s") for word in nouns - _FILLERS if word)
    if not quantities or len(kept) > len(quantities) + 1:
        return None
    if spreads:
        quantities[0] = replace(quantities[0], spread=spreads[0])
    return Numbers(tuple(quantities), kept)


def same_numbers(first: Numbers, second: Numbers) -> bool | None:
    """True if two cells state the same numbers; None if only the words beside them differ."""
    ones, others = first.quantities, second.quantities
    if len(ones) != len(others) or not all(map(_same, ones, others)):
        return False
    return True if first.nouns <= second.nouns or second.nouns <= first.nouns else None


def _quantity(match: re.Match[str]) -> tuple[Quantity, str]:
    """Read a number with its unit, or with the noun in place of a unit."""
    digits = re.sub(r"[, \u2009\u202f]", "", match["number"]).lower()
    mantissa, _, exponent = digits.partition("e")
    scale = _SCALES[match["scale"]] if match["scale"] else 1.0
    after = match["unit"] or match["money"] or ""
    unit, factor = _UNITS.get(after) or _UNITS.get(after.lower()) or ("", 1.0)
    power = scale * factor * 10.0 ** float(exponent or 0)
    bound = _BOUNDS.get((match["bound"] or "").lower(), "") or (">" if match["plus"] else "")
    value = float(mantissa) * power
    quantity = Quantity(
        value=-value if match["sign"] == "-" else value,
        printed=float(f"{match['sign'] or ''}{digits}") * scale,
        step=power * 10.0 ** -len(mantissa.partition(".")[2]),
        digits=len(mantissa.replace(".", "").lstrip("0")),
        is_rough=bool(match["scale"]),
        unit=unit,
        bound=bound,
        spread=None,
    )
    return quantity, "" if unit or not after else after.lower()


def _same(one: Quantity, other: Quantity) -> bool:
    if one.bound != other.bound:
        return False
    if None not in (one.spread, other.spread) and one.spread != other.spread:
        return False
    pairs, units = [(one, other)], {one.unit, other.unit}
    if one.unit != other.unit and not units <= {"", "share", "times", "frame"}:
        return units == {"", "s"} and one.printed == other.printed
    if units <= {"", "share"} and not (one.is_rough or other.is_rough):
        both = ((one, other), (other, one))
        as_shares = [(_times(a, 100.0), b) for a, b in both if _is_share(a, b)]
        is_plain = one.unit == other.unit or not any(map(_is_part, (one, other)))
        pairs = [*pairs, *as_shares] if is_plain else as_shares
    return any(_close(a, b) for a, b in pairs)


def _is_share(small: Quantity, large: Quantity) -> bool:
    return _is_part(small) and (large.unit == "share" or 1 < large.value <= 100)


def _is_part(one: Quantity) -> bool:
    """Check for a plain fraction of 1, such as 0.01."""
    return not one.unit and 0 < abs(one.value) <= 1 and one.step < 1


def _times(one: Quantity, factor: float) -> Quantity:
    return replace(one, value=one.value * factor, step=one.step * factor)


def _close(one: Quantity, other: Quantity) -> bool:
    fine, coarse = sorted((one, other), key=lambda quantity: quantity.step)
    gap = abs(fine.value - coarse.value)
    if gap <= _RELATIVE * abs(coarse.value):
        return True
    enough = _MIN_ROUGH_DIGITS if one.is_rough or other.is_rough else _MIN_DIGITS
    return coarse.digits >= enough and gap <= 0.5 * coarse.step * (1 + _RELATIVE)
