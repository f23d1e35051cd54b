"""A sweep tabulated: values by hand, and what makes rows of their own."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.servers.commands import only_json, viva_here

from vivavoce.errors import InputError, VivaError
from vivavoce.reports import Sheet
from vivavoce.results.audits.sweeps import sweep_tables, windows_of

ITEMS = 4
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a log of a method with these arguments, whose items have these values."""

    def write_items(
        values: Sequence[float | None], params: dict[str, Any], *failed: str, **more: Any
    ) -> Path:
        items = dict(zip("abcd", values, strict=False))
        faults = dict.fromkeys(failed, "empty")
        given = {"method": "iterative", "params": params, "faults": faults, **more}
        return write_log(tmp_path, items, **given)

    return write_items


def headline(folder: Path, **options: Any) -> list[dict[str, Any]]:
    rows = sweep_tables(folder, **{"resamples": 200, **options}).rows
    return [row for row in rows if row["headline"]]


def test_the_mean_and_deviation_of_two_seeds_by_hand(write: Write, tmp_path: Path) -> None:
    write([0.1, 0.2, 0.3, 0.4], {"batch": 2, "seed": 0}, tokens=100, seconds=1.0)
    write([0.3, 0.4, 0.5, 0.6], {"batch": 2, "seed": 1}, "a", tokens=300, seconds=2.0)
    write([0.5] * 4, {"batch": 4, "seed": 0})
    two, four = headline(tmp_path)
    assert (two["settings"], two["seeds"], two["runs"]) == ({"batch": 2}, [0, 1], 2)
    assert two["value"] == pytest.approx(0.35)  # the mean of 0.25 and 0.45
    assert two["std"] == pytest.approx(0.1 * math.sqrt(2))  # sqrt((0.1² + 0.1²) / (2 - 1))
    assert two["n"] == ITEMS
    assert two["ci"][0] < 0.35 < two["ci"][1]
    assert (two["tokens_per_answer"], two["seconds_per_answer"]) == (200, 1.5)
    assert two["valid"] == 7 / 8
    assert (four["settings"], four["value"], four["std"]) == ({"batch": 4}, 0.5, None)


def test_an_undefined_value_is_left_out_of_its_item(write: Write, tmp_path: Path) -> None:
    write([None, 0.2, 0.4, 0.6], {"batch": 2, "seed": 0})
    write([0.4, 0.4, 0.4, None], {"batch": 2, "seed": 1})
    write([None] * 4, {"batch": 4, "seed": 0})
    two, four = headline(tmp_path)
    # Items: 0.4, (0.2 + 0.4) / 2, 0.4, 0.6.
    assert two["value"] == pytest.approx((0.4 + 0.3 + 0.4 + 0.6) / 4)
    assert two["std"] == pytest.approx(0.0)  # both runs' own means are 0.4
    assert (four["value"], four["std"], four["n"]) == (None, None, 0)


def test_rows_stand_in_the_order_of_the_arguments_asked_for(write: Write, tmp_path: Path) -> None:
    for batch in (10, 2):
        for rounds in (3, 1):
            write([0.5] * 4, {"batch": batch, "rounds": rounds, "cot": False})
    found = [tuple(row["settings"].items()) for row in headline(tmp_path, over=["rounds", "batch"])]
    assert found == [
        (("rounds", rounds), ("batch", batch)) for rounds in (1, 3) for batch in (2, 10)
    ]
    assert {str(row["fixed"]) for row in headline(tmp_path)} == {"{'cot': False}"}


def test_what_differs_beside_the_arguments_asked_for_is_never_mixed(
    write: Write, tmp_path: Path
) -> None:
    write([0.1] * 4, {"batch": 2, "cot": False})
    write([0.9] * 4, {"batch": 2, "cot": True})
    rows = headline(tmp_path, over=["batch"])
    assert [(row["value"], row["fixed"], row["runs"]) for row in rows] == [
        (pytest.approx(0.1), {"cot": False}, 1),
        (pytest.approx(0.9), {"cot": True}, 1),
    ]


def test_models_and_methods_have_sweeps_of_their_own(write: Write, tmp_path: Path) -> None:
    for model in ("lab/one", "lab/two"):
        for batch in (2, 4):
            write([0.5] * 4, {"batch": batch}, model=model)
    write([0.5] * 4, {"chunks": 3}, method="rag")
    rows = headline(tmp_path)
    assert [(row["model"], row["settings"]["batch"]) for row in rows] == [
        *(("lab/one", 2), ("lab/one", 4)),
        *(("lab/two", 2), ("lab/two", 4)),
    ]
    assert {row["method"] for row in rows} == {"iterative"}


def test_the_window_is_no_argument(write: Write, tmp_path: Path) -> None:
    write([0.5] * 4, {"batch": 2, "context": 8_000})
    write([0.5] * 4, {"batch": 4, "context": 8_000})
    assert [row["fixed"] for row in headline(tmp_path)] == [{}, {}]


def test_logs_without_a_sweep_are_refused(write: Write, tmp_path: Path) -> None:
    write([0.5] * 4, {"batch": 2, "seed": 0})
    write([0.5] * 4, {"batch": 2, "seed": 1})
    with pytest.raises(VivaError, match=r"several values of an argument.*--sweep"):
        sweep_tables(tmp_path)
    with pytest.raises(InputError, match=r"has an argument 'rounds'\. Arguments: batch, seed"):
        sweep_tables(tmp_path, over=["rounds"])
    # Asked for by name, one value with its two seeds is a table too.
    [row] = headline(tmp_path, over=["batch"])
    assert (row["runs"], row["std"]) == (2, 0.0)


def test_a_grid_with_a_gap_has_a_dash_there(write: Write, tmp_path: Path) -> None:
    for rounds, batch, value in ((2, 4, 0.2), (2, 8, 0.4), (3, 4, 0.6)):
        write([value] * ITEMS, {"rounds": rounds, "batch": batch})
    _, grid, _ = sweep_tables(tmp_path, resamples=0).parts()
    assert isinstance(grid, Sheet)
    assert grid.heads == ("rounds", "batch=4", "batch=8", "±")
    assert grid.rows == (("2", "0.200", "0.400", "–"), ("3", "0.600", "–", "–"))


def test_windows_are_columns_and_a_model_that_lacks_one_has_a_dash(
    write: Write, tmp_path: Path
) -> None:
    for model, context, value in (("lab/a", 2000, 0.2), ("lab/a", 800, 0.1), ("lab/b", 800, 0.3)):
        write([value] * ITEMS, {}, model=model, context=context)
    write([0.4] * ITEMS, {}, model="lab/b")
    table, _ = windows_of(tmp_path, resamples=0).parts()
    assert isinstance(table, Sheet)
    assert table.heads[3:] == ("800", "2000", "own")
    assert [row[3:] for row in table.rows] == [("0.100", "0.200", "–"), ("0.300", "–", "0.400")]
    shown = only_json(viva_here("board", "show", tmp_path, "--by", "context", "--json").stdout)
    assert {row["context"] for row in shown["rows"]} == {800, 2000, None}
