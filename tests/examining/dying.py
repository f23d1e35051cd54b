"""Runs exams that end themselves by SIGKILL at a given moment of a given step.

Each line of the input names the step, the moment and the exam; each line of the output is an exit
code. Every exam runs in a process forked from this one, which has loaded everything. In place of a
step a model may be named, and as the moment a number: the exam ends when the model has given so
many replies to prompts that are not yet in `OUT-replied`, where all of them are kept.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from inspect_ai._util import package
from inspect_ai.model import Model

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


def dying_after(replies: int, model: str, kept: Path) -> Any:
    """A watch that kills its process at a new reply of a model, counted from 1."""
    generate = Model.generate
    known = set(kept.read_text("utf-8").splitlines()) if kept.exists() else set()
    under_way: list[str] = []
    new: set[str] = set()

    async def counted(self: Model, input: Any, *others: Any, **named: Any) -> Any:
        output = await generate(self, input, *others, **named)
        prompt = "" if isinstance(input, str) else json.dumps(input[-1].text)
        # A plan makes replies up, and a short question is asked anew by each exam.
        is_asked = prompt and str(self) == model and "Planning" not in under_way
        if is_asked and prompt not in known | new:
            new.add(prompt)
            with kept.open("a", encoding="utf-8") as stream:
                print(prompt, file=stream)
            if len(new) == replies:
                os.kill(os.getpid(), signal.SIGKILL)
        return output

    @contextmanager
    def watch(label: str) -> Iterator[Callable[[int, int], None]]:
        under_way.append(label)
        yield lambda done, total: None
        under_way.remove(label)

    Model.generate = counted  # type: ignore[method-assign, assignment]
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
            kept = Path(f"{arguments['out']}-replied")
            is_counted = isinstance(moment, int)
            watch = dying_after(moment, step, kept) if is_counted else dying(step, moment)
            exam(**arguments, **days, yes=True, watch=watch)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
