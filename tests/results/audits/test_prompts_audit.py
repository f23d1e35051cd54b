"""Prompt luck: the range over variants, and differences held against it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.results.audits.made_logs import write_log
from tests.statistics.one_metric import interval

from vivavoce.errors import VivaError
from vivavoce.results.audits.prompts import LARGER, SMALLER, UNKNOWN, audit_prompts

ITEMS = ("a", "b", "c")


def write(folder: Path, model: str, variant: int, values: Sequence[float]) -> None:
    write_log(
        folder,
        dict(zip(ITEMS, values, strict=False)),
        model=model,
        variant=variant,
        prompt_hash=f"prompts-{variant}",
    )


def headline(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["headline"]]


def test_the_spread_is_the_range_of_the_means(tmp_path: Path) -> None:
    write(tmp_path, "lab/one", 1, [0.2, 0.4, 0.6])  # mean 0.4
    write(tmp_path, "lab/one", 2, [0.3, 0.3, 0.3])  # mean 0.3
    write(tmp_path, "lab/one", 3, [0.5, 0.5, 0.5])  # mean 0.5
    [row] = headline(audit_prompts(tmp_path).spreads)
    assert [(v["variant"], round(v["value"], 6), v["n"]) for v in row["variants"]] == [
        (1, 0.4, 3),
        (2, 0.3, 3),
        (3, 0.5, 3),
    ]
    assert row["spread"] == pytest.approx(0.2)
    low, high = row["spread_ci"]
    assert low <= row["spread"] <= high
    first = row["variants"][0]
    assert first["ci"] == pytest.approx(list(interval([0.2, 0.4, 0.6], ITEMS) or ()))
    pairs = {tuple(pair["variants"]): pair for pair in row["pairs"]}
    assert pairs[2, 3]["difference"] == pytest.approx(0.2)
    assert pairs[2, 3]["ci"] == pytest.approx([0.2, 0.2])
    assert pairs[2, 3]["undecided"]  # on three items, which decide nothing
    assert pairs[1, 2]["undecided"]  # -0.1, +0.1, +0.3 ... its interval contains 0


def test_only_items_of_every_variant_count(tmp_path: Path) -> None:
    write(tmp_path, "lab/one", 1, [0.2, 0.4, 0.9])
    write(tmp_path, "lab/one", 2, [0.2, 0.4])
    [row] = headline(audit_prompts(tmp_path).spreads)
    assert (row["spread"], row["n"]) == (pytest.approx(0.0), 2)


def test_a_difference_smaller_than_the_spread_is_prompt_luck(tmp_path: Path) -> None:
    write(tmp_path, "lab/one", 1, [0.5, 0.5, 0.5])
    write(tmp_path, "lab/one", 2, [0.3, 0.3, 0.3])
    write(tmp_path, "lab/two", 1, [0.4, 0.4, 0.4])
    write(tmp_path, "lab/two", 2, [0.5, 0.5, 0.5])
    write(tmp_path, "lab/weak", 1, [0.0, 0.1, 0.1])
    write(tmp_path, "lab/weak", 2, [0.0, 0.1, 0.1])
    audit = audit_prompts(tmp_path)
    found = {(row["a"], row["b"]): row for row in headline(audit.differences)}
    luck = found["lab/one", "lab/two"]
    # Means over both variants are 0.4 and 0.45; the first's spread is 0.2.
    assert (luck["difference"], luck["spread"]) == (pytest.approx(-0.05), pytest.approx(0.2))
    assert (luck["verdict"], luck["changes_sign"]) == (SMALLER, True)
    assert luck["by_variant"] == {"1": pytest.approx(0.1), "2": pytest.approx(-0.2)}
    far = found["lab/one", "lab/weak"]
    assert (far["verdict"], far["changes_sign"], far["n"]) == (LARGER, False, 3)


def test_a_contestant_with_one_variant_takes_the_spread_of_the_other(tmp_path: Path) -> None:
    write(tmp_path, "lab/one", 1, [0.5, 0.5, 0.5])
    write(tmp_path, "lab/one", 2, [0.3, 0.3, 0.3])
    write(tmp_path, "lab/two", 1, [0.4, 0.4, 0.4])
    write(tmp_path, "lab/three", 3, [0.4, 0.4, 0.4])
    audit = audit_prompts(tmp_path)
    alone = [row for row in headline(audit.spreads) if row["contestant"] == "lab/two"]
    assert (alone[0]["spread"], alone[0]["spread_ci"]) == (None, None)
    found = {(row["a"], row["b"]): row for row in headline(audit.differences)}
    one_two = found["lab/one", "lab/two"]
    assert (one_two["difference"], one_two["verdict"]) == (pytest.approx(0.1), SMALLER)
    assert one_two["variants"] == [1]
    # No wording in common: nothing to compare.
    assert found["lab/three", "lab/two"]["verdict"] == UNKNOWN


def test_one_variant_only_is_said(tmp_path: Path) -> None:
    write(tmp_path, "lab/one", 1, [0.5, 0.5, 0.5])
    with pytest.raises(VivaError, match="two worded variants"):
        audit_prompts(tmp_path)
