"""Read PDFs in a child process, since a hostile file can make PDFium loop, eat memory or crash.

The child keeps running: for each line of input it reads one PDF and replies with one line of JSON.
"""

import atexit
import json
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from vivavoce.errors import InputError, UnreadableError
from vivavoce.records import Document
from vivavoce.sources import document_adapter
from vivavoce.sources.fulltext.pdf.document import read_file

MEMORY = 900 << 20
"""Limit on the address space, in bytes; usual papers need a third of it."""
CPU_SECONDS = 120
"""Limit on the CPU time per file."""
READY = "ready"
_OUT_OF_MEMORY = frozenset({-signal.SIGTRAP, -signal.SIGILL, -signal.SIGABRT})
"""Exit codes of PDFium when it runs out of memory."""
_FILES_PER_CHILD = 200
"""Files per process before a new one starts, which frees memory that a library leaked."""
_WALL = 3
"""Multiple of the CPU limit that an answer may take on a busy machine."""
_START_SECONDS = 60
_MAX_ANSWER = 64 << 20
_CHUNK = 1 << 16
_LOCK = threading.Lock()


class Child:
    """A process that keeps running and reads PDFs one after the other."""

    def __init__(self, cpu_seconds: int = CPU_SECONDS) -> None:
        self.cpu_seconds = cpu_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._files = 0
        self._pending = b""

    def read(self, path: Path) -> Document:
        """The paper in a file; `InputError` says why there is none."""
        process = self._running()
        self._files += 1
        request = {"path": str(path.absolute()), "seconds": self.cpu_seconds}
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            answer = self._line(process, _WALL * self.cpu_seconds)
        except BrokenPipeError:
            answer = None
        if answer is None:
            raise InputError(self._obituary(process))
        response = json.loads(answer)
        if "reason" in response:
            if kind := response.get("kind"):
                raise UnreadableError(response["reason"], kind)
            raise InputError(response["reason"])
        return document_adapter().validate_python(response["document"])

    @property
    def process_id(self) -> int | None:
        """The id of the process; None if there is none."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return  # another process started it and will end it
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()

    def _running(self) -> subprocess.Popen[bytes]:
        process = self._process
        is_own = process is not None and self._owner == os.getpid()
        is_fresh = is_own and self._files < _FILES_PER_CHILD
        if process is not None and is_fresh and process.poll() is None:
            return process
        self.close()
        self._owner, self._files, self._pending = os.getpid(), 0, b""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "vivavoce.sources.fulltext.pdf.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        if self._line(self._process, _START_SECONDS) is None:
            raise InputError("the process that reads PDFs did not start: run viva doctor")
        return self._process

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
        """The next line of the child's answers; None if the child died or took too long."""
        assert process.stdout is not None
        deadline = time.monotonic() + seconds
        parts = [self._pending]
        size = 0
        while b"\n" not in parts[-1]:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([process.stdout], [], [], max(left, 0))
            chunk = os.read(process.stdout.fileno(), _CHUNK) if ready else b""
            size += len(chunk)
            if not chunk or size > _MAX_ANSWER:
                return None
            parts.append(chunk)
        line, _, self._pending = b"".join(parts).partition(b"\n")
        return line

    def _obituary(self, process: subprocess.Popen[bytes]) -> str:
        """The reason why a child gave no answer."""
        try:
            code: int | None = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            code = None
        self.close()
        if code is None or code == -signal.SIGXCPU:
            return f"too large: reading it takes more than {self.cpu_seconds} s of CPU time"
        if code in _OUT_OF_MEMORY:
            return f"too large: reading it takes more than {MEMORY >> 20} MiB of memory"
        return "damaged: reading it crashes the process that reads PDFs"


_CHILD = Child()
atexit.register(_CHILD.close)


def read_in_child(path: Path) -> Document:
    """The paper in a file, read by this process's own child."""
    with _LOCK:
        return _CHILD.read(path)


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not be taken for an answer
    with suppress(ValueError, OSError):  # macOS cannot limit the memory of a process
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _say(answers, {"state": READY})
    for line in sys.stdin:
        request = json.loads(line)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + request["seconds"] + 1
        # The kernel ends a process that uses more.
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        _say(answers, _answer(Path(request["path"])))


def _say(stream: object, answer: dict[str, object]) -> None:
    print(json.dumps(answer), file=stream, flush=True)  # type: ignore[call-overload]


def _answer(path: Path) -> dict[str, object]:
    try:
        return {"document": asdict(read_file(path))}
    except UnreadableError as error:
        return {"reason": str(error), "kind": error.kind}
    except InputError as error:
        return {"reason": str(error)}
    except OSError as error:
        return {"reason": f"the file cannot be read: {error.strerror}"}
    except (MemoryError, RecursionError):
        return {"reason": f"too large: it needs more than {MEMORY >> 20} MiB of memory"}
    except Exception as error:  # no file, however odd, may end the ingest of the others
        return {"reason": f"its pages are set in a way that cannot be read: {error!r}"}


if __name__ == "__main__":
    main()
