"""Every family while three requests in ten fail: no sample is lost, and no fault is an answer.

The model knows all answers, so in clear weather each task has its top score, and whatever a fault
changes shows. The tables, whose methods make many requests, have a file of their own.
"""

import importlib.util
import math
from pathlib import Path

import pytest
from tests.faults.storms import (
    Storm,
    Survey,
    answer_of,
    bad_weather,
    fault_of,
    sample_round,
    values_of,
)
from tests.servers.golden import STUMBLING, Golden
from tests.servers.scripted import scripted
from tests.servers.weather import PASSING, PASSING_STREAMS, Weather, streamed
from tests.support.once import make_once

from vivavoce.results.integrity.verification import verify_logs
from vivavoce.sandbox.guarantees import why_unusable
from vivavoce.tasks import list_families

pytestmark = pytest.mark.slow

ITEMS = 2
FAMILIES = ("implementation", "leaderboards", "ranking", "writing")
SANDBOX = why_unusable() is None
NEURAL = SANDBOX and importlib.util.find_spec("torch_geometric") is not None
PLAIN = ("title", "abstract", "introduction", "related_work", "leaderboard", "rank_by_prompt")
PROGRAMS = ("formula", "reproduce") if SANDBOX else ()
TASKS = (*PLAIN, "extract_method", *PROGRAMS, *(("architecture",) if NEURAL else ()))
RUNS = [
    *((task, "direct") for task in TASKS),
    ("leaderboard", "agent"),
    ("title", "rag"),
    *([("formula", "self_refine")] if SANDBOX else []),
]
METRICS = {
    task: card.metrics for family in list_families().values() for task, card in family.tasks.items()
}
"""The metrics of a task, the headline first."""


def run_all(folder: Path) -> None:
    """Run every family in every weather."""
    chosen = {
        "formulas": ["PEG"] if SANDBOX else [],
        "architectures": ["PMLP"] if NEURAL else [],
        "reports": ["growth_at_a_price"],
    }
    opened = sample_round(folder, FAMILIES, implementation=chosen)
    with bad_weather(opened, folder / "logs", TASKS, "families") as storm:
        storm.run(TASKS, ["direct"], "--subset", str(ITEMS))
        storm.run(["leaderboard"], ["agent"], "--subset", str(ITEMS))
        storm.run(["title"], ["rag"], "--subset", str(ITEMS))
        if SANDBOX:
            storm.run(["formula"], ["self_refine"], suffix=f"-{STUMBLING}")
        storm.keep()


@pytest.fixture(scope="module")
def weather(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return Survey.read(make_once(tmp_path_factory, "families-under-faults", run_all))


def test_about_three_requests_in_ten_meet_a_fault(weather: Survey) -> None:
    assert 0.15 < weather.share_met < 0.45, weather.met
    assert len(weather.met.keys() & PASSING.keys()) >= 4, weather.met


@pytest.mark.parametrize(("task", "method"), RUNS)
def test_faults_that_pass_change_no_score(weather: Survey, task: str, method: str) -> None:
    rows = weather.rows
    calm, storm = rows[task, method, "calm"], rows[task, method, "storm"]
    assert calm[METRICS[task][0]]["value"] == 1.0
    assert calm.keys() == storm.keys()
    for metric, row in storm.items():
        for key in ("value", "value_valid", "n", "valid", "missing", "undefined", "partial"):
            assert row[key] == calm[metric][key], (metric, key)
        assert (row["faults"], row["partial"]) == ({}, False)


@pytest.mark.parametrize(("task", "method"), RUNS)
def test_every_sample_is_in_the_logs_once(weather: Survey, task: str, method: str) -> None:
    samples = weather.samples
    asked = {(one.id, one.epoch) for one in samples[task, method, "calm"]}
    assert asked
    for kind in ("storm", "lasting"):
        found = [(one.id, one.epoch) for one in samples[task, method, kind]]
        assert len(found) == len(set(found))
        assert set(found) == asked


@pytest.mark.parametrize(("task", "method"), RUNS)
def test_what_is_no_answer_is_worth_nothing(weather: Survey, task: str, method: str) -> None:
    samples = weather.samples
    right = {one.id: one for one in samples[task, method, "calm"]}
    for one in samples[task, method, "lasting"]:
        values = values_of(one, METRICS[task])
        if fault_of(one) is None:
            assert answer_of(one) == answer_of(right[one.id])
            assert values == values_of(right[one.id], METRICS[task])
        else:
            assert all(value == 0 or math.isnan(value) for value in values.values())


def test_what_is_no_answer_is_counted_by_its_kind(weather: Survey) -> None:
    counted = {fault_of(one) for samples in weather.samples.values() for one in samples}
    kinds = {"empty", "overflow", "provider_error", "refusal"}
    assert counted <= {None, *kinds}
    assert len(counted & kinds) >= 2


def test_what_was_run_in_bad_weather_is_verified(weather: Survey) -> None:
    found = verify_logs(weather.logs, [weather.round.folder])
    assert [(log.refused, log.unknown) for log in found.logs] == [([], [])] * len(found.logs)
    assert found.is_sound


def test_a_stream_that_breaks_is_asked_for_again(weather: Survey, tmp_path: Path) -> None:
    golden = Golden(weather.round, ["title"])
    storm, logs = Weather(lambda ask: streamed(golden(ask)), PASSING_STREAMS), tmp_path / "logs"
    kinds = ("storm", "again")
    with scripted(storm) as server:
        streams = Storm(weather.round, logs, server, storm, "streams")
        streams.run(["title"], ["direct"], "--subset", "8", "-M", "stream=true", kinds=kinds)
    assert set(storm.met) == {*PASSING_STREAMS, ""}
    rows = Survey(weather.round, logs, storm.met).rows
    for kind in kinds:
        row = rows["title", "direct", kind]["rougeL"]
        assert (row["n"], row["value"], row["faults"], row["partial"]) == (8, 1.0, {}, False)
