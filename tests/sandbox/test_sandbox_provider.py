"""The sandbox through Inspect's own interface."""

import asyncio

import pytest
from inspect_ai.util import (
    OutputLimitExceededError,
    SandboxEnvironmentSpec,
    SandboxUserUnsupportedError,
)

from vivavoce.errors import InputError
from vivavoce.sandbox.command import BwrapConfig, python_command
from vivavoce.sandbox.provider import BwrapSandboxEnvironment

pytestmark = pytest.mark.sandbox
CONFIG = BwrapConfig(packages=(), memory_mb=128, work_mb=8, read_mb=1, wall_seconds=20)
PYTHON = list(python_command(CONFIG))


def in_sample(use):
    async def sample():
        made = await BwrapSandboxEnvironment.sample_init("task", CONFIG, {})
        try:
            return await use(made["default"])
        finally:
            await BwrapSandboxEnvironment.sample_cleanup("task", CONFIG, made, False)

    return asyncio.run(sample())


def test_text_goes_in_and_out_unchanged():
    async def use(box):
        await box.write_file("a/b.txt", "é\r\n")
        done = await box.exec(["/bin/cat", "b.txt"], cwd="/work/a")
        return done, await box.read_file("a/b.txt"), await box.read_file("a/b.txt", text=False)

    done, text, data = in_sample(use)
    assert (done.success, done.stdout, text) == (True, "é\r\n", "é\r\n")
    assert data == b"\xc3\xa9\r\n"


def test_a_late_program_is_run_once():
    async def use(box):
        with pytest.raises(TimeoutError):
            await box.exec(["/bin/sh", "-c", "echo x >> /work/runs; sleep 9"], timeout=1)
        return await box.read_file("runs")

    assert in_sample(use) == "x\n"


def test_errors_are_those_of_the_contract():
    async def use(box):
        await box.exec([*PYTHON, "-c", "import os; os.mkdir('d'); os.symlink('/x', 'l')"])
        await box.exec(
            [*PYTHON, "-c", "import os; os.mkfifo('f'); open('b','wb').write(bytes(2<<20))"]
        )
        for name, kind in {
            "none": FileNotFoundError,
            "d": IsADirectoryError,
            "l": PermissionError,
            "f": PermissionError,
            "b": OutputLimitExceededError,
        }.items():
            with pytest.raises(kind):
                await box.read_file(name)
        with pytest.raises(IsADirectoryError):
            await box.write_file("d", "text")
        for name in ("/usr/x", "l", "f"):
            with pytest.raises(PermissionError):
                await box.write_file(name, "text")
        with pytest.raises(PermissionError):
            await box.exec(["/work"])
        with pytest.raises(SandboxUserUnsupportedError):
            await box.exec(["/bin/true"], user="root")
        return (await box.exec(["no-such-program"])).returncode

    assert in_sample(use) == 127


def test_the_configuration_survives_a_log():
    stored = SandboxEnvironmentSpec("bwrap", CONFIG).model_dump()
    again = SandboxEnvironmentSpec.model_validate(stored | {"config": CONFIG.model_dump()})
    assert again.config == CONFIG
    assert hash(again.config) == hash(CONFIG)


def test_a_configuration_file_is_refused():
    with pytest.raises(InputError, match="BwrapConfig"):
        asyncio.run(BwrapSandboxEnvironment.sample_init("task", "compose.yaml", {}))
