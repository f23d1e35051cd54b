"""Sphinx: directives that draw the reference, formulas as MathML, links to files of the tree."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import reference
from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_PAGES: dict[str, Callable[..., str]] = {
    "viva-commands": reference.commands_page,
    "viva-family": reference.family_page,
    "viva-families": reference.families_table,
    "viva-metrics": reference.metrics_page,
    "viva-columns": reference.columns_page,
    "viva-spec": reference.spec_page,
    "viva-sources": reference.sources_page,
    "viva-glossary": reference.glossary_page,
}


def _directive(page: Callable[..., str]) -> type[SphinxDirective]:
    class Drawn(SphinxDirective):
        optional_arguments = 1

        def run(self) -> list[nodes.Node]:
            return self.parse_text_to_nodes(page(*self.arguments), allow_section_headings=True)

    return Drawn


class Modules(SphinxDirective):
    """What the modules of packages define: a section for each that has something public."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Parse an `automodule` for each module."""
        names = [name for each in self.arguments[0].split() for name in _modules(each)]
        text = "\n".join(
            f"## `{name}`\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n" for name in names
        )
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _modules(name: str) -> list[str]:
    """A module, or with `.*` at its end every module of a package, also of the packages in it."""
    package = name.removesuffix(".*")
    if package == name:
        return [name]
    path = importlib.import_module(package).__path__
    found = [each.name for each in pkgutil.walk_packages(path, f"{package}.")]
    return [package, *sorted(name for name in found if "._" not in name)]


_CODE = re.compile(r"(``.*?``|`[^`]*`)")


def plain_marks(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Keep what means something only in reStructuredText from being read as a mark."""
    if what == "attribute":
        lines.insert(0, "")  # else a colon in the first line makes the words before it a type
    text = "\n".join(lines)
    parts = _CODE.split(text)
    parts[::2] = [re.sub(r"([|*\\])", r"\\\1", part) for part in parts[::2]]
    parts[::2] = [re.sub(r"(?<=\w)_(?!\w)", r"\\_", part) for part in parts[::2]]
    lines[:] = "".join(parts).split("\n")


def draw_math(translator: Any, node: nodes.Element) -> None:
    """A formula as MathML, which browsers show without a script."""
    is_block = isinstance(node, nodes.math_block)
    math = latex2mathml.tex2mathml(node.astext(), as_block=is_block)
    translator.body.append(f'<div class="math">{math}</div>' if is_block else math)
    raise nodes.SkipNode


def own_links(app: Sphinx, name: str, source: list[str]) -> None:
    """Files of the tree that the site has as pages: link to those."""
    depth = "../" * name.count("/")
    for file, page in (("CONTRIBUTING.md", "contributing.md"), ("CHANGELOG.md", "changelog.md")):
        source[0] = source[0].replace(f"](../{depth}{file}", f"]({depth}{page}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx of all that."""
    for name, page in _PAGES.items():
        app.add_directive(name, _directive(page))
    app.add_directive("viva-modules", Modules)
    app.add_html_math_renderer(
        "mathml", inline_renderers=(draw_math, None), block_renderers=(draw_math, None)
    )
    app.connect("autodoc-process-docstring", plain_marks, priority=100)
    app.connect("source-read", own_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
