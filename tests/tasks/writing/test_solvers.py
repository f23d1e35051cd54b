"""The direct method, run inside Inspect with a model that needs no server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample

import vivavoce.models.extractive  # noqa: F401  (registers the provider)
from vivavoce.errors import InputError
from vivavoce.tasks.shared.windows import TABLE_VARIABLE
from vivavoce.tasks.writing.solvers import direct

BODY = "Graphs are everywhere. " + "Some more words follow here. " * 40
TITLE = "A Title of the Paper"


@pytest.fixture(autouse=True)
def _quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))


def run(context: int | None = None, max_tokens: int = 20) -> EvalSample:
    text = f"READ {TITLE} AND {BODY} NOW"
    start = text.index(BODY)
    metadata = {
        "spans": {"title": [5, 5 + len(TITLE)], "content": [start, start + len(BODY)]},
        "words": 20,
        "max_tokens": max_tokens,
    }
    dataset = MemoryDataset([Sample(id="p1", input=text, target="gold", metadata=metadata)])
    [log] = eval(
        Task(dataset=dataset, solver=direct(context)),
        model="extractive/lead",
        display="none",
        log_dir=os.environ["INSPECT_LOG_DIR"],
    )
    assert log.status == "success", log.error
    assert log.samples is not None
    return log.samples[0]


def test_the_whole_prompt_is_sent_in_one_message() -> None:
    sample = run()
    message = sample.messages[0]
    assert message.text == f"READ {TITLE} AND {BODY} NOW"
    assert [each.role for each in sample.messages] == ["user", "assistant"]
    start = message.text.index(BODY)
    assert message.metadata is not None
    assert message.metadata["vivavoce"] == {
        "sample_id": "p1",
        "epoch": 1,
        "source": [start, start + len(BODY)],
        "words": 20,
    }
    # 14 bytes around a title of 20 and a body of 1183: 406 tokens
    assert len(f"READ {TITLE} AND {BODY} NOW") == 1217
    assert sample.metadata["fit"] == {
        "tokens": 406,
        "window": None,
        "reserved": 20,
        "estimated": True,
        "cuts": [],
    }
    assert sample.output.completion == "Graphs are everywhere"


def test_a_window_cuts_the_papers_text_alone() -> None:
    sample = run(context=120)
    text = sample.messages[0].text
    assert text.startswith(f"READ {TITLE} AND Graphs are everywhere. Some")
    assert text.endswith(" NOW")
    [cut] = sample.metadata["fit"]["cuts"]
    assert cut["slot"] == "content"
    assert cut["cut_characters"] == 1217 - len(text)
    assert sample.metadata["fit"]["tokens"] <= 100  # 120 less 20 for the answer
    start, end = sample.messages[0].metadata["vivavoce"]["source"]  # type: ignore[index]
    assert BODY.startswith(text[start:end])


def test_a_window_of_the_users_table_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "models.toml"
    table.write_text('[[model]]\nname = "extractive/*"\nwindow = 200')
    monkeypatch.setenv(TABLE_VARIABLE, str(table))
    assert run().metadata["fit"]["window"] == 200
    assert run(context=300).metadata["fit"]["window"] == 300


@pytest.mark.parametrize("context", [0, -1, "4k", 1.5, True])
def test_a_window_that_is_no_number_of_tokens_is_refused(context: object) -> None:
    with pytest.raises(InputError, match="context"):
        direct(context)  # type: ignore[arg-type]
