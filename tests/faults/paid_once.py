"""Runs killed again and again by their progress, and the requests that they paid for twice."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.results.integrity.forging import CRITERIA
from tests.servers.commands import viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.rounds import Round

CONNECTIONS = 3
KINDS: dict[str, tuple[str, ...]] = {
    "writing": ("title", "--subset", "8"),
    "judged": ("title", "--subset", "5", "--judge", "openai-api/scripted/judge"),
    "retrieval": ("related_work", "--subset", "8", "--method", "rag"),
    "leaderboards": ("leaderboard", "--epochs", "2"),
    "agents": ("leaderboard", "--epochs", "2", "--method", "agent"),
    "ranking": ("rank_by_prompt", "--epochs", "2"),
    "tables": ("table", "--subset", "2", "--method", "per_paper"),
    "implementation": ("formula", "--epochs", "9"),
}
"""What is run of each family, and of agents, judges and methods of many requests."""
TASKS = ("title", "related_work", "leaderboard", "rank_by_prompt", "table", "formula")


@dataclasses.dataclass(frozen=True)
class Paid:
    """What a run cost that was killed."""

    needed: int
    """Requests of the same run when nobody kills it."""
    asked: int
    kills: int
    in_flight: int
    """Most requests that were under way when it was killed, over all kills."""

    @property
    def twice(self) -> int:
        return self.asked - self.needed


def run_killed(
    kill_after: Callable[..., None], opened: Round, folder: Path, kind: str, kills: int
) -> Paid:
    """Kill a run of a kind so often, each time a few answers further, then let it end."""
    golden = Golden(opened, TASKS)

    def reply(ask: Ask) -> Reply:
        verdict = json.dumps({name: {"reason": "so", "winner": 1} for name in CRITERIA})
        said = answer(verdict) if ask.model == "judge" else golden(ask)
        return dataclasses.replace(said, delay=0.05)

    def command(logs: str) -> Sequence[str | Path]:
        model = ("--model", f"openai-api/scripted/{kind}", "--max-connections", str(CONNECTIONS))
        return ["run", *KINDS[kind], "--round", opened.folder, "--logs", folder / logs, *model]

    with scripted(reply) as server:
        viva_here(*command("calm"), env=server.environment)
        needed, calm, done = len(server.asks), server.answered, 0
        step = max(1, (needed - CONNECTIONS) // (kills + 1))
        # Where too few are left to come, the run might end before it is killed.
        while done < kills and server.answered - calm + step + CONNECTIONS < needed:
            kill_after(server, server.answered + step, command("killed"))
            done += 1
        viva_here(*command("killed"), env=server.environment)
        assert server.failures == []
        asked = len(server.asks) - needed
    shutil.rmtree(folder)
    models = 2 if kind == "judged" else 1
    return Paid(needed, asked, done, in_flight=CONNECTIONS * models * done)
