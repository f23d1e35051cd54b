"""Honest logs of every family, each in a folder of its own: what forgeries are made of."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.faults.storms import sample_round
from tests.results.integrity.forging import CRITERIA
from tests.servers.commands import small_round, viva_here
from tests.servers.golden import WRONG, Golden
from tests.servers.scripted import Ask, Reply, answer, scripted

FAMILIES = ("implementation", "leaderboards", "ranking", "tables", "writing")
RUNS: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "judged": ("title", "--epochs", "2", "--judge", "openai-api/scripted/judge"),
    "oracle": ("title", "--method", "oracle"),
    "rag": ("title", "--method", "rag"),
    "leaderboard": ("leaderboard",),
    "agent": ("leaderboard", "--method", "agent"),
    "ranking": ("rank_by_prompt",),
    "formula": ("formula",),
    "table": ("table", "--method", "per_paper"),
    "decide": ("title", "--decide", "all", "--looks", "3", "--model", "openai-api/scripted/other"),
}
TASKS = ("title", "leaderboard", "rank_by_prompt", "formula", "table")


def student(golden: Golden) -> Callable[[Ask], Reply]:
    """A model that knows about half of the answers, and a judge that likes whoever stands first."""

    def reply(ask: Ask) -> Reply:
        if ask.model == "judge":
            return answer(json.dumps({name: {"reason": "so", "winner": 1} for name in CRITERIA}))
        if "```python" in ask.prompt:
            return answer(WRONG)
        if ask.model == "other":
            return answer("Nothing of the kind")
        steps = "tools" in ask.body or "<demand>" in ask.prompt
        knows = hashlib.sha256(ask.prompt.encode()).digest()[0] % 2
        return golden(ask) if steps or knows else answer("Something else entirely")

    return reply


def honest_in(folder: Path) -> tuple[Path, Path, Path]:
    """The logs that `make_honest` left, the round, and a round of the same name that is not it."""
    return folder / "honest", folder / "made" / "storms", folder / "easy" / "round-0" / "small"


def make_honest(folder: Path) -> None:
    """Run every kind, and make the rounds."""
    chosen = {"formulas": ["PEG"], "architectures": [], "reports": []}
    opened = sample_round(
        folder / "made", FAMILIES, implementation=chosen, tables={"min_papers": 9}
    )
    easy = small_round(folder / "easy", papers=3).folder
    made = easy.with_name(opened.id)
    shutil.copytree(easy, made)
    with scripted(student(Golden(opened, TASKS))) as server:
        for name, arguments in RUNS.items():
            command: list[str | Path] = ["run", *arguments, "--round", opened.folder]
            items = "2" if name == "table" else "6"  # a table takes a request a paper
            command += ["--logs", folder / "honest" / name, "--subset", items]
            if name != "oracle":
                command += ["--model", "openai-api/scripted/student"]
            viva_here(*command, env=server.environment)
    # Two runs in one folder, of which the last may be cut off.
    where = ("--round", opened.folder, "--logs", folder / "honest" / "title", "--subset", "6")
    viva_here("run", "title", "--method", "null", *where)
    assert honest_in(folder)[1:] == (opened.folder, easy)
