"""What a command takes, its children included: CPU, wall time, memory, bytes read and written."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_EVERY_SECONDS = 0.2
_USER, _SYSTEM, _START = 11, 12, 19
"""Fields of /proc/PID/stat, counted from the one behind the name."""

Process = tuple[int, str]
"""Process id and start time: ids are used again."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run of a command took."""

    cpu_seconds: float
    driver_seconds: float
    """The part of `cpu_seconds` that the first process took itself."""
    wall_seconds: float
    peak_bytes: int
    """The most that its processes held together; shared pages count once for each of them."""
    driver_peak_bytes: int
    """The most that the first process held."""
    read_bytes: int
    """From files, cached ones included."""
    written_bytes: int
    """To files that may have been removed since."""
    output: str
    """What it printed."""


class CommandFailed(Exception):
    """A measured command ended with something else than 0."""


@dataclass(slots=True)
class _Seen:
    """What one process had taken when it was last looked at."""

    cpu_seconds: float = 0.0
    own_peak: int = 0
    read_bytes: int = 0
    written_bytes: int = 0


def measure(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Usage:
    """Run a command to its end; standard error goes to `log`.

    `CommandFailed` names the log when the command fails.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    printed = log.with_suffix(".out")
    start = time.monotonic()
    with log.open("wb") as errors, printed.open("wb") as output:
        child = subprocess.Popen(
            command, stdout=output, stderr=errors, env={**os.environ, **(environment or {})}
        )
        try:
            family, peak, waited = _watch(child)
        except BaseException:
            child.kill()
            child.wait()
            raise
    wall = time.monotonic() - start
    if child.returncode != 0:
        raise CommandFailed(f"{' '.join(command)} ended with {child.returncode}: see {log}")
    # The kernel's account is exact but lacks processes that nobody waited for.
    seen = list(family.values())
    sampled = sum(process.cpu_seconds for process in seen)
    driver = next(process for (pid, _), process in family.items() if pid == child.pid)
    return Usage(
        cpu_seconds=max(waited, sampled),
        driver_seconds=driver.cpu_seconds,
        wall_seconds=wall,
        peak_bytes=max([peak, *(process.own_peak for process in seen)]),
        driver_peak_bytes=driver.own_peak,
        read_bytes=sum(process.read_bytes for process in seen),
        written_bytes=sum(process.written_bytes for process in seen),
        output=printed.read_text("utf-8"),
    )


def _watch(child: subprocess.Popen[bytes]) -> tuple[dict[Process, _Seen], int, float]:
    """What each process took, their highest common memory, and the CPU time waited for."""
    family: dict[Process, _Seen] = {}
    peak = 0
    while True:
        # A zombie can still be read, so the last look is at the finished command.
        ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        members = _family_of(child.pid, family)
        peak = max(peak, sum(_look(process, family) for process in members))
        if ended is not None:
            break
        time.sleep(_EVERY_SECONDS)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    peak = max(peak, usage.ru_maxrss * 1024)
    return family, peak, usage.ru_utime + usage.ru_stime


def _family_of(root: int, known: Mapping[Process, _Seen]) -> list[Process]:
    """The living descendants of a process, those that changed their parent too."""
    found: dict[int, str] = {}
    waiting = [root, *(pid for pid, started in known if _started(pid) == started)]
    while waiting:
        pid = waiting.pop()
        if pid not in found and (started := _started(pid)):
            found[pid] = started
            waiting += _children(pid)
    return sorted(found.items())


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):  # it may end meanwhile
        for task in (_PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                children += map(int, (task / "children").read_text("ascii").split())
    return children


def _started(pid: int) -> str:
    """When a process started; empty when there is none of this id."""
    fields = _stat(pid)
    return fields[_START] if fields else ""


def _look(process: Process, family: dict[Process, _Seen]) -> int:
    """Note what a process has taken so far; return the bytes it holds now."""
    pid = process[0]
    seen = family.setdefault(process, _Seen())
    fields, status, io = _stat(pid), _read_fields(pid, "status"), _read_fields(pid, "io")
    if fields:
        seen.cpu_seconds = (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS
    if "VmHWM" in status:
        seen.own_peak = max(seen.own_peak, int(status["VmHWM"].split()[0]) * 1024)
    if "rchar" in io:
        seen.read_bytes, seen.written_bytes = int(io["rchar"]), int(io["wchar"])
    return int(status["VmRSS"].split()[0]) * 1024 if "VmRSS" in status else 0


def _stat(pid: int) -> list[str]:
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return []  # it has ended meanwhile
    return text.rpartition(")")[2].split()


def _read_fields(pid: int, name: str) -> dict[str, str]:
    try:
        lines = (_PROC / str(pid) / name).read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}  # it has ended meanwhile
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
