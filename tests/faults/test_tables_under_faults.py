"""Tables while three requests in ten fail: methods of fifty requests reach the table all the same.

As in the other families, but a step that has no answer is not the end of a table: it is asked for
once again, and what stays without one is a gap that the record counts.
"""

from pathlib import Path

import pytest
from tests.faults.storms import (
    PROVIDER_WORDS,
    Survey,
    answer_of,
    bad_weather,
    fault_of,
    sample_round,
)
from tests.servers.weather import PASSING
from tests.support.once import make_once

pytestmark = pytest.mark.slow

METHODS = ("one_step", "per_paper", "two_stage", "iterative", "agent")
STEPS = ("per_paper", "two_stage", "iterative")
"""Methods that put a table together from several answers."""


def run_all(folder: Path) -> None:
    """Run every method in every weather."""
    opened = sample_round(folder, ["tables"], tables={"min_papers": 9})
    with bad_weather(opened, folder / "logs", ["table"], "tables") as storm:
        storm.run(["table"], METHODS, "--subset", "1", "-S", "batch=9", "-S", "rounds=2")
        storm.keep()


@pytest.fixture(scope="module")
def weather(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return Survey.read(make_once(tmp_path_factory, "tables-under-faults", run_all))


def test_three_requests_in_ten_meet_a_fault_of_most_kinds(weather: Survey) -> None:
    assert 0.2 < weather.share_met < 0.4, weather.met
    assert len(weather.met.keys() & PASSING.keys()) >= 8, weather.met


@pytest.mark.parametrize("method", METHODS)
def test_faults_that_pass_change_no_table(weather: Survey, method: str) -> None:
    rows, samples = weather.rows, weather.samples
    for kind in ("calm", "storm"):
        row = rows["table", method, kind]["avg"]
        assert (row["value"], row["n"], row["valid"], row["partial"]) == (1.0, 1, 1.0, False)
        assert row["faults"] == {}
    [calm], [storm] = (samples["table", method, kind] for kind in ("calm", "storm"))
    assert (storm.id, storm.epoch) == (calm.id, calm.epoch)
    assert answer_of(storm) == answer_of(calm)


@pytest.mark.parametrize("method", STEPS)
def test_no_words_of_a_provider_get_into_a_table(weather: Survey, method: str) -> None:
    [sample] = weather.samples["table", method, "lasting"]
    record = sample.metadata["table_run"]
    assert record["malformed"] + record["overflows"] > 0  # it met some
    assert fault_of(sample) is None
    assert not any(words in answer_of(sample) for words in PROVIDER_WORDS)


@pytest.mark.parametrize("method", ["one_step", "agent"])
def test_a_table_that_never_came_is_worth_nothing(weather: Survey, method: str) -> None:
    [sample] = weather.samples["table", method, "lasting"]
    row = weather.rows["table", method, "lasting"]["avg"]
    assert row["n"] == 1
    assert row["value"] == (1.0 if fault_of(sample) is None else 0.0)


@pytest.mark.parametrize("method", STEPS)
def test_a_reply_that_cannot_be_read_costs_one_request_and_not_the_table(
    weather: Survey, method: str
) -> None:
    unreadable = ("malformed", "error with 200", "empty choices")
    assert sum(weather.met[kind] for kind in unreadable) > 0
    [storm] = weather.samples["table", method, "storm"]
    begun_again = [error.message for error in storm.error_retries or ()]
    assert not [
        problem for problem in begun_again if "JSONDecodeError" in problem or "TypeError" in problem
    ]
