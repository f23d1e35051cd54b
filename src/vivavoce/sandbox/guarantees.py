"""Guarantees that the sandbox gives on this machine, found by testing them."""

import asyncio
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import VivaError
from vivavoce.sandbox.command import BwrapConfig, environment, python_command
from vivavoce.sandbox.process import RunResult, Sandbox, open_sandbox
from vivavoce.text import read_data

_DATA = read_data(__file__, "guarantees.toml")
"""Programs that test guarantees, names expected in a sandbox's root folder, kernel settings."""
_CONFIG = BwrapConfig(
    packages=(), memory_mb=128, address_space_mb=1024, processes=12, work_mb=8, wall_seconds=20
)

_MEND = "systemd-run --user --scope -p Delegate=yes viva run ..., or run it as root"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One guarantee: name, test result, means, and remedy."""

    name: str
    holds: bool
    how: str
    mend: str = ""


def _from_probe(report: dict[str, Any], box: Sandbox) -> list[Guarantee]:
    host = set(os.environ) - {"HOME", "LANG", "LOGNAME", "PATH", "TMPDIR", "USER"}
    leaked = sorted(host & set(report["environ"]) - set(environment()))
    # The interpreter may be under another top folder; only that part of the folder is visible.
    prefix = python_command(_CONFIG)[0].split("/")[1]
    strange = sorted(set(report["root"]) - set(_DATA["at_root"]) - {prefix})
    fresh = report["uid"] == box.uid
    return [
        Guarantee(
            "network", report["network"] != 0, "its own network namespace: nothing is reachable"
        ),
        Guarantee("host files", not strange, "an allow list, bound read-only"),
        Guarantee("processes unseen", report["proc"] == [], "own pid namespace, and no /proc"),
        Guarantee("environment", not leaked, "empty but for the sandbox's own variables"),
        Guarantee("read-only system", 0 not in report["writes"], "/, /usr, /site, /etc and /dev"),
        Guarantee(
            "capped files",
            report["size"] <= _CONFIG.work_mb << 20 and 0 < report["files"] < 1 << 16,
            "tmpfs at /work, /tmp: bytes and inodes",
        ),
        Guarantee("shared memory", 0 not in report["shared"], "refused outside of capped files"),
        Guarantee(
            "one processor",
            report["processors"] == 1,
            "no other program runs on it at the same time",
        ),
        Guarantee(
            "fresh user id",
            fresh,
            "one for each sandbox"
            if fresh
            else "needs root: programs have your own, in a user namespace without capabilities",
        ),
        Guarantee("capabilities", not report["capabilities"], "all dropped"),
        Guarantee("system calls", report["seccomp"] == 2, "seccomp allow list"),
    ]


def _ended(name: str, result: RunResult, reason: str, kernel: bool) -> Guarantee:
    means = "control group" if kernel else "measured 100 times a second, and killed"
    holds = result.killed_for == reason
    return Guarantee(name, holds, means if holds else f"{name} is not held", "" if holds else _MEND)


async def _examine() -> list[Guarantee]:
    async with open_sandbox(_CONFIG) as box:
        python = python_command(_CONFIG)
        probe = await box.run([*python, "-c", _DATA["probe"]])
        if not probe.success:
            return [Guarantee("sandbox", False, f"the probe failed: {probe.stderr[-300:]}")]
        guarantees = _from_probe(json.loads(probe.stdout), box)
        kernel = box.group is not None
        memory = await box.run([*python, "-c", _DATA["eaters"]])
        forks = await box.run([*python, "-c", _DATA["forks"]])
        late = await box.run([*python, "-c", "while True: pass"], timeout=0.5)
        guarantees += [
            _ended("memory of all processes", memory, "memory", kernel),
            _ended("number of processes", forks, "processes", kernel),
            Guarantee("time", late.killed_for == "timeout", "wall clock, and CPU seconds"),
            Guarantee(
                "nothing left running", memory.left + forks.left + late.left == 0, "all are killed"
            ),
        ]
        return guarantees


def examine_sandbox() -> list[Guarantee]:
    """Start a sandbox and test each guarantee; raises MissingProgram without bwrap."""
    return asyncio.run(_examine())


def find_switch() -> str:
    """Command that lets ordinary users start sandboxes here; empty if no setting prevents it.

    Only settings known to prevent sandboxes are checked.
    """
    if os.geteuid() == 0:
        return ""
    for name, value in _DATA["switches"].items():
        path = Path("/proc/sys", *name.split("."))
        current = path.read_text("ascii").strip() if path.exists() else value
        if current != value and (current == "0" or value == "0"):
            return f"sudo sysctl -w {name}={value}"
    return ""


def why_unusable() -> str | None:
    """Start a sandbox as a test; return the reason why no program can run here, or None."""
    try:
        asyncio.run(_start())
    except VivaError as error:
        return str(error)
    return None


async def _start() -> None:
    async with open_sandbox(BwrapConfig(packages=())):
        pass
