"""A model that says nothing, or nothing that can be read, has no valid answer by any method."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.corpus import ingest, load_corpus
from vivavoce.networks import build_networks
from vivavoce.results.board.building import leaderboard
from vivavoce.tasks import build_round, list_families
from vivavoce.tasks.sample_round import PAPERS, demo_spec

pytestmark = pytest.mark.slow

NEURAL = importlib.util.find_spec("torch_geometric") is not None
SAYS = {
    "silent": "",
    "invisible": "\u200b\u2060 \n\ufeff",
    "symbols": "--- 12.5 ---",
    "braces": "{}",
}
"""Every answer of a model, by its name."""
CARDS = {task: of_task for card in list_families().values() for task, of_task in card.tasks.items()}
CASES = sorted(
    (method, task)
    for card in map(list_families().__getitem__, demo_spec()["round"]["families"])
    for task, of_task in card.tasks.items()
    for method in of_task.methods
    if method not in card.without_model and (NEURAL or "neural" not in of_task.needs)
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], Any]:
    """Rows of a board by method, task and model, then by metric."""
    folder = tmp_path_factory.mktemp("silent")
    ingest("sample", Path(str(PAPERS)), folder / "corpus")
    build_networks(load_corpus(folder / "corpus"))
    spec = demo_spec()
    if NEURAL:
        spec["implementation"] = spec["implementation"] | {"architectures": ["PMLP"]}
    opened = build_round(folder / "corpus", spec, folder)
    models = [f"--model=openai-api/scripted/{name}" for name in SAYS]

    def play(ask: Ask) -> Reply:
        return answer(SAYS[ask.model])

    with scripted(play) as server:
        groups: dict[tuple[str, str], list[str]] = {}
        for method, task in CASES:
            given = CARDS[task].agent.items() if method == "agent" else ()
            groups.setdefault((method, ",".join(f"{k}={v}" for k, v in given)), []).append(task)
        for (method, given), tasks in sorted(groups.items()):
            viva_here(
                *("run", *tasks, "--round", opened.folder, "--logs", folder / "logs"),
                *("--method", method, *models, "--subset", "1"),
                *(("-T", given) if given else ()),
                env=server.environment,
            )
    found: dict[tuple[str, ...], Any] = {}
    for row in leaderboard(folder / "logs", resamples=0).rows:
        key = (row["method"].partition("(")[0], row["task"], row["model"].rpartition("/")[2])
        found.setdefault(key, {})[row["metric"]] = row
    return found


@pytest.mark.parametrize("says", SAYS)
@pytest.mark.parametrize(("method", "task"), CASES)
def test_nothing_is_not_a_valid_answer(
    rows: dict[tuple[str, ...], Any], method: str, task: str, says: str
) -> None:
    found = rows[method, task, says]
    for row in found.values():
        assert (row["n"], row["valid"], sum(row["faults"].values())) == (1, 0.0, 1)
        if row["metric"] in ("success", list_families()[row["family"]].tasks[task].metrics[0]):
            assert row["value"] == 0.0
    if says == "silent":
        assert next(iter(found.values()))["faults"] == {"empty": 1}
