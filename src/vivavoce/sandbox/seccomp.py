"""The seccomp filter of system calls for every program in a sandbox.

Classic BPF over `struct seccomp_data` (linux/seccomp.h). It is an allow list: calls not named in
`seccomp.toml` fail with ENOSYS, as if the kernel lacked them. Anonymous shared memory is refused
because its pages are charged to no process. Sockets other than local ones are refused because there
is no network.
"""

from __future__ import annotations

import errno
import platform
import struct

from vivavoce.text.data import read_data

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
"""Audit number and column of the table, by machine."""


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _refuse(reason: int) -> bytes:
    return _step(_RETURN, _ERRNO | reason)


_PERMIT = _step(_RETURN, _ALLOW)


def build_filter(machine: str | None = None) -> bytes | None:
    """Build the filter for a machine, named as by `uname -m`; None if there is no table for it."""
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
        # Deny limits of other processes: without root, all processes share one user id.
        "prlimit64": [
            _step(_LOAD, _ARGUMENT_AT),
            _step(_EQUAL, 0, 1, 0),
            _refuse(errno.EPERM),
            _PERMIT,
        ],
        "socket": local_only,
        "socketpair": local_only,
    }
