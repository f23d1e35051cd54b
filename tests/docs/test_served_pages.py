"""The servers that pages start: each is started on a free port, asked for a page, and stopped."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
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


def test_programs_use_a_campaign_by_the_lines_of_the_page(programs: Path, tmp_path: Path) -> None:
    command = "viva annotate serve --api-token-file token.txt"
    page = ROOT / "docs" / "annotation.md"
    lines = [line for line in page.read_text("utf-8").splitlines() if line.startswith("curl ")]
    run_step(read_steps(page)[0], tmp_path, programs=programs)
    (tmp_path / "token.txt").write_text("a token of more than twenty letters\n", "utf-8")
    with serving(tmp_path, programs, command) as address:
        told = [
            subprocess.run(
                ["bash", "-c", line.replace("http://127.0.0.1:8000", address)],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for line in lines
        ]
    added, progress, _ = told
    assert json.loads(added) == {"added": 0, "known": 5, "decisions": 0, "unused": 0}
    assert json.loads(progress)["items"]["open"] == 4
    with zipfile.ZipFile(tmp_path / "pilot.zip") as packed:
        assert {"export.json", "items.jsonl", "labels.jsonl"} <= set(packed.namelist())


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
