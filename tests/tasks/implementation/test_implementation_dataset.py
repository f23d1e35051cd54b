"""Formula items as Inspect samples."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vivavoce.tasks import list_families
from vivavoce.tasks.family import View, open_prompts
from vivavoce.tasks.implementation.build import formula_row
from vivavoce.tasks.implementation.family import FormulaTask, ProgramArguments
from vivavoce.tasks.implementation.items.formula import list_formulas
from vivavoce.tasks.implementation.items.market import TABLES, generate


def sample(name: str, setting: str) -> Any:
    """A formula as it is shown, without a round around it."""
    row = formula_row(list_formulas()[name], "values/000.parquet")
    card = list_families()["implementation"].tasks["formula"]
    prompts, given = open_prompts("implementation", None), ProgramArguments(setting)
    opened: Any = SimpleNamespace(folder=Path("round"))
    view = View("implementation", "formula", card, opened, prompts, given)
    return FormulaTask().sample(row, view)


def slot(found: Any, name: str) -> str:
    start, end = found.prompt.spans[name]
    return str(found.prompt.text[start:end])


@pytest.mark.parametrize("name", sorted(list_formulas()))
def test_a_sample_holds_the_formula_and_not_its_reference(name: str) -> None:
    formula, found = list_formulas()[name], sample(name, "base")
    assert slot(found, "name") == name
    assert slot(found, "description") == formula.description
    assert slot(found, "formulation") == formula.formulation
    assert all(symbol in slot(found, "variables") for symbol in formula.variables)
    assert all(table in slot(found, "data") for table in formula.tables)
    assert found.target == formula.program
    assert "groupby" not in found.prompt.text


def test_a_setting_says_more_or_less_of_the_data() -> None:
    lengths = [len(slot(sample("Alpha#70", s), "data")) for s in ("none", "base", "full")]
    assert lengths == sorted(set(lengths))


def test_every_setting_names_every_column_of_every_table() -> None:
    market = generate(1)
    for setting in ("none", "base", "full"):
        data = slot(sample("Alpha#70", setting), "data")
        for table in TABLES:
            assert f"`{table}.parquet`" in data
            assert all(f"`{column}`" in data for column in market[table].columns)
