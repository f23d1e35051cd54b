"""Kernel limits on the memory and processes of a whole sandbox, where this machine offers them."""

from __future__ import annotations

import itertools
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_COUNTER = itertools.count()
_REMOVE_TRIES, _REMOVE_PAUSE = 200, 0.01
_TMPFS_COUNT = 2  # /work and /tmp; what they hold is charged to the sandbox


@dataclass(frozen=True, slots=True)
class Group:
    """The control groups of one sandbox."""

    folders: tuple[Path, ...]

    def kills(self) -> int:
        """Number of processes that the kernel ended here for want of memory."""
        for folder in self.folders:
            for name in ("memory.oom_control", "memory.events"):
                with suppress(OSError):
                    for line in (folder / name).read_text(encoding="ascii").splitlines():
                        if line.startswith("oom_kill "):
                            return int(line.split()[1])
        return 0

    def add(self, pid: int) -> None:
        """Put a process, and all it starts from now on, under the limits; raises OSError."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def remove(self) -> None:
        """End what still runs in the groups and remove them."""
        for _ in range(_REMOVE_TRIES):
            if all(_gone(folder) for folder in self.folders):
                return
            time.sleep(_REMOVE_PAUSE)


def _gone(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:  # the kernel has not buried the last process yet
        with suppress(OSError):
            for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
        return False
    return True


def _limits(memory: int, processes: int) -> list[tuple[Path, dict[str, int]]]:
    if (_ROOT / "cgroup.controllers").is_file():
        both = {"memory.max": memory, "memory.swap.max": 0, "pids.max": processes}
        return [(_ROOT, both)]
    first = {"memory.limit_in_bytes": memory}
    return [(_ROOT / "memory", first), (_ROOT / "pids", {"pids.max": processes})]


def make_group(memory_mb: int, work_mb: int, processes: int) -> Group | None:
    """Control groups for one sandbox (sizes in MiB), None where they cannot be made."""
    name = f"sandbox-{os.getpid()}-{next(_COUNTER)}"
    memory = (memory_mb + _TMPFS_COUNT * work_mb + 64) << 20
    made: list[Path] = []
    try:
        # 16 beyond the measured limit, so that going over it is seen and named.
        for parent, values in _limits(memory, processes + 17):
            if not parent.is_dir():
                raise FileNotFoundError(parent)
            folder = parent / name
            folder.mkdir()
            made.append(folder)
            for file, value in values.items():
                if file == "memory.swap.max" and not (folder / file).exists():
                    continue
                (folder / file).write_text(str(value), encoding="ascii")
    except OSError:
        Group(tuple(made)).remove()
        return None
    return Group(tuple(made))
