"""Pages: their templates, and the meanings of the labels on them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from vivavoce.text.printing import visible

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def glossary() -> dict[str, dict[str, str]]:
    """Labels and their meanings: of `board` pages, of `settings`, and of the `terminal`."""
    from vivavoce.text.data import read_data

    return read_data(__file__, "glossary.toml")


def meaning(label: str, part: str = "board") -> str:
    """Meaning of a label; of a setting such as `mixed@1` that of `mixed`. Empty without one.

    A table that the terminal prints too has its labels explained as there.
    """
    words = glossary()["terminal"] | glossary()[part]
    plain = label.partition("@")[0]
    return words.get(plain) or words.get(plain.partition("+")[0], "")


def environment_of(package: str) -> Environment:
    """The templates in the folder `templates` of a package; an unknown name in one is an error."""
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
