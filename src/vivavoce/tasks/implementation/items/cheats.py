"""Programs that want a score without computing anything, or attack whatever runs them.

They are the answers of the method `cheater`: texts, run in the sandbox as any model's program is,
and never imported. Some leave a table of the right rows and earn what its values are worth, such
as the empty ones of days before a window is full. None may gain more than its table earns.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path


def _read() -> dict[str, str]:
    given = tomllib.loads(Path(__file__).with_name("cheats.toml").read_text("utf-8"))
    parts = {f"<{name}>\n": given[name] for name in ("rows", "save")}
    cheats: dict[str, str] = given["cheats"]
    for mark, part in parts.items():
        cheats = {name: program.replace(mark, part) for name, program in cheats.items()}
    return cheats


CHEATS = _read()
"""Programs by name."""


def choose_cheat(sample_id: str, epoch: int) -> tuple[str, str]:
    """(name, program) for a sample and an epoch; 14 epochs of a sample meet each cheat once."""
    names = sorted(CHEATS)
    start = int.from_bytes(hashlib.sha256(sample_id.encode()).digest()[:4], "big")
    name = names[(start + epoch - 1) % len(names)]
    return name, CHEATS[name]
