"""A whole run against a hostile model: nothing gets out or scores, and the run goes on.

What attacks the sandbox alone is in tests/sandbox.
"""

import hashlib
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from tests.tasks.implementation.hostile_answers import ANSWERS, PRELUDE
from tests.tasks.implementation.item_rounds import round_of

from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.store import write_jsonl
from vivavoce.tasks.implementation.items.formula import list_formulas

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

FORMULA = "mid_price"
"""It has no empty and no zero value: a table of constants earns nothing."""
RIGHT = list_formulas()[FORMULA].program
WAITING = "sleep past the limit"
"""It does nothing until its limit; begun first, it waits beside the others."""
SECRET = "SECRET-d41d8cd9"
WAIT = 12
"""Seconds a program may run: enough for the right one, which has a processor of its own."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return round_of(tmp_path_factory.mktemp("hostile"), formulas=[FORMULA])


@contextmanager
def listener() -> Iterator[tuple[int, socket.socket]]:
    """A port of the host, and the socket that nothing must reach."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server.getsockname()[1], server


def _programs(canary: Path, port: int, folder: Path) -> dict[str, str]:
    """Every hostile program by name, and the right one in the middle and at the end."""
    leaked = f"CANARY, PORT, ROUND = {str(canary)!r}, {port}, {str(folder)!r}\n"
    programs = {name: leaked + PRELUDE + program for name, program in ANSWERS.items()}
    items = sorted(programs.items(), key=lambda item: item[0] != WAITING)
    half = len(items) // 2
    return {**dict(items[:half]), "right": RIGHT, **dict(items[half:]), "right again": RIGHT}


def _fingerprint(*folders: Path) -> list[tuple[str, int, int, str]]:
    return [
        (
            str(path),
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for folder in folders
        for path in sorted([folder, *folder.rglob("*")])
    ]


def _own_processes() -> list[str]:
    """Processes of sandboxes that this process started: by parent, or by the user ids it gives."""
    first = 200_000 + os.getpid() * 256
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = dict(
                line.split(":\t", 1) for line in (folder / "status").read_text().splitlines()
                if ":\t" in line
            )  # fmt: skip
        except OSError:  # it ended meanwhile
            continue
        uid, parent, state = int(status["Uid"].split()[0]), int(status["PPid"]), status["State"]
        is_ours = first <= uid < first + 256 or (
            parent == os.getpid() and status["Name"].startswith("bwrap")
        )
        if is_ours and not state.startswith("Z"):
            found.append(f"{folder.name} {status['Name']}")
    return found


async def no_probes(*_: object) -> list[str]:
    """Stands for the search for the columns that matter: it runs a program again and again."""
    return []


def test_no_hostile_program_escapes_or_scores_and_the_run_goes_on(
    opened: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = {name: tmp_path / name for name in ("canary", "home", "work")}
    for folder in folders.values():
        folder.mkdir()
        (folder / "canary").write_text("alive", encoding="utf-8")
    monkeypatch.setenv("SECRET_KEY", SECRET)
    # Inspect keeps its own caches in a home; this one is for programs to find.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(folders["home"]))
    monkeypatch.chdir(folders["work"])
    monkeypatch.setattr("vivavoce.tasks.implementation.scorer.columns_used", no_probes)
    watched = (*folders.values(), opened.folder)
    with listener() as (port, server):
        programs = _programs(folders["canary"], port, opened.folder)
        before = _fingerprint(*watched)
        rows = [
            {"id": FORMULA, "epoch": epoch, "text": f"```python\n{program}\n```"}
            for epoch, program in enumerate(programs.values(), 1)
        ]
        write_jsonl(tmp_path / "answers.jsonl", rows)
        report = run(
            RunSpec(
                tasks=["formula"],
                round=opened.folder,
                logs=tmp_path / "logs",
                models=[f"replay/{tmp_path / 'answers.jsonl'}"],
                epochs=len(programs),
                task_args={"timeout": WAIT},
                max_connections=4,  # one program waits for its limit
                display="none",
            )
        )
        with pytest.raises(BlockingIOError):
            server.accept()

    assert report.failed == ()
    (path,) = report.logs
    samples = {sample.epoch: sample for sample in read_eval_log(path).samples or ()}
    assert sorted(samples) == list(range(1, len(programs) + 1))
    for epoch, name in enumerate(programs, 1):
        sample = samples[epoch]
        assert not sample.error_retries, name  # asked once
        (score,) = (sample.scores or {}).values()
        if name.startswith("right"):
            assert (score.as_dict()["acc"], (score.metadata or {})["fault"]) == (1.0, None), name
        else:
            assert score.as_dict()["acc"] == 0.0, name
        printed = str([event.output for event in sample.events if event.event == "sandbox"])
        for leaked in (SECRET, "ESCAPED", str(folders["canary"] / "canary")):
            assert leaked not in printed, name

    assert _fingerprint(*watched) == before
    deadline = time.monotonic() + 10
    while (left := _own_processes()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == []
    (row,) = (r for r in leaderboard(tmp_path / "logs", resamples=0).rows if r["metric"] == "acc")
    assert row["n"] == 1  # one item; its attempts are averaged
    assert row["value"] == pytest.approx(2 / len(programs))
