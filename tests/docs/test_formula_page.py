"""The page on formulas as programs: its example becomes an item that its reference solves."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.own_items import values_of_reference
from tests.tasks.implementation.item_rounds import round_of

from vivavoce.tasks.implementation.items import formulas
from vivavoce.tasks.implementation.items.formula import list_formulas

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "families" / "implementation.md"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The page's files beside the shipped ones; the name of its formula."""
    (tmp_path / "items").mkdir()
    for kind, name in (("toml", "daily_range.toml"), ("python", "ranges_of_days.py")):
        found = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
        (source,) = [text for text in found if "daily_range" in text]
        (tmp_path / "items" / name).write_text(source, "utf-8")
    monkeypatch.setattr(formulas, "__path__", [*formulas.__path__, str(tmp_path / "items")])
    list_formulas.cache_clear()
    yield "daily_range"
    list_formulas.cache_clear()


@pytest.mark.sandbox
def test_the_example_is_an_item_that_its_reference_solves(example: str, tmp_path: Path) -> None:
    opened = round_of(tmp_path, "own", formulas=[example])
    assert values_of_reference("formula", opened, tmp_path / "logs")["skill"] == 1.0
