"""The one way in which pages are made of templates: everything they print is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.web.printing import visible

if TYPE_CHECKING:
    from jinja2 import Environment


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
