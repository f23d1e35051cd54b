"""The colours and fonts of the board's pages, as the variables that the site's theme has."""

from __future__ import annotations

import re

_ROOT = re.compile(r":root\s*\{([^}]*)\}")
_VARIABLE = re.compile(r"--([a-z-]+):\s*([^;]+);")

_USES = {
    "paper": ("color-background-primary", "color-announcement-background"),
    "sheet": ("color-background-secondary", "color-card-background"),
    "ink": ("color-foreground-primary", "color-sidebar-link-text--top-level"),
    "quiet": ("color-foreground-secondary", "color-foreground-muted", "color-sidebar-link-text"),
    "rule": ("color-background-border", "color-sidebar-background-border"),
    "rule-strong": ("color-foreground-border",),
    "accent": ("color-brand-primary", "color-brand-content", "color-brand-visited"),
    "tag": ("color-background-hover", "color-inline-code-background", "color-code-background"),
    "sans": ("font-stack",),
    "serif": ("font-stack--headings",),
    "mono": ("font-stack--monospace",),
}


def read_palette(style: str) -> tuple[dict[str, str], dict[str, str]]:
    """The theme's variables by day and by night, out of the board's style sheet."""
    day, night = (dict(_VARIABLE.findall(block)) for block in _ROOT.findall(style)[:2])
    return _used(day), _used(day | night)


def _used(variables: dict[str, str]) -> dict[str, str]:
    return {use: variables[name] for name, uses in _USES.items() for use in uses}
