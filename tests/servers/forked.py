"""Runs of `viva` that are killed: by their own hand at a place of the code, or after some answers.

Each is a process forked from one that has loaded everything.
"""

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.servers.scripted import ScriptedServer

KILLED = -signal.SIGKILL

_WARM = """
import functools, gc, importlib, importlib.metadata, json, os, signal, sys

packages = functools.cache(importlib.metadata.packages_distributions)
importlib.metadata.packages_distributions = packages
packages()

import openai, typer.main, vivavoce.live.keeping, vivavoce.running, vivavoce.store
from rich.live import Live
from vivavoce.cli import app
from vivavoce.tasks import list_families
from vivavoce.tasks.lookup import register_family

Live.refresh = lambda _: None
os.fsync = lambda _: None
verbs = typer.main.get_command(app)
for family in list_families():
    register_family(family)
gc.collect()
gc.freeze()  # what is looked at by no collection is copied into no run


def die_at(place):
    module = importlib.import_module(place["module"])
    call, count = getattr(module, place["name"]), 0

    def counted(*args, **options):
        nonlocal count
        count += not place["file"] or args[0].name == place["file"]
        is_now = count == place["number"]
        if is_now and not place["after"]:
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*args, **options)
        if is_now:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(module, place["name"], counted)


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
            die_at(place)
        verbs(arguments)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Place:
    """The number-th call of a function of a module, or of those calls that write a file."""

    module: str
    name: str
    number: int
    file: str = ""
    """The name of the file that is the first argument; of any where it is empty."""
    after: bool = True
    """The call is done before the run ends itself."""


class Killer:
    """Starts runs one after the other, and kills them."""

    def __init__(self) -> None:
        self._warm = subprocess.Popen(
            [sys.executable, "-c", _WARM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(
        self,
        arguments: Sequence[str | Path],
        environment: Mapping[str, str] = os.environ,
        place: Place | None = None,
    ) -> int:
        """Run `viva` to its end or to a place; the exit code, `KILLED` where it ended itself."""
        self._start(arguments, environment, place)
        return self._end()

    def kill_after(
        self, server: ScriptedServer, answers: int, arguments: Sequence[str | Path]
    ) -> None:
        """Start a run and kill its whole process group once the server has sent so many answers.

        Until then the server sends no more: however late the kill comes, that is the place.
        """
        server.send_until(answers)
        process = self._start(arguments, server.environment, None)
        try:
            server.wait_for_answers(answers)
        finally:
            os.killpg(process, signal.SIGKILL)
            assert self._end() == KILLED
            server.send_until(math.inf)

    def close(self) -> None:
        """End the process that the others came from."""
        self._warm.communicate()

    def _start(
        self,
        arguments: Sequence[str | Path],
        environment: Mapping[str, str],
        place: Place | None,
    ) -> int:
        """Start a run; its process id."""
        given = [str(argument) for argument in arguments]
        call = [given, dict(environment), asdict(place) if place else None]
        print(json.dumps(call), file=self._warm.stdin, flush=True)
        return int(self._warm.stdout.readline())

    def _end(self) -> int:
        """Wait for the run to end; its exit code."""
        return int(self._warm.stdout.readline())
