"""Opening a task: the round, the prompts, the decoding, and what they must not be."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from tests.servers.commands import small_round

from vivavoce.errors import InputError
from vivavoce.rounds import Round
from vivavoce.tasks import find_task, read_card
from vivavoce.tasks.family import fingerprint, open_prompts
from vivavoce.tasks.lookup import create_task
from vivavoce.tasks.scoring.asking import judge_named_later
from vivavoce.tasks.scoring.judge import judge_hash
from vivavoce.text.final_answer import VERSION


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("entry"))


def enter(folder: Path | str, **changes: Any) -> Task:
    return create_task("title", {"round": str(folder), **changes})


def test_a_log_gets_what_a_board_needs(opened: Round) -> None:
    assert enter(opened.folder).metadata == {
        "round": "small",
        "round_sha256": opened.sha256,
        "window": ["2023-01-01", "2025-01-01"],
        "family": "writing",
        "task": "title",
        "setting": "base",
        "prompt_hash": open_prompts("writing", None).sha256,
        "metrics": ["rougeL", "rouge1", "rouge2"],
        "diagnostics": ["length_ratio"],
        "stages": [],
        "reader": VERSION,
    }


def test_decoding_is_the_cards_unless_asked_otherwise(opened: Round) -> None:
    usual, longer = enter(opened.folder).config, enter(opened.folder, max_tokens=500).config
    assert (usual.temperature, usual.max_tokens) == (0.0, 128)
    assert (longer.temperature, longer.max_tokens) == (0.0, 500)


def test_an_unknown_setting_names_the_known_ones(opened: Round) -> None:
    with pytest.raises(InputError, match=r"'everything'.*base"):
        enter(opened.folder, setting="everything")


def test_a_folder_that_is_no_round_points_at_the_one_inside(opened: Round) -> None:
    with pytest.raises(InputError, match=str(opened.folder)):
        enter(opened.folder.parent)


def test_a_pin_fits_one_round_and_one_set_of_prompts(opened: Round, tmp_path: Path) -> None:
    shipped = open_prompts("writing", None)
    pin = fingerprint(opened, shipped)
    assert enter(opened.folder, pin=pin).metadata["round"] == "small"
    own = tmp_path / "prompts"
    shutil.copytree(shipped.folder, own)
    assert enter(opened.folder, pin=pin, prompts=str(own)).metadata["round"] == "small"
    (own / "title.md.j2").write_text("{{ content }}{{ abstract }}{{ words }}")
    with pytest.raises(InputError, match="changed"):
        enter(opened.folder, pin=pin, prompts=str(own))
    other = small_round(tmp_path, papers=9)  # of the same name
    with pytest.raises(InputError, match="small"):
        enter(other.folder, pin=pin)


def test_a_judge_adds_what_it_measures(opened: Round) -> None:
    with judge_named_later():
        metadata = enter(opened.folder, judge=True).metadata
    assert metadata["metrics"][:4] == ["rougeL", "support", "contradicted", "rouge1"]
    assert "judge_win" in metadata["metrics"]
    assert metadata["diagnostics"][:2] == ["length_ratio", "judge_flip"]
    unjudged = {"rougeL", "rouge1", "rouge2", "length_ratio"}
    assert {*metadata["metrics"], *metadata["diagnostics"]} - {*metadata["judged"]} == unjudged
    assert metadata["judge"] == judge_hash(open_prompts("writing", None), ["compare", "claims"])


def test_a_judges_template_of_no_use_is_reported_at_once(opened: Round, tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    shutil.copytree(open_prompts("writing", None).folder, own)
    (own / "judge.md.j2").write_text("{{ answer_1 }} or the other")
    with judge_named_later(), pytest.raises(InputError, match="answer_2"):
        enter(opened.folder, prompts=str(own), judge=True)
    (own / "judge.md.j2").unlink()
    with judge_named_later(), pytest.raises(InputError, match=r"judge\.md\.j2"):
        enter(opened.folder, prompts=str(own), judge=True)
    assert enter(opened.folder, prompts=str(own)).metadata["metrics"][0] == "rougeL"


@pytest.mark.parametrize("judge", ["openai/gpt-4o", 1, None])
def test_a_judge_is_asked_for_by_true_or_false(opened: Round, judge: object) -> None:
    with pytest.raises(InputError, match="neither true nor false"):
        enter(opened.folder, judge=judge)


def test_a_misspelt_task_gets_the_nearest_one() -> None:
    with pytest.raises(InputError, match=r"'titel'. Did you mean title"):
        find_task("titel")


@pytest.mark.parametrize("content", ["title: x", "title: [", "- x", "", "more: 1"])
def test_a_card_that_is_not_complete_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "card.yaml").write_text(content)
    with pytest.raises(InputError, match=r"card\.yaml is not a complete card"):
        read_card(tmp_path / "card.yaml")
