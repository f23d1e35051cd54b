"""Limits that the kernel enforces on memory, processes and system calls.

Control groups limit the memory and processes of a whole sandbox. Root can create them, and so can
an ordinary user in a delegated subtree. If this process is killed, a shell that outlives it removes
its groups.

The filter of system calls is classic BPF over `struct seccomp_data` (linux/seccomp.h). It is an
allow list: calls not named in `seccomp.toml` fail with ENOSYS, as if the kernel lacked them.
Anonymous shared memory is refused because its pages are charged to no process. Sockets other than
local ones are refused because there is no network.
"""

import errno
import itertools
import os
import platform
import signal
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vivavoce.text import read_data

_ROOT = Path("/sys/fs/cgroup")
_COUNTER = itertools.count()
_REMOVE_TRIES, _REMOVE_PAUSE = 200, 0.01
_TMPFS_COUNT = 2  # /work and /tmp; their content is charged to the sandbox
_REAPER = """
read -r _
for _ in $(seq 400); do
  left=
  for folder; do [ -d "$folder" ] && ! rmdir "$folder" 2>/dev/null && left=1; done
  [ "$left" ] || exit 0
  sleep 0.05
done
"""
"""Script that removes folders once its standard input ends, even if the writer was killed."""


@dataclass(frozen=True, slots=True)
class Group:
    """The control groups of one sandbox."""

    folders: tuple[Path, ...]
    reaper: subprocess.Popen[bytes]
    """Process that removes the folders once the current process has ended."""

    def kills(self) -> int:
        """Number of processes in the groups that the kernel killed for lack of memory."""
        for folder in self.folders:
            for name in ("memory.oom_control", "memory.events"):
                with suppress(OSError):
                    for line in (folder / name).read_text(encoding="ascii").splitlines():
                        if line.startswith("oom_kill "):
                            return int(line.split()[1])
        return 0

    def add(self, pid: int) -> None:
        """Put a process and its future children under the limits; raises OSError."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def remove(self) -> None:
        """Kill the processes left in the groups, and remove the groups."""
        for _ in range(_REMOVE_TRIES):
            if all(_gone(folder) for folder in self.folders):
                self.reaper.communicate()
                return
            time.sleep(_REMOVE_PAUSE)


def _gone(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:  # the kernel has not removed the last process yet
        with suppress(OSError):
            for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
        return False
    return True


def _parents(controller: str, own: dict[str, str]) -> Iterator[Path]:
    """Yield possible parents of a new group, from the root down to this process's group."""
    base = _ROOT / controller
    yield base
    for part in Path(own.get(controller, "/")).parts[1:]:
        if part == "..":  # outside of the container's view
            return
        base = base / part
        yield base


def _limits(memory: int, processes: int) -> list[tuple[str, dict[str, int]]]:
    """Limits by controller; in version 2 all are under the empty name."""
    if (_ROOT / "cgroup.controllers").is_file():
        return [("", {"memory.max": memory, "memory.swap.max": 0, "pids.max": processes})]
    return [("memory", {"memory.limit_in_bytes": memory}), ("pids", {"pids.max": processes})]


def make_group(memory_mb: int, work_mb: int, processes: int) -> Group | None:
    """Create control groups for a sandbox, sizes in MiB; None if that is impossible.

    They allow more than the measured limits, so that the supervisor can name the limit hit.
    """
    memory = (memory_mb + _TMPFS_COUNT * work_mb + 64) << 20
    name = f"sandbox-{os.getpid()}-{next(_COUNTER)}"
    own, made = dict[str, str](), list[Path]()
    for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
        _, names, path = line.split(":", 2)  # no name: version 2
        own |= dict.fromkeys(names.split(","), path)
    for controller, values in _limits(memory, processes + 17):
        folders = (parent / name for parent in _parents(controller, own))
        group_folder = next((folder for folder in folders if _make(folder, values)), None)
        if group_folder is None:
            for folder in made:
                folder.rmdir()
            return None
        made.append(group_folder)
    command = ["/bin/sh", "-c", _REAPER, "sh", *map(str, made)]
    reaper = subprocess.Popen(
        command,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return Group(tuple(made), reaper)


def _make(folder: Path, values: dict[str, int]) -> bool:
    """Create a group with these limits, or remove it again if a limit cannot be set."""
    try:
        folder.mkdir()
    except OSError:
        return False
    try:
        for file, value in values.items():
            if file == "memory.swap.max" and not (folder / file).exists():
                continue
            (folder / file).write_text(str(value), encoding="ascii")
    except OSError:
        folder.rmdir()
        return False
    return True


_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NAMESPACES = 0x7E020000  # CLONE_NEWNS and CLONE_NEW{CGROUP,UTS,IPC,USER,PID,NET}
_FLAGS_AT = _ARGUMENT_AT + 3 * 8
_SHARED, _ANONYMOUS, _HUGE_PAGES = 0x01, 0x20, 0x40000
_LOCAL = 1
"""The socket family AF_UNIX."""

_CALLS: dict[str, dict[str, list[int]]] = read_data(__file__, "seccomp.toml")
_X86_64 = 0xC000003E
_MACHINES = {"x86_64": (_X86_64, 0), "aarch64": (0xC00000B7, 1)}
"""Audit number, and column in the table of system calls, by machine."""


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _refuse(reason: int) -> bytes:
    return _step(_RETURN, _ERRNO | reason)


_PERMIT = _step(_RETURN, _ALLOW)


def build_filter(machine: str | None = None) -> bytes | None:
    """Build the filter for a machine, named as in `uname -m`; None if it has no table of calls."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, column = known
    numbers = {name: both[column] for name, both in _CALLS["examined"].items()}
    steps = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
    ]
    if architecture == _X86_64:  # the same calls again under the x32 numbers
        steps += [_step(_AT_LEAST, 0x40000000, 0, 1), _refuse(errno.ENOSYS)]
    for name, rule in _rules().items():
        steps += [_step(_EQUAL, numbers[name], 0, len(rule)), *rule]
    for both in _CALLS["allowed"].values():
        if both[column] >= 0:
            steps += [_step(_EQUAL, both[column], 0, 1), _PERMIT]
    return b"".join([*steps, _refuse(errno.ENOSYS)])


def _rules() -> dict[str, list[bytes]]:
    """Steps that decide on a call by its arguments, keyed by the call's name."""
    local_only = [
        _step(_LOAD, _ARGUMENT_AT),
        _step(_EQUAL, _LOCAL, 0, 1),
        _PERMIT,
        _refuse(errno.EAFNOSUPPORT),
    ]
    return {
        "mmap": [
            _step(_LOAD, _FLAGS_AT),
            _step(_ANY_BIT, _HUGE_PAGES, 2, 0),
            _step(_ANY_BIT, _SHARED, 0, 2),
            _step(_ANY_BIT, _ANONYMOUS, 0, 1),
            _refuse(errno.ENOMEM),
            _PERMIT,
        ],
        # glibc falls back from clone3 to clone, whose flags a filter can read.
        "clone": [
            _step(_LOAD, _ARGUMENT_AT),
            _step(_ANY_BIT, _NAMESPACES, 0, 1),
            _refuse(errno.EPERM),
            _PERMIT,
        ],
        # Deny setting other processes' limits: without root, all processes share one user id.
        "prlimit64": [
            _step(_LOAD, _ARGUMENT_AT),
            _step(_EQUAL, 0, 1, 0),
            _refuse(errno.EPERM),
            _PERMIT,
        ],
        "socket": local_only,
        "socketpair": local_only,
    }
