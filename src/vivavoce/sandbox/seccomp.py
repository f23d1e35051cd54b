"""A filter of system calls, assembled by hand, that bwrap puts over everything in the sandbox.

Classic BPF over `struct seccomp_data` (linux/seccomp.h). What is refused has no use in a program
that computes numbers: making namespaces, mounting, tracing, loading code into the kernel,
sockets other than local and internet ones.
"""

from __future__ import annotations

import errno
import platform
import struct
import tomllib
from pathlib import Path

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NAMESPACES = 0x7E020000  # CLONE_NEWNS and CLONE_NEW{CGROUP,UTS,IPC,USER,PID,NET}
_SOCKET_FAMILIES = (1, 2, 10)  # local, IPv4, IPv6

_CALLS: dict[str, dict[str, list[int]]] = tomllib.loads(
    Path(__file__).with_name("seccomp.toml").read_text("utf-8")
)
_X86_64 = 0xC000003E
_MACHINES = {"x86_64": (_X86_64, 0), "aarch64": (0xC00000B7, 1)}
"""Audit number and column of the table, by machine."""


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _refuse(reason: int) -> bytes:
    return _step(_RETURN, _ERRNO | reason)


def build_filter(machine: str | None = None) -> bytes | None:
    """The filter for a machine as `uname -m` names it, None where none is written."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, column = known
    numbers = {name: both[column] for name, both in _CALLS["examined"].items()}
    allow = _step(_RETURN, _ALLOW)
    steps = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
    ]
    if architecture == _X86_64:  # the same calls again under the x32 numbers
        steps += [_step(_AT_LEAST, 0x40000000, 0, 1), _refuse(errno.ENOSYS)]
    for both in _CALLS["refused"].values():
        steps += [_step(_EQUAL, both[column], 0, 1), _refuse(errno.EPERM)]
    # glibc falls back to clone, whose flags a filter can read.
    steps += [_step(_EQUAL, numbers["clone3"], 0, 1), _refuse(errno.ENOSYS)]
    steps += [
        _step(_EQUAL, numbers["clone"], 0, 4),
        _step(_LOAD, _ARGUMENT_AT),
        _step(_ANY_BIT, _NAMESPACES, 0, 1),
        _refuse(errno.EPERM),
        allow,
    ]
    # Limits of other processes: without root all of the sandbox has one user id.
    steps += [
        _step(_EQUAL, numbers["prlimit64"], 0, 4),
        _step(_LOAD, _ARGUMENT_AT),
        _step(_EQUAL, 0, 1, 0),
        _refuse(errno.EPERM),
        allow,
    ]
    families = len(_SOCKET_FAMILIES)
    steps += [_step(_EQUAL, numbers["socket"], 0, families + 2), _step(_LOAD, _ARGUMENT_AT)]
    for place, family in enumerate(_SOCKET_FAMILIES):
        steps.append(_step(_EQUAL, family, families - place, 0))
    steps += [_refuse(errno.EAFNOSUPPORT), allow]
    return b"".join(steps)
