"""Runs exams that end themselves by SIGKILL at a given moment of a given step.

Each line of the input names the step, the moment and the exam; each line of the output is an exit
code. Every exam runs in a process forked from this one, which has loaded everything.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache
from typing import Any

from inspect_ai._util import package

from vivavoce.examining import exam

DAYS = ("since", "until")


def dying(step: str | None, moment: str) -> Any:
    """A watch that kills its process at the start or end of a step, or once half of it is done."""

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def watch(label: str) -> Iterator[Callable[[int, int], None]]:
        if label == step and moment == "start":
            die()

        def update(done: int, total: int) -> None:
            if label == step and moment == "half" and 2 * done >= total:
                die()

        yield update
        if label == step and moment == "end":
            die()

    return watch


def main() -> None:
    package.packages_distributions = cache(package.packages_distributions)
    package.packages_distributions()
    for line in sys.stdin:
        step, moment, arguments, environment = json.loads(line)
        child = os.fork()
        if not child:
            os.environ.update(environment)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in range(2):
                os.dup2(nowhere, stream)
            days = {n: date.fromisoformat(arguments.pop(n)) for n in DAYS if n in arguments}
            exam(**arguments, **days, yes=True, watch=dying(step, moment))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
