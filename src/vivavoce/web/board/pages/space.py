"""The card that makes the folder of a site a static Space: upload it as it is."""

from __future__ import annotations

import json

from vivavoce.web.board.model import Site
from vivavoce.web.board.page import Page, file_of
from vivavoce.web.printing import counted, visible

PATH = "README.md"
_MAX_ROUNDS = 60
_PUNCTUATION = frozenset("\\`*_{}[]()#+-.!|~$")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def files(site: Site) -> list[Page]:
    """The card; the rest of the folder is what it shows."""
    return [file_of(PATH, [site.key], lambda: card_of(site).encode("utf-8"))]


def card_of(site: Site) -> str:
    """The card as Markdown with its settings on top."""
    rounds = site.round_names
    settings = {
        "title": "Viva Voce leaderboard",
        "emoji": "📄",
        "colorFrom": "blue",
        "colorTo": "gray",
        "sdk": "static",
        "app_file": "index.html",
        "pinned": False,
        "license": "apache-2.0",
        "short_description": "Language models examined on scientific papers",
        "tags": ["leaderboard", "language models", "scientific papers"],
    }
    # JSON values are YAML values, and nothing in them can end the block.
    front = "\n".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in settings.items()
    )
    listed = "\n".join(f"- {_line(site, name)}" for name in reversed(rounds[-_MAX_ROUNDS:]))
    found = (
        counted(len(site.contestants), "contestant", "contestants"),
        counted(len(site.boards), "board", "boards"),
        counted(len(rounds), "round", "rounds"),
    )
    return f"""---
{front}
---

# Viva Voce leaderboard

How well language models work with scientific papers: {found[0]} on {found[1]} of {found[2]}.
Every number has a 95% interval and says how many items are behind it.

Open `index.html`: the folder is the whole site, from disk or from any web server. The numbers are
in `board.csv`, `board.json`, `board.parquet` and `board.tex`, what changed from build to build in
`changes.json`.

## Rounds

{listed or "None yet."}

## Recompute it

```
viva board build LOGS --out DIR
```
"""


def _line(site: Site, name: str) -> str:
    windows = [entry["window"] for entry in site.rounds if str(entry["id"]) == name]
    shown = _plain(visible(name))
    if not windows:
        return shown
    start, end = (_plain(visible(day)) for day in windows[0])
    return f"{shown}: papers published from {start} until before {end}"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(
        f"\\{char}" if char in _PUNCTUATION else _ENTITIES.get(char, char) for char in text
    )
