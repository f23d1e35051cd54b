"""The walk through co-authors on arXiv, against a server with a made-up catalogue."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, replaying
from tests.servers.catalogue_arxiv import CatalogueArxiv, Entry
from tests.support.tei import tei_text
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.corpus import ingest
from vivavoce.rounds import load_round
from vivavoce.store import write_jsonl

VIVA = Path(sys.executable).with_name("viva")
FIRST = date(2024, 1, 1)
ABSTRACT = " ".join(f"word{number}" for number in range(60))
BY_HAND = (
    ("Ada First", "Bo Second", "Cy Third"),
    ("Ada First", "Bo Second"),
    ("Bo Second", "Dee Fourth"),
    ("Cy Third", "Eva-Lou Fifth"),
    ("Eva-Lou Fifth", "Ada First"),
    ("Eva Lou", "Ada Fifth"),  # every word of Eva-Lou Fifth's name, by others
    ("Far Away", "Off Side"),
)


def catalogue(papers: tuple[tuple[str, ...], ...]) -> list[Entry]:
    return [
        Entry(f"2401.{number:05d}", FIRST + timedelta(number), authors, abstract=ABSTRACT)
        for number, authors in enumerate(papers)
    ]


@pytest.fixture
def arxiv() -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as server:
        server.script = CatalogueArxiv(catalogue(BY_HAND))
        yield server


def command(server: ReplayServer, out: Path, quota: int = 100, *more: str) -> list[str]:
    words = ["fetch", "coauthors", "--seed", "ada first", "--quota", str(quota), "--out", str(out)]
    return [*words, "--base", server.origin, "--json", *more]


def walk(server: ReplayServer, out: Path, quota: int = 100, *more: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, command(server, out, quota, *more))
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.stdout))


def test_a_walk_worked_out_by_hand(arxiv: ReplayServer, tmp_path: Path) -> None:
    report = walk(arxiv, tmp_path / "walk")
    graph = json.loads((tmp_path / "walk" / "graph.json").read_text())
    assert [one["name"] for one in graph["authors"]] == [
        "ada first",  # as the seed was spelled
        "Bo Second",
        "Cy Third",
        "Eva-Lou Fifth",
    ]
    papers = {one["name"]: one["papers"] for one in graph["authors"]}
    assert papers["ada first"] == ["2401.00001", "2401.00000"]
    assert papers["Eva-Lou Fifth"] == ["2401.00004"]
    # 0 and 1 share two papers that one of them leads; Cy leads one with Eva-Lou, she one with Ada.
    assert graph["edges"] == [[0, 1, 2], [0, 2, 1], [0, 3, 1], [2, 3, 1]]
    assert report["without_papers"] == ["Dee Fourth"]
    sizes = {"first_authors": 4, "edges": 4, "components": 1, "largest_component": 4, "papers": 5}
    assert report["before"] == {"authors": 5, **sizes}
    assert report["after"] == {"authors": 4, **sizes}
    assert report["requests"] == len(arxiv.asks) == 5
    assert "au%3AEva+AND+au%3ALou+AND+au%3AFifth" in arxiv.asks[4].target  # a hyphen is a NOT


def test_a_walk_that_is_done_asks_for_nothing_and_a_larger_quota_for_what_is_new(
    arxiv: ReplayServer, tmp_path: Path
) -> None:
    assert walk(arxiv, tmp_path / "walk", 2)["before"]["first_authors"] == 2
    asked = len(arxiv.asks)
    assert walk(arxiv, tmp_path / "walk", 2)["requests"] == 0
    more = walk(arxiv, tmp_path / "walk", 100)
    assert len(arxiv.asks) == asked + more["requests"] == 5
    assert more["before"]["first_authors"] == 4
    assert walk(arxiv, tmp_path / "walk", 100, "--fresh")["requests"] == 5
    done = CliRunner().invoke(app, [*command(arxiv, tmp_path / "walk"), "--seed", "Bo Second"])
    assert done.exit_code == 2
    assert "has a walk from other seeds" in done.output


@pytest.mark.parametrize("broken", range(1, 6))
def test_a_walk_that_was_stopped_goes_on_without_asking_twice(
    arxiv: ReplayServer, tmp_path: Path, broken: int
) -> None:
    whole = walk(arxiv, tmp_path / "whole")
    given = arxiv.script
    before = len(arxiv.asks)
    arxiv.script = lambda ask: Fault(b"", 404) if ask.number == before + broken else given(ask)
    assert CliRunner().invoke(app, command(arxiv, tmp_path / "walk")).exit_code == 1
    resumed = walk(arxiv, tmp_path / "walk")
    targets = Counter(ask.target for ask in arxiv.asks[before:])
    twice = sum(count - 1 for count in targets.values())
    assert twice == 1  # the one that failed
    for part in ("before", "after", "files", "without_papers"):
        assert resumed[part] == whole[part]
    for name in (*whole["files"], "graph.json"):
        there = (tmp_path / "walk" / name).read_bytes()
        assert there == (tmp_path / "whole" / name).read_bytes()


def test_an_empty_answer_does_not_lose_an_author(arxiv: ReplayServer, tmp_path: Path) -> None:
    given, nothing = arxiv.script, CatalogueArxiv([])
    arxiv.script = lambda ask: (nothing if ask.number in (1, 3) else given)(ask)
    assert walk(arxiv, tmp_path / "walk")["before"]["first_authors"] == 4


def spec(folder: Path, within: str) -> Path:
    path = folder / f"{within}.toml"
    path.write_text(
        f'[round]\nid = "{within}"\nfamilies = ["writing"]\n'
        'window = {start = "2024-01-01", end = "2025-01-01"}\n[writing]\n'
        f'settings = ["base"]\nwithin = "{within}"\n'
    )
    return path


def rounds(corpus: Path, folder: Path, within: str) -> set[str]:
    """Papers that a round asks about."""
    words = ["round", "build", str(spec(folder, within)), "--corpus", str(corpus)]
    done = CliRunner().invoke(app, [*words, "--out", str(folder / "rounds")])
    assert done.exit_code == 0, done.output
    items = load_round(folder / "rounds" / within).items("writing", "title")
    return {row["paper_id"] for row in items}


def text_of(name: str) -> str:
    """A paper in full, with an abstract and sections of its own words."""
    parts = {"Introduction": 200, "Method": 300, "Conclusion": 60}
    sections = {h: " ".join(f"{name[-2:]}{h}{i}" for i in range(n)) for h, n in parts.items()}
    return tei_text(f"A title {name}", sections=sections)


@pytest.mark.slow
def test_a_round_within_the_walk_and_within_the_largest_component(
    arxiv: ReplayServer, tmp_path: Path
) -> None:
    walk(arxiv, tmp_path / "walk")
    corpus = tmp_path / "c"
    (tmp_path / "tei").mkdir()
    rows = []
    for one in catalogue(BY_HAND):
        (tmp_path / "tei" / f"{one.name}.tei.xml").write_text(text_of(one.name))
        row = {"arxiv_id": one.name, "title": f"A title {one.name}", "authors": one.authors}
        abstract = " ".join(f"{one.name[-2:]}x{n}" for n in range(60))
        rows.append({**row, "published": str(one.day), "abstract": abstract})
    write_jsonl(tmp_path / "rows.jsonl", rows)
    ingest("tei", tmp_path / "tei", corpus)
    ingest("metadata", tmp_path / "rows.jsonl", corpus)
    words = ["round", "build", str(spec(tmp_path, "walk")), "--corpus", str(corpus)]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "rounds")])
    assert done.exit_code == 2
    assert "viva fetch coauthors" in done.output
    report = ingest("coauthors", tmp_path / "walk", corpus)
    assert (report.read, report.failed) == (5, ())

    every = rounds(corpus, tmp_path, "all")
    assert every == {f"arxiv:{one.name}" for one in catalogue(BY_HAND)}
    walked = rounds(corpus, tmp_path, "walk")
    assert walked == {f"arxiv:2401.{number:05d}" for number in range(5)}
    assert rounds(corpus, tmp_path, "lcc") == walked
    left = load_round(tmp_path / "rounds" / "lcc").leakage["counts"]
    assert left["outside_component"] == 2


@pytest.mark.slow
def test_a_killed_walk_ends_as_an_undisturbed_one(arxiv: ReplayServer, tmp_path: Path) -> None:
    given = arxiv.script
    walk(arxiv, tmp_path / "whole")
    before = len(arxiv.asks)
    running: list[subprocess.Popen[bytes]] = []

    def script(ask: Ask) -> Fault | None:
        if ask.number == before + 3:
            running[0].kill()
            running[0].wait()
        return given(ask)

    arxiv.script = script
    words = [str(VIVA), *command(arxiv, tmp_path / "walk")]
    running.append(subprocess.Popen(words, stdout=subprocess.DEVNULL))
    assert running[0].wait() != 0
    assert subprocess.run(words, check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert len(arxiv.asks) - before == 6  # one request was under way when it died
    for name in ("00000.coauthors.xml", "graph.json"):
        there = (tmp_path / "walk" / name).read_bytes()
        assert there == (tmp_path / "whole" / name).read_bytes()
