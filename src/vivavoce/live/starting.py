"""The files that a live board starts from."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.store import write_text

_PLACES = {
    "board.toml": "board.toml",
    "live.yml": ".github/workflows/live.yml",
    "viva-live.service": "systemd/viva-live.service",
    "viva-live.timer": "systemd/viva-live.timer",
    "gitignore": ".gitignore",
}


def write_start(out: Path) -> list[Path]:
    """Write configuration, workflow and systemd units; the configuration comes first.

    Raises:
        InputError: One of them is there already.
    """
    folder = resources.files("vivavoce.live") / "templates"
    values = {"@FOLDER@": str(out.absolute()), "@VIVA@": str(Path(sys.argv[0]).absolute())}
    places = {name: out / place for name, place in _PLACES.items()}
    for place in places.values():
        if place.exists():
            raise InputError(f"{place} is there already. Name another folder.")
    for name, place in places.items():
        text = (folder / name).read_text("utf-8")
        for mark, value in values.items():
            text = text.replace(mark, value)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, text)
    return list(places.values())
