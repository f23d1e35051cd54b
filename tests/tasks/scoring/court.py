"""A court: a scripted server with contestants and judges, and a round of titles for them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.scripted import Ask, Reply, Script, ScriptedServer, answer, by_model

from vivavoce.metrics.judged_text import ASPECTS
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import Board
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run


def verdict(winner: int, **changes: int) -> Reply:
    winners = {**dict.fromkeys(ASPECTS, winner), **changes}
    found = {name: {"reason": "It is.", "winner": place} for name, place in winners.items()}
    return answer(f"```json\n{json.dumps(found)}\n```")


def always_first(ask: Ask) -> Reply:
    return verdict(1)


def write(ask: Ask) -> Reply:
    """An answer that differs from item to item, and from any title."""
    return answer(f"A Title Out of {len(ask.prompt)} Characters")


@dataclass
class Court:
    """A server with contestants and judges, and a round for them."""

    server: ScriptedServer
    round: Round
    logs: Path

    def hold(self, writer: Script | None, sits: Script, name: str, **changes: Any) -> Board:
        """Run the title task with a writer and a judge of their own names."""
        models = {f"writer-{name}": writer or write, f"judge-{name}": sits}
        self.server.script = by_model({**self.known, **models})
        self.known = {**self.known, **models}
        options: dict[str, Any] = {
            "tasks": ["title"],
            "round": self.round.folder,
            "logs": self.logs / name,
            "models": [f"openai-api/scripted/writer-{name}"],
            "judge": f"openai-api/scripted/judge-{name}",
            "display": "none",
            "task_args": {"questions": "compare"},
        }
        report = run(RunSpec(**{**options, **changes}))
        assert report.failed == ()
        assert self.server.failures == []
        return leaderboard(self.logs / name, resamples=500)

    def __post_init__(self) -> None:
        self.known: dict[str, Script] = {}

    @property
    def gold(self) -> dict[str, str]:
        return {row["id"]: row["reference"] for row in self.round.items("writing", "title")}


def rows(board: Board, *, method: str = "direct") -> dict[str, dict[str, Any]]:
    found = [row for row in board.rows if row["method"] == method]
    assert len({row["metric"] for row in found}) == len(found)
    return {row["metric"]: row for row in found}


ITEMS = 4
