"""What a card says that oracle, null and copycat reach in the metrics of a judge."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.once import make_once

from vivavoce.results.board.building import leaderboard
from vivavoce.running import RunSpec, run
from vivavoce.tasks import build_sample, demo_spec, list_families
from vivavoce.tasks.writing.nugget_writing import write_round_nuggets

METHODS = ("oracle", "null", "copycat")
CARDS = list_families()["writing"].tasks
JUDGE = "scripted/judge"


def run_all(folder: Path) -> None:
    """Have a judge score the contestants on the writing items of the demo's round."""
    spec = {name: part for name, part in demo_spec().items() if name in ("round", "writing")}
    spec["round"] = spec["round"] | {"families": ["writing"]}
    opened = build_sample(folder, spec)
    nuggets = write_round_nuggets(opened.folder, JUDGE)
    report = run(
        RunSpec(
            tasks=list(CARDS),
            round=opened.folder,
            logs=folder / "logs",
            methods=METHODS,
            judge=[JUDGE],
            task_args={"nuggets": nuggets["path"]},
            display="none",
        )
    )
    assert report.failed == ()


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    """Values by task, method and metric."""
    logs = make_once(tmp_path_factory, "judged-cards", run_all) / "logs"
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in leaderboard(logs, resamples=0).rows:
        of_task = found.setdefault(row["task"], {})
        of_task.setdefault(row["method"], {})[row["metric"]] = row["value"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("task", CARDS)
def test_a_card_states_what_a_judge_gives_the_contestants(
    values: dict[str, dict[str, dict[str, Any]]], task: str
) -> None:
    judged = CARDS[task].judged
    assert judged.keys() == {*METHODS}
    for method, stated in judged.items():
        given = {name: values[task][method][name] for name in stated}
        found = {name: value and round(value, 4) for name, value in given.items()}
        assert found == stated, method
    if task != "title":  # which has no facts
        oracle, null, copycat = (judged[method]["nugget_coverage"] for method in METHODS)
        assert (oracle, null) == (1.0, 0.0)
        assert 0.0 < copycat < 1.0
