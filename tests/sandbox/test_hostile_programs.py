"""None of the hostile programs gets out, stays, or keeps the sandbox from the next program."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.sandbox import hostile_programs as hostile
from tests.sandbox.ordinary_user import OrdinaryUser, ordinary_user

from vivavoce.sandbox.command import BwrapConfig, python_command
from vivavoce.sandbox.process import Sandbox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
]

CONFIG = BwrapConfig(
    packages=("numpy",),
    memory_mb=192,
    address_space_mb=4096,
    work_mb=16,
    processes=16,
    cpu_seconds=10,
    wall_seconds=20,
    read_mb=8,
)
PYTHON = python_command(CONFIG)
AFTERWARDS = "rm -rf /work/* /tmp/*; echo $((6 * 7)) $(ls /work /tmp | wc -w)"


@pytest.fixture(scope="module")
def runner():
    with asyncio.Runner() as one:
        yield one


@pytest.fixture(scope="module")
def box(runner):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET_KEY", "SECRET")
        one = Sandbox(CONFIG)
        runner.run(one.start())
        yield one
        runner.run(one.close())


@pytest.fixture
def canary(tmp_path):
    (tmp_path / "canary").write_text("alive", encoding="utf-8")
    before = _fingerprint(tmp_path)
    yield tmp_path
    assert _fingerprint(tmp_path) == before


def _fingerprint(folder: Path) -> list[tuple[str, int, str]]:
    return [
        (path.name, path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(folder.iterdir())
    ]


def _still_works(runner, box) -> None:
    after = runner.run(box.run(["/bin/sh", "-c", AFTERWARDS]))
    # The answer, the names of two empty folders, and no process left.
    assert (after.stdout.split(), after.left) == (["42", "2"], 0), after


SUITE = """
import asyncio, dataclasses, json, sys
from vivavoce.sandbox.command import python_command
from vivavoce.sandbox.command import BwrapConfig
from vivavoce.sandbox.process import open_sandbox

given = json.load(open(sys.argv[1]))

async def run_all():
    config = BwrapConfig(**given["config"])
    found = {}
    async with open_sandbox(config) as box:
        process = box._process
        for name, (program, limit) in given["programs"].items():
            command = [*python_command(config), "-c", program]
            result = await box.run(command, timeout=limit)
            after = await box.run(["/bin/sh", "-c", given["afterwards"]])
            found[name] = [dataclasses.asdict(one) for one in (result, after)]
        assert box._process is process  # the first sandbox stood them all
    print(json.dumps(found))

asyncio.run(run_all())
"""


@contextmanager
def _users(who: str) -> Iterator[OrdinaryUser]:
    if who == "ordinary user":
        with ordinary_user() as user:
            yield user
    else:
        yield OrdinaryUser(sys.executable, [], setpriv=False)


@pytest.mark.parametrize("who", ["whoever runs the tests", "ordinary user"])
def test_no_hostile_program_gets_out_or_stays(who):
    with tempfile.TemporaryDirectory() as name, _users(who) as user:
        folder = Path(name)
        (folder / "canary").write_text("alive", encoding="utf-8")
        start = f"CANARY = {name!r}\n{hostile.PRELUDE}\n"
        programs = {
            case.name: (start + case.program + "\n", 1.0 if case.ended == "timeout" else 15.0)
            for case in hostile.PROGRAMS
        }
        given = {"config": CONFIG.model_dump(), "programs": programs, "afterwards": AFTERWARDS}
        (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
        for path in (folder, *folder.iterdir()):
            os.chown(path, *user.ids)
        before = _fingerprint(folder)
        done = user.run(SUITE, folder / "given.json", SECRET_KEY="SECRET")
        assert done.returncode == 0, done.stderr[-2000:]
        assert _fingerprint(folder) == before
    found = json.loads(done.stdout)
    assert len(found) == len(hostile.PROGRAMS) >= 65
    wrong = {
        case.name: found[case.name]
        for case in hostile.PROGRAMS
        if not _is_held(case, *found[case.name])
    }
    assert wrong == {}


def _is_held(case, result, after) -> bool:
    """The program ended as it has to, printed what it has to, and the next one ran."""
    ended = (result["killed_for"], result["returncode"])
    as_expected = {
        str: ended[0] == case.ended, int: ended == (None, case.ended), type(None): True
    }[type(case.ended)]  # fmt: skip
    printed = result["stdout"]
    return (
        as_expected
        and "ESCAPED" not in printed
        and (case.printed is None or printed.strip() == case.printed)
        and len(printed) <= 256 * 1024
        and (after["stdout"].split(), after["left"]) == (["42", "2"], 0)
    )


RESULTS = {
    "link to the host": "os.symlink('/etc/shadow', 'result')",
    "link to a readable file": "os.symlink('/supervisor.py', 'result')",
    "link to itself": "os.symlink('result', 'result')",
    "fifo": "os.mkfifo('result')",
    "folder": "os.mkdir('result')",
    "link to a device": "os.symlink('/dev/zero', 'result')",
    "socket": "import socket; socket.socket(socket.AF_UNIX).bind('result')",
    "unreadable": "open('result', 'w').close(); os.chmod('result', 0)",
    "too large": "open('result', 'wb').write(bytes(9 << 20))",
    "missing": "pass",
}


@pytest.mark.parametrize("program", RESULTS.values(), ids=RESULTS.keys())
def test_a_result_that_is_no_plain_file_is_an_error_and_never_hangs(runner, box, program):
    made = runner.run(box.run([*PYTHON, "-c", f"import os; {program}"]))
    assert made.returncode == 0, made
    with pytest.raises(OSError, match="result"):
        runner.run(box.read("result"))
    _still_works(runner, box)


def test_writing_does_not_follow_a_link_either(runner, box):
    runner.run(box.run([*PYTHON, "-c", "import os; open('a','w'); os.symlink('a', 'b')"]))
    with pytest.raises(OSError, match="b"):
        runner.run(box.write("b", b"data"))
    assert runner.run(box.read("a")) == b""
    _still_works(runner, box)


def test_a_pickle_bomb_as_result_is_only_bytes(runner, box, canary):
    bomb = f"import pickle, os; C = {str(canary / 'canary')!r}\n" + (
        "class B:\n    def __reduce__(self): return (os.remove, (C,))\n"
        "open('result', 'wb').write(pickle.dumps(B()))"
    )
    runner.run(box.run([*PYTHON, "-c", bomb]))
    assert runner.run(box.read("result")).startswith(b"\x80")
    assert (canary / "canary").exists()
    _still_works(runner, box)


def test_300_megabytes_of_output_are_counted_and_not_kept(runner, box):
    program = "import sys\nfor _ in range(300): sys.stdout.write('x' * (1 << 20))"
    result = runner.run(box.run([*PYTHON, "-c", program]))
    # 300 MiB written, 256 KiB kept.
    assert len(result.stdout) == 256 * 1024
    assert result.dropped == (300 * (1 << 20) - 256 * 1024, 0)
