"""The names that users of the library import."""

from __future__ import annotations

import vivavoce


def test_the_public_names_are_few_sorted_and_those_of_the_contract() -> None:
    assert vivavoce.__all__ == sorted(vivavoce.__all__)
    assert len(vivavoce.__all__) <= 12
    promised = (
        "Window Corpus Round load_corpus build_round load_round run leaderboard score list_tasks "
        "__version__"
    )
    assert set(promised.split()) <= set(vivavoce.__all__)


def test_every_public_name_loads_and_is_documented() -> None:
    for name in vivavoce.__all__:
        value = getattr(vivavoce, name)
        assert name == "__version__" or value.__doc__


def test_another_name_is_an_ordinary_attribute_error() -> None:
    assert not hasattr(vivavoce, "no_such_name")


def test_public_names_are_listed_before_they_are_loaded() -> None:
    assert dir(vivavoce) == vivavoce.__all__
