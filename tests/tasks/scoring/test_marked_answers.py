"""The same answer scores the same however the model marks its reasoning and its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from tests.servers.commands import small_round
from tests.servers.scripted import Ask, Reply, answer, by_model, scripted

from vivavoce.running import RunSpec, run

THOUGHT = "The paper is about a method. Perhaps the title is Nets?\n\nOr a survey of them."
MARKED = {
    "plain": "{0}",
    "template": "{1}\n</think>\n\n{0}",
    "tags": "<reflection>{1}</reflection>\n{0}",
    "brackets": "[THINK]{1}[/THINK]{0}",
    "channels": "<|channel|>analysis<|message|>{1}<|end|><|start|>assistant<|channel|>final"
    "<|message|>{0}<|return|>",
    "token": "{0}<|im_end|>",
    "block": "{1}\n<answer>{0}</answer>",
    "label": "{1}\n\n**Final answer:**\n\n{0}",
    "announced": "Here is the text you asked for:\n\n{0}",
    "unclosed": "<think>{1} {0}",
}


def write(ask: Ask) -> str:
    """Some words of the request."""
    return " ".join(ask.prompt.split()[-60:-20]).replace("<", "").replace(">", "")


def script(form: str) -> Any:
    def reply(ask: Ask) -> Reply:
        return answer(form.format(write(ask), THOUGHT))

    return reply


def test_marks_change_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = small_round(tmp_path, papers=3)
    with scripted() as server:
        for name, value in server.environment.items():
            if name.startswith("SCRIPTED_"):
                monkeypatch.setenv(name, value)
        server.script = by_model({name: script(form) for name, form in MARKED.items()})
        report = run(
            RunSpec(
                tasks=["abstract"],
                round=opened.folder,
                logs=tmp_path / "logs",
                models=[f"openai-api/scripted/{name}" for name in MARKED],
                display="none",
            )
        )
    assert report.failed == ()
    values: dict[str, list[Any]] = {}
    notes: dict[str, dict[str, Any]] = {}
    for path in sorted((tmp_path / "logs").glob("*.eval")):
        log = read_eval_log(str(path))
        name = log.eval.model.rpartition("/")[2]
        scores = [(sample.scores or {})["writing"] for sample in log.samples or []]
        values[name] = [score.value for score in scores]
        notes[name] = dict(scores[0].metadata or {})
    assert values.keys() == MARKED.keys()
    for name in MARKED.keys() - {"plain", "unclosed"}:
        assert values[name] == values["plain"], name
    assert all(value["rougeL"] == value["valid"] == 0 for value in values["unclosed"])
    cut = {name: note["cut_from"] for name, note in notes.items()}
    assert cut == {
        **dict.fromkeys(("template", "tags", "brackets", "channels", "block"), "reasoning"),
        **dict.fromkeys(("plain", "announced"), None),
        "unclosed": "reasoning",
        "token": "tokens",
        "label": "draft",
    }
    assert notes["unclosed"]["fault"] == "unclosed"
    assert notes["tags"]["answer"] == notes["plain"]["answer"]
    assert notes["plain"]["truncated"] is False
