"""Tasks whose answers are programs that are run: the composition that they have in common."""

from __future__ import annotations

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.scorer import Scorer

from vivavoce.errors import InputError
from vivavoce.tasks.entry import TaskEntry
from vivavoce.tasks.methods.direct import direct
from vivavoce.tasks.methods.self_refine import note_run
from vivavoce.tasks.programs.program import sandbox_for


def program_task(
    entry: TaskEntry,
    dataset: MemoryDataset,
    scorer: Scorer,
    packages: tuple[str, ...],
    *,
    context: int | None,
    timeout: int,
    sandbox: str,
) -> Task:
    """Compose a task that runs programs.

    Args:
        entry: The task opened on its round.
        dataset: The samples.
        scorer: Runs the program of an answer and compares.
        packages: Distributions that programs may import.
        context: The model's window in tokens; None for what the model table says.
        timeout: Seconds a program may run.
        sandbox: bwrap, docker, or the path of a compose file or a Dockerfile.

    Raises:
        InputError: The timeout is not a number of seconds, or the sandbox is none.
    """
    _check_timeout(timeout)
    return Task(
        dataset=note_run(dataset, entry.metadata["task"], entry, timeout),
        solver=direct(context),
        scorer=scorer,
        sandbox=sandbox_for(packages, sandbox, timeout),
        config=entry.config,
        version=entry.card.version,
        metadata=entry.metadata,
    )


def _check_timeout(timeout: object) -> None:
    if type(timeout) is not int or timeout < 1:
        raise InputError(f"timeout={timeout!r} is not a number of seconds, such as 120.")
