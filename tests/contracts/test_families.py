"""What every family of tasks must have, whatever it is about."""

import json
import re
from collections.abc import Callable
from functools import cache
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai._cli.main import inspect
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.util import registry_create
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
NEEDS = {
    (family, task): card.needs
    for family in FAMILIES
    for task, card in sorted(list_families()[family].tasks.items())
}


def marked(*of_sandbox: pytest.MarkDecorator) -> list[Any]:
    """Family and task, where what runs in a sandbox has further marks."""
    return [
        pytest.param(
            *names,
            marks=[
                *([WITHOUT_NEURAL] if "neural" in needs else []),
                *([pytest.mark.sandbox, *of_sandbox] if "bubblewrap" in needs else []),
            ],
        )
        for names, needs in NEEDS.items()
    ]


TASKS, TASKS_TO_RUN = marked(), marked(pytest.mark.slow)
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
def rows_of(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Rows of the contestants that bound a task's metrics: by method, then by metric."""

    @cache
    def rows(in_sandbox: bool) -> dict[str, Any]:
        tasks = [
            task
            for (_, task), needs in NEEDS.items()
            if ("bubblewrap" in needs) == in_sandbox and (NEURAL or "neural" not in needs)
        ]

        def run_all(logs: Path) -> None:
            spec = {"round": opened.folder, "logs": logs, "methods": CONTESTANTS}
            assert run(RunSpec(tasks=tasks, display="none", **spec)).failed == ()

        logs = make_once(tmp_path_factory, f"bounds-{in_sandbox}", run_all)
        found: dict[str, Any] = {task: {name: {} for name in CONTESTANTS} for task in tasks}
        for row in leaderboard(logs, resamples=0).rows:
            found[row["task"]][row["method"]][row["metric"]] = row
        return found

    needs = {task: names for (_, task), names in NEEDS.items()}
    return lambda task: rows("bubblewrap" in needs[task])[task]


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
    shown = set(counts.get("settings", card.settings))
    # The demo has items of every setting, but for papers drawn from a whole corpus.
    assert set(card.settings) - {"corpus"} <= shown <= set(card.settings)
    assert len({sample.id for sample in samples}) == len(samples)
    for sample in samples:
        assert isinstance(sample.id, str)
        assert sample.target
        # What the board resamples; Inspect's standard error fails without it.
        assert (sample.metadata or {})["cluster"]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "task"), TASKS)
def test_inspect_runs_a_task_by_name_with_every_argument(
    opened: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, task: str
) -> None:
    monkeypatch.chdir(tmp_path)
    given: dict[str, object] = {"round": str(opened.folder)}
    pinned = {"prompts": str(find_family(family).folder / "prompts")}
    pinned["pin"] = fingerprint(opened, open_prompts(family, pinned["prompts"]))
    known = set(signature(find_task_maker(task)).parameters) - {"round", "setting", *pinned}
    split = opened.items(family, task)[0].get("split")
    values = {**ARGUMENTS, "split": split}
    assert known <= values.keys()
    given |= pinned | {key: values[key] for key in sorted(known) if values[key] is not None}
    given["setting"] = "random" if "demos" in known else "base"
    full = f"{find_family(family).namespace}/{task}"
    line = ["eval", full.replace("_", "-"), "--model", "extractive/lead"]
    for key, value in given.items():
        line += ["-T", f"{key}={json.dumps(value) if isinstance(value, bool) else value}"]
    for role, model in ROLES.items():
        line += ["--model-role", f"{role}={model}"]
    line += ["--limit", "1", "--display", "none", "--log-dir", str(tmp_path)]
    done = CliRunner().invoke(inspect, line)
    assert done.exit_code == 0, done.output
    (path,) = list_eval_logs(str(tmp_path))
    log = read_eval_log(path)
    assert (log.status, log.eval.task) == ("success", full), log.error
    assert all(sample.error is None for sample in log.samples)
    assert {key: log.eval.task_args[key] for key in given} == given


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_every_prompt_holds_every_slot(opened: Round, family: str, task: str) -> None:
    card = list_families()[family].tasks[task]
    settings = opened.manifest["counts"][family][task].get("settings", card.settings)
    given = ({"round": str(opened.folder), "setting": setting} for setting in settings)
    for sample in chain.from_iterable(create_task(task, each).dataset for each in given):
        spans = (sample.metadata or {})["spans"]
        assert spans
        assert all(end > start for start, end in spans.values())
        assert isinstance(sample.input, str)
        assert max(end for _, end in spans.values()) <= len(sample.input)


@pytest.mark.parametrize(("family", "task"), TASKS_TO_RUN)
def test_the_headline_metric_tells_the_gold_from_a_constant(
    rows_of: Callable[[str], Any], family: str, task: str
) -> None:
    headline = list_families()[family].tasks[task].metrics[0]
    oracle, null, copycat = (rows_of(task)[method][headline] for method in CONTESTANTS)
    assert oracle["value"] == 1.0
    assert oracle["value"] - null["value"] >= MARGIN
    assert copycat["value"] < 1.0
    assert oracle["valid"] == 1.0
    # A sentence is a poor text; it is no program, no number and no list of methods at all.
    assert null["valid"] == float(family == "writing" or task in TEXTS)
    assert (oracle["rank"], null["rank"] is not None) == (None, True)


@pytest.mark.parametrize(("family", "task"), TASKS_TO_RUN)
def test_a_card_states_what_the_contestants_reach(
    rows_of: Callable[[str], Any], family: str, task: str
) -> None:
    card = list_families()[family].tasks[task]
    for method, found in rows_of(task).items():
        measured = {name: _rounded(found[name]["value"]) for name in card.metrics}
        assert card.measured[method] == measured
        # Diagnostics stand beside the metrics and rank nobody.
        assert found.keys() == {*card.metrics, *card.diagnostics}
        assert all(found[name]["rank"] is None for name in card.diagnostics)
    for name in card.metrics:
        assert card.measured["oracle"][name] == metrics_of(family)[name].high


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
