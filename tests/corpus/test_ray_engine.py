"""Tables built on a Ray cluster that loses a machine: the same rows as on one machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.corpus.in_memory_build import tables_in_memory

from vivavoce.corpus import ingest, load_corpus
from vivavoce.corpus.build import partitioning
from vivavoce.store import hash_tree, read_parquet

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'vivavoce[ray]'"),
    pytest.mark.timeout(1_200),
]

ROWS = 10_500
MEAN = 512
# A cluster of two machines of one core each. It takes one away when it is written a line.
CLUSTER = """
import sys
from ray.cluster_utils import Cluster

store = 80_000_000
cluster = Cluster(
    initialize_head=True,
    head_node_args=dict(num_cpus=1, object_store_memory=store, include_dashboard=False),
)
lost = cluster.add_node(num_cpus=1, object_store_memory=store)
print(cluster.address, flush=True)
sys.stdin.readline()
cluster.remove_node(lost, allow_graceful=False)
cluster.add_node(num_cpus=1, object_store_memory=store)
print("lost", flush=True)
sys.stdin.readline()
cluster.shutdown()
"""
BUILD = f"""
import sys
from vivavoce.cli import app
from vivavoce.corpus.build import partitioning

partitioning.MEAN_PAPERS = {MEAN}
app(sys.argv[1:])
"""


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """For Ray, whose sockets need a short path, and which leaves nothing elsewhere."""
    folder = tempfile.mkdtemp(prefix="r")
    yield {
        **os.environ,
        "RAY_TMPDIR": folder,
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    yield process
    process.communicate("\n\n", timeout=300)


def write_papers(path: Path) -> Path:
    """Papers that come in no order, some twice under two ids."""
    rows = []
    for number in range(ROWS):
        key = number * 7_919 % ROWS
        row = {"id": f"p{key:05d}", "title": f"The matter of number {key}", "year": 1990 + key % 30}
        rows.append({**row, "authors": [f"A. Writer{key % 97}"]})
        if number % 50 == 0:
            rows.append({**rows[-1], "id": f"q{key:05d}", "doi": f"10.1000/{key}"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_a_cluster_that_loses_a_machine_makes_the_same_tables(
    cluster: subprocess.Popen[str],
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    papers = write_papers(tmp_path / "papers.jsonl")
    texts = ("ingest", "sample", "40", "--corpus", str(tmp_path / "ray"))
    subprocess.run([sys.executable, "-c", BUILD, *texts], check=True, capture_output=True)
    address = next_line(cluster)
    command = ("ingest", "metadata", str(papers), "--corpus", str(tmp_path / "ray"), "--json")
    building = subprocess.Popen(
        [sys.executable, "-c", BUILD, *command, "--engine", "ray", "--address", address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    markers = tmp_path / "ray" / "tables" / "papers"
    before = len(list(markers.glob("*.done.json")))
    while building.poll() is None and len(list(markers.glob("*.done.json"))) < before + 2:
        time.sleep(0.02)
    assert building.poll() is None, building.communicate()
    made = len(list(markers.glob("*.done.json")))
    tell(cluster)
    out, err = building.communicate()
    assert building.returncode == 0, err
    assert json.loads(out)["papers"] > 10_000
    opened = load_corpus(tmp_path / "ray")
    assert made < len(opened.manifest["shards"])  # it was in the midst of its work

    monkeypatch.setattr(partitioning, "MEAN_PAPERS", MEAN)
    ingest("sample", Path("40"), tmp_path / "native")
    ingest("metadata", papers, tmp_path / "native")
    assert opened.fingerprint == load_corpus(tmp_path / "native").fingerprint
    assert hash_tree(tmp_path / "ray") == hash_tree(tmp_path / "native")
    wanted = tables_in_memory(tmp_path / "ray")
    for name in wanted.keys() - {"works"}:  # what near copies tell is worked out of all tables
        files = map(opened.sound_path, opened.files(name))
        stored = [row for file in files for row in read_parquet(file)]
        assert stored == wanted[name], name
