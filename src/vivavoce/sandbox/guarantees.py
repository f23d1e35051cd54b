"""Promises that the sandbox keeps on this machine, found out by trying."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import VivaError
from vivavoce.sandbox.command import environment, python_command
from vivavoce.sandbox.config import BwrapConfig
from vivavoce.sandbox.process import RunResult, Sandbox, open_sandbox
from vivavoce.sandbox.seccomp import build_filter

_CONFIG = BwrapConfig(
    packages=(), memory_mb=128, address_space_mb=1024, processes=12, work_mb=8, wall_seconds=20
)

_PROBE = r"""
import json, os, socket
def tries(action):
    try:
        action()
    except OSError as error:
        return error.errno or 1
    return 0
def connect():
    socket.create_connection(("192.0.2.1", 80), timeout=2)
def environs():
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                found.update(open(f"/proc/{name}/environ", "rb").read().split(b"\0"))
            except OSError:
                pass
    return sorted(one.split(b"=")[0].decode() for one in found if one)
print(json.dumps({
    "network": tries(connect),
    "root": sorted(os.listdir("/")),
    "pids": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
    "environs": environs(),
    "first": tries(lambda: open("/proc/1/environ", "rb").read()),
    "writes": [tries(lambda: open(path, "w")) for path in ("/x", "/usr/x", "/site/x", "/dev/x",
        "/etc/x", "/dev/shm/x")],
    "uid": os.getuid(),
    "seccomp": [line.split()[1] for line in open("/proc/self/status") if line[:8] == "Seccomp:"],
    "capabilities": [line.split()[1] for line in open("/proc/self/status") if line[:6] == "CapEff"],
    "size": os.statvfs("/work").f_blocks * os.statvfs("/work").f_frsize,
}))
"""

_EATERS = r"""
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = bytearray(os.urandom(1 << 20) * 100)
        time.sleep(15)
        os._exit(0)
time.sleep(15)
"""

_FORKS = r"""
import os, time
for _ in range(40):
    try:
        if os.fork() == 0:
            time.sleep(15)
            os._exit(0)
    except OSError:
        pass
time.sleep(15)
"""

_ALLOWED_AT_ROOT = set("bin dev etc lib lib64 proc sbin site supervisor.py tmp usr work".split())


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One promise: its name, whether it was seen to hold, and by what means."""

    name: str
    holds: bool
    how: str


def _from_probe(found: dict[str, Any], box: Sandbox) -> list[Guarantee]:
    host = set(os.environ) - {"HOME", "LANG", "LOGNAME", "PATH", "TMPDIR", "USER"}
    leaked = sorted(host & set(found["environs"]) - set(environment()))
    # The interpreter's own folder may lie below another top folder, of which only it is seen.
    prefix = python_command(_CONFIG)[0].split("/")[1]
    strange = sorted(set(found["root"]) - _ALLOWED_AT_ROOT - {prefix})
    fresh = found["uid"] == box.uid
    return [
        Guarantee("network", found["network"] != 0, "own network namespace without a way out"),
        Guarantee("host files", not strange, "an allow list, bound read-only"),
        Guarantee("processes unseen", max(found["pids"]) < 100, "own pid namespace"),
        Guarantee(
            "environment", not leaked and found["first"] != 0, "empty; process 1 cannot be read"
        ),
        Guarantee("read-only system", 0 not in found["writes"], "/, /usr, /site, /etc and /dev"),
        Guarantee("capped files", found["size"] <= _CONFIG.work_mb << 20, "tmpfs at /work, /tmp"),
        Guarantee(
            "fresh user id",
            fresh,
            "one for each sandbox"
            if fresh
            else "needs root: programs have your own, in a user namespace without capabilities",
        ),
        Guarantee("capabilities", set(found["capabilities"]) == {"0" * 16}, "all dropped"),
        Guarantee(
            "system calls",
            found["seccomp"] == ["2"],
            "seccomp deny list" if build_filter() else "no filter is written for this processor",
        ),
    ]


def _ended(name: str, result: RunResult, reason: str, kernel: bool) -> Guarantee:
    means = "control group" if kernel else "measured and killed"
    return Guarantee(name, result.killed_for == reason, means)


async def _examine() -> list[Guarantee]:
    async with open_sandbox(_CONFIG) as box:
        python = python_command(_CONFIG)
        probe = await box.run([*python, "-c", _PROBE])
        if not probe.success:
            return [Guarantee("sandbox", False, f"the probe failed: {probe.stderr[-300:]}")]
        found = _from_probe(json.loads(probe.stdout), box)
        kernel = box.group is not None
        memory = await box.run([*python, "-c", _EATERS])
        forks = await box.run([*python, "-c", _FORKS])
        late = await box.run([*python, "-c", "while True: pass"], timeout=0.5)
        left = await box.run(["/bin/sh", "-c", "echo /proc/[0-9]*"])
        found += [
            _ended("memory of all processes", memory, "memory", kernel),
            _ended("number of processes", forks, "processes", kernel),
            Guarantee("time", late.killed_for == "timeout", "wall clock, and CPU seconds"),
            Guarantee("nothing left running", len(left.stdout.split()) == 2, "all ended each time"),
        ]
        return found


def examine_sandbox() -> list[Guarantee]:
    """Start a sandbox and try each promise; raises MissingProgram without bwrap."""
    return asyncio.run(_examine())


def why_unusable() -> str | None:
    """Why no program can be run here, or None when it can: a sandbox is started to find out."""
    try:
        asyncio.run(_start())
    except VivaError as error:
        return str(error)
    return None


async def _start() -> None:
    box = Sandbox(BwrapConfig(packages=()))
    try:
        await box.start()
    finally:
        await box.close()
