"""Exams of a query to arXiv, fetched politely and once, and of real papers with tables."""

import shutil
from datetime import date
from itertools import islice
from pathlib import Path

import pytest
from tests.examining.papers import quality
from tests.servers.arxiv_replay import FakeClock, replaying
from tests.servers.commands import only_json, viva_here
from tests.servers.living_arxiv import LivingArxiv, submissions
from tests.servers.scripted import scripted

MODELS = ("--model", "openai-api/scripted/fine", "--model", "openai-api/scripted/weak")


@pytest.mark.slow
def test_a_query_is_examined_and_asked_once(tmp_path: Path) -> None:
    archive = submissions(12, 365)
    inside = [one for one in archive if date(2023, 3, 1) <= one.day < date(2023, 12, 1)]
    with replaying({}, FakeClock()) as arxiv, scripted(quality) as server:
        arxiv.script = LivingArxiv(archive, date(2025, 1, 1))
        command = ("exam", "arxiv:cat:cs.CL", *MODELS, "--since", "2023-03-01", "--until")
        options = ("2023-12-01", "--tasks", "abstract", "--out", tmp_path / "out")
        places = ("--base", arxiv.origin, "--json")
        planned = viva_here(*command, *options, *places, env=server.environment, expect=2)
        assert "Add --yes" in planned.stderr
        # One page of the listing, and a text for each paper.
        listings = [ask.target for ask in arxiv.asks if ask.target.startswith("/api/")]
        assert len(listings) == 1
        assert "submittedDate%3A%5B202303010000+TO+202311302359%5D" in listings[0]
        assert len(arxiv.asks) == 1 + len(inside)
        done = viva_here(*command, *options, "--yes", *places, env=server.environment)
        report = only_json(done.stdout)
        assert report["papers"]["given"] == len(inside)
        [verdict] = report["verdicts"]
        assert len(inside) < 12
        assert verdict["better"] is None  # too few papers to say
        asked = len(arxiv.asks), len(server.asks)
        assert asked[0] == 1 + len(inside)
        again = viva_here(*command, *options, *places, env=server.environment)
        assert only_json(again.stdout) == report
        assert (len(arxiv.asks), len(server.asks)) == asked


@pytest.mark.slow
def test_no_network_and_no_paper_are_reported(tmp_path: Path) -> None:
    with replaying({}, FakeClock()) as arxiv:
        arxiv.script = LivingArxiv(submissions(3, 30), date(2025, 1, 1))
        base, words = arxiv.origin, ("--since", "1999-01-01", "--until", "1999-02-01")
        done = viva_here(
            "exam", "arxiv:cs", *words, "--base", base, "--out", tmp_path / "none", expect=2
        )
        assert "arXiv has no papers for (cs) AND submittedDate" in done.stderr
    done = viva_here("exam", "arxiv:cs", "--base", base, "--out", tmp_path / "off", expect=1)
    assert "127.0.0.1" in done.stderr


BASELINES = ("extractive/lead", "extractive/centrality")
PAPERS = 5


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_model_has_a_place_in_the_table_of_a_task_with_switches(
    data_dir: Path, tmp_path: Path
) -> None:
    """The method of the task has switches that are off, and a contestant's name none."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for path in islice(sorted((data_dir / "pdf").glob("*.pdf")), PAPERS):
        shutil.copy(path, folder)
    asked = [word for name in BASELINES for word in ("--model", name)]
    done = viva_here(
        *("exam", folder, *asked, "--tasks", "table", "--yes", "--json"),
        *("--out", tmp_path / "exam"),
    )
    rows = {row["contestant"]: row for row in only_json(done.stdout)["table"]}
    assert set(BASELINES) < set(rows)
    assert {row["task"] for row in rows.values()} == {"table"}
    # Copied sentences are no table: every answer of a model is there, and failed or is worth 0.
    assert all(rows[name]["value"] == 0 for name in BASELINES)
