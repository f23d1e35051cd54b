"""The servers that pages start: each is started on a free port, asked for a page, and stopped."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests.docs.commands import ROOT, read_steps, run_step
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


def test_annotation_behind_a_proxy_answers_to_the_name_that_it_is_given(
    programs: Path, tmp_path: Path
) -> None:
    command = "viva annotate serve --secure-cookies --allow-host annotate.example.org"
    page = ROOT / "docs" / "annotation.md"
    assert f"\n{command}\n" in page.read_text("utf-8")
    run_step(read_steps(page)[0], tmp_path, programs=programs)
    with serving(tmp_path, programs, command) as address:
        hosts = ("annotate.example.org", "elsewhere.example.org")
        codes = [httpx2.get(f"{address}/login", headers={"Host": h}).status_code for h in hosts]
    assert codes == [200, 400]
