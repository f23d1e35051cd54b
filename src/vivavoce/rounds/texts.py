"""Texts that tell people of a round, from the templates beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def render(name: str, **values: Any) -> str:
    """Fill in the template of a name, such as `card.md`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["thousands"] = "{:,}".format
    return templates.get_template(f"{name}.jinja").render(values)
