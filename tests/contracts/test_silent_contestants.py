"""A model that says nothing, or nothing that can be read, has no valid answer by any method."""

from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted
from tests.support.once import make_once
from tests.support.rounds import NEURAL, full_round

from vivavoce.results.board.building import leaderboard
from vivavoce.tasks import demo_spec, list_families

pytestmark = pytest.mark.slow

SAYS = ("", "--- 12.5 ---", "{}")
"""What the model says to the same request, in turn."""
CARDS = {task: of_task for card in list_families().values() for task, of_task in card.tasks.items()}
CASES = sorted(
    (method, task)
    for card in map(list_families().__getitem__, demo_spec()["round"]["families"])
    for task, of_task in card.tasks.items()
    for method in of_task.methods
    if method not in card.without_model and (NEURAL or "neural" not in of_task.needs)
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    """Rows of a board by method and task, then by metric."""
    opened = full_round(tmp_path_factory)
    logs = make_once(tmp_path_factory, "silent", lambda logs: ask_all(opened.folder, logs))
    found: dict[tuple[str, str], Any] = {}
    for row in leaderboard(logs, resamples=0).rows:
        key = (row["method"].partition("(")[0], row["task"])
        found.setdefault(key, {})[row["metric"]] = row
    return found


def ask_all(opened: Path, logs: Path) -> None:
    """Ask the model three times about an item of every task, by every method."""

    def play(ask: Ask) -> Reply:
        return answer(SAYS[(ask.turn - 1) % len(SAYS)])

    with scripted(play) as server:
        groups: dict[tuple[str, str], list[str]] = {}
        for method, task in CASES:
            given = CARDS[task].agent.items() if method == "agent" else ()
            groups.setdefault((method, ",".join(f"{k}={v}" for k, v in given)), []).append(task)
        for (method, given), tasks in sorted(groups.items()):
            viva_here(
                *("run", *tasks, "--round", opened, "--logs", logs, "--method", method),
                *("--model", "openai-api/scripted/mute", "--subset", "1"),
                *("--epochs", str(len(SAYS)), *(("-T", given) if given else ())),
                env=server.environment,
            )


@pytest.mark.parametrize(("method", "task"), CASES)
def test_nothing_is_not_a_valid_answer(
    rows: dict[tuple[str, str], Any], method: str, task: str
) -> None:
    found = rows[method, task]
    for row in found.values():
        assert (row["n"], row["valid"], sum(row["faults"].values())) == (1, 0.0, len(SAYS))
        if row["metric"] in ("success", list_families()[row["family"]].tasks[task].metrics[0]):
            assert row["value"] == 0.0
        if method == "direct":
            assert row["faults"]["empty"] >= SAYS.count("")
