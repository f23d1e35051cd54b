"""Tasks evaluated by models that a scripted server plays, each under a name of its own."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, EvalSample
from tests.servers.scripted import KEY, Script, ScriptedServer, scripted

import vivavoce._registry  # noqa: F401  (registers the providers)

_NUMBERS = itertools.count()


def evaluate(
    task: Task,
    play: Script,
    model: str,
    logs: Path,
    monkeypatch: pytest.MonkeyPatch,
    **options: Any,
) -> tuple[ScriptedServer, EvalLog]:
    """Evaluate a task; the server with what reached it, and the log."""
    with scripted(play) as server:
        monkeypatch.setenv("SCRIPTED_BASE_URL", server.url)
        monkeypatch.setenv("SCRIPTED_API_KEY", KEY)
        [log] = eval(
            task,
            model=f"openai-api/scripted/{model}-{next(_NUMBERS)}",
            display="none",
            log_dir=str(logs),
            **options,
        )
    assert server.failures == []
    return server, log


def one(log: EvalLog) -> EvalSample:
    """The only sample of a log that came to its end."""
    assert log.status == "success", log.error
    (found,) = log.samples
    return found
