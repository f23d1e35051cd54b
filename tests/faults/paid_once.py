"""Runs killed by their progress: which requests were paid for twice, and what the logs say then.

    python -m tests.faults.paid_once --kills 20 --seed 0

For each kind of run: once undisturbed; then so often a run that is killed as soon as the server has
sent its k-th reply, k drawn by the seed, and asked for again until it ends. The server counts the
requests. docs/trust.md says what comes of it.
"""

import argparse
import dataclasses
import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import list_eval_logs, read_eval_log
from tests.faults.storms import sample_round
from tests.results.integrity.forging import CRITERIA
from tests.servers.batches import batch_server
from tests.servers.commands import small_round, viva_here
from tests.servers.forked import Killer
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.rounds import Round

CONNECTIONS = 4
JUDGE = "openai-api/scripted/judge"
KINDS: dict[str, tuple[str, ...]] = {
    "writing": ("title", "--subset", "10"),
    "judges": ("title", "--subset", "6", "--judge", JUDGE, "--no-cache"),
    "retrieval": ("related_work", "--subset", "8", "--method", "rag"),
    "leaderboards": ("leaderboard", "--epochs", "2"),
    "agents": ("leaderboard", "--epochs", "2", "--method", "agent"),
    "ranking": ("rank_by_prompt", "--epochs", "2"),
    "tables": ("table", "--subset", "2", "--method", "per_paper"),
    "implementation": ("formula", "--epochs", "5"),
}
"""What is run of each family, and of agents, judges and methods of many requests."""
BATCHES = "batches"
BATCHED, LOOKS = 12, 10
"""Requests of a run in batches, and looks at a batch until it is done."""
TASKS = ("title", "related_work", "leaderboard", "rank_by_prompt", "table", "formula")
FAMILIES = ("implementation", "leaderboards", "ranking", "tables", "writing")
OPTIONS: dict[str, Any] = {
    "implementation": {"formulas": ["PEG"], "architectures": [], "reports": []},
    "tables": {"min_papers": 9},
}
"""The round that is asked about."""
Values = dict[tuple[str, int], Any]
"""Scores and answer of a sample and its try."""


@dataclasses.dataclass(frozen=True)
class Paid:
    """Requests of runs of one kind, each of which was killed once."""

    kind: str
    needed: int
    """Requests of the same run when nobody kills it."""
    twice: tuple[int, ...]
    """Requests that were paid twice, of each killed run."""
    in_flight: int
    """Most requests that can be under way."""
    unlike: int
    """Killed runs whose answers or scores are not those of the undisturbed one."""

    @property
    def row(self) -> str:
        """A line of the table."""
        cells = (self.kind, self.needed, len(self.twice), max(self.twice), self.in_flight)
        return f"| {' | '.join(map(str, cells))} | {sum(self.twice)} | {self.unlike} |"


HEADER = (
    "| run | requests | kills | paid twice, at most | in flight, at most | paid twice, all kills | "
    "other scores |\n|---|---|---|---|---|---|---|"
)


def final_values(logs: Path) -> Values:
    """Answers and scores of the one complete log of a folder."""
    found = [read_eval_log(info) for info in list_eval_logs(str(logs))]
    [log] = [log for log in found if log.status == "success"]
    samples = log.samples or []
    values = {
        (str(one.id), one.epoch): [
            one.output.completion,
            json.dumps({n: score.value for n, score in (one.scores or {}).items()}, sort_keys=True),
        ]
        for one in samples
    }
    assert len(values) == len(samples)
    return values


def run_killed(
    kill_after: Callable[..., None],
    opened: Round,
    folder: Path,
    kind: str,
    places: Callable[[int], Sequence[int]],
) -> Paid:
    """Kill runs of a kind after replies at `places(requests)`, and let each end afterwards."""
    golden = Golden(opened, TASKS)
    verdict = json.dumps({name: {"reason": "so", "winner": 1} for name in CRITERIA})

    def reply(ask: Ask) -> Reply:
        if ask.model == "judge":
            said = answer(verdict)
        else:  # a judge is asked about no answer that is the gold itself
            said = answer("A Title of One's Own") if kind == "judges" else golden(ask)
        return dataclasses.replace(said, delay=0.05)

    def command(logs: str) -> Sequence[str | Path]:
        model = ("--model", f"openai-api/scripted/{kind}", "--max-connections", str(CONNECTIONS))
        return ["run", *KINDS[kind], "--round", opened.folder, "--logs", folder / logs, *model]

    twice, unlike = [], 0
    with scripted(reply) as server:
        viva_here(*command("calm"), env=server.environment)
        needed, calm = len(server.asks), final_values(folder / "calm")
        for number, place in enumerate(places(needed)):
            asked, logs = len(server.asks), f"killed-{number}"
            kill_after(server, server.answered + place, command(logs))
            viva_here(*command(logs), env=server.environment)
            twice.append(len(server.asks) - asked - needed)
            unlike += final_values(folder / logs) != calm
        assert server.failures == []
    models = 2 if kind == "judges" else 1
    return Paid(kind, needed, tuple(twice), CONNECTIONS * models, unlike)


def batches_killed(
    kill_after: Callable[..., None], folder: Path, places: Callable[[int], Sequence[int]]
) -> Paid:
    """Kill runs in batches at `places(responses)`: to files, batches, looks and results."""
    opened = small_round(folder, papers=BATCHED)
    model = ("--model", "openai/gpt-4o-mini", "-M", "responses_api=false", "--batch")

    def command(logs: str) -> Sequence[str | Path]:
        where = ("--round", opened.folder, "--logs", folder / logs)
        return ["run", "title", *where, *model, "--batch-tick", "0.05"]

    twice, unlike = [], 0
    with batch_server(Golden(opened, ("title",)), looks=LOOKS) as server:
        viva_here(*command("calm"), env=server.environment)
        calm = final_values(folder / "calm")
        for number, place in enumerate(places(LOOKS + 4)):
            asked, logs = server.requests(), f"killed-{number}"
            kill_after(server, server.answered + place, command(logs))
            viva_here(*command(logs), env=server.environment)
            twice.append(server.requests() - asked - BATCHED)
            unlike += final_values(folder / logs) != calm
        assert server.failures == []
    return Paid(BATCHES, BATCHED, tuple(twice), BATCHED, unlike)


def drawn(kills: int, seed: int) -> Callable[[int], Sequence[int]]:
    """Places among so many replies, the last excepted: after it nothing is left to kill."""
    return lambda needed: sorted(random.Random(seed).choices(range(1, needed), k=kills))


def measure(kinds: Sequence[str], kills: int, seed: int) -> Iterator[Paid]:
    """Kill runs of each kind so often."""
    killer = Killer()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            opened = sample_round(folder / "made", FAMILIES, **OPTIONS)
            for kind in kinds:
                if kind == BATCHES:
                    yield batches_killed(killer.kill_after, folder / kind, drawn(kills, seed))
                else:
                    places = drawn(kills, seed)
                    yield run_killed(killer.kill_after, opened, folder / kind, kind, places)
                shutil.rmtree(folder / kind)
    finally:
        killer.close()


def main() -> None:
    """Print the table; end with 1 where more was paid twice than was in flight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="killed runs of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("kinds", nargs="*", default=[*KINDS, BATCHES])
    given = parser.parse_args()
    print(HEADER, flush=True)
    is_fine = True
    for paid in measure(given.kinds, given.kills, given.seed):
        print(paid.row, flush=True)
        is_fine &= not paid.unlike and 0 <= min(paid.twice) <= max(paid.twice) <= paid.in_flight
    raise SystemExit(not is_fine)


if __name__ == "__main__":
    main()
