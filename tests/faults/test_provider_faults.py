"""A provider that misbehaves: what recovers, what is counted, and what makes a log partial."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import (
    FAULTS,
    TOKENS,
    Ask,
    Reply,
    Script,
    ScriptedServer,
    by_model,
    first_time,
    opening,
    scripted,
)

from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round

pytestmark = pytest.mark.slow

ITEMS = 4
PASSING = ["rate-limit", "server-error", "malformed", "html", "dropped", "hanging"]
"""Faults that a second try gets over."""
NO_ANSWERS = {
    "overflow": "overflow",
    "filtered": "refusal",
    "refusal": "refusal",
    "empty": "empty",
    "null": "empty",
    "blank": "empty",
    "error-text": "provider_error",
    "symbols": "malformed",
}
"""What is scored as no answer, and the fault it is counted as."""

HANGING = Reply(delay=45)


def always(reply: Reply) -> Script:
    return lambda ask: reply


def models(*names: str) -> list[str]:
    return [part for name in names for part in ("--model", f"openai-api/scripted/{name}")]


def headline_rows(logs: Path, *, partial: bool = False) -> dict[str, dict[str, Any]]:
    """The rows of the headline metric by the model's short name."""
    rows = leaderboard(logs, partial=partial, resamples=200).rows
    return {row["model"].split("/")[-1]: row for row in rows if row["metric"] == "rougeL"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("faults"), papers=ITEMS)


@dataclass(frozen=True)
class Finished:
    server: ScriptedServer
    rows: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def finished(small: Round, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    """One run with a model for each fault; it ends well."""
    logs = tmp_path_factory.mktemp("logs")
    replies = {**FAULTS, "hanging": HANGING}
    scripts = {name: first_time(replies[name]) for name in PASSING}
    scripts |= {name: always(FAULTS[name]) for name in [*NO_ANSWERS, "cut-off"]}
    with scripted(by_model(scripts)) as server:
        viva_here(
            *("run", "title", "--round", small.folder, "--logs", logs, "--attempt-timeout", "12"),
            *models("good", *scripts),
            env=server.environment,
        )
        yield Finished(server, headline_rows(logs))


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_leaves_no_trace_in_the_row(finished: Finished, name: str) -> None:
    row, good = finished.rows[name], finished.rows["good"]
    for key in ("value", "value_valid", "ci", "n", "valid", "missing", "undefined", "tokens"):
        assert row[key] == good[key]
    assert not row["partial"]
    asked_again = {ask.prompt for ask in finished.server.asks if (ask.model, ask.turn) == (name, 2)}
    assert len(asked_again) == ITEMS  # a third time too where a busy machine let a reply run out


def test_the_server_is_given_the_time_it_asks_for(finished: Finished) -> None:
    asks = [ask for ask in finished.server.asks if ask.model == "rate-limit"]
    first = {ask.prompt: ask.at for ask in asks if ask.turn == 1}
    waited = [ask.at - first[ask.prompt] for ask in asks if ask.turn == 2]
    assert len(waited) == ITEMS
    assert min(waited) >= 1  # Retry-After: 1


@pytest.mark.parametrize(("name", "fault"), NO_ANSWERS.items())
def test_what_is_no_answer_counts_zero_and_stays_in_n(
    finished: Finished, name: str, fault: str
) -> None:
    row = finished.rows[name]
    assert row["faults"] == {fault: ITEMS}
    assert (row["value"], row["value_valid"], row["valid"]) == (0.0, None, 0.0)
    assert (row["n"], row["missing"], row["undefined"]) == (ITEMS, 0, 0)
    assert not row["partial"]


def test_an_answer_cut_off_by_its_own_limit_is_an_answer(finished: Finished) -> None:
    row = finished.rows["cut-off"]
    assert (row["valid"], row["faults"]) == (1.0, {})


def test_every_model_was_asked_for_what_its_row_says(finished: Finished) -> None:
    assert finished.rows["good"]["tokens"] == ITEMS * TOKENS
    assert finished.rows["overflow"]["tokens"] == 0  # the server refused before it read
    assert finished.server.failures == []


STAYING = {"stays-malformed": FAULTS["malformed"], "stays-bad-request": FAULTS["bad-request"]}
"""Models that never give one answer, with what they send in its place."""


@dataclass(frozen=True)
class Interrupted:
    """A run in which one sample of two models never worked, and the same run after the repair."""

    code: int
    output: str
    refused: str
    rows: dict[str, dict[str, Any]]
    asked: dict[str, int]
    repaired: dict[str, dict[str, Any]]
    asked_again: dict[str, int]


@pytest.fixture(scope="module")
def interrupted(small: Round, tmp_path_factory: pytest.TempPathFactory) -> Interrupted:
    logs = tmp_path_factory.mktemp("logs")
    papers = pq.read_table(pa.BufferReader(small.read_file("writing", "papers.parquet")))
    name = small.items("writing", "title")[1]["paper_id"]
    bad = next(p["abstract"] for p in papers.to_pylist() if p["paper_id"] == name)

    def script(ask: Ask) -> Reply:
        return STAYING[ask.model] if ask.model in STAYING and bad in ask.prompt else opening(ask)

    names = ("steady", *STAYING)
    command = [
        *("run", "title", "--round", small.folder, "--logs", logs, "--retry-on-error", "0"),
        *models(*names),
    ]
    with scripted(script) as server:
        first = viva_here(*command, env=server.environment, expect=None)
        asked = {name: len(server.prompts(name)) for name in names}
        refused = viva_here("board", "show", logs, expect=1)
        rows = headline_rows(logs, partial=True)
        server.script = opening
        viva_here(*command, env=server.environment)
        again = {name: len(server.prompts(name)) - asked[name] for name in names}
        return Interrupted(
            first.exit_code,
            first.stdout + first.stderr,
            refused.stderr,
            rows,
            asked,
            headline_rows(logs),
            again,
        )


def test_a_sample_that_keeps_failing_is_reported(interrupted: Interrupted) -> None:
    assert interrupted.code == 1
    assert interrupted.output.count("Not complete:") == 2
    assert "lacks 1 of 4 answers" in interrupted.output
    assert (
        "The parameter frequency is not known (HTTP 400, openai-api/scripted/" in interrupted.output
    )
    assert "Run the same command again" in interrupted.output


def test_a_sample_that_keeps_failing_does_not_stop_the_others(interrupted: Interrupted) -> None:
    assert interrupted.asked["steady"] == ITEMS
    # The whole task is tried three times; what the server refuses is asked for once.
    for name, tries in zip(STAYING, (3, 1), strict=True):
        assert interrupted.asked[name] == ITEMS - 1 + tries
        assert interrupted.rows[name]["n"] == ITEMS - 1


def test_a_board_refuses_what_lacks_a_sample(interrupted: Interrupted) -> None:
    assert interrupted.refused.count("_title_") == 2
    assert "3 of 4 answers" in interrupted.refused
    assert "--partial" in interrupted.refused


def test_a_partial_row_is_marked_and_not_ranked(interrupted: Interrupted) -> None:
    for name in STAYING:
        assert interrupted.rows[name]["partial"]
        assert interrupted.rows[name]["rank"] is None
    assert interrupted.rows["steady"]["rank"] == 1
    assert not interrupted.rows["steady"]["partial"]


def test_the_same_command_finishes_what_failed(interrupted: Interrupted) -> None:
    assert interrupted.asked_again == {"steady": 0, **dict.fromkeys(STAYING, 1)}
    values = {row["value"] for row in interrupted.repaired.values()}
    assert len(values) == 1
    assert all(row["n"] == ITEMS and not row["partial"] for row in interrupted.repaired.values())


def test_a_sample_out_of_time_is_an_empty_answer(small: Round, tmp_path: Path) -> None:
    slow = dataclasses.replace(HANGING, delay=30)
    with scripted(always(slow)) as server:
        viva_here(
            *("run", "title", "--round", small.folder, "--logs", tmp_path / "logs"),
            *("--limit", "1", "--time-limit", "2", *models("slow")),
            env=server.environment,
        )
    row = headline_rows(tmp_path / "logs", partial=True)["slow"]
    assert (row["faults"], row["value"], row["valid"], row["n"]) == ({"empty": 1}, 0.0, 0.0, 1)
