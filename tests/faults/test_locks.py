"""Several processes at one corpus or one folder of rounds."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.commands import viva_here

from vivavoce.corpus import verify_corpus
from vivavoce.store import hash_tree

pytestmark = pytest.mark.slow

Waiting = Callable[..., "subprocess.Popen[str]"]

SHARD = ("vivavoce.corpus.ingestion.imports", "mark_done")


def test_one_ingest_wins_and_the_others_end_with_75_and_its_process_id(
    viva_waiting: Waiting, whole: dict[str, str], papers: Path, tmp_path: Path
) -> None:
    command = ("ingest", "tei", papers, "--corpus", tmp_path / "c")
    with viva_waiting(*SHARD, *command) as first:
        for _ in range(2):
            other = viva_here(*command, "--json", expect=75)
            assert other.stdout == ""
            assert f"process {first.pid}" in other.stderr
        first.communicate("go on\n")
    assert first.returncode == 0
    assert hash_tree(tmp_path / "c") == whole


def test_a_killed_owner_holds_nothing(viva_waiting: Waiting, papers: Path, tmp_path: Path) -> None:
    command = ("ingest", "tei", papers, "--corpus", tmp_path / "c")
    with viva_waiting(*SHARD, *command) as owner:
        owner.send_signal(signal.SIGKILL)
        owner.communicate()
        # Its process id still stands in the lock, but the lock itself is free.
        assert (tmp_path / "c" / ".lock").read_text("utf-8") == str(owner.pid)
    viva_here(*command)
    assert verify_corpus(tmp_path / "c") == []
