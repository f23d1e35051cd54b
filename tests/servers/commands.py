"""A small round, and the `viva` command: in a process of its own as a user runs it, or in this."""

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from typer.testing import CliRunner, Result

from vivavoce.cli import app
from vivavoce.corpus import ingest
from vivavoce.rounds import Round
from vivavoce.tasks import build_round

VIVA = Path(sys.executable).with_name("viva")
INSPECT = Path(sys.executable).with_name("inspect")
WINDOW = {"start": "2023-01-01", "end": "2025-01-01"}


def small_round(folder: Path, papers: int = 8, *, name: str = "small", seed: int = 0) -> Round:
    """A round over the first few papers of the sample corpus, one title and abstract each."""
    if not (folder / "corpus").exists():
        ingest("sample", Path(str(papers)), folder / "corpus")
    spec = {"round": {"id": name, "window": WINDOW, "seed": seed, "families": ["writing"]}}
    return build_round(folder / "corpus", spec, folder / f"round-{seed}")


def title_logs(folder: Path, papers: int, **settings: Any) -> list[Path]:
    """Logs in `folder`/logs of the baseline `extractive/lead` on the titles of a small round."""
    from vivavoce import running

    asked: dict[str, Any] = {"tasks": ["title"], "models": ["extractive/lead"], "display": "none"}
    asked |= {"round": small_round(folder, papers).folder, "logs": folder / "logs", **settings}
    report = running.run(running.RunSpec(**asked))
    assert report.failed == ()
    return list(map(Path, report.logs))


def run(
    program: Path,
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [str(program), *map(str, arguments)],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def interrupt(words: Sequence[str], was_asked: Event, env: Mapping[str, str]) -> list[str]:
    """Press Ctrl-C once a model was asked; the words of the command that goes on, as printed."""
    process = subprocess.Popen(
        [str(VIVA), *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert was_asked.wait(120)
    process.send_signal(signal.SIGINT)
    printed = process.communicate(timeout=120)[1]
    assert process.returncode == 130, printed
    assert "Traceback" not in printed
    *_, before, last = printed.strip().splitlines()
    assert before == "Stopped. Completed work is kept. To continue:"
    program, *rest = shlex.split(last)
    assert program == "viva"
    return rest


def viva_here(
    *arguments: str | Path, env: Mapping[str, str] | None = None, expect: int | None = 0
) -> Result:
    """Run `viva` in this process, which has loaded already what takes seconds to load."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], env=env)
    assert expect is None or done.exit_code == expect, f"{done.stdout}\n{done.stderr}"
    return done


viva = partial(viva_here, expect=None)
"""The same, whatever its exit code."""


def only_json(text: str) -> Any:
    """The one JSON document of an output, which may hold no NaN or Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)
