"""A disk of a few blocks, which is really full."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.sandbox.command import find_bwrap

pytestmark = pytest.mark.slow

DISK = 4 << 20
INGEST = """
import json, subprocess, sys
from pathlib import Path
from vivavoce.store import hash_tree

disk, papers, room = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
command = [sys.executable, "-c", "import sys; from vivavoce.cli import app; app(sys.argv[1:])",
           "ingest", "tei", papers, "--corpus", str(disk / "c")]

def ingest():
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr

ballast = disk / "ballast"
with ballast.open("wb", buffering=0) as stream:
    try:
        while True:
            stream.write(bytes(4096))
    except OSError:
        stream.truncate(stream.tell() - room)
full = ingest()
left, rest = hash_tree(disk / "c"), [path.name for path in disk.rglob("*.tmp")]
ballast.unlink()
print(json.dumps({"full": full, "left": left, "rest": rest, "room": ingest(),
                  "whole": hash_tree(disk / "c")}))
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("blocks", [1, 12])
def test_an_ingest_onto_a_full_disk_leaves_whole_files_only_and_goes_on_with_room(
    whole: dict[str, str], papers: Path, tmp_path: Path, blocks: int
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = [sys.executable, "-c", INGEST, disk, papers, blocks * 4096]
    mounts = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--size", DISK, "--tmpfs", disk]
    done = subprocess.run(
        [find_bwrap(), *map(str, mounts), *map(str, inside)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    code, told = found["full"]
    assert code == 1, told
    assert "could not be written: No space left on device" in told
    assert "Traceback" not in told
    assert found["rest"] == []
    assert all(whole.get(name) == digest for name, digest in found["left"].items())
    assert found["left"] != whole
    assert found["room"][0] == 0, found["room"][1]
    assert found["whole"] == whole
