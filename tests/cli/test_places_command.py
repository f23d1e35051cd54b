"""A corpus at an address of an object store: every machine has a copy, one state counts."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import viva, viva_here
from tests.servers.object_store import bucket, keys_in, server, states_in

from vivavoce.store import hash_tree

pytestmark = pytest.mark.slow

__all__ = ["bucket", "server"]
ADDRESS = "s3://papers/one"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Work on a machine of some name from now on; returns where it keeps its copies."""

    def on(name: str) -> Path:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
        return tmp_path / name / "vivavoce" / "corpora"

    return on


def copy_in(corpora: Path) -> Path:
    (copy,) = (path for path in corpora.iterdir() if path.is_dir())
    return copy


def papers_at(address: str) -> int:
    result = viva_here("corpus", "stats", "--corpus", address, "--json")
    return int(json.loads(result.stdout)["tables"]["papers"])


def test_what_one_machine_ingests_another_one_reads(
    bucket: Any, machine: Callable[[str], Path], tmp_path: Path
) -> None:
    first = machine("first")
    result = viva_here("ingest", "sample", "40", "--corpus", ADDRESS)
    assert f"{ADDRESS}: " in result.stderr
    assert "files published" in result.stderr
    assert states_in(bucket) == ["00000001.json"]
    second = machine("second")
    assert papers_at(ADDRESS) == 40
    viva_here("network", "build", "--corpus", ADDRESS)
    assert states_in(bucket) == ["00000001.json", "00000002.json"]
    assert papers_at(ADDRESS) == 40  # reading publishes nothing
    assert states_in(bucket) == ["00000001.json", "00000002.json"]
    machine("first")
    viva_here("network", "stats", "--corpus", ADDRESS)
    assert hash_tree(copy_in(first)) == hash_tree(copy_in(second))
    viva("ingest", "sample", "40", "--corpus", tmp_path / "folder")
    viva("network", "build", "--corpus", tmp_path / "folder")
    assert hash_tree(copy_in(first)) == hash_tree(tmp_path / "folder")


def test_of_two_publishers_the_second_is_refused_and_begins_again_with_the_work_of_the_first(
    bucket: Any, machine: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine("first")
    viva("ingest", "sample", "40", "--corpus", ADDRESS)
    from vivavoce.corpus.build.tables import build_tables as build

    def meanwhile(*arguments: Any) -> Any:
        """Another machine publishes while this one builds."""
        monkeypatch.setattr("vivavoce.corpus.ingestion.imports.build_tables", build)
        with pytest.MonkeyPatch.context() as there:
            there.setenv("XDG_CACHE_HOME", os.environ["XDG_CACHE_HOME"] + "-other")
            viva_here("network", "build", "--corpus", ADDRESS)
        return build(*arguments)

    monkeypatch.setattr("vivavoce.corpus.ingestion.imports.build_tables", meanwhile)
    result = viva_here("ingest", "sample", "50", "--corpus", ADDRESS, expect=1)
    assert "was published by someone else after it was copied here" in result.stderr
    assert states_in(bucket) == ["00000001.json", "00000002.json"]
    assert papers_at(ADDRESS) == 40
    viva_here("ingest", "sample", "50", "--corpus", ADDRESS)
    assert states_in(bucket) == ["00000002.json", "00000003.json"]
    assert papers_at(ADDRESS) == 50


def test_a_killed_ingest_publishes_nothing_and_goes_on_where_it_stopped(
    bucket: Any, machine: Callable[[str], Path], tmp_path: Path
) -> None:
    corpora = machine("first")
    viva_here("ingest", "sample", "40", "--corpus", ADDRESS)
    command = [Path(sys.executable).with_name("viva"), "ingest", "sample", "200"]
    killed = subprocess.Popen([*command, "--corpus", ADDRESS], stderr=subprocess.DEVNULL)
    while not list(copy_in(corpora).glob("imports/0002-*/complete.json")):
        assert killed.poll() is None
        time.sleep(0.005)
    killed.kill()
    killed.wait()
    assert states_in(bucket) == ["00000001.json"]
    result = viva_here("corpus", "stats", "--corpus", ADDRESS, expect=1)
    assert "was cut short" in result.stderr
    assert states_in(bucket) == ["00000001.json"]
    viva_here("ingest", "sample", "200", "--corpus", ADDRESS)
    assert states_in(bucket) == ["00000001.json", "00000002.json"]
    for papers in (40, 200):
        viva("ingest", "sample", papers, "--corpus", tmp_path / "folder")
    assert hash_tree(copy_in(corpora)) == hash_tree(tmp_path / "folder")


def test_objects_that_no_state_needs_are_removed(
    bucket: Any, machine: Callable[[str], Path]
) -> None:
    corpora = machine("first")
    needed: list[set[str]] = []
    for papers in (40, 50, 60, 70):
        viva_here("ingest", "sample", papers, "--corpus", ADDRESS)
        needed.append({*hash_tree(copy_in(corpora)).values()})
    assert states_in(bucket) == ["00000003.json", "00000004.json"]
    held = {key.rpartition("/")[2] for key in keys_in(bucket) if "/objects/" in key}
    assert held == needed[-1] | needed[-2]


@pytest.mark.parametrize("part", ["/objects/", "/states/"])
def test_what_was_altered_in_the_store_is_noticed(
    bucket: Any, machine: Callable[[str], Path], part: str
) -> None:
    machine("first")
    viva("ingest", "sample", "40", "--corpus", ADDRESS)
    key = next(key for key in keys_in(bucket) if part in key)
    content = bytearray(bucket.get_object(Bucket="papers", Key=key)["Body"].read())
    content[len(content) // 2] ^= 1
    bucket.put_object(Bucket="papers", Key=key, Body=bytes(content))
    machine("second")
    result = viva_here("corpus", "stats", "--corpus", ADDRESS, expect=1)
    assert ADDRESS in result.stderr
    assert "differs from what was" in result.stderr


def test_a_state_names_no_file_outside_the_corpus(
    bucket: Any, machine: Callable[[str], Path], tmp_path: Path
) -> None:
    from vivavoce.store import canonical_json, hash_of

    corpora = machine("first")
    digest = "0" * 64
    for name in ("../../out", "/etc/passwd", ".lock", "a\\..\\b"):
        files = {name: digest}
        body = canonical_json([files, hash_of(files)])
        bucket.put_object(Bucket="papers", Key="one/states/00000001.json", Body=body)
        bucket.put_object(Bucket="papers", Key=f"one/objects/00/{digest}", Body=b"x")
        result = viva_here("corpus", "stats", "--corpus", ADDRESS, expect=1)
        assert "differs from what was written" in result.stderr, name
    assert not list(corpora.rglob("out"))


def test_damage_is_not_published(bucket: Any, machine: Callable[[str], Path]) -> None:
    corpora = machine("first")
    viva("ingest", "sample", "40", "--corpus", ADDRESS)
    path = next((copy_in(corpora) / "tables" / "sections").glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1])
    result = viva_here("corpus", "stats", "--corpus", ADDRESS, expect=1)
    assert "nothing was published" in result.stderr
    assert states_in(bucket) == ["00000001.json"]


@pytest.mark.parametrize(
    ("address", "code", "says"),
    [
        ("s3://", 2, "names no place"),
        ("s3://elsewhere/one", 2, "there is no bucket 'elsewhere'"),
        ("nowhere://papers/one", 2, "nowhere"),
        ("s3://papers/empty", 2, "is not a corpus"),
    ],
)
def test_a_wrong_address_is_reported(
    bucket: Any, machine: Callable[[str], Path], address: str, code: int, says: str
) -> None:
    machine("first")
    result = viva("corpus", "stats", "--corpus", address)
    assert result.exit_code == code, result.output
    assert says in result.stderr
    assert not states_in(bucket)


def test_a_store_that_does_not_answer_is_reported(tmp_path: Path) -> None:
    settings = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}
    keys = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}
    result = subprocess.run(
        [Path(sys.executable).with_name("viva"), "corpus", "stats", "--corpus", ADDRESS],
        env={**os.environ, **settings, **keys, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "Check the address, the network and the credentials" in result.stderr
