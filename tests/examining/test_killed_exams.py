"""An exam that is killed at every step and between them ends as one that nobody disturbed."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.examining.papers import quality, save_pages
from tests.servers.arxiv_replay import FakeClock, replaying
from tests.servers.commands import only_json, viva_here
from tests.servers.forked import KILLED, Killer, Place
from tests.servers.living_arxiv import LivingArxiv, submissions
from tests.servers.scripted import ScriptedServer, scripted

from vivavoce.store import hash_tree

MODELS = ["openai-api/scripted/fine", "openai-api/scripted/weak"]
PLACES = ("site", "page", "left_out_file")
CONNECTIONS = 10
"""Requests that Inspect has under way at one time."""
EXAM, REQUEST = "vivavoce.examining", "vivavoce.examining.request"
DEATHS = {
    "papers are read, and no corpus is there": Place(
        "vivavoce.corpus.ingestion.imports", "mark_done", 1
    ),
    "the round is built": Place(EXAM, "build_round", 1),
    "baselines are half scored": Place("vivavoce.tasks.writing.family", "rouge", 16),
    "both models were asked": Place(EXAM, "run", 2),
    "the site is to be written": Place(EXAM, "make_site", 1, after=False),
}
FETCHING = {
    "the listing came and is not kept": Place(REQUEST, "find_page", 1),
    "the listing is kept": Place(REQUEST, "write_bytes", 1),
    "a text is kept and in no index": Place("vivavoce.corpus.ingestion.fetching", "write_bytes", 4),
    "every text is there": Place(REQUEST, "fetch_texts", 1),
}


@pytest.fixture
def killer() -> Iterator[Killer]:
    with closing(Killer()) as made:
        yield made


def words_of(papers: Path | str, out: Path, *more: str) -> list[str]:
    return ["exam", str(papers), "--tasks", "abstract", "--yes", "--out", str(out), *more]


NAMED = [word for name in MODELS for word in ("--model", name)]


@pytest.mark.slow
def test_an_exam_killed_again_and_again_ends_as_an_undisturbed_one(
    killer: Killer, tmp_path: Path
) -> None:
    papers = save_pages(tmp_path / "papers", 8)
    with scripted(quality) as server:
        calm, stormy = (words_of(papers, tmp_path / name, *NAMED) for name in ("calm", "stormy"))
        assert killer.run(calm, server.environment) == 0
        once = len(server.asks)
        for name, place in DEATHS.items():
            if name == "both models were asked":
                killer.kill_after(server, server.answered + once // 2, stormy)
            assert killer.run(stormy, server.environment, place) == KILLED, name
        assert killer.run(stormy, server.environment) == 0
        asked = Counter((ask.model, ask.prompt) for ask in server.asks[once:])
        assert len(asked) == once
        assert sum(asked.values()) - once <= 2 * CONNECTIONS
        before = len(server.asks)
        reports = [report_of(server, papers, tmp_path / name) for name in ("calm", "stormy")]
        assert len(server.asks) == before
    assert reports[0] == reports[1]
    assert reports[0]["verdicts"][0]["better"] is None  # eight papers are too few to say


@pytest.mark.slow
def test_a_query_that_is_killed_while_it_is_fetched_loses_and_doubles_nothing(
    killer: Killer, tmp_path: Path
) -> None:
    days = ("--since", "2023-01-01", "--until", "2023-12-01")
    with replaying({}, FakeClock()) as arxiv, scripted(quality) as server:
        arxiv.script = LivingArxiv(submissions(8, 300), date(2025, 1, 1))
        service = ("--base", arxiv.origin, "--contact", "keeper@example.org")
        calm, stormy = (
            words_of("arxiv:cat:cs.CL", tmp_path / name, *days, *service)
            for name in ("calm", "stormy")
        )
        assert killer.run(calm, server.environment) == 0
        once = [ask.target for ask in arxiv.asks]
        assert len(once) == 1 + 8
        for name, place in FETCHING.items():
            assert killer.run(stormy, server.environment, place) == KILLED, name
        assert killer.run(stormy, server.environment) == 0
        again = Counter(ask.target for ask in arxiv.asks[len(once) :])
        assert set(again) == set(once)
        # Only the listing and the text that were not kept yet are asked for twice.
        assert sum(again.values()) - len(once) == 2
        agents = {ask.agent for ask in arxiv.asks}
        assert len(agents) == 1
        assert "keeper@example.org" in agents.pop()
    for folder in ("corpus/tables", "rounds"):
        calm_files, stormy_files = (hash_tree(tmp_path / n / folder) for n in ("calm", "stormy"))
        assert calm_files == stormy_files


def report_of(server: ScriptedServer, papers: Path, out: Path) -> dict[str, Any]:
    """What the command says of an exam that is done, but for the places of its files."""
    done = viva_here(*words_of(papers, out, *NAMED), "--json", env=server.environment)
    found = only_json(done.stdout)
    return {name: value for name, value in found.items() if name not in PLACES}
