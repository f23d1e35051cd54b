"""Variations of styles: other fonts, sizes, numbers, citations and entries than a style has.

A third of what was added is held back by a hash of its name, to be looked at when a reader is done.
"""

import hashlib
import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any

Style = dict[str, Any]
_FONTS = (
    r"\usepackage{lmodern}",
    r"\usepackage{mathpazo}",
    r"\usepackage{mathptmx}",
    r"\usepackage{charter}",
    r"\usepackage{libertine}",
    r"\usepackage{newtxtext}",
    r"\usepackage{helvet}\renewcommand{\familydefault}{\sfdefault}",
)
_OPEN_CLASSES = {"article", "report", "scrartcl", "scrbook", "extarticle", "book"}
_FAMILIES = ("Liberation Serif", "Liberation Sans", "Noto Serif", "Noto Sans")
_ENTRIES = ("plain", "ieee", "apa", "acm", "vancouver", "physics")
_HERE = Path(__file__).parent
NEW = frozenset(tomllib.loads((_HERE / "classes.toml").read_text("utf-8"))) | frozenset(
    "japanese korean hebrew persian german french spanish article_of_the_web rules_above"
    " office_report office_numbered".split()
)
"""Styles that were added when the reader was done for the others."""


def is_held(style: str, variation: int | None) -> bool:
    """Check whether a new style, or a variation of an older one, belongs to the held third."""
    if style not in NEW and variation is None:
        return False
    name = style if style in NEW else f"{style}/{variation}"
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def vary(name: str, style: Style, variation: int) -> Style:
    """The style with other settings, the same ones for the same variation."""
    rng = Random(f"variation/{name}/{variation}")
    varied = dict(style)
    if "css" in style:
        return _vary_page(varied, rng)
    varied["entries"] = rng.choice(_ENTRIES)
    if not style.get("has_natbib"):
        varied["cite"] = rng.choice(("number", "author-year"))
    if style["class"] in _OPEN_CLASSES:
        varied["bookmarks"] = rng.random() < 0.5
        varied["preamble"] = style.get("preamble", "") + rng.choice(_FONTS)
        sizes = re.sub(
            r"\b1[012]pt", rng.choice(("10pt", "11pt", "12pt")), style.get("options", "")
        )
        varied["options"] = sizes
        varied["plain_run_in"] = rng.random() < 0.5
    varied["bibliography_size"] = rng.choice((r"\small ", r"\footnotesize ", ""))
    return varied


def _vary_page(style: Style, rng: Random) -> Style:
    scale = rng.choice((0.9, 1.0, 1.1))
    style["css"] = re.sub(
        r"(\d+(?:\.\d+)?)pt", lambda m: f"{float(m[1]) * scale:.1f}pt", style["css"]
    )
    if not style.get("language"):
        for family in ("Liberation Serif", "Liberation Sans"):
            style["css"] = style["css"].replace(f'"{family}"', f'"{rng.choice(_FAMILIES)}"')
    style["numbers"] = rng.random() < 0.5
    style["entries"] = rng.choice(_ENTRIES)
    style["cite"] = rng.choice(("number", "author-year"))
    return style
