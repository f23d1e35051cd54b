"""The card that makes the folder of a site a static Space: upload it as it is."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from vivavoce.web.board.model import Site
from vivavoce.web.board.page import Page, page_of
from vivavoce.web.printing import visible

PATH = "README.md"
_MAX_ROUNDS = 60
_PUNCTUATION = frozenset("\\`*_{}[]()#+-.!|~$")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def files(site: Site) -> list[Page]:
    """The card as Markdown with its settings on top; the rest of the folder is what it shows."""

    def values() -> dict[str, Any]:
        windows = {str(entry["id"]): entry["window"] for entry in reversed(site.rounds)}
        return {
            "counts": (len(site.contestants), len(site.boards), len(site.round_names)),
            "rounds": [
                (_plain(name), [_plain(day) for day in windows.get(name, ())])
                for name in reversed(site.round_names[-_MAX_ROUNDS:])
            ],
        }

    return [page_of(PATH, "README.md.j2", {"site": site.key}, values)]


def _plain(text: object) -> Markup:
    """Text that Markdown shows as it is."""
    return Markup(
        "".join(
            f"\\{char}" if char in _PUNCTUATION else _ENTITIES.get(char, char)
            for char in visible(text)
        )
    )
