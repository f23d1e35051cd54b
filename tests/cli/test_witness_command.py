"""Runs that state their ledger to a witness, who signs it, and logs held against the statements."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.servers.commands import VIVA, only_json, small_round, viva_here

from vivavoce.running.witness import MAX_STATEMENT

BOUND, SELF_REPORTED = "bound by a known head", "self-reported"


@pytest.fixture(scope="module")
def round(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_round(tmp_path_factory.mktemp("witness"), papers=3).folder


def run(round: Path, logs: Path, witness: str | Path, expect: int = 0) -> None:
    viva_here(
        *("run", "title", "--round", round, "--model", "extractive/lead", "--logs", logs),
        *("--witness", witness, "--display", "none"),
        expect=expect,
    )


def verified(logs: Path, round: Path, *options: str | Path, expect: int = 0) -> dict[str, Any]:
    done = viva_here("board", "verify", logs, "--round", round, *options, "--json", expect=expect)
    found: dict[str, Any] = only_json(done.stdout)
    return found


def provenance(found: dict[str, Any]) -> set[str]:
    return {log["provenance"] for log in found["logs"]}


def test_statements_of_a_run_bind_its_logs(round: Path, tmp_path: Path) -> None:
    witness, logs = tmp_path / "witness", tmp_path / "logs"
    run(round, logs, witness)
    told = [json.loads(path.read_text())["statement"] for path in witness.glob("*.json")]
    assert sorted(each["kind"] for each in told) == ["end", "start"]
    assert {tuple(each["asked"]["models"]) for each in told} == {("extractive/lead",)}
    assert provenance(verified(logs, round)) == {SELF_REPORTED}
    found = verified(logs, round, "--witness", witness)
    assert (provenance(found), found["ledger"]["elsewhere"]) == ({BOUND}, 0)


def test_runs_that_are_not_shown_are_counted(round: Path, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    for name in ("first", "second", "third"):
        run(round, tmp_path / name, witness)
    assert verified(tmp_path / "third", round, "--witness", witness)["ledger"]["elsewhere"] == 2


def test_a_ledger_cut_after_its_statement_is_refused(round: Path, tmp_path: Path) -> None:
    witness, logs = tmp_path / "witness", tmp_path / "logs"
    run(round, logs, witness)
    run(round, logs, witness)
    ledger = logs / "runs.jsonl"
    lines = ledger.read_text().splitlines(keepends=True)
    assert [json.loads(line)["kind"] for line in lines] == ["start", "log", "start"]
    ledger.write_text(lines[0])
    [path] = logs.glob("*.eval")
    path.unlink()
    run(round, logs, tmp_path / "elsewhere")  # a second try, that the witness is not told of
    found = verified(logs, round, "--witness", witness, expect=1)
    assert "lines were changed or cut off" in found["ledger"]["problems"][0]


def test_only_signed_statements_count_under_a_key(round: Path, tmp_path: Path) -> None:
    witness, logs, key = tmp_path / "witness", tmp_path / "logs", tmp_path / "key"
    public = only_json(viva_here("witness", "key", key, "--json").stdout)["public_key"]
    assert key.stat().st_mode & 0o077 == 0
    viva_here("witness", "key", key, expect=2)
    run(round, logs, witness)
    given = ("--witness", witness, "--witness-key", public)
    assert provenance(verified(logs, round, *given)) == {SELF_REPORTED}
    sign = ("witness", "sign", witness, "--key", key, "--time", "2026-01-02T03:04:05+00:00")
    assert "2 statements signed" in viva_here(*sign).stdout
    assert "0 statements signed" in viva_here(*sign).stdout
    assert provenance(verified(logs, round, *given)) == {BOUND}
    for path in witness.glob("*.json"):  # an earlier time than the witness signed
        path.write_text(path.read_text().replace("2026-01-02", "2025-01-02"))
    assert provenance(verified(logs, round, *given)) == {SELF_REPORTED}
    viva_here(*("board", "verify", logs, "--witness", witness, "--witness-key", "abc"), expect=2)
    for path in witness.glob("*.json"):
        path.write_text(path.read_text().replace("extractive/lead", "lab/best"))
    viva_here("board", "verify", logs, "--witness", witness, expect=2)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a `viva witness serve`, and its public key."""
    key = tmp_path / "server.key"
    public = viva_here("witness", "key", key).stdout.splitlines()[0]
    command = [VIVA, "witness", "serve", tmp_path / "served", "--key", key, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1], public
        process.terminate()


@pytest.mark.slow
def test_a_server_signs_what_runs_state(
    round: Path, tmp_path: Path, server: tuple[str, str]
) -> None:
    address, public = server
    run(round, tmp_path / "logs", address)
    found = verified(tmp_path / "logs", round, "--witness", address, "--witness-key", public)
    assert provenance(found) == {BOUND}
    bad = httpx.post(f"{address}/statements", json={"kind": "start"})
    assert (bad.status_code, "no statement of a run" in bad.json()["error"]) == (422, True)
    long = httpx.post(f"{address}/statements", content=b" " * (MAX_STATEMENT + 1))
    assert long.status_code == 413
    assert len(httpx.get(f"{address}/statements").json()) == 2


def test_nothing_is_asked_without_the_witness(round: Path, tmp_path: Path) -> None:
    run(round, tmp_path / "logs", "http://127.0.0.1:9", expect=1)
    assert not list((tmp_path / "logs").glob("*.eval"))
    viva_here("board", "verify", tmp_path, "--witness", tmp_path / "none", expect=2)
