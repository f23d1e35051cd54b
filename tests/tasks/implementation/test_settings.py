"""What a setting of the implementation tasks stands for."""

from __future__ import annotations

import pytest

from vivavoce.errors import InputError
from vivavoce.tasks import list_families
from vivavoce.tasks.implementation.family import effective_setting


@pytest.mark.parametrize(
    ("data_info", "knowledge", "setting"),
    [
        (None, None, "base"),
        ("brief", False, "base"),
        ("none", None, "none"),
        ("full", True, "full+knowledge"),
        (None, True, "base+knowledge"),
    ],
)
def test_the_parts_make_a_setting_of_the_card(
    data_info: str | None, knowledge: bool | None, setting: str
) -> None:
    assert effective_setting("base", data_info, knowledge) == setting
    assert setting in list_families()["implementation"].tasks["formula"].settings


@pytest.mark.parametrize(("setting", "data_info"), [("base", "everything"), ("full", "none")])
def test_what_is_unknown_or_contradictory_is_refused(setting: str, data_info: str) -> None:
    with pytest.raises(InputError, match="data_info"):
        effective_setting(setting, data_info, None)
