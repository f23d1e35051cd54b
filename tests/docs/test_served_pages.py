"""The servers that pages start: each is started on a free port, asked for a page, and stopped."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests.docs.commands import ROOT
from tests.docs.world import World

pytestmark = pytest.mark.slow


@contextmanager
def serving(folder: Path, programs: Path, command: str) -> Iterator[str]:
    """A command that serves pages until it is stopped, on a free port; its address."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command} --port 0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",
        },
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1].rstrip("/")
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def test_a_board_is_served(world: World, tmp_path: Path) -> None:
    command = "viva board serve logs"
    assert f"`{command}`" in (ROOT / "docs" / "how-to" / "board.md").read_text("utf-8")
    world.copy_to(tmp_path / "here")
    with serving(tmp_path / "here", world.programs, command) as address:
        assert "<wbr>lead<" in httpx2.get(f"{address}/", follow_redirects=True).text
