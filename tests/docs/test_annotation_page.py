"""docs/annotation.md: its commands, and between them the people it speaks of."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests.docs.commands import ROOT, read_steps, run_step
from tests.servers.annotation import Visitor

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "annotation.md"
SERVE = "viva annotate serve --allow-host annotate.example.org"
EXCLUDED = ("robot arms", "fixed graph")


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
    try:
        yield process.stdout.readline().split()[-1].rstrip("/")
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def take_part(address: str, link: str, name: str) -> None:
    """Open a link that was printed, and label what comes; Ben errs on one item."""
    with httpx2.Client(base_url=address, follow_redirects=True, timeout=60) as http:
        visitor = Visitor(http, link)
        visitor.open()
        while "/items/" in visitor.address:
            title = re.findall(r'class="paper-title">([^<]*)<', visitor.text)[0]
            is_out = any(words in title for words in EXCLUDED)
            errs = name == "ben" and "fixed graph" in title
            visitor.send(decision="exclude" if is_out and not errs else "include")


def test_the_page_prints_what_it_says(programs: Path, tmp_path: Path) -> None:
    first, *rest = read_steps(PAGE)
    assert len(rest) == 2
    assert run_step(first, tmp_path, programs=programs) == first.output, first.commands
    assert f"\n{SERVE}\n" in PAGE.read_text("utf-8")
    links = re.findall(r"(\w+) is A\d: \S+/(\S+)", (tmp_path / "links.txt").read_text("utf-8"))
    assert [name for name, _ in links] == ["ann", "ben", "cem"]
    with serving(tmp_path, programs, SERVE) as address:
        for name, link in links:
            take_part(address, link, name)
        hosts = ("annotate.example.org", "elsewhere.example.org")
        pages = [httpx2.get(f"{address}/{link}", headers={"Host": host}) for host in hosts]
        assert [page.status_code for page in pages] == [200, 400]
    for step in rest:
        assert run_step(step, tmp_path, programs=programs) == step.output, step.commands
