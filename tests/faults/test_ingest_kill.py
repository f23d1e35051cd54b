"""kill -9 placed by progress, full disks, and what a second run makes of the rest."""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.commands import viva_here

from vivavoce.corpus import ingest, load_corpus, verify_corpus
from vivavoce.errors import InputError, StaleError
from vivavoce.store import hash_tree
from vivavoce.tasks import build_round

pytestmark = pytest.mark.slow

Killed = Callable[..., None]

IMPORTS, BUILD = "vivavoce.corpus.ingestion.imports", "vivavoce.corpus.build"
PARTS, CITING, TABLES = f"{BUILD}.parts", f"{BUILD}.citing", f"{BUILD}.tables"
PLACES = {
    "the plan is written": (IMPORTS, "write_sealed", 1),
    "a shard is written but not marked": (IMPORTS, "write_parquet", 2),
    "two of three shards are done": (IMPORTS, "mark_done", 2),
    "a file is flushed but not renamed": ("os", "fsync", 5),
    "every shard is done, the batch is open": (IMPORTS, "mark_done", 3),
    "the batch is closed, no table is there": (IMPORTS, "write_sealed", 2),
    "some tables of a shard are written": (PARTS, "write_parquet_table", 3),
    "its references are written, it is not marked": (PARTS, "mark_done", 1),
    "it is marked, no index is there": (PARTS, "mark_done", 2),
    "the index is whole but not marked": (CITING, "build_index", 1),
    "references are resolved but not marked": (CITING, "write_parquet_table", 1),
    "every table of papers is written": (CITING, "mark_done", 2),
    "some of the other tables are written": (TABLES, "write_parquet_table", 2),
    "every table is written, the manifest is not": (TABLES, "_clean", 1),
}


def stamps(corpus: Path) -> dict[Path, tuple[int, int]]:
    """Identity and time of every shard that has its marker."""
    done = (path.with_name(path.name[:-10]) for path in corpus.glob("imports/*/*.done.json"))
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in done}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_killed_ingest_goes_on_to_the_same_bytes(
    viva_killed: Killed,
    whole: dict[str, str],
    papers: Path,
    tmp_path: Path,
    place: tuple[str, str, int],
) -> None:
    command = ("ingest", "tei", papers, "--corpus", tmp_path / "c")
    viva_killed(*place, *command)
    assert hash_tree(tmp_path / "c") != whole
    with pytest.raises((InputError, StaleError)):
        load_corpus(tmp_path / "c")
    before = stamps(tmp_path / "c")
    again = viva_here(*command, "--json")
    assert json.loads(again.stdout)["read"] == 39
    assert hash_tree(tmp_path / "c") == whole
    after = stamps(tmp_path / "c")
    assert {path: after[path] for path in before} == before  # no finished shard was redone
    assert not list((tmp_path / "c").rglob("*.tmp"))
    assert verify_corpus(tmp_path / "c") == []


def test_the_corpus_as_it_was_can_be_read_until_a_killed_ingest_has_its_shards(
    viva_killed: Killed, papers: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "c"
    (tmp_path / "m.jsonl").write_text('{"id": "p", "title": "T"}\n', "utf-8")
    ingest("metadata", tmp_path / "m.jsonl", corpus)
    viva_killed(IMPORTS, "mark_done", 1, "ingest", "tei", papers, "--corpus", corpus)
    assert len(load_corpus(corpus).papers) == 1
    (problem,) = verify_corpus(corpus)
    assert "unfinished" in problem


def test_a_shard_damaged_between_kill_and_resume_is_done_again(
    viva_killed: Killed, whole: dict[str, str], papers: Path, tmp_path: Path
) -> None:
    command = ("ingest", "tei", papers, "--corpus", tmp_path / "c")
    viva_killed(IMPORTS, "mark_done", 2, *command)
    first, second = sorted((tmp_path / "c").glob("imports/*/*.parquet"))
    content = bytearray(first.read_bytes())
    content[500] ^= 1
    first.write_bytes(content)
    second.unlink()
    viva_here(*command)
    assert hash_tree(tmp_path / "c") == whole


@pytest.mark.parametrize("limit", [2_000, 6_000])
def test_a_full_disk_is_told_leaves_no_half_file_and_the_ingest_goes_on_with_room(
    whole: dict[str, str], papers: Path, tmp_path: Path, limit: int
) -> None:
    command = ["ingest", "tei", str(papers), "--corpus", str(tmp_path / "c")]
    full = (
        "import sys, resource\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {resource.RLIM_INFINITY}))\n"
        "from vivavoce.cli import app; app(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", full, *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "could not be written" in done.stderr
    assert "Traceback" not in done.stderr
    left = hash_tree(tmp_path / "c")
    assert all(whole.get(name) == digest for name, digest in left.items())
    assert not list((tmp_path / "c").rglob("*.tmp"))
    viva_here(*command)
    assert hash_tree(tmp_path / "c") == whole


@pytest.mark.parametrize(
    "place",
    [
        ("vivavoce.rounds.build", "write_rows", 1),
        ("vivavoce.rounds.build", "write_sealed", 1),
    ],
    ids=["half of the items are written", "the draft is whole but not published"],
)
def test_a_killed_round_is_not_there_and_is_built_whole_the_next_time(
    viva_killed: Killed, tmp_path: Path, place: tuple[str, str, int]
) -> None:
    corpus = tmp_path / "c"
    ingest("sample", Path("40"), corpus)
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[round]\nid = "small"\nfamilies = ["writing"]\n'
        "window = {start = 2023-07-01, end = 2025-01-01}\n",
        "utf-8",
    )
    command = ("round", "build", spec, "--corpus", corpus, "--out")
    viva_killed(*place, *command, tmp_path / "rounds")
    assert not (tmp_path / "rounds" / "small").exists()
    assert viva_here("list", "rounds", "--in", tmp_path / "rounds", "--json").stdout == "[]\n"
    viva_here(*command, tmp_path / "rounds")
    build_round(corpus, spec, tmp_path / "whole")
    assert hash_tree(tmp_path / "rounds") == hash_tree(tmp_path / "whole")
