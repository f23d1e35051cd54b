"""The same answer scores the same in whatever markup it comes, and through whatever door."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log
from tests.servers.commands import only_json, viva_here
from tests.servers.markups import Kind, Markup, halves, markups
from tests.servers.scripted import Ask, Reply, answer, scripted
from tests.support.once import make_once
from tests.support.rounds import full_round
from tests.tasks.scoring.test_forms import FORMS, GOLD

from vivavoce.running import RunSpec, run

WRITTEN = ("abstract", "introduction", "related_work")
KINDS: dict[str, Kind] = {
    **{task: Kind(task.replace("_", " "), "We study seals, and nothing else.") for task in WRITTEN},
    "title": Kind("title", "Nets That Read the Wrong Paper"),
    "leaderboard": Kind("leaderboard", "| Method | Score |\n|---|---|\n| Wrong | 1.0 |"),
    "table": Kind("table", "| Paper | Model |\n|---|---|\n| Wrong | none |"),
    "rank_by_prompt": Kind("ranking", "1. A Wrong Paper\n2. Another Wrong Paper"),
    "rank_by_graph": Kind("ranking", "1. A Wrong Paper\n2. Another Wrong Paper"),
    "extract_method": Kind("JSON", '{"methods": []}', is_code=True),
    "formula": Kind("program", '```python\nx = "wrong"\n```', is_code=True),
    "reproduce": Kind("program", '```python\nx = "wrong"\n```', is_code=True),
}
METHOD: defaultdict[str, dict[str, Any]] = defaultdict(dict, table={"methods": ["one_step"]})
"""How a model is asked where that is not one message."""
PROGRAMS = ("formula", "reproduce")
HALVES = dict(zip(("developed on", "kept"), halves(markups(60, seed=3)), strict=True))


@dataclass(frozen=True)
class Gold:
    """An item of a task, the oracle's answer to it and what that is worth."""

    item: str | int
    prompt: str
    text: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class World:
    """The sample round and an item of each task."""

    folder: Path
    round: Path
    golds: Mapping[str, Gold]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder, opened = tmp_path_factory.mktemp("marked"), full_round(tmp_path_factory).folder

    def ask_the_oracle(logs: Path) -> None:
        asked(opened, logs, list(KINDS), methods=["oracle"], models=["none"])

    golds = {}
    for task, log in by_task(make_once(tmp_path_factory, "oracle", ask_the_oracle)).items():
        sample = (log.samples or [])[0]
        prompt, text = str(sample.input), str(sample.target)
        golds[task] = Gold(sample.id, prompt, text, values_of(log)[0])
    assert golds.keys() == KINDS.keys()
    return World(folder, opened, golds)


def asked(opened: Path, logs: Path, tasks: list[str], **more: Any) -> dict[str, EvalLog]:
    """The logs of a run over an item of each task, by task."""
    report = run(RunSpec(tasks=tasks, round=opened, logs=logs, limit=1, display="none", **more))
    assert report.failed == ()
    return by_task(logs)


def by_task(logs: Path) -> dict[str, EvalLog]:
    """The logs of a folder by their task."""
    found = [read_eval_log(str(path)) for path in sorted(logs.glob("*.eval"))]
    return {(log.eval.metadata or {})["task"]: log for log in found}


def values_of(log: EvalLog) -> list[dict[str, Any]]:
    """What each sample's answer is worth in the task's metrics, and whether it is valid."""
    names = [*(log.eval.metadata or {})["metrics"], "valid"]
    scores = [next(iter((sample.scores or {}).values())) for sample in log.samples or []]
    return [{name: score.as_dict()[name] for name in names} for score in scores]


def check(log: EvalLog, gold: Gold, given: list[Markup]) -> None:
    """All answers are worth the same, but those whose thought never ends, which are none."""
    values = values_of(log)
    assert len(values) == len(given)
    assert [each for each in values if each["valid"]] == [
        gold.values for markup in given if not markup.is_open
    ]
    faults = [
        (next(iter((sample.scores or {}).values())).metadata or {})["fault"]
        for sample in log.samples or []
    ]
    assert sorted(filter(None, faults)) == ["unclosed"] * sum(each.is_open for each in given)


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("task", KINDS)
def test_answers_of_a_model_in_any_markup_score_the_same(
    world: World, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = 2 if task in PROGRAMS else 10
    gold = world.golds[task]
    given = [markup for half in HALVES.values() for markup in half[:few]]
    if task in METHOD:  # asks again where there is no answer
        given = [markup for markup in given if not markup.is_open]

    def reply(ask: Ask) -> Reply:
        return answer(given[ask.turn - 1].around(gold.text, KINDS[task]))

    with scripted(reply) as server:
        server.serve_here(monkeypatch)
        logs = world.folder / f"asked-{task}"
        more = {"models": ["openai-api/scripted/marked"], "epochs": len(given), **METHOD[task]}
        check(asked(world.round, logs, [task], **more)[task], gold, given)
    done = viva_here("board", "verify", logs, "--round", world.round, "--json", expect=1)
    reasons = [reason for log in only_json(done.stdout)["logs"] for reason in log["reasons"]]
    assert all("are missing" in reason for reason in reasons)  # only one item was asked about


def _scored(folder: Path, family: str, gold: Mapping[str, Any], texts: list[str]) -> Any:
    """The values that `viva score` gives to answers, all of the same gold."""
    golds, answers = folder / "gold.jsonl", folder / "answers.jsonl"
    ids = range(len(texts))
    golds.write_text("".join(json.dumps({"id": n, **gold}) + "\n" for n in ids), "utf-8")
    rows = [{"id": n, "text": text} for n, text in zip(ids, texts, strict=True)]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    files = ("--gold", golds, "--predictions", answers)
    done = viva_here("score", family, *files, "--resamples", "0", "--json")
    metrics = only_json(done.stdout)["metrics"]
    return {name: metric["value"] for name, metric in metrics.items()}


TITLE = "Boxes: What Otters Know"
FILES: dict[str, tuple[str, Mapping[str, Any], str, str]] = {
    "abstract": ("writing", GOLD["writing"], FORMS["writing"]["text alone"], "abstract"),
    "title": (
        "writing",
        {"reference": "Boxes: What Otters Know"},
        "Boxes: What Otters Know",
        "title",
    ),
    "ranking": ("ranking", GOLD["ranking"], FORMS["ranking"]["numbers"], "rank_by_prompt"),
    "leaderboard": (
        "leaderboards",
        GOLD["leaderboards"],
        FORMS["leaderboards"]["Markdown"],
        "leaderboard",
    ),
    "table": ("tables", GOLD["tables"], FORMS["tables"]["Markdown"], "table"),
}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", FILES)
def test_answers_in_any_markup_score_the_same(tmp_path: Path, name: str, half: str) -> None:
    family, gold, text, task = FILES[name]
    shut = [each.around(text, KINDS[task]) for each in HALVES[half] if not each.is_open]
    open_ones = [each.around(text, KINDS[task]) for each in HALVES[half] if each.is_open]
    plain = _scored(tmp_path, family, gold, [text])
    assert all(value == 1 for value in plain.values() if value is not None)
    assert _scored(tmp_path, family, gold, shut) == plain
    nothing = _scored(tmp_path, family, gold, open_ones)
    assert all(not value for value in nothing.values())
