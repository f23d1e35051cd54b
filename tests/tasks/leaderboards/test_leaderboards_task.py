"""The task end to end against a server: what reached it, and what became of answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import task_with
from inspect_ai.log import EvalLog
from inspect_ai.solver import Solver
from tests.servers.evaluations import evaluate, one
from tests.servers.scripted import Ask, Reply, Script, ScriptedServer, answer, slot
from tests.tasks.samples import train_tokenizer, values_of

from vivavoce.results.board.building import leaderboard as board_of
from vivavoce.rounds import Round
from vivavoce.tasks import list_families
from vivavoce.tasks.leaderboards.solvers import random_rows, table_reader
from vivavoce.tasks.lookup import find_task_maker
from vivavoce.tasks.methods.agent import agent

leaderboard = find_task_maker("leaderboard")
CARD = list_families()["leaderboards"].tasks["leaderboard"]
RESERVED = CARD.decoding["max_tokens"]
QUESTION = "Give the table of results on Treebank for Parsing: the F1 of each method and model."
HEAD = answer("| Method | Score |")


def read_the_excerpts(ask: Ask) -> Reply:
    """Answer with the rows of the excerpts' tables, once every slot has been seen to arrive."""
    assert slot(ask.prompt, "question") == QUESTION, "another question arrived"
    excerpts = slot(ask.prompt, "excerpts")
    assert excerpts.count("<excerpt from=") == 10, "excerpts are missing"
    rows = [line for line in excerpts.splitlines() if " | 9" in line]
    assert rows, "no row of a table arrived"
    return answer("\n".join(["| Method | Score |", "|---|---|", *dict.fromkeys(rows)]))


Work = Callable[..., tuple[ScriptedServer, EvalLog]]


@pytest.fixture
def work(opened: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Runs the task: the server with what reached it, and the log."""

    def run(
        play: Script, solver: Solver | None = None, **arguments: Any
    ) -> tuple[ScriptedServer, EvalLog]:
        made = leaderboard(str(opened.folder), **arguments)
        task = task_with(made, solver=solver) if solver else made
        return evaluate(task, play, "boards", tmp_path / "logs", monkeypatch)

    return run


def test_every_slot_reached_the_server_and_the_answer_is_scored(work: Work, tmp_path: Path) -> None:
    server, log = work(read_the_excerpts)
    sample, [ask] = one(log), server.asks
    assert ask.prompt == sample.input
    assert str(sample.target) not in ask.prompt
    value = values_of(sample)
    # The papers' tables hold all three methods of the board, each in its table on this data set.
    for name in ("mr", "mp", "f1", "sp_matched", "ktau", "mr_ceiling", "sp_ceiling"):
        assert value[name] == 1.0, name
    assert (value["invented"], value["valid"]) == (0.0, 1.0)
    assert (ask.body["temperature"], ask.body["max_tokens"]) == (0.0, RESERVED)
    rows = board_of(tmp_path / "logs", resamples=0).rows
    [row] = [row for row in rows if row["metric"] == "mr"]
    assert (row["task"], row["setting"], row["method"]) == ("leaderboard", "base", "direct")
    assert (row["value"], row["n"], row["valid"]) == (1.0, 1, 1.0)


def test_a_narrow_window_gets_fewer_excerpts_and_its_own_ceiling(
    work: Work, opened: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Alder parses sentences of Treebank. It does so again and again. | Model | F1 | "
    tokenizer = train_tokenizer(tmp_path / "tokenizer.json", text)
    (tmp_path / "models.toml").write_text(
        '[[model]]\nname = "openai-api/scripted/boards-*"\ntokenizer = "tokenizer.json"'
    )
    monkeypatch.setenv("VIVAVOCE_MODELS", str(tmp_path / "models.toml"))
    sample = leaderboard(str(opened.folder)).dataset[0]
    expected, metadata = str(sample.input), sample.metadata or {}
    for start, end in metadata["blocks"][:8]:  # the worst excerpt stands last and goes first
        expected = expected[:start] + expected[end:]
    room = len(tokenizer.encode(expected).ids)
    server, log = work(lambda ask: HEAD, context=room + RESERVED)
    found = one(log)
    assert [ask.prompt for ask in server.asks] == [expected]
    record = found.metadata["fit"]
    assert (record["dropped"], record["cuts"], record["reserved"]) == (8, [], RESERVED)
    assert (record["tokens"], record["estimated"]) == (room, False)
    value = values_of(found)
    assert value["mr_ceiling"] == metadata["ceilings"][2][0]
    assert (value["valid"], value["header_only"]) == (0.0, 1.0)


def test_a_window_without_room_for_the_question_says_so(work: Work) -> None:
    server, log = work(lambda ask: HEAD, context=RESERVED + 50)
    assert server.asks == []
    assert log.error is not None
    assert "--context" in log.error.message


def test_random_rows_are_rows_of_the_papers_tables_and_always_the_same(work: Work) -> None:
    logs = [work(lambda ask: HEAD, random_rows(rows=4), chunks=n)[1] for n in (10, 20)]
    found, other = (one(log).output.completion for log in logs)
    assert found == other
    rows = [line for line in found.splitlines() if line[2:7] in ("Alder", "Birch", "Cedar")]
    assert len(rows) == 4


def test_the_table_reader_finds_methods_of_the_board(work: Work) -> None:
    sample = one(work(lambda ask: HEAD, table_reader())[1])
    assert sample.output.completion.startswith("| Method | Score |")
    assert (values_of(sample)["mr"], values_of(sample)["sp_matched"]) == (1.0, 1.0)


def test_an_agent_gets_no_excerpts(work: Work) -> None:
    reply = "| Method | Score |\n|---|---|\n| Birch | 92.25 |"
    server, log = work(lambda ask: answer(reply), agent())
    [ask] = server.asks
    assert QUESTION in ask.prompt
    assert "<excerpt" not in ask.prompt
    assert "library of 3 papers" in ask.prompt
    assert "| Method | Score |" in ask.prompt
    assert values_of(one(log))["mr"] == pytest.approx(1 / 3)
