"""Every reader of answers, on longer and longer hostile answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.growth import is_linear

from vivavoce.metrics.leaderboards import read_board
from vivavoce.metrics.titles_list import find_titles
from vivavoce.tasks.scoring.json_answer import find_json
from vivavoce.text.answers import clean_title
from vivavoce.text.table_parsing import parse_tables

TITLES = ["Deep Nets for Reading", "Shallow Nets for Writing"]
READERS: dict[str, Callable[[str], object]] = {
    "tables": parse_tables,
    "board": read_board,
    "titles": lambda text: find_titles(text, TITLES),
    "JSON": find_json,
    "title": clean_title,
}
UNITS = [
    *("|", "| ", "|-", "[", "[ ", "{", "]", '"', "['", "👩‍👩‍👧", "<", "<td>", "`", "\\", "*", "_"),
    *("(", "-", "\n|", "1. ", "a", "&", "Title: ", "\u0301", ": "),
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", READERS)
def test_ten_times_the_answer_is_about_ten_times_the_work(name: str, unit: str) -> None:
    assert is_linear(lambda size: READERS[name](unit * (size // len(unit))), 10_000, slack=0.3)
