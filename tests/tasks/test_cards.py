"""Tasks are found by name, and a card that is not complete is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import InputError
from vivavoce.tasks import find_task, list_tasks, read_card


def test_a_task_is_found_with_and_without_the_name_of_the_package() -> None:
    assert find_task("title") == find_task("vivavoce/title") == ("writing", "title")
    assert "vivavoce/abstract" in list_tasks()
    with pytest.raises(InputError, match=r"'titel'. Did you mean title"):
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
