"""Commands written in a Markdown page, and what they are said to print.

A `bash` block that is followed by a `text` block is a step. A block that is preceded by the line
"`path`:" is a file that the reader writes there. Every other block of commands or of Python is an
example: it stands for papers, rounds and models of the reader's.
"""

import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from tests.plugin_packages import install_project

_BLOCK = re.compile(
    r"^```bash(?P<mark> real)?\n(?P<commands>.*?)^```\n\n```text\n(?P<output>.*?)^```$"
    r"|^`(?P<path>[\w./-]*\.\w+)`:\n\n```[\w.+-]+\n(?P<content>.*?)^```$",
    re.M | re.S,
)
_FENCE = re.compile(r"^```(?P<kind>bash|console|sh|python)\n(?P<body>.*?)^```$", re.M | re.S)
ROOT = Path(__file__).resolve().parents[2]
WINDOW, TIMEOUT = 120, 300


@dataclass(frozen=True)
class Example:
    """A block of commands, or of Python, that nothing is said to be printed by."""

    is_python: bool
    text: str

    @property
    def lines(self) -> list[str]:
        """The commands, without what is remarked behind them."""
        whole = re.sub(r"\\\n\s*", "", self.text)
        bare = (re.sub(r"(^|\s+)# .*", "", line).strip() for line in whole.splitlines())
        return [line for line in bare if line]


@dataclass(frozen=True)
class Step:
    """A block of commands and the block of output behind it."""

    commands: str
    output: str
    is_real: bool
    """Whether it needs the real papers."""


@dataclass(frozen=True)
class File:
    """A file that the reader writes."""

    path: str
    content: str

    def write(self, folder: Path) -> None:
        path = folder / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.content, "utf-8")


def read_parts(page: Path) -> list[Step | File]:
    """Every step of a page and every file that it has the reader write, in order."""
    return [
        File(found["path"], found["content"])
        if found["path"]
        else Step(found["commands"], found["output"], bool(found["mark"]))
        for found in _BLOCK.finditer(page.read_text("utf-8"))
    ]


def read_steps(page: Path) -> list[Step]:
    """Every `bash` block of a page that is followed by a `text` block."""
    return [part for part in read_parts(page) if isinstance(part, Step)]


def read_examples(page: Path) -> list[Example]:
    """Every block of commands or of Python that is neither a step nor a file."""
    text = page.read_text("utf-8")
    taken = [found.span() for found in _BLOCK.finditer(text)]
    return [
        Example(found["kind"] == "python", _typed(found["kind"], found["body"]))
        for found in _FENCE.finditer(text)
        if not any(start <= found.start() < stop for start, stop in taken)
    ]


def read_named(page: Path) -> Example:
    """The commands that stand in the running text and the tables of a page, what they need too."""
    found = re.findall(r"`(viva [^`\n]*(?: --|[A-Z]{4})[^`\n]*)`", page.read_text("utf-8"))
    return Example(False, "".join(f"{line}\n" for line in dict.fromkeys(found)))


def _typed(kind: str, body: str) -> str:
    """What is typed of a block; in a console each command stands behind a prompt."""
    return re.sub(r"^\$ ", "", body, flags=re.M) if kind == "console" else body


def run_step(
    step: Step, folder: Path, data: Path | None = None, programs: Path | None = None
) -> str:
    """Run a block in a folder; return what it printed."""
    more = {"VIVAVOCE_DATA": str(data)} if data else {}
    return run_commands(step.commands, folder, programs, more)


def run_commands(
    commands: str, folder: Path, programs: Path | None, more: Mapping[str, str]
) -> str:
    """Run commands in a window 120 columns wide, with this environment's programs; what it shows.

    Where the folder holds a tree of the package, that one is run.

    Args:
        commands: For bash.
        folder: Where they are run.
        programs: A folder whose programs go before all others.
        more: Further variables of the environment.
    """
    folders = [programs or Path(sys.executable).parent, Path(sys.executable).parent]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    # What Inspect serves a run's progress with takes longer to start than a small run.
    quiet = {"INSPECT_EVAL_CTL_SERVER": "false"} if programs else {}
    environment = {**os.environ, "PATH": path, "COLUMNS": str(WINDOW), **quiet, **more}
    environment.pop("PYTEST_ADDOPTS", None)  # of this run of the tests, not of a reader's
    environment["NO_COLOR"] = "1"
    if (folder / "src").is_dir():
        environment["PYTHONPATH"] = str(folder / "src")
    code, shown, errors = _type(["bash", "-euo", "pipefail", "-c", commands], folder, environment)
    assert code == 0, f"{commands}\n{shown}\n{errors}"
    return "".join(line.rstrip() + "\n" for line in shown.splitlines())


def _type(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> tuple[int, str, str]:
    """The exit code of a command, what its window shows, and what it says beside that."""
    mine, window = pty.openpty()
    with (
        os.fdopen(mine, "rb", buffering=0) as screen,
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
    ):
        with subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=window,
            stderr=errors,
        ) as process:
            os.close(window)
            limit = Timer(TIMEOUT, process.kill)
            limit.start()
            # Some libraries set colours back as they end, which nobody sees.
            shown = re.sub(rb"\x1b\[[\d;]*m", b"", b"".join(_read(screen)))
            limit.cancel()
        errors.seek(0)
        return process.returncode, shown.decode(), errors.read()


def _read(screen: io.RawIOBase) -> Iterator[bytes]:
    """Bytes that a window shows, until nobody writes into it any more."""
    with suppress(OSError):  # Linux ends a terminal so
        while part := screen.read(65536):
            yield part


def play(
    page: Path, folder: Path, data: Path | None = None, programs: Path | None = None
) -> Iterator[tuple[Step, str]]:
    """Do what a page says in a folder; each step with what it printed.

    Steps that need the real papers are passed over where there are none. A package is installed
    into the folder as soon as its `pyproject.toml` is written.
    """
    for part in read_parts(page):
        if isinstance(part, File):
            part.write(folder)
            if Path(part.path).name == "pyproject.toml":
                install_project((folder / part.path).parent, folder / "src")
        elif data is not None or not part.is_real:
            yield part, run_step(part, folder, data, programs)


def prepare(page: Path, folder: Path) -> Path:
    """A folder to play a page in, with a copy of the tree where the page starts from there."""
    folder.mkdir(parents=True, exist_ok=True)
    if "root of the checkout" in " ".join(page.read_text("utf-8").split()):
        for part in ("src", "docs/how-to/papers-to-try"):
            away = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / part, folder / part, ignore=away)
    return folder


def fill(page: Path, folder: Path, data: Path | None) -> None:
    """Write into a page what its commands print now."""
    text = page.read_text("utf-8")
    for step, printed in play(page, folder, data):
        block = f"```bash{' real' * step.is_real}\n{step.commands}```\n\n```text\n"
        text = text.replace(block + step.output, block + printed)
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    import tempfile

    papers = Path(os.environ.get("VIVAVOCE_DATA") or ROOT.parent / "shared" / "data")
    how_to = sorted(
        str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").glob("how-to/*.md")
    )
    for name in sys.argv[1:] or ["tutorial.md", "scoring.md", "reproductions.md", *how_to]:
        page = ROOT / "docs" / name
        with tempfile.TemporaryDirectory() as scratch:
            fill(page, prepare(page, Path(scratch)), papers if papers.is_dir() else None)
