"""What every family of tasks must have, whatever it is about."""

import json
import re
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai._cli.main import inspect
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.util import registry_create
from tests.conftest import why_no_sandbox
from tests.support.once import make_once
from tests.support.rounds import NEURAL, full_round

import vivavoce._registry  # noqa: F401  (registers the tasks)
from vivavoce import tasks
from vivavoce.metrics import metrics_of
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.tasks import (
    broken_families,
    demo_spec,
    find_family,
    find_task,
    list_families,
    list_tasks,
    short_name,
)
from vivavoce.tasks.family import fingerprint, open_prompts
from vivavoce.tasks.lookup import create_task, find_method_maker, find_task_maker

FOLDER = Path(tasks.__file__).parent
FAMILIES = sorted([*demo_spec()["round"]["families"], "own"])
"""Families with a place in the demo, and own questions; the others have no items here."""
WITHOUT_NEURAL = pytest.mark.skipif(
    not NEURAL, reason="torch-geometric is not installed: pip install 'vivavoce[neural]'"
)
TASKS = [
    pytest.param(
        family,
        task,
        marks=[
            *([WITHOUT_NEURAL] if "neural" in card.needs else []),
            *([pytest.mark.sandbox] if "bubblewrap" in card.needs else []),
        ],
    )
    for family in FAMILIES
    for task, card in sorted(list_families()[family].tasks.items())
]
RUNNABLE = [
    task
    for family in FAMILIES
    for task, card in sorted(list_families()[family].tasks.items())
    if NEURAL or "neural" not in card.needs
]
"""Tasks that this machine can run, but for those that lack a sandbox."""
CONTESTANTS = ("oracle", "null", "copycat")
TEXTS = ("own_match", "own_list", "own_text")
"""Tasks of one's own questions that a sentence may answer."""
ARGUMENTS = {
    "answerer": "role",
    "chunk_size": 256,
    "chunks": 3,
    "context": 20_000,
    "demos": 1,
    "judge": True,
    "listed": 60,
    "matcher": None,
    "max_tokens": 300,
    "nuggets": None,
    "pairs": 2,
    "question_seed": 1,
    "questions": "compare",
    "sandbox": "bwrap",
    "synthesizer": "role",
    "timeout": 60,
    "track": "padded",
}
"""Values of the tasks' arguments, beside the round, its setting, prompts and pin."""
ROLES = {"judge": "scripted/judge", "answerer": "extractive/lead", "synthesizer": "extractive/lead"}
MARGIN = 0.5
"""At least so far is the constant contestant below the oracle in the headline metric."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    """The demo's round, and beside its families an architecture and questions of one's own."""
    found = full_round(tmp_path_factory)
    assert found.manifest["counts"].keys() == set(FAMILIES)
    return found


@pytest.fixture(scope="module")
def values(
    opened: Round, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows of the contestants that bound a metric: by task and method, then by metric."""
    confined = {
        task
        for family in FAMILIES
        for task, card in list_families()[family].tasks.items()
        if "bubblewrap" in card.needs and why_no_sandbox()
    }

    def run_all(logs: Path) -> None:
        report = run(
            RunSpec(
                tasks=[task for task in RUNNABLE if task not in confined],
                round=opened.folder,
                logs=logs,
                methods=CONTESTANTS,
                display="none",
            )
        )
        assert report.failed == ()

    logs = make_once(tmp_path_factory, "bounds", run_all)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in leaderboard(logs, resamples=0).rows:
        found.setdefault((row["task"], row["method"]), {})[row["metric"]] = row
    return found


def test_every_folder_with_a_card_is_registered() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/card.yaml")}
    assert folders == {name for name in FAMILIES if find_family(name).namespace == "vivavoce"}
    assert broken_families() == {}


def test_a_name_of_inspect_is_shortened_by_its_task_and_not_by_what_is_installed() -> None:
    assert short_name("vivavoce/title") == short_name("title") == "title"
    assert short_name("inspect_evals/title") == "inspect_evals/title"
    assert short_name("not_installed/guess", "not_installed/year") == "guess"
    assert short_name("not_installed/guess", "vivavoce/title") == "not_installed/guess"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_card_names_what_exists(family: str) -> None:
    card = list_families()[family]
    assert all(callable(find_method_maker(family, method)) for method in card.methods)
    for name, task in card.tasks.items():
        assert task.demo is None or task.demo in task.methods
        assert {*task.metrics, *task.diagnostics} <= metrics_of(family).keys(), name
        assert set(task.metrics).isdisjoint(task.diagnostics), name
        assert set(task.methods) <= card.methods.keys(), name
        assert re.fullmatch(r"\d+-[A-Z]", task.version), name
        assert "base" in task.settings, name
        assert {"temperature", "max_tokens"} <= task.decoding.keys(), name
        assert task.summary.endswith("."), name


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_a_task_is_found_by_its_full_name(opened: Round, family: str, task: str) -> None:
    full = f"{find_family(family).namespace}/{task}"
    assert full in list_tasks()
    assert find_task(task) == find_task(full) == (family, task)
    made = registry_create("task", full, round=str(opened.folder))
    assert isinstance(made, Task)
    card = list_families()[family].tasks[task]
    assert made.version == card.version
    assert made.metadata["metrics"] == list(card.metrics)
    assert made.metadata["diagnostics"] == list(card.diagnostics)
    samples = list(made.dataset)
    counts = opened.manifest["counts"][family][task]
    assert len(samples) == counts["items"] > 0
    assert set(counts.get("settings", ())) <= set(card.settings)
    assert len({sample.id for sample in samples}) == len(samples)
    for sample in samples:
        assert isinstance(sample.id, str)
        assert sample.target
        # What the board resamples; Inspect's standard error fails without it.
        assert (sample.metadata or {})["cluster"]


def inspect_eval(name: str, arguments: Mapping[str, object], logs: Path) -> EvalLog:
    """The log of one sample of `inspect eval NAME`, run from another folder."""
    line = ["eval", name, "--model", "extractive/lead", "--limit", "1", "--display", "none"]
    for key, value in arguments.items():
        line += ["-T", f"{key}={json.dumps(value) if isinstance(value, bool) else value}"]
    for role, model in ROLES.items():
        line += ["--model-role", f"{role}={model}"]
    done = CliRunner().invoke(inspect, [*line, "--log-dir", str(logs)])
    assert done.exit_code == 0, done.output
    (path,) = list_eval_logs(str(logs))
    log = read_eval_log(path)
    assert log.status == "success", log.error
    assert all(sample.error is None for sample in log.samples)
    assert {key: log.eval.task_args[key] for key in arguments} == arguments
    return log


@pytest.mark.slow
@pytest.mark.parametrize(("family", "task"), TASKS)
def test_inspect_runs_a_task_by_name_with_every_argument(
    opened: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, task: str
) -> None:
    monkeypatch.chdir(tmp_path)
    place, card = {"round": str(opened.folder)}, list_families()[family].tasks[task]
    pinned = {"prompts": str(find_family(family).folder / "prompts")}
    pinned["pin"] = fingerprint(opened, open_prompts(family, pinned["prompts"]))
    known = set(signature(find_task_maker(task)).parameters) - {"round", "setting", *pinned}
    split = opened.items(family, task)[0].get("split")
    values = {**ARGUMENTS, "split": split}
    assert known <= values.keys()
    given = {key: values[key] for key in sorted(known) if values[key] is not None}
    given["setting"] = "random" if "demos" in known else "base"
    full = f"{find_family(family).namespace}/{task}"
    log = inspect_eval(full.replace("_", "-"), place | pinned | given, tmp_path / "a")
    assert log.eval.task == full
    for setting in card.settings:
        if any(setting in row.get("settings", [setting]) for row in opened.items(family, task)):
            inspect_eval(full, place | {"setting": setting}, tmp_path / setting)


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_every_prompt_holds_every_slot(opened: Round, family: str, task: str) -> None:
    for sample in create_task(task, {"round": str(opened.folder)}).dataset:
        spans = (sample.metadata or {})["spans"]
        assert spans
        assert all(end > start for start, end in spans.values())
        assert isinstance(sample.input, str)
        assert max(end for _, end in spans.values()) <= len(sample.input)


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_the_headline_metric_tells_the_gold_from_a_constant(
    values: dict[tuple[str, str], dict[str, Any]], family: str, task: str
) -> None:
    headline = list_families()[family].tasks[task].metrics[0]
    oracle, null, copycat = (values[task, method][headline] for method in CONTESTANTS)
    assert oracle["value"] == 1.0
    assert oracle["value"] - null["value"] >= MARGIN
    assert copycat["value"] < 1.0
    assert oracle["valid"] == 1.0
    # A sentence is a poor text; it is no program, no number and no list of methods at all.
    assert null["valid"] == float(family == "writing" or task in TEXTS)
    assert (oracle["rank"], null["rank"] is not None) == (None, True)


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_a_card_states_what_the_contestants_reach(
    values: dict[tuple[str, str], dict[str, Any]], family: str, task: str
) -> None:
    card = list_families()[family].tasks[task]
    known = metrics_of(family)
    measured = {
        method: {name: _rounded(values[task, method][name]["value"]) for name in card.metrics}
        for method in CONTESTANTS
    }
    assert card.measured == measured
    for name in card.metrics:
        assert card.measured["oracle"][name] == known[name].high


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_diagnostics_stand_beside_the_metrics_and_rank_nobody(
    values: dict[tuple[str, str], dict[str, Any]], family: str, task: str
) -> None:
    card = list_families()[family].tasks[task]
    for method in CONTESTANTS:
        found = values[task, method]
        assert found.keys() == {*card.metrics, *card.diagnostics}
        assert all(found[name]["rank"] is None for name in card.diagnostics)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
