"""Every family says what it measures, and what its tasks offer is really there."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of
from vivavoce.running import list_methods
from vivavoce.tasks import builders, find_task, list_families, list_tasks
from vivavoce.tasks.card import read_card

SEVEN_NAMES = [
    "build.py",
    "card.yaml",
    "dataset.py",
    "prompts",
    "scorer.py",
    "solvers.py",
    "task.py",
]


@pytest.mark.parametrize("family", list_families())
def test_a_family_is_a_folder_with_the_seven_names(family: str) -> None:
    import vivavoce.tasks

    folder = Path(vivavoce.tasks.__file__).parent / family
    assert set(SEVEN_NAMES) <= {path.name for path in folder.iterdir()}
    assert len((folder / "task.py").read_text().splitlines()) < 100


@pytest.mark.parametrize("family", list_families())
def test_a_card_names_methods_and_metrics_that_exist(family: str) -> None:
    card = list_families()[family]
    for name, task in card.tasks.items():
        assert set(task.methods) <= card.methods.keys() | list_methods().keys()
        assert set(task.metrics) <= metrics_of(family).keys()
        assert task.settings, name
        assert task.decoding.keys() >= {"temperature", "max_tokens"}


def test_a_builder_makes_exactly_the_tasks_of_its_card() -> None:
    for family, builder in builders().items():
        assert family == builder.FAMILY
        assert set(builder.TASKS) == set(list_families()[family].tasks)  # type: ignore[attr-defined]


def test_a_task_is_found_with_and_without_the_name_of_the_package() -> None:
    assert find_task("title") == find_task("vivavoce/title") == ("writing", "title")
    assert "vivavoce/abstract" in list_tasks()
    with pytest.raises(InputError, match=r"'titel'.*vivavoce/title"):
        find_task("titel")


def test_every_task_of_a_card_is_found_by_inspect() -> None:
    from inspect_ai._util.registry import registry_lookup  # the registry has no public reader

    import vivavoce._registry

    assert vivavoce._registry.__doc__
    for name in list_tasks():
        assert registry_lookup("task", name) is not None


@pytest.mark.parametrize("content", ["title: x", "title: [", "- x", "", "more: 1"])
def test_a_card_that_is_not_complete_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "card.yaml").write_text(content)
    with pytest.raises(InputError, match=r"card\.yaml is not a complete card"):
        read_card(tmp_path / "card.yaml")
