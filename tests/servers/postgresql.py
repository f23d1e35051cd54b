"""A PostgreSQL server of a test's own, in a folder that goes away with it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_USER = "postgres"
_PASSWORD = "only-in-this-test"
_SECONDS = "40"


def find_initdb() -> Path | None:
    """The program that makes a cluster: on the path, else where Debian puts the newest one."""
    packaged = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4])
    )
    if packaged:
        return packaged[-1]
    found = shutil.which("initdb")
    return Path(found).resolve() if found else None


@dataclass(frozen=True)
class PostgreSQL:
    """A running server and how to reach and to disturb it."""

    folder: Path
    programs: Path
    port: int

    def url(self, database: str = "postgres") -> str:
        """What SQLAlchemy is given, with psycopg 3 as the driver."""
        return f"postgresql+psycopg://{_USER}:{_PASSWORD}@127.0.0.1:{self.port}/{database}"

    def create(self, database: str) -> str:
        """Make an empty database and return its URL."""
        import psycopg

        plain = self.url().replace("+psycopg", "")
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}"')  # type: ignore[arg-type]
        return self.url(database)

    def restart(self) -> None:
        """Cut every connection at once, as a crash does, and come back."""
        self.stop()
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c fsync=off"
        log = self.folder / "server.log"
        self._control("start", "-o", options, "-l", str(log))

    def stop(self) -> None:
        self._control("stop", "-m", "immediate")

    def _control(self, verb: str, *more: str) -> None:
        data = str(self.folder / "data")
        program = str(self.programs / "pg_ctl")
        _as_postgres([program, "-D", data, "-w", "-t", _SECONDS, verb, *more], self.folder)


@contextmanager
def running_postgresql(initdb: Path) -> Iterator[PostgreSQL]:
    """Make a cluster, start it on a free port of the loopback address, and remove it in the end.

    PostgreSQL refuses to run as root: then everything is done as the user postgres.
    """
    # Not in pytest's folders: no other user may enter those.
    folder = Path(tempfile.mkdtemp(prefix="viva-postgresql-"))
    try:
        secret = folder / "password"
        secret.write_text(_PASSWORD, "utf-8")
        if os.getuid() == 0:
            owner = pwd.getpwnam(_USER)
            for path in (folder, secret):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        command = [str(initdb), "-D", str(folder / "data"), "-U", _USER, "--no-sync"]
        command += ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C"]
        _as_postgres(command, folder)
        server = PostgreSQL(folder, initdb.parent, _free_port())
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_postgres(command: Sequence[str], folder: Path) -> None:
    prefix = ["runuser", "-u", _USER, "--"] if os.getuid() == 0 else []
    with tempfile.TemporaryFile() as said:
        # A file, not a pipe: the server would keep a pipe open after pg_ctl has ended.
        done = subprocess.run(
            [*prefix, *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            timeout=90,
            check=False,
        )
        said.seek(0)
        assert done.returncode == 0, said.read().decode("utf-8", "replace")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
