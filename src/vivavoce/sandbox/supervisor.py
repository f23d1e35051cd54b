"""The first process inside a sandbox: starts programs, measures them, and ends them.

It runs as process 1 of its own pid namespace and needs only the standard library. It reads requests
on standard input and answers on standard output. A message is a length (4 bytes, big endian), that
many bytes of JSON, then `size` raw bytes. The first message sets up the sandbox. Programs run in
forked children with the sandbox's own user id, under a filter of system calls. They share no file
descriptor with this process and see no /proc.
"""

import base64
import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import stat
import struct
import time
from contextlib import suppress
from typing import Any, NoReturn

KEPT_BYTES = 256 * 1024
_POLL_SECONDS = 0.01
_POLL_SHARE = 4
"""Measuring takes at most about 1/4 of the time."""
_PIECE, _READ_BYTES = 1 << 16, 1 << 20
_MAX_HEADER = 1 << 22
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAP_AMBIENT, _CLEAR_ALL = 4, 22, 47, 4
_MNT_DETACH, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 2, 2, 4, 32
_CAPABILITY_VERSION = 0x20080522
_ROOT_CAPABILITIES = 1 << 5 | 1 << 6 | 1 << 7 | 1 << 19
"""CAP_KILL, CAP_SETGID, CAP_SETUID, and CAP_SYS_PTRACE to separate shared from own pages."""
_FILE_SECONDS = 60.0
_FOLDERS = ("/work", "/tmp")
_SOCKET_BYTES = 2 * 212_992
"""Maximum bytes in one socket, which the kernel charges to no process."""
_CHARGED = ("RssAnon:", "VmSwap:", "VmPTE:", "HugetlbPages:")
"""Memory lines of a process's status; mapped files are not counted: their folders are limited."""
_NICE = 5

Request = dict[str, Any]
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Rules(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = [("count", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def _take(count: int) -> bytes:
    """Read exactly `count` bytes of standard input; exit if the other side is gone."""
    pieces = []
    while count:
        if not (piece := os.read(0, min(count, _READ_BYTES))):
            os._exit(0)
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def _push(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _answer(header: Request, *parts: bytes) -> None:
    header["size"] = sum(len(part) for part in parts)
    encoded = json.dumps(header).encode()
    for part in (struct.pack(">I", len(encoded)), encoded, *parts):
        _push(1, part)


def _become(request: Request) -> None:
    """Switch to the sandbox's own user id, if there is one."""
    if request["uid"] is not None:
        os.setgroups([])
        os.setresgid(request["uid"], request["uid"], request["uid"])
        os.setresuid(request["uid"], request["uid"], request["uid"])


def _limit(limits: dict[str, int]) -> None:
    wanted = {
        resource.RLIMIT_AS: limits["address_space"],
        resource.RLIMIT_CPU: limits["cpu_seconds"],
        resource.RLIMIT_FSIZE: limits["file_size"],
        resource.RLIMIT_NOFILE: limits["files"],
        resource.RLIMIT_NPROC: limits["processes"] + 16,
        resource.RLIMIT_CORE: 0,
    }
    for name, value in wanted.items():
        hard = resource.getrlimit(name)[1]
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (allowed, allowed))


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def set_up(inodes: int) -> int:
    """Limit the writable folders and hide /proc; return a descriptor of /proc."""
    flags = _MS_NOSUID | _MS_NODEV | _MS_REMOUNT
    for folder in _FOLDERS:
        _checked(_LIBC.mount(None, folder.encode(), None, flags, f"nr_inodes={inodes}".encode()))
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    _checked(_LIBC.umount2(b"/proc", _MNT_DETACH))
    # Root keeps the capabilities to switch users and to kill their programs.
    kept = 0 if os.getuid() else _ROOT_CAPABILITIES
    _checked(_LIBC.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0))
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _checked(_LIBC.capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0)))
    return proc


def _start(request: Request, descriptors: list[int], proc: int, rules: bytes) -> NoReturn:
    """Child's side of an exec; `descriptors` are for input, outputs and failure."""
    try:
        # When memory runs out, the kernel should kill a program, never this process.
        with suppress(OSError):  # not permitted without root: the measured limit remains
            score = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=proc)
            os.write(score, b"1000")
            os.close(score)
        os.sched_setaffinity(0, {request["processor"]})
        os.nice(_NICE)
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number, inheritable=number < 3)
        os.closerange(4, 4096)
        for name in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(name, signal.SIG_DFL)
        _limit(request["limits"])
        _become(request)
        os.umask(0o022)
        os.chdir(request["cwd"])
        program = _Rules(len(rules) // 8, rules)
        _checked(_LIBC.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0))
        os.execvpe(request["argv"][0], request["argv"], request["env"])
    except OSError as error:
        os.write(3, struct.pack(">i", error.errno or errno.EPERM))
    finally:
        os._exit(127)


def _text(proc: int, name: str) -> str:
    """Content of a file in /proc; empty if the process has ended or is not accessible."""
    try:
        with open(os.open(name, os.O_RDONLY, dir_fd=proc), encoding="ascii", errors="replace") as s:  # noqa: PTH123
            return s.read()
    except OSError:
        return ""


def _kilobytes(text: str, names: tuple[str, ...]) -> int:
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(names))


def _usage(proc: int, limit: int) -> tuple[int, int]:
    """Bytes and tasks of all processes except this one.

    A page that forked processes share counts once for each of them. Above the limit, and only if
    the kernel permits it, such pages are counted once.
    """
    others = [name for name in os.listdir(proc) if name.isdigit() and name != "1"]
    statuses = {name: _text(proc, f"{name}/status") for name in others}
    tasks = sum(_kilobytes(status, ("Threads:",)) for status in statuses.values())
    sockets = max(0, _text(proc, "net/unix").count("\n") - 1)
    total = sockets * _SOCKET_BYTES
    total += sum(1024 * _kilobytes(status, _CHARGED) for status in statuses.values())
    if total <= limit:
        return total, tasks
    for name, status in statuses.items():
        if shares := _text(proc, f"{name}/smaps_rollup"):
            twice = _kilobytes(status, ("RssAnon:",)) - _kilobytes(shares, ("Pss_Anon:",))
            total -= 1024 * max(0, twice)
        else:  # if it has ended since, it uses nothing
            now = _kilobytes(_text(proc, f"{name}/status"), _CHARGED)
            total -= 1024 * max(0, _kilobytes(status, _CHARGED) - now)
    return total, tasks


def _sweep(main: int) -> int | None:
    """Kill and reap all other processes of the namespace; return the main child's wait status."""
    main_status = None
    while True:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return main_status
        if pid == main:
            main_status = status


class _KeptOutput:
    """One output stream: its first bytes, and a count of discarded ones."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.open = descriptor, True
        self.data, self.dropped = bytearray(), 0
        os.set_blocking(descriptor, False)

    def drain(self, pieces: int = 16) -> None:
        for _ in range(pieces if self.open else 0):
            try:
                piece = os.read(self.descriptor, _PIECE)
            except BlockingIOError:
                return
            if not piece:
                self.open = False
                return
            room = KEPT_BYTES - len(self.data)
            self.data += piece[:room]
            self.dropped += max(0, len(piece) - room)


def _reason(deadline: float, limits: dict[str, int], proc: int) -> str | None:
    if time.monotonic() >= deadline:
        return "timeout"
    total, tasks = _usage(proc, limits["memory"])
    if total > limits["memory"]:
        return "memory"
    return "processes" if tasks > limits["processes"] else None


def _feed(descriptor: int, waiting: memoryview) -> memoryview:
    try:
        return waiting[os.write(descriptor, waiting[:_PIECE]) :]
    except BlockingIOError:
        return waiting
    except BrokenPipeError:
        return waiting[:0]


def _watch(
    main: int, request: Request, streams: list[_KeptOutput], feed: int, data: bytes, proc: int
) -> Request:
    """Feed, drain and measure until the main child ends or breaks a limit; then end everything."""
    deadline = time.monotonic() + request["timeout"]
    waiting, status, reason, due = memoryview(data), None, None, 0.0
    ended = os.pidfd_open(main)
    os.set_blocking(feed, False)
    while status is None and reason is None:
        if feed >= 0 and not waiting:
            os.close(feed)
            feed = -1
        readable = [stream.descriptor for stream in streams if stream.open]
        select.select([*readable, ended], [feed] if feed >= 0 else [], [], _POLL_SECONDS)
        for stream in streams:
            stream.drain()
        if feed >= 0:
            waiting = _feed(feed, waiting)
        pid, ended_status = os.waitpid(main, os.WNOHANG)
        if pid == main:
            status = ended_status
        elif (begun := time.monotonic()) >= due:
            reason, now = _reason(deadline, request["limits"], proc), time.monotonic()
            due = now + max(_POLL_SECONDS, _POLL_SHARE * (now - begun))
    os.close(ended)
    if feed >= 0:
        os.close(feed)
    last = _sweep(main)
    status = status if status is not None else last
    for stream in streams:
        stream.drain(64)
        os.close(stream.descriptor)
    code = -int(signal.SIGKILL) if status is None else os.waitstatus_to_exitcode(status)
    return {"returncode": code, "killed_for": reason, "left": _usage(proc, 0)[1]}


def run(request: Request, data: bytes, proc: int, rules: bytes) -> None:
    """Run one program to its end, and answer with its output."""
    feed_read, feed_write = os.pipe()
    out_read, out_write = os.pipe()
    error_read, error_write = os.pipe()
    report_read, report_write = os.pipe()
    main = os.fork()
    if main == 0:
        # Move the ends above every number that dup2 will overwrite.
        ends = (feed_read, out_write, error_write, report_write)
        moved = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 64) for one in ends]
        _start(request, moved, proc, rules)
    for descriptor in (feed_read, out_write, error_write, report_write):
        os.close(descriptor)
    streams = [_KeptOutput(out_read), _KeptOutput(error_read)]
    failure = os.read(report_read, 4)
    os.close(report_read)
    header = _watch(main, request, streams, feed_write, data, proc)
    header["failure"] = struct.unpack(">i", failure)[0] if len(failure) == 4 else 0
    out, errors = streams
    header |= {"split": len(out.data), "dropped": [out.dropped, errors.dropped]}
    _answer(header, bytes(out.data), bytes(errors.data))


def _write(path: str, data: bytes) -> bytes:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)  # noqa: PTH103, PTH120
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o644)
    _regular(descriptor)
    os.ftruncate(descriptor, 0)
    _push(descriptor, data)
    return b""


def _regular(descriptor: int) -> None:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "a directory")
    if not stat.S_ISREG(mode):
        raise PermissionError(errno.EPERM, "not a regular file")


def _read(path: str, most: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    _regular(descriptor)
    if os.fstat(descriptor).st_size > most:
        raise OSError(errno.EFBIG, "larger than the limit")
    content = bytearray()
    while piece := os.read(descriptor, _READ_BYTES):
        content += piece
        if len(content) > most:
            raise OSError(errno.EFBIG, "larger than the limit")
    return bytes(content)


def _file_child(request: Request, data: bytes, answer: int) -> NoReturn:
    """Child's side of a file request: send an errno, then the bytes read."""
    try:
        os.chdir("/work")
        _become(request)
        path = request["path"]
        content = _write(path, data) if request["op"] == "write" else _read(path, request["most"])
        _push(answer, struct.pack(">i", 0) + content)
    except OSError as error:
        _push(answer, struct.pack(">i", error.errno or errno.EIO))
    except (ValueError, MemoryError):  # an invalid path, or a file larger than memory
        _push(answer, struct.pack(">i", errno.EINVAL))
    finally:
        os._exit(0)


def touch_file(request: Request, data: bytes) -> None:
    """Read or write a file in a child process that has the rights of programs."""
    answer_read, answer_write = os.pipe()
    child = os.fork()
    if child == 0:
        _file_child(request, data, answer_write)
    os.close(answer_write)
    reply, deadline = bytearray(), time.monotonic() + _FILE_SECONDS
    while time.monotonic() < deadline:
        if select.select([answer_read], [], [], 1.0)[0]:
            if not (piece := os.read(answer_read, _READ_BYTES)):
                break
            reply += piece
    os.close(answer_read)
    _sweep(child)
    failure = struct.unpack(">i", reply[:4])[0] if len(reply) >= 4 else errno.EIO
    _answer({"failure": failure}, bytes(reply[4:]))


def _next() -> tuple[Request, bytes]:
    """Read the next request and its raw bytes."""
    (length,) = struct.unpack(">I", _take(4))
    if length > _MAX_HEADER:
        os._exit(1)
    request = json.loads(_take(length))
    return request, _take(request["size"])


def main() -> NoReturn:
    """Serve requests until standard input ends."""
    _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    os.closerange(3, 4096)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    setup, _ = _next()
    proc, rules = set_up(setup["inodes"]), base64.b64decode(setup["filter"])
    _answer({"ready": True, "uid": os.getuid()})
    while True:
        request, data = _next()
        if os.getuid() != 0:
            # A program of the same user may have changed the folders' modes.
            for folder in _FOLDERS:
                os.chmod(folder, 0o1777)  # noqa: PTH101
        if request["op"] == "exec":
            run(request, data, proc, rules)
        else:
            touch_file(request, data)


if __name__ == "__main__":
    main()
