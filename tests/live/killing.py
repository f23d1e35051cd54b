"""Runs of `viva` that end themselves by SIGKILL at a chosen write of a file.

Each is a process forked from one that has loaded everything. The place is counted in files written
whole, so it is the same wherever and however fast the run is.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self

LEDGER = "ledger.jsonl"

_PACKAGES = frozenset(
    "anyio httpx inspect_ai jinja2 lxml numpy openai pandas pyarrow pydantic scipy vivavoce".split()
)
_WARM = """
import contextlib, gc, importlib, importlib.metadata, json, os, signal, sys

listed = importlib.metadata.packages_distributions()
importlib.metadata.packages_distributions = lambda: listed

import openai, typer.main, vivavoce.live.keeping, vivavoce.store
from rich.live import Live
from vivavoce.cli import app
from vivavoce.tasks import list_families
from vivavoce.tasks.lookup import register_family

Live.refresh = lambda _: None
os.fsync = lambda _: None
write = vivavoce.store.write_chunks
verbs = typer.main.get_command(app)
for family in list_families():
    register_family(family)
for name in json.loads(sys.stdin.readline()):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
gc.collect()
gc.freeze()  # what is looked at by no collection is copied into no run


def watched(place):
    count = 0

    def write_and_count(path, pieces, **options):
        nonlocal count
        is_it = not place["name"] or path.name == place["name"]
        count += is_it
        is_now = is_it and count == place["number"]
        if is_now and not place["after"]:
            os.kill(os.getpid(), signal.SIGKILL)
        write(path, pieces, **options)
        if is_now:
            os.kill(os.getpid(), signal.SIGKILL)

    return write_and_count


for line in sys.stdin:
    arguments, environment, place = json.loads(line)
    child = os.fork()
    if not child:
        os.setsid()
        os.environ.clear()
        os.environ.update(environment)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        if place is not None:
            vivavoce.store.write_chunks = watched(place)
        try:
            verbs(arguments)
        except SystemExit as end:
            os._exit(end.code or 0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Place:
    """A write of a file: the number-th of a name, or of any where it is empty."""

    number: int
    name: str = ""
    after: bool = False
    """The file is written before the run ends itself."""


class Runs:
    """Starts runs one after the other."""

    def __init__(self) -> None:
        self._warm = subprocess.Popen(
            [sys.executable, "-c", _WARM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        # What this process has loaded by now, no run has to load again.
        known = sorted(name for name in sys.modules if name.partition(".")[0] in _PACKAGES)
        print(json.dumps(known), file=self._warm.stdin, flush=True)

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], place: Place | None = None
    ) -> int:
        """Run `viva` to its end or to a place; the exit code, -9 where it ended itself."""
        call = [list(arguments), dict(environment), asdict(place) if place else None]
        print(json.dumps(call), file=self._warm.stdin, flush=True)
        return int(self._warm.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End the process that the others come from."""
        self._warm.communicate()


KILLED = -signal.SIGKILL
