from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

import vivavoce.models.offline  # noqa: F401  (registers the provider)
from vivavoce.errors import InputError


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def ask(path: Path | str, sample_id: object, epoch: object = 1) -> ModelOutput:
    ours = {"sample_id": sample_id, "epoch": epoch}
    message = ChatMessageUser(content="Three words here", metadata={"vivavoce": ours})
    return asyncio.run(get_model(f"replay/{path}").generate([message]))


def test_a_row_is_found_by_id_and_epoch(tmp_path: Path) -> None:
    path = write(
        tmp_path / "answers.jsonl",
        {"id": "a", "text": "for every epoch"},
        {"id": "a", "epoch": 2, "text": "for the second"},
        {"id": "b", "epoch": 1, "text": "only once"},
    )
    assert [ask(path, "a", epoch).completion for epoch in (1, 2, 3)] == [
        "for every epoch",
        "for the second",
        "for every epoch",
    ]
    assert ask(path, "b", 1).completion == "only once"
    assert ask(path, "b", 2).metadata == {"missing": True}


def test_a_number_and_its_digits_are_two_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "ids.jsonl", {"id": 1, "text": "int"}, {"id": "1", "text": "string"})
    assert ask(path, 1).completion == "int"
    assert ask(path, "1").completion == "string"


def test_an_answer_that_is_null_is_empty_and_one_without_a_row_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "null.jsonl", {"id": "a", "text": None})
    silent, missing = ask(path, "a"), ask(path, "b")
    assert (silent.completion, silent.metadata) == ("", None)
    assert (missing.completion, missing.metadata) == ("", {"missing": True})


def test_gzip_is_told_by_content(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(gzip.compress(b'{"id": "a", "text": "packed"}\n'))
    assert ask(path, "a").completion == "packed"


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (['{"id": "a", "text": "x"}', "", '{"id": "a", "text": "y"}'], 3, "repeats the id 'a'"),
        (['{"id": 1, "epoch": 2, "text": "x"}'] * 2, 2, r"\(epoch 2\) of .*bad.jsonl:1"),
        (['{"id": "a", "text": "x"}', "{"], 2, "not readable JSON"),
        (['{"text": "x"}'], 1, "id"),
        (['{"id": true, "text": "x"}'], 1, "id"),
        (['{"id": "a"}'], 1, "text"),
        (['{"id": "a", "epoch": 0, "text": "x"}'], 1, "epoch: .* got 0"),
    ],
)
def test_a_bad_row_is_refused_with_file_and_line(
    tmp_path: Path, lines: list[str], line: int, reason: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=f"bad.jsonl:{line}.*{reason}"):
        get_model(f"replay/{path}")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.jsonl is not a file"):
        get_model(f"replay/{tmp_path}/nowhere.jsonl")


def test_a_message_that_names_no_sample_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "foreign.jsonl", {"id": "a", "text": "x"})
    with pytest.raises(InputError, match="cannot identify the sample"):
        asyncio.run(get_model(f"replay/{path}").generate("A prompt of another solver."))


@solver
def addressed() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        ours = {"sample_id": state.sample_id, "epoch": state.epoch}
        state.messages = [ChatMessageUser(content=state.input_text, metadata={"vivavoce": ours})]
        return await generate(state)

    return solve


def test_an_evaluation_serves_each_sample_and_epoch_and_logs_the_file_name(tmp_path: Path) -> None:
    path = write(
        tmp_path / "run.jsonl",
        {"id": 1, "text": "first"},
        {"id": "b", "epoch": 1, "text": "second"},
        {"id": "b", "epoch": 2, "text": "second again"},
    )
    dataset = MemoryDataset([Sample(input="a b", id=1), Sample(input="c", id="b")])
    (log,) = eval(
        Task(dataset=dataset, solver=addressed(), epochs=2),
        model=f"replay/{path}",
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "success"
    assert log.eval.model == f"replay/{path}"
    assert log.stats.model_usage[f"replay/{path}"].input_tokens == 6
    answers = {(s.id, s.epoch): s.output.completion for s in log.samples or []}
    assert answers == {
        (1, 1): "first",
        (1, 2): "first",
        ("b", 1): "second",
        ("b", 2): "second again",
    }
