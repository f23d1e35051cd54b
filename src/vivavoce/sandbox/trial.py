"""Whether sandboxes can be started on this machine."""

from __future__ import annotations

import asyncio

from vivavoce.errors import VivaError
from vivavoce.sandbox.config import BwrapConfig
from vivavoce.sandbox.process import Sandbox


def why_unusable() -> str | None:
    """Why no program can be run here, or None when it can: a sandbox is started to find out."""
    try:
        asyncio.run(_start())
    except VivaError as error:
        return str(error)
    return None


async def _start() -> None:
    box = Sandbox(BwrapConfig(packages=()))
    try:
        await box.start()
    finally:
        await box.close()
