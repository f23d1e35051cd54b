r"""Signs that LaTeX prints by the number of their glyph, such as `\ding{51}`.

Unicode's block Dingbats follows the order of the font Zapf Dingbats, except for the signs that it
had before.

Source: the package pifont; The Unicode Standard, Dingbats.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"""\s*(?:(?P<hexadecimal>"[0-9A-Fa-f]{1,6})|(?P<decimal>[0-9]{1,7}))\s*""")
_ELSEWHERE = dict(zip((37, 42, 43, 72, 108, 110, 115, 116, 117, 119), "☎☛☞★●■▲▼◆◗", strict=True))
_ELSEWHERE |= dict(zip(range(168, 182), "♣♦♥♠①②③④⑤⑥⑦⑧⑨⑩", strict=True))


def dingbat(number: str) -> str:
    """The sign at a place in Zapf Dingbats; empty where the font has none."""
    place = int(number) if re.fullmatch(r"\s*[0-9]{1,3}\s*", number) else 0
    if place in _ELSEWHERE:
        return _ELSEWHERE[place]
    if 33 <= place <= 126:
        return chr(0x2700 + place - 32)
    return chr(0x2760 + place - 160) if 161 <= place <= 254 else ""


def character(number: str) -> str:
    r"""The character of a code as `\symbol` takes it, such as `10003` or `"2713`; empty if none."""
    match = _NUMBER.fullmatch(number)
    if match is None:
        return ""
    code = int(match["hexadecimal"][1:], 16) if match["hexadecimal"] else int(match["decimal"])
    return chr(code) if code <= 0x10FFFF and chr(code).isprintable() else ""
