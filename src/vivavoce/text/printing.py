"""Safe display of numbers and of untrusted strings."""

import math
import unicodedata
from collections.abc import Sequence

SHOWN_CHARACTERS = 160

_AS_SPACE = ("\t", "\n", "\r")
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def visible(text: object, limit: int | None = SHOWN_CHARACTERS) -> str:
    """Spell out invisible characters and those that change text direction; cut long text."""
    whole = str(text)
    shown = whole if limit is None else whole[:limit]
    rest = len(whole) - len(shown)
    spelled = shown if shown.isprintable() else "".join(_spell(char) for char in shown)
    return f"{spelled}… (+{rest:,} characters)" if rest else spelled


def _spell(char: str) -> str:
    if char in _AS_SPACE:
        return " "
    category = unicodedata.category(char)
    return f"⟨U+{ord(char):04X}⟩" if category[0] == "C" or category in ("Zl", "Zp") else char


def guard_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula."""
    return "'" + text if text.lstrip().startswith(_FORMULA_STARTS) else text


_LEAST_SHOWN = 0.0005


def figure(value: float) -> str:
    """Print a score with three decimals; only 0 is printed as 0."""
    if value != 0 and abs(value) < _LEAST_SHOWN:
        return "<0.001" if value > 0 else ">−0.001"
    text = f"{value:z.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return text.replace("-", "−")


def signed(value: float | None) -> str:
    """Print a difference with its sign, unless it rounds to 0; a dash for None."""
    if value is None:
        return "–"
    return ("+" if value >= _LEAST_SHOWN else "") + figure(value)


def interval(bounds: tuple[float, float]) -> str:
    """Print both ends of an interval."""
    low, high = (figure(bound) for bound in bounds)
    joint = " to " if "−" in low + high else "–"
    return f"{low}{joint}{high}"


def bracket(ends: Sequence[float], sign: str = "") -> str:
    """Print an interval in ASCII; rounding never makes the interval seem to contain 0."""
    low, high = ends
    leaves_out = low > 0 or high < 0

    def end(value: float) -> str:
        if leaves_out and abs(value) < _LEAST_SHOWN:
            return f"<{sign}0.001" if value > 0 else ">-0.001"
        return f"{value:{sign}z.3f}"

    return f"[{end(low)}, {end(high)}]"


def share(value: float) -> str:
    """Print a share in percent, rounded down: only 1 is printed as 100%."""
    tenths = math.floor(round(value * 1000, 6))
    return f"{tenths // 10}%" if tenths % 10 == 0 else f"{tenths / 10:.1f}%"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Print a number with its noun: 1 item, 2 items. By default, `many` is `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
