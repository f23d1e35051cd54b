"""Commands without their start-up, which takes longer than most of them.

One process loads the package and then forks for every command that it is asked for. Pages are
played by bash as ever; it finds `viva`, `inspect` and `python` in a folder of its own, and what
lies there hands arguments, folder, environment and streams to that process, and ends as the
command did.
"""

import atexit
import gc
import importlib.metadata
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NoReturn

NAMES = ("viva", "inspect", "python")
_TREES = os.environ.get("PYTHONPATH", "")
_FIRST = ("vivavoce.cli", "inspect_ai._cli.main", "inspect_ai.agent._acp.server")
_ASK = """
import json, os, signal, socket, sys
name, real, address, *words = sys.argv[1:]
if name == "python" and words[:1] not in (["-"], ["-c"]):
    os.execv(real, [real, *words])
with socket.socket(socket.AF_UNIX) as line:
    line.connect(address)
    said = json.dumps([name, words, os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(line, [len(said).to_bytes(8, "big")], [0, 1, 2])
    line.sendall(said)
    process = int.from_bytes(line.recv(8), "big")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os.kill(process, number))
    code = line.recv(8)
sys.exit(int.from_bytes(code, "big") if code else 70)
"""


@contextmanager
def forking() -> Iterator[Path]:
    """A folder of programs for the front of PATH, as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="viva-") as scratch:
        folder = Path(scratch)
        (folder / "ask.py").write_text(_ASK, "utf-8")
        (folder / "bin").mkdir()
        address, real = folder / "line", Path(sys.executable)
        for name in NAMES:
            program = folder / "bin" / name
            program.write_text(
                f"#!/bin/sh\nexec '{real}' -IS '{folder}/ask.py' {name} "
                f"'{real}' '{address}' \"$@\"\n"
            )
            program.chmod(0o755)
        command = [sys.executable, str(Path(__file__)), str(address)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            assert process.stdout.readline() == b"ready\n"
            yield folder / "bin"
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()


def _warm() -> None:
    """Read what every command reads: long lists of models, the families, the verbs."""
    from inspect_ai.model import get_model_info

    from vivavoce.tasks import list_families
    from vivavoce.tasks.lookup import register_family

    importlib.metadata.packages_distributions()
    get_model_info("openai/gpt-4o")
    for family in list_families():
        register_family(family)
    _verbs()


@cache
def _verbs() -> Callable[[], object]:
    """The whole of `viva`."""
    import typer.main

    from vivavoce.cli import app

    return typer.main.get_command(app)


def _spare() -> None:
    """Spare the work that tests/conftest.py spares: the disk, drawing, lists, events for nobody."""
    from inspect_ai._eval.task.log import TaskLogger
    from rich.live import Live

    start = TaskLogger.init

    async def start_unwatched(logger: TaskLogger) -> None:
        await start(logger)
        await logger._release_buffer_db(keep=False)

    TaskLogger.init = start_unwatched  # type: ignore[method-assign]
    Live.refresh = lambda _: None  # type: ignore[assignment, method-assign]
    os.fsync = lambda _: None  # type: ignore[assignment]


def _serve(address: str) -> None:
    """Fork for whoever asks, until the process is told to end."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        print("ready", flush=True)
        while True:
            line, _ = door.accept()
            gc.freeze()
            if os.fork() == 0:
                door.close()
                _attend(line)
            line.close()
            _reap()


def _reap() -> None:
    """Let go of the processes that have ended."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


def _attend(line: socket.socket) -> NoReturn:
    """Be the command that is asked for to its end, and say how it ended."""
    head, streams, _, _ = socket.recv_fds(line, 8, 3)
    said = b""
    while len(said) < int.from_bytes(head, "big"):
        said += line.recv(1 << 20)
    line.sendall(os.getpid().to_bytes(8, "big"))
    code = _become(streams, *json.loads(said))
    line.sendall(code.to_bytes(8, "big"))
    os._exit(code)


def _become(
    streams: list[int], name: str, words: list[str], folder: str, environment: dict[str, str]
) -> int:
    """Run a command with its streams, in its folder and environment; its exit code."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    code: object = 1
    try:
        _run(name, words)
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code & 0xFF if isinstance(code, int) else int(code is not None)


def _has_its_own_tree() -> bool:
    """Whether the command's environment names other trees of packages than this process had."""
    return os.environ.get("PYTHONPATH", "") not in ("", _TREES)


def _run(name: str, words: list[str]) -> None:
    """Run the command here, from the tree of the package that the environment names."""
    if _has_its_own_tree():
        for module in [name for name in sys.modules if name.partition(".")[0] == "vivavoce"]:
            del sys.modules[module]
        _verbs.cache_clear()
        sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
    sys.argv = [name, *words]
    if name == "python":
        source = sys.stdin.read() if words[0] == "-" else words[1]
        sys.path.insert(0, "")
        exec(compile(source, "<page>", "exec"), {"__name__": "__main__"})
    elif name == "viva":
        _verbs()()
    else:
        from inspect_ai._cli.main import main

        main()


if __name__ == "__main__":
    del sys.path[0]
    importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)
    for _name in _FIRST:
        importlib.import_module(_name)
    _warm()
    _spare()
    _serve(sys.argv[1])
