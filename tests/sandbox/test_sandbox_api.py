"""Using a sandbox directly and through Inspect; what it promises as root and as anyone else."""

from __future__ import annotations

import asyncio
import errno
import os
import platform
import shutil
import struct
from contextlib import suppress
from pathlib import Path

import pytest
from tests.sandbox.ordinary_user import ordinary_user

from vivavoce.errors import InputError
from vivavoce.sandbox.cgroup import make_group
from vivavoce.sandbox.command import build_command, closure, python_command, site_entries
from vivavoce.sandbox.config import BwrapConfig
from vivavoce.sandbox.errors import MissingProgram, SandboxLost
from vivavoce.sandbox.guarantees import examine_sandbox
from vivavoce.sandbox.process import open_sandbox
from vivavoce.sandbox.seccomp import build_filter

needs_bwrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="needs bwrap: apt-get install -y bubblewrap"
)
SMALL = BwrapConfig(packages=(), memory_mb=256, work_mb=16, wall_seconds=20)
PYTHON = python_command(SMALL)


@needs_bwrap
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


@needs_bwrap
def test_a_megabyte_of_input_reaches_the_program():
    async def use():
        async with open_sandbox(SMALL) as box:
            return await box.run(["/usr/bin/wc", "-c"], input=b"x" * (1 << 20))

    assert asyncio.run(use()).stdout.strip() == "1048576"


@needs_bwrap
def test_a_missing_program_is_told_from_a_failed_one():
    async def use():
        async with open_sandbox(SMALL) as box:
            return await box.run(["no-such-program"]), await box.run(["/work"])

    missing, folder = asyncio.run(use())
    assert (missing.returncode, missing.failure) == (127, errno.ENOENT)
    assert folder.failure == errno.EACCES


@needs_bwrap
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


@needs_bwrap
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


@needs_bwrap
def test_a_cancelled_run_leaves_no_half_answer_behind():
    async def use():
        async with open_sandbox(SMALL) as box:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(box.run(["/bin/sleep", "9"]), 0.3)
            return (await box.run(["/bin/echo", "whole"])).stdout

    assert asyncio.run(use()) == "whole\n"


@needs_bwrap
def test_nothing_stays_behind_on_the_host():
    async def use():
        async with open_sandbox(SMALL) as box:
            await box.run([*PYTHON, "-c", "import os; os.fork() or os.setsid()"])
            return box._process.pid, box.group

    pid, group = asyncio.run(use())
    assert not Path(f"/proc/{pid}").exists()
    assert group is None or not any(folder.exists() for folder in group.folders)


@needs_bwrap
def test_every_guarantee_that_needs_no_root_holds():
    found = {one.name: one for one in examine_sandbox()}
    needs_root = {"fresh user id"} if os.geteuid() else set()
    if build_filter() is None:
        needs_root.add("system calls")
    assert {name for name, one in found.items() if not one.holds} == needs_root, found


ORDINARY = """
import asyncio, os
from vivavoce.sandbox.config import BwrapConfig
from vivavoce.sandbox.guarantees import examine_sandbox
assert os.getuid() != 0
for one in examine_sandbox():
    print(one.name, one.holds, sep=":")
"""


@needs_bwrap
@pytest.mark.slow
def test_an_ordinary_user_has_all_but_the_fresh_user_id():
    with ordinary_user() as user:
        done = user.run(ORDINARY, SECRET_KEY="SECRET")
    if "did not start" in done.stderr:
        pytest.skip(f"this kernel gives ordinary users no namespaces: {done.stderr[-200:]}")
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.endswith("False")] == ["fresh user id:False"], done
    assert len(lines) == 13


def test_without_bwrap_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingProgram, match="apt-get install -y bubblewrap"):
        build_command(SMALL, 3, 4, None)


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


def test_an_absent_package_is_named():
    with pytest.raises(InputError, match="no-such-package"):
        closure(("no-such-package",))


def _verdict(rules: bytes, number: int, argument: int = 0, machine: int = 0xC000003E) -> int:
    """What the kernel would answer: a plain reading of the classic BPF program."""
    steps = list(struct.iter_unpack("=HBBI", rules))
    memory = {0: number, 4: machine, 16: argument}
    at, held = 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x20:
            held = memory[value]
        elif code == 0x06:
            return value
        else:
            found = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            at += yes if found else no


@pytest.mark.parametrize(
    ("number", "argument", "verdict"),
    [
        (0, 0, "allow"),  # read
        (272, 0, errno.EPERM),  # unshare
        (101, 0, errno.EPERM),  # ptrace
        (435, 0, errno.ENOSYS),  # clone3
        (56, 0x1200011, "allow"),  # clone, as fork
        (56, 0x003D0F00, "allow"),  # clone, as a thread
        (56, 0x10000011, errno.EPERM),  # clone with a user namespace
        (302, 0, "allow"),  # prlimit64 of oneself
        (302, 1, errno.EPERM),
        (41, 1, "allow"),  # socket, local
        (41, 2, "allow"),
        (41, 10, "allow"),
        (41, 16, errno.EAFNOSUPPORT),  # netlink
        (41, 40, errno.EAFNOSUPPORT),  # virtual machine sockets
        (0x40000000, 0, errno.ENOSYS),  # read, under its x32 number
    ],
)
def test_the_filter_answers_each_call(number, argument, verdict):
    rules = build_filter("x86_64")
    expected = 0x7FFF0000 if verdict == "allow" else 0x00050000 | verdict
    assert _verdict(rules, number, argument) == expected


def test_calls_of_another_processor_end_the_program():
    assert _verdict(build_filter("x86_64"), 0, machine=0x40000003) == 0x80000000
    assert _verdict(build_filter("aarch64"), 97, machine=0xC00000B7) == 0x00050000 | errno.EPERM
    assert build_filter("riscv64") is None
    assert platform.machine() in {"x86_64", "aarch64"} or build_filter() is None


def test_control_groups_are_removed_again():
    group = make_group(64, 1, 8)
    if group is None:  # where they may not be written nothing half made stays either
        assert list(Path("/sys/fs/cgroup").glob(f"**/sandbox-{os.getpid()}-*")) == []
        return
    assert all(folder.is_dir() for folder in group.folders)
    group.remove()
    assert not any(folder.exists() for folder in group.folders)
