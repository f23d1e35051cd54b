"""A formula of one's own: what is wrong in its file is said in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.items.formula import check_formula, list_formulas


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"category": "volume"}, "'volume' is none of fundamental, price-volume, minute"),
        ({"difficulty": "simple"}, "'simple' is none of easy, medium, hard, discovery"),
        ({"tables": ("daily_pv", "weekly")}, "'weekly' is none of"),
    ],
)
def test_a_formula_that_names_what_there_is_not_is_refused(
    change: dict[str, Any], said: str
) -> None:
    formula = replace(list_formulas()["PEG"], **change)
    with pytest.raises(InputError, match=f"'PEG': {said}"):
        check_formula(formula)
