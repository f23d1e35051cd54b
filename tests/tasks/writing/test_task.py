"""The four tasks, end to end against a server: what reached it, and what became of answers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log
from tests.servers.commands import only_json, viva_here
from tests.servers.scripted import TOKENS, Ask, Reply, ScriptedServer, answer, scripted, slot
from tests.tasks.samples import only, train_tokenizer
from tests.tasks.writing.hand_round import hand_round, item, paper, work
from tokenizers import Tokenizer

from vivavoce.metrics.rouge import rouge
from vivavoce.rounds import Round
from vivavoce.tasks import list_families
from vivavoce.tasks.lookup import find_task_maker
from vivavoce.tasks.writing.inputs import TASKS

CARDS = list_families()["writing"].tasks
MAKERS = {name: find_task_maker(name) for name in TASKS}


@dataclass(frozen=True)
class Finished:
    """A run of all tasks, and what came out, by task."""

    server: ScriptedServer
    samples: dict[str, EvalSample]
    rows: dict[str, dict[str, Any]]


def write_from_the_prompt(ask: Ask) -> Reply:
    """Answer with the paper's first words, once every slot has been seen to arrive."""
    text = slot(ask.prompt, "paper")
    shown = [tag for tag in ("title", "abstract", "works") if f"<{tag}>" in ask.prompt]
    assert all(len(slot(ask.prompt, tag)) > 10 for tag in shown), "a slot arrived empty"
    return answer(" ".join(text.split()[:40]))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    folder = tmp_path_factory.mktemp("writing")
    opened = hand_round(folder)
    with scripted(write_from_the_prompt) as server:
        viva_here(
            *("run", *TASKS, "--round", opened.folder, "--logs", folder / "logs"),
            *("--model", "openai-api/scripted/writing"),
            env=server.environment,
        )
        shown = viva_here("board", "show", folder / "logs", "--json")
        logs = [read_eval_log(info) for info in list_eval_logs(str(folder / "logs"))]
        samples = {str((log.eval.metadata or {})["task"]): only(log) for log in logs}
        rows = {
            row["task"]: row for row in only_json(shown.stdout)["rows"] if row["metric"] == "rougeL"
        }
        yield Finished(server, samples, rows)


def test_every_prompt_reached_the_server_whole(finished: Finished) -> None:
    assert finished.server.failures == []
    received = finished.server.prompts("writing")
    assert len(received) == len(TASKS)
    for sample in finished.samples.values():
        assert sample.input in received
        assert sample.target not in sample.messages[0].text


@pytest.mark.parametrize("task", TASKS)
def test_answers_are_scored_against_the_papers_text(finished: Finished, task: str) -> None:
    sample, found = finished.samples[task], finished.rows[task]
    expected = rouge(sample.output.completion, sample.target)["rougeL"]
    assert found["value"] == pytest.approx(expected, abs=1e-12)
    assert (found["n"], found["valid"], found["missing"]) == (1, 1.0, 0)
    assert found["tokens"] == TOKENS
    assert (found["method"], found["setting"], found["judge"]) == ("direct", "base", None)
    most = CARDS[task].decoding["max_tokens"]
    assert found["decoding"] == f"temperature=0.0 max_tokens={most} attempts=1"


# ---- A long prompt, the model's own tokenizer, examples and a list of works ----


LONG = 400
"""Sentences of a section, of two words; a paper of four sections has some 17,000 tokens."""
LAST = LONG - 1


@dataclass(frozen=True)
class Long:
    """A round of long papers, a server, and the tokenizer that the model table names."""

    round: Round
    server: ScriptedServer
    tokenizer: Tokenizer
    folder: Path

    def run(self, window: int, setting: str = "mixed", **arguments: Any) -> tuple[EvalSample, str]:
        """The sample, and what reached the server, with a model of this window."""
        name = f"writing-long-{window}-{setting}"
        made: Task = MAKERS["related_work"](
            str(self.round.folder), setting=setting, context=window, **arguments
        )
        [log] = eval(
            made,
            model=f"openai-api/scripted/{name}",
            log_dir=str(self.folder / "logs"),
            display="none",
        )
        [sent] = self.server.prompts(name)
        return only(log), sent

    def count(self, text: str) -> int:
        return len(self.tokenizer.encode(text).ids)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Long]:
    folder = tmp_path_factory.mktemp("long")
    papers = [paper(name, LONG) for name in ("pear", "elm", "fir", "oak")]
    works = [work(number, 30) for number in range(1, 101)]
    rows = {"related_work": [item("related_work", papers[0], works=works)]}
    opened = hand_round(folder, papers, rows)
    tokenizer = train_tokenizer(folder / "tokenizer.json", papers[0].sections[0].text)
    (folder / "models.toml").write_text(
        '[[model]]\nname = "openai-api/scripted/writing-long-*"\ntokenizer = "tokenizer.json"'
    )
    with pytest.MonkeyPatch.context() as patch, scripted() as server:
        patch.setenv("VIVAVOCE_MODELS", str(folder / "models.toml"))
        server.serve_here(patch)
        yield Long(opened, server, tokenizer, folder)


RESERVED = CARDS["related_work"].decoding["max_tokens"]
END = "Answer with the text of the section alone: no heading, no list of references, no comment."


def test_the_tail_of_a_prompt_of_tens_of_thousands_of_tokens_arrives(long: Long) -> None:
    sample, sent = long.run(1_000_000)
    assert sent == sample.input
    assert long.count(sent) > 60_000
    assert sent.endswith(END)
    assert sent.count(f"pear-conclusion-{LAST}") == 1
    assert sample.metadata["fit"]["cuts"] == []
    assert sample.metadata["fit"]["tokens"] == long.count(sent)
    assert not sample.metadata["fit"]["estimated"]


def test_a_model_of_few_tokens_sees_paper_and_works_and_no_example(long: Long) -> None:
    window = 8_192
    sample, sent = long.run(window, track="padded")
    fit = sample.metadata["fit"]
    assert fit["dropped"] == 3
    assert window - RESERVED - 60 < fit["tokens"] == long.count(sent) <= window - RESERVED
    # Neither the examples nor a word of them.
    assert "example" not in sent.lower()
    assert not re.search(r"\b(elm|fir|oak)\b", sent)
    whole = sample.input
    assert isinstance(whole, str)
    shares = {}
    for tag in ("works", "paper"):
        full, kept = slot(whole, tag), slot(sent, tag)
        assert full.startswith(kept)
        shares[tag] = long.count(kept) / long.count(full)
        assert long.count(kept) > 500
    assert shares["works"] == pytest.approx(shares["paper"], abs=0.01)
    # What is never cut: title, abstract, instructions, in their order and to the end.
    assert slot(sent, "title") == "The pear title"
    assert slot(sent, "abstract") == paper("pear").abstract
    assert sent.endswith(END)
    # Without examples, it is what `base` sends to such a model.
    assert sent == long.run(window, "base", track="padded")[1]
