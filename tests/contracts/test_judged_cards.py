"""What a card says that oracle, null and copycat reach in the metrics of a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import ingest
from vivavoce.metrics.judged_text import CITED, RELEVANCE
from vivavoce.results.board.building import leaderboard
from vivavoce.running import RunSpec, run
from vivavoce.tasks import build_round, list_families
from vivavoce.tasks.sample_round import PAPERS, demo_spec
from vivavoce.tasks.writing.nugget_writing import write_round_nuggets

METHODS = ("oracle", "null", "copycat")
CARDS = list_families()["writing"].tasks
JUDGE = "scripted/judge"


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    """Values by task, method and metric, on the writing items of the demo's round."""
    folder = tmp_path_factory.mktemp("judged")
    ingest("sample", Path(str(PAPERS)), folder / "corpus")
    spec = demo_spec()
    spec = {name: spec[name] for name in ("round", "writing") if name in spec}
    spec["round"] = spec["round"] | {"families": ["writing"]}
    opened = build_round(folder / "corpus", spec, folder)
    nuggets = write_round_nuggets(opened.folder, JUDGE)
    report = run(
        RunSpec(
            tasks=list(CARDS),
            round=opened.folder,
            logs=folder / "logs",
            methods=METHODS,
            judge=[JUDGE],
            task_args={"nuggets": str(nuggets.path)},
            display="none",
        )
    )
    assert report.failed == ()
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in leaderboard(folder / "logs", resamples=0).rows:
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


def test_the_card_of_related_work_states_what_tells_of_citations() -> None:
    listed = CARDS["related_work"].judged["copycat"].keys()
    assert listed > {*CITED, *RELEVANCE, "reference_precision", "reference_recall", "importance"}


@pytest.mark.slow
@pytest.mark.parametrize("task", [task for task in CARDS if task != "title"])
def test_facts_tell_the_gold_from_a_constant(
    values: dict[str, dict[str, dict[str, Any]]], task: str
) -> None:
    oracle, null, copycat = (values[task][method]["nugget_coverage"] for method in METHODS)
    assert (oracle, null) == (1.0, 0.0)
    assert 0.0 < copycat < 1.0
