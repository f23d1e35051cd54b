"""Ends of an exam that nobody wants to be errors: Ctrl-C, and No to the plan."""

from __future__ import annotations

import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from tests.examining.papers import quality, save_pages
from tests.servers.commands import VIVA, viva
from tests.servers.scripted import Ask, Reply, scripted


@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_the_command_that_goes_on(tmp_path: Path) -> None:
    papers, was_asked = save_pages(tmp_path / "papers", 8), Event()

    def slowly(ask: Ask) -> Reply:
        was_asked.set()
        return replace(quality(ask), delay=2.0)

    with scripted(slowly) as server:
        command = [
            *("exam", str(papers), "--tasks", "abstract", "--yes", "--out", str(tmp_path / "out")),
            *("--model", "openai-api/scripted/fine", "--model", "openai-api/scripted/weak"),
        ]
        process = subprocess.Popen(
            [str(VIVA), *command],
            env=server.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert was_asked.wait(120)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=120)[1]
        assert process.returncode == 130
        *_, last = told.strip().splitlines()
        assert last.split() == ["viva", *command]
        server.script = quality
        done = viva(*last.split()[1:], env=server.environment)
        assert done.stdout.strip().endswith("index.html")
