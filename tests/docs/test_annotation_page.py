"""docs/annotation.md: its commands, and between them the people it speaks of."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest
from tests.docs.commands import ROOT, read_steps, run_step
from tests.docs.test_served_pages import serving
from tests.servers.annotation import Person

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "annotation.md"

SAID = {"city maps": "exclude", "robot arms": "exclude", "fixed graph": "exclude"}


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


def test_the_page_prints_what_it_says(programs: Path, tmp_path: Path) -> None:
    steps = read_steps(PAGE)
    assert len(steps) == 4
    for step in steps[:2]:
        assert run_step(step, tmp_path, programs=programs) == step.output, step.commands
    assert "\nviva annotate serve --port 8000\n" in PAGE.read_text("utf-8")
    with serving(tmp_path, programs, "viva annotate serve") as address:
        for name in ("ann", "ben", "cat", "dan"):
            take_part(address, tmp_path, name)
    for step in steps[2:]:
        assert run_step(step, tmp_path, programs=programs) == step.output, step.commands
