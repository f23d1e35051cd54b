"""A live board beside a living arXiv and scripted models, both on the loopback interface."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.servers.arxiv_replay import FakeClock, ReplayServer, replaying
from tests.servers.commands import viva_here
from tests.servers.living_arxiv import LivingArxiv, Submission, submissions
from tests.servers.scripted import Script, ScriptedServer, opening, scripted
from typer.testing import Result

from vivavoce.sources.http import Turns
from vivavoce.store import read_json, read_jsonl

BASE = """
[live]
id = "live"
[schedule]
start = 2023-01-01
[[source]]
kind = "arxiv"
query = "cat:cs.CL"
[round]
families = ["writing"]
sealed = true
[writing]
settings = ["base"]
[update]
anchors = 1
[run]
tasks = ["title"]
max_retries = 0
retry_on_error = 0
[site]
resamples = 200
"""
LEAD = '[[contestant]]\nname = "lead"\nmethods = ["lead"]\n'


def contestant(name: str, *lines: str) -> str:
    """A contestant of the scripted server, called as its model."""
    return "\n".join(
        ["[[contestant]]", f'name = "{name}"', f'model = "openai-api/scripted/{name}"', *lines, ""]
    )


@dataclass
class Board:
    """A board in a folder, the archive it reads and the models it asks."""

    folder: Path
    archive: LivingArxiv
    arxiv: ReplayServer
    models: ScriptedServer

    @property
    def config(self) -> Path:
        return self.folder / "board.toml"

    def write(self, *parts: str) -> None:
        """Write the configuration out of its parts."""
        self.config.write_text("\n".join([BASE, *parts]), "utf-8")

    def words(self, until: date | str, *more: str) -> list[str]:
        base = ["--until", str(until), "--base", self.arxiv.origin]
        return ["live", str(self.config), *base, *more]

    def live(self, until: date | str, *more: str, expect: int | None = 0) -> Result:
        """Run `viva live` as on a day."""
        self.archive.today = date.fromisoformat(str(until))
        words = self.words(until, *more)
        return viva_here(*words, env=self.models.environment, expect=expect)

    def status(self, until: date | str) -> Any:
        done = viva_here("live", "status", self.config, "--until", until, "--json")
        return json.loads(done.stdout)

    @property
    def requests(self) -> tuple[int, int]:
        """Requests to the archive and to the models so far."""
        return len(self.arxiv.asks), len(self.models.asks)

    @property
    def ledger(self) -> list[Mapping[str, Any]]:
        return [row for _, row in read_jsonl(self.folder / "ledger.jsonl")]

    def rows(self) -> list[Mapping[str, Any]]:
        """The rows of the site, by round and contestant."""
        found: list[Mapping[str, Any]] = read_json(self.folder / "site" / "board.json")["rows"]
        return sorted(found, key=lambda row: (row["round"], row["model"], row["metric"]))


@contextmanager
def board(
    folder: Path, archive: Sequence[Submission] | None = None, script: Script = opening
) -> Iterator[Board]:
    """A board for the length of a block; eighteen papers in the first three months by default.

    Who fetches in this process waits on the clock of the archive, in no time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    papers = submissions(18, 90) if archive is None else archive
    clock = FakeClock()
    turns = partial(Turns, clock=clock.time, sleep=clock.sleep)
    with (
        replaying({}, clock) as server,
        scripted(script) as models,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("vivavoce.sources.http.Turns", turns)
        living = LivingArxiv(papers, date(2023, 1, 1))
        server.script = living
        yield Board(folder, living, server, models)
