"""Turns at a host written down in a folder, so that all processes of a machine share them."""

from __future__ import annotations

import fcntl
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vivavoce.errors import InputError

_POLL = 0.1
"""Seconds between two looks at whether another process has ended its turn."""


class SharedLane:
    """The one connection to a host, and the time from which it may be used again.

    The kernel ends the turn of a killed process. Times are those of a clock that all processes
    read alike and that may start anew with the machine: what was written later than now is from
    before that and does not count.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._connection = folder / f"{name}.connection"
        self._time = folder / f"{name}.time"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection.touch()
            self._time.touch()
        except OSError as error:
            raise InputError(
                f"{folder} cannot keep the turns at {name}: {error.strerror}. "
                "Name another folder for them."
            ) from error

    @contextmanager
    def connection(
        self, until: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> Iterator[None]:
        """Hold the connection; `TimeoutError` when it does not come free before `until`."""
        with self._connection.open("r+b") as stream:
            while not _taken(stream):
                if clock() + _POLL > until:
                    raise TimeoutError
                sleep(_POLL)
            yield

    def free_at(self, now: float) -> float:
        """From when on the host may be asked."""
        with self._time.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH)
            return _read(stream, now)

    def push(self, now: float, free_at: float) -> None:
        """Let nobody ask before `free_at`; an earlier time than the one there changes nothing."""
        with self._time.open("r+b") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            latest = max(_read(stream, now), free_at)
            stream.seek(0)
            stream.write(f"{now:.6f} {latest:.6f}\n".encode())
            stream.truncate()


def _taken(stream: IO[bytes]) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(stream: IO[bytes], now: float) -> float:
    """The time written down; minus infinity where there is none that counts."""
    words = stream.read(200).split()
    try:
        written, free_at = float(words[0]), float(words[1])
    except (IndexError, ValueError):
        return -math.inf
    return free_at if math.isfinite(free_at) and written <= now else -math.inf
