"""None of the hostile programs gets out, stays, or keeps the sandbox from the next program."""

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

from vivavoce.sandbox.command import BwrapConfig

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
AFTERWARDS = "rm -rf /work/* /tmp/*; echo $((6 * 7)) $(ls /work /tmp | wc -w)"


def _fingerprint(folder: Path) -> list[tuple[str, int, str]]:
    return [
        (path.name, path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(folder.iterdir())
    ]


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
