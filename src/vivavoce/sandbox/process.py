"""Control of a sandbox from outside: start it, run programs, exchange files, end it."""

import asyncio
import base64
import itertools
import json
import os
import platform
import struct
import weakref
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.sandbox.command import (
    WORK,
    BwrapConfig,
    SandboxLost,
    UnknownProcessor,
    build_command,
    environment,
    find_bwrap,
)
from vivavoce.sandbox.kernel import Group, build_filter, make_group

_FIRST_UID = 200_000
_COUNTER = itertools.count()
_MAX_HEADER = 1 << 22
_START_SECONDS, _GRACE_SECONDS, _FILE_SECONDS = 30.0, 15.0, 90.0
_EXEC_SLACK = 1 << 20
_MIN_INODES, _INODES_PER_MB = 4096, 64


@dataclass(frozen=True, slots=True)
class RunResult:
    """Outcome of a program.

    `killed_for` is None or "timeout", "memory", "processes". `dropped` counts the discarded bytes
    of standard output and standard error. `failure` is the errno of a program that could not be
    started, else 0. `left` counts processes still alive after the cleanup.
    """

    returncode: int
    stdout: str
    stderr: str
    killed_for: str | None
    dropped: tuple[int, int]
    failure: int = 0
    left: int = 0

    @property
    def success(self) -> bool:
        """True if the program ended by itself with code 0."""
        return self.returncode == 0 and self.killed_for is None


_FREE: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Queue[int]]
_FREE = weakref.WeakKeyDictionary()


@asynccontextmanager
async def _processor() -> AsyncIterator[int]:
    """Reserve a processor for one program, so that time limits stay fair; yields its number."""
    loop = asyncio.get_running_loop()
    if loop not in _FREE:
        _FREE[loop] = asyncio.Queue()
        for number in sorted(os.sched_getaffinity(0)):
            _FREE[loop].put_nowait(number)
    number = await _FREE[loop].get()
    try:
        yield number
    finally:
        _FREE[loop].put_nowait(number)


class Sandbox:
    """A sandbox; it starts on first use, and again after it was lost."""

    def __init__(self, config: BwrapConfig) -> None:
        self.config = config
        self.group: Group | None = None
        self.uid: int | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        """Start the sandbox if it is not running; raises SandboxLost if it does not start."""
        async with self._turn:
            await self._ensure()

    async def _ensure(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        await self.close()
        self.uid = None
        if os.geteuid() == 0:
            self.uid = _FIRST_UID + os.getpid() * 256 + next(_COUNTER) % 256
        try:
            self._process = await self._spawn()
        except BaseException:
            await self.close()
            raise
        return self._process

    async def _spawn(self) -> asyncio.subprocess.Process:
        find_bwrap()  # if there is bwrap, the system calls below exist too
        rules = build_filter()
        if rules is None:
            raise UnknownProcessor(platform.machine())
        source = Path(__file__).with_name("supervisor.py").read_bytes()
        read_info, write_info = os.pipe()
        supervisor = os.memfd_create("supervisor")
        os.write(supervisor, source)
        os.lseek(supervisor, 0, os.SEEK_SET)
        descriptors = [supervisor, write_info]
        config = self.config
        self.group = make_group(config.memory_mb, config.work_mb, config.processes)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *build_command(config, descriptors[0], descriptors[1]),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={},
                pass_fds=descriptors,
                limit=1 << 22,
            )
            for descriptor in descriptors:
                os.close(descriptor)
            descriptors = []
            await self._greet(self._process, rules)
            if self.group is not None:
                try:
                    self.group.add(int(json.loads(os.read(read_info, 4096))["child-pid"]))
                except (OSError, ValueError, KeyError):  # the measured limits remain
                    self.group.remove()
                    self.group = None
        finally:
            for descriptor in (*descriptors, read_info):
                os.close(descriptor)
        return self._process

    async def _greet(self, process: asyncio.subprocess.Process, rules: bytes) -> None:
        inodes = max(_MIN_INODES, _INODES_PER_MB * self.config.work_mb)
        setup = {"filter": base64.b64encode(rules).decode(), "inodes": inodes, "size": 0}
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._send(process, setup, b"")
                await self._answer(process, 0)
        except (TimeoutError, OSError, SandboxLost):
            with suppress(ProcessLookupError):
                process.kill()
            assert process.stderr is not None
            message = (await process.stderr.read(2000)).decode(errors="replace").strip()
            raise SandboxLost(
                f"The sandbox did not start: {message or 'no message'}. "
                "Run `viva doctor` to see what this machine allows."
            ) from None

    async def close(self) -> None:
        """End the sandbox and everything in it."""
        process, self._process = self._process, None
        group, self.group = self.group, None
        try:
            if process is not None:
                with suppress(ProcessLookupError):
                    process.kill()
                await asyncio.shield(process.wait())
        finally:
            transport = getattr(process, "_transport", None)
            if transport is not None:
                transport.close()  # with its pipes
            if group is not None:
                group.remove()

    async def _answer(
        self, process: asyncio.subprocess.Process, most: int
    ) -> tuple[dict[str, Any], bytes]:
        assert process.stdout is not None
        try:
            (length,) = struct.unpack(">I", await process.stdout.readexactly(4))
            if length > _MAX_HEADER:
                raise ValueError(length)
            header = json.loads(await process.stdout.readexactly(length))
            size = int(header["size"])
            if not 0 <= size <= most:
                raise ValueError(size)
            return header, await process.stdout.readexactly(size)
        except (asyncio.IncompleteReadError, ValueError, KeyError, TypeError) as error:
            raise SandboxLost(
                f"The sandbox ended or broke its protocol ({type(error).__name__}). "
                "The next program starts in a fresh one."
            ) from None

    async def _send(
        self, process: asyncio.subprocess.Process, request: dict[str, Any], data: bytes
    ) -> None:
        assert process.stdin is not None
        encoded = json.dumps(request).encode()
        process.stdin.write(struct.pack(">I", len(encoded)) + encoded)
        process.stdin.write(data)
        await process.stdin.drain()

    async def _ask(
        self, request: dict[str, Any], data: bytes, seconds: float, most: int
    ) -> tuple[dict[str, Any], bytes]:
        async with self._turn:
            process = await self._ensure()
            try:
                async with asyncio.timeout(seconds):
                    await self._send(process, request | {"size": len(data), "uid": self.uid}, data)
                    return await self._answer(process, most)
            except BaseException as error:  # even cancellation leaves half an exchange
                await self.close()
                if isinstance(error, (TimeoutError, OSError)):
                    raise SandboxLost(
                        f"The sandbox did not answer within {seconds:g} s. "
                        "The next program starts in a fresh one."
                    ) from None
                raise

    async def run(
        self,
        command: Sequence[str],
        *,
        timeout: float | None = None,
        input: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Run a program; all processes that it started have ended when this returns.

        Args:
            command: The program and its arguments.
            timeout: Seconds, at most `wall_seconds` of the config.
            input: Standard input of the program.
            cwd: Working folder; by default /work.
            env: Variables in addition to the sandbox's.

        Raises:
            InputError: The command is empty or contains a NUL.
        """
        seconds = min(timeout or self.config.wall_seconds, self.config.wall_seconds)
        before = self.group.kills() if self.group else 0
        request = {
            "op": "exec",
            "argv": list(command),
            "env": environment() | dict(env or {}),
            "cwd": cwd or WORK,
            "timeout": seconds,
            "limits": self._limits(),
        }
        if not command or any("\0" in part for part in command):
            raise InputError("A program for the sandbox needs a command without NUL characters.")
        async with _processor() as number:
            request["processor"] = number
            header, data = await self._ask(request, input, seconds + _GRACE_SECONDS, _EXEC_SLACK)
        reason = header["killed_for"]
        if reason is None and self.group and self.group.kills() > before:
            reason = "memory"
        split = int(header["split"])
        return RunResult(
            int(header["returncode"]),
            data[:split].decode(errors="replace"),
            data[split:].decode(errors="replace"),
            reason,
            (int(header["dropped"][0]), int(header["dropped"][1])),
            int(header["failure"]),
            int(header["left"]),
        )

    def _limits(self) -> dict[str, int]:
        config = self.config
        return {
            "address_space": config.address_space_mb << 20,
            "memory": config.memory_mb << 20,
            "file_size": config.work_mb << 20,
            "cpu_seconds": config.cpu_seconds,
            "files": config.open_files,
            "processes": config.processes,
        }

    async def _touch(self, request: dict[str, Any], data: bytes = b"") -> bytes:
        most = self.config.read_mb << 20
        request["most"] = most
        header, content = await self._ask(request, data, _FILE_SECONDS, most + 4)
        failure = int(header["failure"])
        if failure:
            # OSError chooses a subclass such as FileNotFoundError by errno.
            raise OSError(failure, os.strerror(failure), request["path"])
        return content

    async def write(self, path: str, data: bytes) -> None:
        """Write a file with the rights that programs have; raises OSError as `open` would."""
        await self._touch({"op": "write", "path": path}, data)

    async def read(self, path: str) -> bytes:
        """Read a regular file, not through a symbolic link; raises OSError as `open` would."""
        return await self._touch({"op": "read", "path": path})


@asynccontextmanager
async def open_sandbox(config: BwrapConfig | None = None) -> AsyncIterator[Sandbox]:
    """Open a sandbox for a `with` block."""
    box = Sandbox(config or BwrapConfig())
    try:
        await box.start()
        yield box
    finally:
        await box.close()
