"""The sandbox as an Inspect sandbox provider: `sandbox=("bwrap", BwrapConfig(...))`."""

import errno
from typing import Any, Literal, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxUserUnsupportedError,
    sandboxenv,
)

from vivavoce.errors import InputError
from vivavoce.sandbox.command import BwrapConfig
from vivavoce.sandbox.process import Sandbox

_KILLED = {"memory": "more memory than allowed", "processes": "more processes than allowed"}


@sandboxenv(name="bwrap")
class BwrapSandboxEnvironment(SandboxEnvironment):
    """One sandbox per sample, made of namespaces and limits.

    Beyond Inspect's contract, a program killed for memory or processes has code 137 and the reason
    on standard error; a program that timed out is never run again.
    """

    def __init__(self, box: Sandbox) -> None:
        super().__init__()
        self.box = box
        self._is_used = False

    @classmethod
    async def sample_init(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        metadata: dict[str, str],
    ) -> dict[str, SandboxEnvironment]:
        """Start a sample's sandbox; `InputError` for a config of another type."""
        if config is not None and not isinstance(config, BwrapConfig):
            raise InputError(
                "The bwrap sandbox takes no configuration file. "
                "Use sandbox=('bwrap', BwrapConfig())."
            )
        box = Sandbox(config or BwrapConfig())
        await box.start()
        return {"default": cls(box)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """End the sandbox of a sample and all processes in it."""
        for environment in environments.values():
            await environment.as_type(cls).box.close()

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BwrapConfig:
        """Read the configuration from an evaluation log."""
        return BwrapConfig.model_validate(config)

    async def renew(self) -> None:
        """Replace a used sandbox with a fresh, empty one."""
        if self._is_used:
            await self.box.close()
            self._is_used = False

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command; `timeout_retry` is ignored, because a hostile program runs only once.

        Raises:
            TimeoutError: The command took longer than `timeout` seconds, or than the config allows.
            PermissionError: The file may not be executed.
            SandboxUserUnsupportedError: A user is named.
        """
        if user is not None:
            raise SandboxUserUnsupportedError("The bwrap sandbox has one user; leave `user` out.")
        self._is_used = True
        data = input.encode() if isinstance(input, str) else input or b""
        result = await self.box.run(cmd, timeout=timeout, input=data, cwd=cwd, env=env)
        if result.killed_for == "timeout":
            raise TimeoutError(f"The command did not end in time: {' '.join(cmd)[:200]}")
        if result.failure in {errno.EACCES, errno.EPERM}:
            raise PermissionError(result.failure, "The sandbox may not execute", cmd[0])
        stderr = result.stderr
        if result.killed_for is not None:
            stderr += f"\nEnded by the sandbox: {_KILLED[result.killed_for]}.\n"
        elif result.failure:
            stderr += f"{cmd[0]}: cannot be started\n"
        if any(result.dropped):
            stderr += f"\n{sum(result.dropped)} bytes of output were dropped by the sandbox.\n"
        code = 137 if result.killed_for else result.returncode
        return ExecResult(code == 0, code, result.stdout, stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file in /work, or at an absolute path in the sandbox.

        Raises:
            PermissionError: The path is not writable, or is a link or a fifo.
        """
        data = contents.encode() if isinstance(contents, str) else contents
        try:
            await self.box.write(file, data)
        except OSError as error:
            if error.errno in {errno.EROFS, errno.ELOOP, errno.ENXIO}:
                raise PermissionError(error.errno, "may not be written", file) from error
            raise

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a regular file; `PermissionError` for a link or a fifo.

        Raises:
            OutputLimitExceededError: The file is larger than the config's `read_mb`.
        """
        try:
            data = await self.box.read(file)
        except OSError as error:
            if error.errno == errno.EFBIG:
                limit = f"{self.box.config.read_mb} MiB"
                raise OutputLimitExceededError(limit_str=limit, truncated_output=None) from error
            if error.errno in {errno.ELOOP, errno.ENXIO}:
                raise PermissionError(error.errno, "not a regular file", file) from error
            raise
        return data.decode() if text else data
