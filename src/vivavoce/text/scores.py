r"""Scores as leaderboards print them, read as numbers.

`93.3`, `93.3%`, `90.0 ± 0.5`, `~257M`, `60.9+` and `70.14 (measured by ...)` are numbers; `-`, `?`,
a range and a text are none. A multiplier is applied: `33M` is 33,000,000.
"""

from __future__ import annotations

import math
import re

MAX_SCORE = 200
"""Characters of a score that are looked at."""
_MULTIPLIERS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9}
_MARKS = "*†‡§+^\\ \t"
_SPREAD = re.compile(r"\s?(?:±|\+/-|\+-|\\pm)\s?[0-9.]{1,20}\s?%?$")
_NOTE = re.compile(r"\s?[(\[][^()\[\]]{0,150}[)\]]$")
_NUMBER = re.compile(
    r"[~≈]?\s?(?P<number>[-−+]?(?:[0-9]{1,3}(?:,[0-9]{3}){1,5}|[0-9]{0,15})(?:\.[0-9]{0,15})?"
    r"(?:[eE][-+]?[0-9]{1,3})?)\s?(?:%|(?P<unit>[kKmMbB]))?"
)


def read_score(text: str) -> float | None:
    """The number that a printed score stands for; None when it is none."""
    rest = text.strip().strip("\ufeff").replace("**", "").replace("__", "")[:MAX_SCORE]
    for pattern in (_NOTE, _SPREAD, _NOTE):
        rest = pattern.sub("", rest.strip(_MARKS))
    found = _NUMBER.fullmatch(rest.strip(_MARKS))
    digits = found["number"].replace(",", "").replace("−", "-") if found else ""
    if found is None or not digits.lower().partition("e")[0].strip("+-."):
        return None
    value = float(digits) * _MULTIPLIERS[(found["unit"] or "").lower()]
    return value if math.isfinite(value) else None
