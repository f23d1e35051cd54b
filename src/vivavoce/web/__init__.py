"""Page templates, and the meanings of labels."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from vivavoce.text.printing import visible

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def glossary() -> dict[str, dict[str, str]]:
    """Meanings of labels, grouped as `board`, `settings` and `terminal`."""
    from vivavoce.text import read_data

    return read_data(__file__, "glossary.toml")


def meaning(label: str, part: str = "board") -> str:
    """Meaning of a label; empty if unknown. A setting such as `mixed@1` means the same as `mixed`.

    A label's meaning on pages (`part`) takes precedence over its meaning in the terminal.
    """
    words = glossary()["terminal"] | glossary()[part]
    plain = label.partition("@")[0]
    return words.get(plain) or words.get(plain.partition("+")[0], "")


def environment_of(package: str) -> Environment:
    """Jinja environment for a package's `templates` folder; undefined names are errors."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["visible"] = visible
    return made
