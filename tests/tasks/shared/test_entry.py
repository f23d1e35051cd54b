"""Opening a task: the round, the prompts, the decoding, and what they must not be."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import small_round

from vivavoce.errors import DamagedError, InputError
from vivavoce.rounds import Round, load_round
from vivavoce.tasks.shared.entry import TaskEntry, fingerprint, open_prompts, open_task


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("entry"))


def enter(folder: Path | str, **changes: Any) -> TaskEntry:
    arguments = {"setting": "base", "prompts": None, "max_tokens": None, "pin": None}
    return open_task("writing", "title", round=str(folder), **{**arguments, **changes})


def test_a_log_gets_what_a_board_needs(opened: Round) -> None:
    entry = enter(opened.folder)
    assert entry.metadata == {
        "round": "small",
        "round_sha256": opened.sha256,
        "window": ["2023-01-01", "2025-01-01"],
        "family": "writing",
        "task": "title",
        "setting": "base",
        "prompt_hash": open_prompts("writing", None).sha256,
        "metrics": ["rougeL", "rouge1", "rouge2"],
        "stages": [],
    }


def test_decoding_is_the_cards_unless_asked_otherwise(opened: Round) -> None:
    assert enter(opened.folder).config.model_dump(exclude_none=True) == {
        "temperature": 0.0,
        "max_tokens": 128,
    }
    longer = enter(opened.folder, max_tokens=500)
    assert (longer.max_tokens, longer.config.max_tokens, longer.config.temperature) == (500, 500, 0)


def test_an_unknown_setting_names_the_known_ones(opened: Round) -> None:
    with pytest.raises(InputError, match=r"'mixed'.*base"):
        enter(opened.folder, setting="mixed")


def test_a_folder_that_is_no_round_points_at_the_one_inside(opened: Round) -> None:
    with pytest.raises(InputError, match=str(opened.folder)):
        enter(opened.folder.parent)


def test_a_pin_fits_one_round_and_one_set_of_prompts(opened: Round, tmp_path: Path) -> None:
    shipped = open_prompts("writing", None)
    pin = fingerprint(opened, shipped)
    assert enter(opened.folder, pin=pin).round.id == "small"
    own = tmp_path / "prompts"
    shutil.copytree(shipped.folder, own)
    assert enter(opened.folder, pin=pin, prompts=str(own)).prompts.folder == own
    (own / "title.md.j2").write_text("{{ content }}{{ abstract }}{{ words }}")
    with pytest.raises(InputError, match="changed"):
        enter(opened.folder, pin=pin, prompts=str(own))


def test_a_pin_does_not_fit_another_round_of_the_same_name(opened: Round, tmp_path: Path) -> None:
    pin = fingerprint(opened, open_prompts("writing", None))
    other = small_round(tmp_path, papers=9)
    with pytest.raises(InputError, match="small"):
        enter(other.folder, pin=pin)


def test_items_that_were_changed_are_not_run(opened: Round, tmp_path: Path) -> None:
    copy = tmp_path / "small"
    shutil.copytree(opened.folder, copy)
    items = copy / "writing" / "title.parquet"
    items.write_bytes(items.read_bytes()[:-1] + b"!")
    with pytest.raises(DamagedError, match=r"title\.parquet"):
        load_round(copy).items("writing", "title")
