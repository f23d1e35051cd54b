"""Writing items as samples: every input is in the prompt, the gold nowhere but in the target."""

from __future__ import annotations

import pytest
from tests.servers.commands import small_round
from tests.servers.scripted import slot

from vivavoce.rounds import Round
from vivavoce.tasks.shared.entry import open_prompts
from vivavoce.tasks.writing.dataset import SLOTS, record_to_sample, writing_dataset

ROW = {
    "id": "p1",
    "cluster": "c1",
    "published": "2024-01",
    "split": "test",
    "title": "A Title",
    "abstract": None,
    "content": "1 Introduction\n\nWe {{ read }}.",
    "reference": "The abstract.",
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("dataset"))


def test_an_item_becomes_a_sample() -> None:
    prompts = open_prompts("writing", None)
    sample = record_to_sample(ROW, "abstract", prompts, {"words": 200, "max_tokens": 1024})
    assert (sample.id, sample.target) == ("p1", "The abstract.")
    assert isinstance(sample.input, str)
    assert slot(sample.input, "paper") == ROW["content"]
    assert slot(sample.input, "title") == "A Title"
    assert "around 200 words" in sample.input
    assert sample.metadata is not None
    spans = sample.metadata.pop("spans")
    assert {name: sample.input[start:end] for name, (start, end) in spans.items()} == {
        "title": "A Title",
        "content": ROW["content"],
    }
    assert sample.metadata == {
        "cluster": "c1",
        "published": "2024-01",
        "split": "test",
        "words": 200,
        "max_tokens": 1024,
    }


@pytest.mark.parametrize("task", ["title", "abstract"])
def test_a_round_becomes_a_dataset(opened: Round, task: str) -> None:
    dataset = writing_dataset(opened, task, open_prompts("writing", None), words=10, max_tokens=128)
    rows = opened.items("writing", task)
    assert dataset.name == f"small/writing/{task}"
    assert [sample.id for sample in dataset] == [row["id"] for row in rows]
    assert len(rows) == 8
    for sample, row in zip(dataset, rows, strict=True):
        assert isinstance(sample.input, str)
        assert sample.target == row["reference"]
        assert row["reference"] not in sample.input
        for name in SLOTS[task]:
            assert sample.input.count(row[name]) == 1
