"""The task end to end against a server: what reached it, and what became of answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.solver import Solver
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, scripted, slot
from tests.tasks.samples import only, train_tokenizer, values_of
from tokenizers import Tokenizer

from vivavoce.results.board.building import leaderboard as board_of
from vivavoce.rounds import Round
from vivavoce.tasks import list_families
from vivavoce.tasks.leaderboards.solvers import random_rows, table_reader
from vivavoce.tasks.lookup import find_task_maker
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.prompting import Rendered
from vivavoce.tasks.prompting.fitting import fit
from vivavoce.tasks.prompting.windows import FileCounter

CARD = list_families()["leaderboards"].tasks["leaderboard"]
RESERVED = CARD.decoding["max_tokens"]
QUESTION = "Give the table of results on Treebank for Parsing: the F1 of each method and model."


def read_the_excerpts(ask: Ask) -> Reply:
    """Answer with the rows of the excerpts' tables, once every slot has been seen to arrive."""
    assert slot(ask.prompt, "question") == QUESTION, "another question arrived"
    excerpts = slot(ask.prompt, "excerpts")
    assert excerpts.count("<excerpt from=") == 10, "excerpts are missing"
    rows = [line for line in excerpts.splitlines() if " | 9" in line]
    assert rows, "no row of a table arrived"
    return answer("\n".join(["| Method | Score |", "|---|---|", *dict.fromkeys(rows)]))


leaderboard = find_task_maker("leaderboard")


@dataclass(frozen=True)
class Finished:
    """A round, a server, and a tokenizer that the model table names."""

    round: Round
    server: ScriptedServer
    tokenizer: Tokenizer
    folder: Path

    def run(self, model: str, **arguments: Any) -> tuple[EvalSample, str]:
        """The sample, and what reached the server."""
        log = self.log(leaderboard(str(self.round.folder), **arguments), model=model)
        [sent] = self.server.prompts(model)
        return only(log), sent

    def log(self, made: Task, *, model: str | None = None, solver: Solver | None = None) -> EvalLog:
        [log] = eval(
            made,
            model=f"openai-api/scripted/{model}" if model else "none",
            log_dir=str(self.folder / f"logs-{model}"),
            display="none",
            **({"solver": solver} if solver else {}),
        )
        return log

    def answered(self, solver: Solver, **arguments: Any) -> EvalSample:
        """The sample as a method without a model answers it."""
        return only(self.log(leaderboard(str(self.round.folder), **arguments), solver=solver))

    def count(self, text: str) -> int:
        return len(self.tokenizer.encode(text).ids)


@pytest.fixture(scope="module")
def finished(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    folder = tmp_path_factory.mktemp("leaderboard")
    text = "Alder parses sentences of Treebank. It does so again and again. | Model | F1 | "
    tokenizer = train_tokenizer(folder / "tokenizer.json", text)
    (folder / "models.toml").write_text(
        '[[model]]\nname = "openai-api/scripted/boards-*"\ntokenizer = "tokenizer.json"'
    )
    with pytest.MonkeyPatch.context() as patch, scripted(read_the_excerpts) as server:
        patch.setenv("VIVAVOCE_MODELS", str(folder / "models.toml"))
        server.serve_here(patch)
        yield Finished(opened, server, tokenizer, folder)


def test_every_slot_reached_the_server_and_the_answer_is_scored(finished: Finished) -> None:
    sample, sent = finished.run("boards-whole")
    assert finished.server.failures == []
    assert sent == sample.input
    assert str(sample.target) not in sent
    value = values_of(sample)
    # The papers' tables hold all three methods of the board, each in its table on this data set.
    for name in ("mr", "mp", "f1", "sp_matched", "ktau", "mr_ceiling", "sp_ceiling"):
        assert value[name] == 1.0, name
    assert (value["invented"], value["valid"]) == (0.0, 1.0)
    ask = finished.server.asks[-1]
    assert (ask.body["temperature"], ask.body["max_tokens"]) == (0.0, RESERVED)
    [row] = [
        row
        for row in board_of(finished.folder / "logs-boards-whole", resamples=0).rows
        if row["metric"] == "mr"
    ]
    assert (row["task"], row["setting"], row["method"]) == ("leaderboard", "base", "direct")
    assert (row["value"], row["n"], row["valid"]) == (1.0, 1, 1.0)


@pytest.mark.parametrize("kept", [9, 4, 1, 0])
def test_whole_excerpts_go_from_the_worst(finished: Finished, kept: int) -> None:
    made, expected = narrowed(finished, kept)
    counter = FileCounter(finished.folder / "tokenizer.json")
    room = finished.count(expected)
    for less, dropped in ((0, 10 - kept), (1, 11 - kept))[: 2 if kept else 1]:
        fitted = fit(made, [], counter, window=room + RESERVED - less, reserved=RESERVED)
        assert (fitted.dropped, fitted.cuts) == (dropped, ())
    fitted = fit(made, [], counter, window=room + RESERVED, reserved=RESERVED)
    assert fitted.prompt.text == expected
    assert fitted.tokens == room


def narrowed(finished: Finished, kept: int) -> tuple[Rendered, str]:
    """The prompt, and what is left of it with so many excerpts."""
    sample = leaderboard(str(finished.round.folder)).dataset[0]
    whole, metadata = str(sample.input), sample.metadata or {}
    blocks = tuple((start, end) for start, end in metadata["blocks"])
    spans = {slot: (start, end) for slot, (start, end) in metadata["spans"].items()}
    left = whole
    for start, end in blocks[: 10 - kept]:
        left = left[:start] + left[end:]  # the worst stands last
    return Rendered(whole, spans, blocks), left


def test_a_narrow_window_gets_fewer_excerpts_and_its_own_ceiling(
    finished: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finished.server, "script", lambda ask: answer("| Method | Score |"))
    _, expected = narrowed(finished, 2)
    room = finished.count(expected)
    sample, sent = finished.run("boards-narrow", context=room + RESERVED)
    assert sent == expected
    record = sample.metadata["fit"]
    assert (record["dropped"], record["cuts"], record["reserved"]) == (8, [], RESERVED)
    assert (record["tokens"], record["estimated"]) == (room, False)
    value = values_of(sample)
    assert value["mr_ceiling"] == sample.metadata["ceilings"][2][0]
    assert (value["valid"], value["header_only"]) == (0.0, 1.0)


def test_a_window_without_room_for_the_question_says_so(finished: Finished) -> None:
    log = finished.log(leaderboard(str(finished.round.folder), context=1700), model="boards-none")
    assert log.status == "error"
    assert log.error is not None
    assert "--context" in log.error.message


def test_random_rows_are_rows_of_the_papers_tables_and_always_the_same(finished: Finished) -> None:
    found, other = (
        finished.answered(random_rows(rows=4), chunks=chunks).output.completion
        for chunks in (10, 20)
    )
    assert found == other
    rows = [line for line in found.splitlines() if line[2:7] in ("Alder", "Birch", "Cedar")]
    assert len(rows) == 4


def test_the_table_reader_finds_methods_of_the_board(finished: Finished) -> None:
    sample = finished.answered(table_reader())
    assert sample.output.completion.startswith("| Method | Score |")
    assert (values_of(sample)["mr"], values_of(sample)["sp_matched"]) == (1.0, 1.0)


def test_an_agent_gets_no_excerpts(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = "| Method | Score |\n|---|---|\n| Birch | 92.25 |"
    monkeypatch.setattr(finished.server, "script", lambda ask: answer(reply))
    made = leaderboard(str(finished.round.folder))
    sample = only(finished.log(made, model="boards-agent", solver=agent()))
    [sent] = finished.server.prompts("boards-agent")
    assert QUESTION in sent
    assert "<excerpt" not in sent
    assert "library of 3 papers" in sent
    assert "| Method | Score |" in sent
    assert values_of(sample)["mr"] == pytest.approx(1 / 3)
