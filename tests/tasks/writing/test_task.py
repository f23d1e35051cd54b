"""Title and abstract, end to end against a server: what reached it, and what became of answers."""

from __future__ import annotations

import inspect as python_inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from tests.servers.commands import only_json, small_round, viva
from tests.servers.scripted import TOKENS, Ask, Reply, ScriptedServer, answer, scripted, slot
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from vivavoce.metrics.rouge import rouge
from vivavoce.rounds import Round
from vivavoce.tasks.writing import task as module

WINDOW = 2_000
"""Tokens of the two narrow models: too few for a whole paper."""


@dataclass(frozen=True)
class Finished:
    """A run of both tasks with three models, and what came out."""

    round: Round
    server: ScriptedServer
    logs: dict[tuple[str, str], EvalLog]
    """By task and model."""
    rows: list[dict[str, Any]]
    tokenizer: Tokenizer


def write_from_the_prompt(ask: Ask) -> Reply:
    """Answer with the paper's first words, once every slot has been seen to arrive."""
    paper = slot(ask.prompt, "paper")
    given = slot(ask.prompt, "title" if "the paper's abstract" in ask.prompt else "abstract")
    assert len(given) > 10, "a slot arrived empty"
    return answer(" ".join(paper.split()[:40]))


def train_tokenizer(path: Path, text: str) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    tokenizer.save(str(path))
    return tokenizer


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    folder = tmp_path_factory.mktemp("writing")
    opened = small_round(folder, papers=4)
    text = opened.items("writing", "title")[0]["content"]
    tokenizer = train_tokenizer(folder / "tokenizer.json", text)
    (folder / "models.toml").write_text(
        f"""
        [[model]]
        name = "openai-api/scripted/narrow"
        window = {WINDOW}
        [[model]]
        name = "openai-api/scripted/exact"
        window = {WINDOW}
        tokenizer = "tokenizer.json"
        """
    )
    with scripted(write_from_the_prompt) as server:
        names = ["whole", "narrow", "exact"]
        viva(
            *("run", "title", "abstract", "--round", opened.folder, "--logs", folder / "logs"),
            *[part for name in names for part in ("--model", f"openai-api/scripted/{name}")],
            env={**server.environment, "VIVAVOCE_MODELS": str(folder / "models.toml")},
        )
        shown = viva("board", "show", folder / "logs", "--json")
        logs = [read_eval_log(info) for info in list_eval_logs(str(folder / "logs"))]
        by_name = {
            (str((log.eval.metadata or {})["task"]), log.eval.model.split("/")[-1]): log
            for log in logs
        }
        yield Finished(opened, server, by_name, only_json(shown.stdout)["rows"], tokenizer)


def row(finished: Finished, task: str, model: str, metric: str = "rougeL") -> dict[str, Any]:
    [found] = [
        row
        for row in finished.rows
        if (row["task"], row["metric"]) == (task, metric) and row["model"].endswith(f"/{model}")
    ]
    return found


def test_every_slot_reached_the_server(finished: Finished) -> None:
    assert finished.server.failures == []
    titles = finished.round.items("writing", "title")
    abstracts = finished.round.items("writing", "abstract")
    received = finished.server.prompts("whole")
    assert len(received) == len(titles) + len(abstracts) == 8
    expected = [(item["content"], "abstract", item["abstract"]) for item in titles]
    expected += [(item["content"], "title", item["title"]) for item in abstracts]
    for content, tag, text in expected:
        matching = [
            prompt
            for prompt in received
            if slot(prompt, "paper") == content and f"<{tag}>\n{text}\n</{tag}>" in prompt
        ]
        assert len(matching) == 1


def test_no_prompt_held_its_gold(finished: Finished) -> None:
    for task in ("title", "abstract"):
        for sample in finished.logs[task, "whole"].samples or []:
            assert sample.target not in sample.messages[0].text


def test_decoding_reached_the_server(finished: Finished) -> None:
    for ask in finished.server.asks:
        is_title = "write the title" in ask.prompt
        assert ask.body["temperature"] == 0.0
        assert ask.body["max_tokens"] == (128 if is_title else 1024)
        assert [message["role"] for message in ask.body["messages"]] == ["user"]


@pytest.mark.parametrize("task", ["title", "abstract"])
def test_answers_are_scored_against_the_papers_text(finished: Finished, task: str) -> None:
    items = finished.round.items("writing", task)
    scores = [
        rouge(" ".join(item["content"].split()[:40]), item["reference"]).rougeL for item in items
    ]
    found = row(finished, task, "whole")
    assert found["value"] == pytest.approx(sum(scores) / len(scores), abs=1e-12)
    assert 0 < found["value"] < 1
    assert (found["n"], found["valid"], found["missing"]) == (4, 1.0, 0)


def test_tokens_and_settings_stand_in_the_row(finished: Finished) -> None:
    found = row(finished, "title", "whole")
    assert found["tokens"] == 4 * TOKENS
    assert found["decoding"] == "temperature=0.0 max_tokens=128 attempts=1"
    assert (found["method"], found["setting"], found["judge"]) == ("direct", "base", None)
    assert found["seconds"] > 0
    assert found["cost"] is None


def test_an_unknown_models_prompt_is_whole_and_its_tokens_estimated(finished: Finished) -> None:
    for sample in finished.logs["title", "whole"].samples or []:
        sent = sample.messages[0].text
        assert sample.metadata["fit"] == {
            "tokens": -(-len(sent.encode()) // 3),
            "window": None,
            "reserved": 128,
            "estimated": True,
            "cuts": [],
        }


@pytest.mark.parametrize(("task", "reserved"), [("title", 128), ("abstract", 1024)])
@pytest.mark.parametrize("model", ["narrow", "exact"])
def test_a_narrow_window_cuts_the_papers_tail_alone(
    finished: Finished, task: str, reserved: int, model: str
) -> None:
    items = {item["id"]: item for item in finished.round.items("writing", task)}
    samples = finished.logs[task, model].samples or []
    assert len(samples) == 4
    for sample in samples:
        item = items[str(sample.id)]
        sent = sample.messages[0].text
        assert sent in finished.server.prompts(model)
        kept = slot(sent, "paper")
        assert item["content"].startswith(kept)
        # Put the tail back, and the prompt is the whole one: nothing else was touched.
        assert sent.replace(kept, item["content"]) == sample.input
        fit = sample.metadata["fit"]
        [cut] = fit["cuts"]
        assert cut["slot"] == "content"
        assert cut["cut_characters"] == len(item["content"]) - len(kept) > 0
        assert (fit["window"], fit["reserved"]) == (WINDOW, reserved)
        assert WINDOW - reserved - 20 <= fit["tokens"] <= WINDOW - reserved
        if model == "exact":
            assert not fit["estimated"]
            assert fit["tokens"] == len(finished.tokenizer.encode(sent).ids)
            assert cut["kept_tokens"] == len(finished.tokenizer.encode(kept).ids)
        else:
            assert fit["tokens"] == -(-len(sent.encode()) // 3)


def test_both_tasks_take_the_same_arguments() -> None:
    arguments = ["round", "setting", "context", "prompts", "max_tokens", "pin"]
    for task in (module.title, module.abstract):
        assert list(python_inspect.signature(task).parameters) == arguments
