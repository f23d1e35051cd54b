"""docs/annotation.md: its commands, and between them the people it speaks of."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from tests.servers.annotation import Person

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "annotation.md"
_SPEC = importlib.util.spec_from_file_location("commands", Path(__file__).with_name("commands.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
commands = importlib.util.module_from_spec(_SPEC)
sys.modules["commands"] = commands
_SPEC.loader.exec_module(commands)

SAID = {"city maps": "exclude", "robot arms": "exclude", "fixed graph": "exclude"}


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """`viva annotate serve` as the page has it, but on a free port."""
    assert "\nviva annotate serve --port 8000\n" in PAGE.read_text("utf-8")
    viva = Path(sys.executable).with_name("viva")
    process = subprocess.Popen(
        [str(viva), "annotate", "serve", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip().rstrip("/")
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def take_part(address: str, folder: Path, name: str) -> None:
    """Log in with the password that was printed, do the trial, and judge what comes."""
    password = re.findall(r"once\): (\S+)", (folder / f"{name}.txt").read_text("utf-8"))[0]
    with httpx2.Client(base_url=address, follow_redirects=True, timeout=60) as http:
        person = Person(http)  # type: ignore[arg-type]
        person.log_in(name, password)
        person.open("/c/pilot")
        person.send(read="yes")
        while "/a/" in person.address:
            title = re.findall(r'class="paper-title">([^<]*)<', person.text)[0]
            found = [said for words, said in SAID.items() if words in title]
            decision = found[0] if found else "include"
            if name == "ben" and "fixed graph" in title:
                decision = "include"
            person.send(decision=decision)
            if person.address.endswith("/review"):
                assert "You passed the trial" in person.text
                person.open("/c/pilot")


def test_the_page_prints_what_it_says(tmp_path):
    steps = commands.read_steps(PAGE)
    assert len(steps) == 4
    for step in steps[:2]:
        assert commands.run_step(step, tmp_path) == step.output, step.commands
    with serving(tmp_path) as address:
        for name in ("ann", "ben", "cat", "dan"):
            take_part(address, tmp_path, name)
    for step in steps[2:]:
        assert commands.run_step(step, tmp_path) == step.output, step.commands
