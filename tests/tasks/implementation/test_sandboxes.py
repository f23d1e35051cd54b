"""Programs found in answers, the sandboxes they run in, and what is refused as one."""

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.errors import InputError
from vivavoce.sandbox.command import BwrapConfig, compose_file
from vivavoce.sandbox.provider import BwrapSandboxEnvironment
from vivavoce.tasks.implementation.program import (
    clear,
    end_all,
    find_program,
    read_bytes,
    run_program,
    sandbox_for,
)

TABLES = ("numpy", "pandas", "pyarrow")


def test_bubblewrap_is_the_default_and_has_the_time_of_the_task() -> None:
    made = sandbox_for(TABLES, seconds=300)
    assert made.type == "bwrap"
    assert isinstance(made.config, BwrapConfig)
    assert made.config.packages == TABLES
    assert made.config.wall_seconds == 300
    assert made.config.cpu_seconds > 300
    assert sandbox_for(TABLES).config == BwrapConfig(packages=TABLES)


def _docker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "docker"
    program.write_text("#!/bin/sh\necho 27.1.0\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_docker_is_given_a_compose_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _docker(tmp_path, monkeypatch)
    made = sandbox_for(TABLES, "docker")
    assert (made.type, made.config) == ("docker", str(compose_file(TABLES)))
    own = tmp_path / "my-compose.yaml"
    own.write_text("services: {}\n", encoding="utf-8")
    made = sandbox_for(TABLES, str(own))
    assert (made.type, made.config) == ("docker", str(own))


@pytest.mark.parametrize("name", ["local", "none", "", "k8s", "missing-compose.yaml", "/bin/sh"])
def test_nothing_else_is_a_sandbox(name: str) -> None:
    with pytest.raises(InputError, match="is not a sandbox that programs of a model may run in"):
        sandbox_for(TABLES, name)


@solver
def answers() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("test", "1")
        state.completed = True
        return state

    return solve


@scorer(metrics=[mean()])
def runs(marker: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        await run_program(f"open({marker!r}, 'w')", {}, 5)
        return Score(value=1.0)

    return score


def test_inspects_local_runs_no_program_of_a_model(tmp_path: Path) -> None:
    """As when someone says `inspect eval vivavoce/formula --sandbox local`."""
    marker = tmp_path / "ran"
    task = Task(dataset=[Sample(input="x")], solver=answers(), scorer=runs(str(marker)))
    (log,) = eval(
        task, sandbox="local", model="none/none", display="none", log_dir=str(tmp_path / "logs")
    )
    assert log.status == "error"
    assert log.error is not None
    assert "do not run in the sandbox 'local'" in log.error.message
    assert not marker.exists()


@pytest.mark.sandbox
def test_a_sandbox_that_was_used_is_exchanged_for_an_empty_one() -> None:
    async def use() -> tuple[bytes, str, str]:
        config = BwrapConfig(packages=())
        made = await BwrapSandboxEnvironment.sample_init("task", config, {})
        box = made["default"]
        try:
            await box.write_file("kept", "1")
            await clear(box)  # nothing ran yet: what was written stays
            kept = await read_bytes(box, "kept")
            before = await box.exec(["/bin/sh", "-c", "chmod 0 kept; id -u"])
            await end_all(box)
            await clear(box)
            after = await box.exec(["/bin/sh", "-c", "ls -A /work /tmp | grep -v :; id -u"])
            assert after.stdout.split()[:-1] == []
            return kept, before.stdout, after.stdout.split()[-1]
        finally:
            await BwrapSandboxEnvironment.sample_cleanup("task", config, made, False)

    kept, before, after = asyncio.run(use())
    assert kept == b"1"
    if os.geteuid() == 0:  # each sandbox of root has a user of its own
        assert before.strip() != after


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        ("```\nx = 1\n```", "x = 1\n"),
        ("```py title=a.py\nx = 1\n", "x = 1\n"),  # cut off before the closing fence
        ("We study a problem and report what we find.", None),
        ("", None),
    ],
)
def test_a_program_in_other_forms_than_those_of_the_manual(
    answer: str, program: str | None
) -> None:
    assert find_program(answer) == program


@given(st.text(alphabet="`python \n#x=1", max_size=300))
def test_any_text_has_a_program_or_none(answer: str) -> None:
    found = find_program(answer)
    assert found is None or found in answer
