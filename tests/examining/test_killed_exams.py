"""An exam that is killed at every step and between them ends as one that nobody disturbed."""

import json
import signal
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT
from tests.examining.papers import quality, save_pages
from tests.servers.arxiv_replay import FakeClock, replaying
from tests.servers.commands import only_json, viva_here
from tests.servers.living_arxiv import LivingArxiv, submissions
from tests.servers.scripted import ScriptedServer, scripted

from vivavoce.store import hash_tree

MODELS = ["openai-api/scripted/fine", "openai-api/scripted/weak"]
PLACES = ("site", "page", "left_out_file")
CONNECTIONS = 10
"""Requests that Inspect has under way at one time."""
DEATHS = [
    ("Reading papers", "half"),
    ("Building the round", "end"),
    ("Baselines of abstract", "half"),
    ("Asking about abstract", "half"),
    ("Asking about abstract", "end"),
    ("Writing the site", "start"),
]


FETCHING = [
    ("Asking arXiv", "half"),
    ("Asking arXiv", "end"),
    ("Fetching texts", "half"),
    ("Fetching texts", "end"),
]


class Mortal:
    """Exams in processes that kill themselves."""

    def __init__(self, server: ScriptedServer) -> None:
        self._environment = dict(server.environment)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.examining.dying"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def run(self, step: str | None, moment: str | int, arguments: dict[str, Any]) -> int:
        # Replies to judges are kept for a week: every exam has a place of its own for them.
        kept = {"INSPECT_CACHE_DIR": f"{arguments['out']}-replies"}
        line = json.dumps([step, moment, arguments, {**self._environment, **kept}])
        print(line, file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


@pytest.mark.slow
def test_an_exam_killed_again_and_again_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    papers = save_pages(tmp_path / "papers", 8)
    with scripted(quality) as server:
        mortal = Mortal(server)
        arguments = {"papers": str(papers), "models": MODELS, "tasks": ["abstract"]}
        calm, stormy = ({**arguments, "out": str(tmp_path / n)} for n in ("calm", "stormy"))
        assert mortal.run(None, "", calm) == 0
        once = len(server.asks)
        for step, moment in DEATHS:
            assert mortal.run(step, moment, stormy) == -signal.SIGKILL, (step, moment)
        assert mortal.run(None, "", stormy) == 0
        mortal.close()
        asked = Counter((ask.model, ask.prompt) for ask in server.asks[once:])
        assert len(asked) == once
        assert sum(asked.values()) - once <= CONNECTIONS
        before = len(server.asks)
        reports = [report_of(server, papers, tmp_path / name) for name in ("calm", "stormy")]
        assert len(server.asks) == before
    assert reports[0] == reports[1]
    assert reports[0]["verdicts"][0]["better"] is None  # eight papers are too few to say


@pytest.mark.slow
def test_a_query_that_is_killed_while_it_is_fetched_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    days = {"since": "2023-01-01", "until": "2023-12-01"}
    with replaying({}, FakeClock()) as arxiv, scripted(quality) as server:
        arxiv.script = LivingArxiv(submissions(8, 300), date(2025, 1, 1))
        mortal = Mortal(server)
        asked = {"papers": "arxiv:cat:cs.CL", "models": [], "tasks": ["abstract"], **days}
        asked |= {"base": arxiv.origin, "contact": "keeper@example.org"}
        calm, stormy = ({**asked, "out": str(tmp_path / n)} for n in ("calm", "stormy"))
        assert mortal.run(None, "", calm) == 0
        once = [ask.target for ask in arxiv.asks]
        assert len(once) == 1 + 8
        for step, moment in FETCHING:
            assert mortal.run(step, moment, stormy) == -signal.SIGKILL, (step, moment)
        assert mortal.run(None, "", stormy) == 0
        mortal.close()
        again = Counter(ask.target for ask in arxiv.asks[len(once) :])
        assert set(again) == set(once)
        # A listing that was killed before it was kept whole is asked for again, a text at most
        # where its answer was on the way.
        assert sum(again.values()) - len(once) <= len(FETCHING)
        assert all(again[target] == 1 for target in once if "/html/" in target)
        agents = {ask.agent for ask in arxiv.asks}
        assert len(agents) == 1
        assert "keeper@example.org" in agents.pop()
    for folder in ("corpus/tables", "rounds"):
        calm_files, stormy_files = (hash_tree(tmp_path / n / folder) for n in ("calm", "stormy"))
        assert calm_files == stormy_files


def report_of(server: ScriptedServer, papers: Path, out: Path) -> dict[str, Any]:
    """What the command says of an exam that is done, but for the places of its files."""
    named = [word for name in MODELS for word in ("--model", name)]
    command = ("exam", papers, *named, "--tasks", "abstract", "--out", out, "--json")
    found = only_json(viva_here(*command, env=server.environment).stdout)
    return {name: value for name, value in found.items() if name not in PLACES}
