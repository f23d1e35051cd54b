"""Control groups: kernel limits on the memory and processes of a whole sandbox.

Root can create control groups, and so can an ordinary user in a delegated subtree. If this process
is killed, a shell that outlives it removes its groups.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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
"""Script that removes folders once its standard input ends, however the writer ended."""


@dataclass(frozen=True, slots=True)
class Group:
    """The control groups of one sandbox."""

    folders: tuple[Path, ...]
    reaper: subprocess.Popen[bytes]
    """Process that removes the folders once this one has ended."""

    def kills(self) -> int:
        """Number of processes that the kernel killed here for lack of memory."""
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
    """Possible parents of a new group, from the hierarchy's root down to this process's group."""
    base = _ROOT / controller
    yield base
    for part in Path(own.get(controller, "/")).parts[1:]:
        if part == "..":  # outside of the container's view
            return
        base = base / part
        yield base


def _limits(memory: int, processes: int) -> list[tuple[str, dict[str, int]]]:
    """Limits by controller; for version 2 all are under the empty name."""
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
    """Create a group with these limits; it is removed again if a limit cannot be set."""
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
