"""What rules of accessibility say of a page in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def serious_rules(page: Page) -> list[tuple[str, list[str]]]:
    """The rules of axe that a page breaks badly in light or in dark, with some of the places.

    Light and dark differ in nothing but colours. The page's policy has to let axe in.
    """
    from axe_playwright_python.sync_playwright import Axe

    found = []
    for scheme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        found += Axe().run(page, options=options).response["violations"]
    return [
        (rule["id"], [node["html"][:200] for node in rule["nodes"][:3]])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
