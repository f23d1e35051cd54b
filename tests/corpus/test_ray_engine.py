"""Tables built on a Ray cluster that loses workers: the same bytes as on one machine."""

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
from typing import Any

import pytest
from tests.servers.object_store import bucket, keys_in, server, settings_for, states_in

from vivavoce.corpus import ingest, load_corpus
from vivavoce.corpus.build import partitioning
from vivavoce.store import hash_tree, write_jsonl

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'vivavoce[ray]'"),
    pytest.mark.timeout(1_200),
]

__all__ = ["bucket", "server"]
ROWS = 1_600
MEAN = 80
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
# A worker dies once in each step: its task is done, and nobody was told so.
LOSING = """
import json, os, signal, sys
from functools import partial
from pathlib import Path
from vivavoce.corpus.build import engine, partitioning
from vivavoce.corpus.build.engine import do_away

attempt = engine.attempt
seen = Path(os.environ["SEEN"])

def die_once(step, task):
    told = json.loads(task)
    with (seen / "folders").open("a") as folders:
        folders.write(str(told.get("folder") or told["path"]) + chr(10))
    outcome = attempt(step, task)
    try:
        (seen / step.__name__).touch(exist_ok=False)
    except FileExistsError:
        return outcome
    os.kill(os.getpid(), signal.SIGKILL)

def die_once_away(step, task):
    return do_away(partial(die_once, step), task)

def build():
    from vivavoce.cli import app
    partitioning.MEAN_PAPERS = 8
    engine.attempt, engine.attempt_away = die_once, die_once_away
    app(sys.argv[1:])
"""
STEPS = ["make_shard", "repartition", "resolve_references"]


@pytest.fixture(scope="module")
def environment(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """For Ray, whose sockets need a short path, and which leaves nothing elsewhere."""
    folder, own = tempfile.mkdtemp(prefix="r"), tmp_path_factory.mktemp("ray")
    yield {
        **os.environ,
        **settings_for(server),
        "PYTHONPATH": str(own),
        "SEEN": str(own / "seen"),
        "XDG_CACHE_HOME": str(own),
        "RAY_TMPDIR": folder,
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def cluster(environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A cluster, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    yield process, process.stdout.readline().strip()
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
    write_jsonl(path, rows)
    return path


def test_a_worker_killed_in_each_step_changes_no_byte(
    cluster: tuple[subprocess.Popen[str], str],
    environment: dict[str, str],
    bucket: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (Path(environment["PYTHONPATH"]) / "losing.py").write_text(LOSING)
    seen = Path(environment["SEEN"])
    seen.mkdir()
    command = ["ingest", "sample", "40", "--corpus", "s3://papers/one"]
    engine = ["--engine", "ray", "--address", cluster[1]]
    done = subprocess.run(
        [sys.executable, "-c", "import losing; losing.build()", *command, *engine],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in seen.iterdir() if p.name != "folders") == STEPS
    folders = (seen / "folders").read_text().splitlines()
    assert folders
    # No worker looked into the copy of the machine that handed out the work.
    assert not any(folder.startswith(environment["XDG_CACHE_HOME"]) for folder in folders)
    assert not [key for key in keys_in(bucket) if key.startswith("one/work/")]
    assert states_in(bucket) == ["00000001.json"]
    [made] = (Path(environment["XDG_CACHE_HOME"]) / "vivavoce" / "corpora").glob("one-*")
    monkeypatch.setattr(partitioning, "MEAN_PAPERS", 8)
    ingest("sample", Path("40"), tmp_path / "native")
    assert hash_tree(made) == hash_tree(tmp_path / "native")


def test_a_cluster_that_loses_a_machine_makes_the_same_tables(
    cluster: tuple[subprocess.Popen[str], str],
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    papers = write_papers(tmp_path / "papers.jsonl")
    texts = ("ingest", "sample", "40", "--corpus", str(tmp_path / "ray"))
    subprocess.run([sys.executable, "-c", BUILD, *texts], check=True, capture_output=True)
    process, address = cluster
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
    process.stdin.write("\n")
    process.stdin.flush()
    out, err = building.communicate()
    assert building.returncode == 0, err
    assert json.loads(out)["papers"] > 1_500
    opened = load_corpus(tmp_path / "ray")
    assert made < len(opened.manifest["shards"])  # it was in the midst of its work

    monkeypatch.setattr(partitioning, "MEAN_PAPERS", MEAN)
    ingest("sample", Path("40"), tmp_path / "native")
    ingest("metadata", papers, tmp_path / "native")
    assert opened.fingerprint == load_corpus(tmp_path / "native").fingerprint
    assert hash_tree(tmp_path / "ray") == hash_tree(tmp_path / "native")
