"""Commands written in a Markdown page, and what they are said to print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^```bash(?P<mark> real)?\n(?P<commands>.*?)^```\n\n```text\n(?P<output>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class Step:
    """A block of commands and the block of output behind it."""

    commands: str
    output: str
    is_real: bool
    """Whether it needs the real papers."""


def read_steps(page: Path) -> list[Step]:
    """Every `bash` block of a page that is followed by a `text` block."""
    return [
        Step(found["commands"], found["output"], bool(found["mark"]))
        for found in _BLOCK.finditer(page.read_text("utf-8"))
    ]


def run_step(step: Step, folder: Path, data: Path | None = None) -> str:
    """Run a block in a folder with this environment's commands; return what it printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "200"}
    if data:
        environment["VIVAVOCE_DATA"] = str(data)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", step.commands],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{step.commands}\n{done.stdout}\n{done.stderr}"
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def fill(page: Path, folder: Path, data: Path | None) -> None:
    """Write into a page what its commands print now."""
    text = page.read_text("utf-8")
    for step in read_steps(page):
        if step.is_real and data is None:
            continue
        block = f"```bash{' real' * step.is_real}\n{step.commands}```\n\n```text\n"
        printed = run_step(step, folder, data)
        text = text.replace(block + step.output, block + printed)
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    import tempfile

    root = Path(__file__).resolve().parents[2]
    papers = Path(os.environ.get("VIVAVOCE_DATA") or root.parent / "shared" / "data")
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("tutorial.md", "scoring.md"):
            folder = Path(scratch) / name
            folder.mkdir()
            fill(root / "docs" / name, folder, papers if papers.is_dir() else None)
