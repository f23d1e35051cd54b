"""The names that users of the library import."""

from pathlib import Path

import pytest

import vivavoce
from vivavoce.errors import InputError
from vivavoce.running import RunSpec


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


def test_a_run_takes_a_specification_or_its_fields() -> None:
    with pytest.raises(InputError, match="or models, not both"):
        vivavoce.run(RunSpec(tasks=["title"], round=Path("r"), logs=Path("l")), models=["a/b"])
    with pytest.raises(TypeError, match="no_such_field"):
        vivavoce.run(tasks=["title"], round="r", logs="l", no_such_field=1)
    with pytest.raises(InputError, match="is not a round"):
        vivavoce.run(tasks=["title"], round="nowhere", logs="l", methods=["null"])
