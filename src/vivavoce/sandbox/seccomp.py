"""A filter of system calls, assembled by hand, that bwrap puts over everything in the sandbox.

Classic BPF over `struct seccomp_data` (linux/seccomp.h). What is refused has no use in a program
that computes numbers: making namespaces, mounting, tracing, loading code into the kernel,
sockets other than local and internet ones.
"""

from __future__ import annotations

import errno
import platform
import struct

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NAMESPACES = 0x7E020000  # CLONE_NEWNS and CLONE_NEW{CGROUP,UTS,IPC,USER,PID,NET}
_SOCKET_FAMILIES = (1, 2, 10)  # local, IPv4, IPv6

_REFUSED = (
    "unshare setns memfd_create memfd_secret ptrace process_vm_readv process_vm_writev "
    "process_madvise kcmp pidfd_getfd add_key request_key keyctl bpf perf_event_open "
    "userfaultfd io_uring_setup io_uring_enter io_uring_register mount umount2 pivot_root "
    "open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr shmget shmat shmctl "
    "msgget msgctl semget semctl semtimedop open_by_handle_at name_to_handle_at kexec_load "
    "kexec_file_load init_module finit_module delete_module personality chroot quotactl acct "
    "swapon swapoff reboot syslog fanotify_init lookup_dcookie"
).split()

# arch/x86/entry/syscalls/syscall_64.tbl
_X86_64 = {
    "socket": 41, "clone": 56, "prlimit64": 302, "clone3": 435, "unshare": 272, "setns": 308,
    "memfd_create": 319, "memfd_secret": 447, "ptrace": 101, "process_vm_readv": 310,
    "process_vm_writev": 311, "process_madvise": 440, "kcmp": 312, "pidfd_getfd": 438,
    "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298,
    "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "mount": 165, "umount2": 166, "pivot_root": 155, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
    "shmget": 29, "shmat": 30, "shmctl": 31, "msgget": 68, "msgctl": 71, "semget": 64,
    "semctl": 66, "semtimedop": 220, "open_by_handle_at": 304, "name_to_handle_at": 303,
    "kexec_load": 246, "kexec_file_load": 320, "init_module": 175, "finit_module": 313,
    "delete_module": 176, "personality": 135, "chroot": 161, "quotactl": 179, "acct": 163,
    "swapon": 167, "swapoff": 168, "reboot": 169, "syslog": 103, "fanotify_init": 300,
    "lookup_dcookie": 212,
}  # fmt: skip

# include/uapi/asm-generic/unistd.h
_AARCH64 = {
    "socket": 198, "clone": 220, "prlimit64": 261, "clone3": 435, "unshare": 97, "setns": 268,
    "memfd_create": 279, "memfd_secret": 447, "ptrace": 117, "process_vm_readv": 270,
    "process_vm_writev": 271, "process_madvise": 440, "kcmp": 272, "pidfd_getfd": 438,
    "add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280, "perf_event_open": 241,
    "userfaultfd": 282, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "mount": 40, "umount2": 39, "pivot_root": 41, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
    "shmget": 194, "shmat": 196, "shmctl": 195, "msgget": 186, "msgctl": 187, "semget": 190,
    "semctl": 191, "semtimedop": 192, "open_by_handle_at": 265, "name_to_handle_at": 264,
    "kexec_load": 104, "kexec_file_load": 294, "init_module": 105, "finit_module": 273,
    "delete_module": 106, "personality": 92, "chroot": 51, "quotactl": 60, "acct": 89,
    "swapon": 224, "swapoff": 225, "reboot": 142, "syslog": 116, "fanotify_init": 262,
    "lookup_dcookie": 18,
}  # fmt: skip

_TABLES = {"x86_64": (0xC000003E, _X86_64), "aarch64": (0xC00000B7, _AARCH64)}


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _refuse(reason: int) -> bytes:
    return _step(_RETURN, _ERRNO | reason)


def build_filter(machine: str | None = None) -> bytes | None:
    """The filter for a machine as `uname -m` names it, None where none is written."""
    known = _TABLES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, numbers = known
    allow = _step(_RETURN, _ALLOW)
    steps = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
    ]
    if architecture == _TABLES["x86_64"][0]:  # the same calls again under the x32 numbers
        steps += [_step(_AT_LEAST, 0x40000000, 0, 1), _refuse(errno.ENOSYS)]
    for name in _REFUSED:
        steps += [_step(_EQUAL, numbers[name], 0, 1), _refuse(errno.EPERM)]
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
