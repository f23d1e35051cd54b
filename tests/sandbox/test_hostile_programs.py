"""None of the hostile programs gets out, stays, or keeps the sandbox from the next program."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sys
from importlib import util
from pathlib import Path

import pytest

from vivavoce.sandbox.command import python_command
from vivavoce.sandbox.config import BwrapConfig
from vivavoce.sandbox.process import Sandbox

_SPEC = util.spec_from_file_location(
    "hostile_programs", Path(__file__).with_name("hostile_programs.py")
)
assert _SPEC is not None
assert _SPEC.loader is not None
hostile = util.module_from_spec(_SPEC)
sys.modules["hostile_programs"] = hostile
_SPEC.loader.exec_module(hostile)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("bwrap") is None, reason="needs bwrap: apt-get install -y bubblewrap"
    ),
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
AFTERWARDS = "rm -rf /work/* /tmp/*; echo $((6 * 7)) /proc/[0-9]* $(ls /work /tmp | wc -w)"


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
    after = runner.run(box.run(["/bin/sh", "-c", AFTERWARDS])).stdout.split()
    # The answer, process 1, the shell itself, and the number of files left.
    assert (after[0], after[1], len(after), after[-1]) == ("42", "/proc/1", 4, "2"), after


@pytest.mark.parametrize("case", hostile.PROGRAMS, ids=lambda case: case.name)
def test_a_hostile_program_is_held(runner, box, canary, case):
    program = f"CANARY = {str(canary)!r}\n{hostile.PRELUDE}\n{case.program}\n"
    limit = 1.0 if case.ended == "timeout" else 15.0
    result = runner.run(box.run([*PYTHON, "-c", program], timeout=limit))
    assert "ESCAPED" not in result.stdout
    if isinstance(case.ended, str):
        assert result.killed_for == case.ended, result
    elif case.ended is not None:
        assert (result.killed_for, result.returncode) == (None, case.ended), result
    if case.printed is not None:
        assert result.stdout.strip() == case.printed, result
    assert len(result.stdout) <= 256 * 1024
    _still_works(runner, box)


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


def test_a_patched_numpy_is_gone_in_the_next_program(runner, box):
    patch = (
        "import numpy\nnumpy.mean = lambda *_: 1.0\n"
        "for name in ('numpy.py', 'sitecustomize.py', 'usercustomize.py', 'conftest.py'):\n"
        "    open('/work/' + name, 'w').write('mean = lambda *_: 1.0')\n"
    )
    assert runner.run(box.run([*PYTHON, "-c", patch])).returncode == 0
    runner.run(box.write("judge.py", b"import numpy; print(numpy.mean([2.0, 4.0]))"))
    assert runner.run(box.run([*PYTHON, "judge.py"])).stdout == "3.0\n"
    _still_works(runner, box)


def test_300_megabytes_of_output_are_counted_and_not_kept(runner, box):
    program = "import sys\nfor _ in range(300): sys.stdout.write('x' * (1 << 20))"
    result = runner.run(box.run([*PYTHON, "-c", program]))
    # 300 MiB written, 256 KiB kept.
    assert len(result.stdout) == 256 * 1024
    assert result.dropped == (300 * (1 << 20) - 256 * 1024, 0)
