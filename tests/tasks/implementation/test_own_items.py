"""A folder of a user's own formulas, reports and market data, as items of a round."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from vivavoce.corpus import ingest
from vivavoce.errors import InputError
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.store import table_of_parquet
from vivavoce.tasks import build_round
from vivavoce.tasks.implementation.items.market.generate import generate, to_parquet

FORMULA = """
name = "own_range"
category = "price-volume"
difficulty = "easy"
origin = "own"
tables = ["daily_pv"]
compute = "ranges:own_range"
description = "How far the price moved within the day."
corners = "It is 0 on a day locked at the limit."
formulation = 'H_t - L_t'

[variables]
H_t = "the highest price of the day"
L_t = "the lowest price of the day"
"""
CODE = """
def own_range(daily_pv):
    rows = daily_pv.set_index(["datetime", "instrument"]).sort_index()
    return (rows["$high"] - rows["$low"]).rename("value")
"""
REPORT = """---
difficulty: easy
category: price-volume
title: Ranges
methods:
  - {name: Range, description: High less low., formula: H - L, variables: {H: high, L: low}}
claim:
  method: Range
  formula: own_range
  statistic: mean
  columns: [daily_pv.$high, daily_pv.$low]
---
The range is $H - L$. Its mean is our claim.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = tmp_path / "own"
    for kind in ("formulas", "reports", "market"):
        (own / kind).mkdir(parents=True)
    (own / "formulas" / "own_range.toml").write_text(FORMULA, "utf-8")
    (own / "formulas" / "ranges.py").write_text(CODE, "utf-8")
    (own / "reports" / "ranges.md").write_text(REPORT, "utf-8")
    prices = generate(3).daily_pv
    few = prices[prices["instrument"].isin(["SH600001", "SZ000001"])]
    (own / "market" / "daily_pv.parquet").write_bytes(to_parquet(few))
    return own


def built(folder: Path, out: str = "rounds", **more: Any) -> Round:
    corpus = folder.parent / "corpus"
    if not corpus.exists():
        ingest("sample", Path("4"), corpus)
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    chosen = {"items": str(folder), "formulas": ["own_range", "Vol20"], "architectures": []}
    spec = {
        "round": {"id": "mine", "window": window, "families": ["implementation"]},
        "implementation": {**chosen, "reports": ["ranges"], **more},
    }
    return build_round(corpus, spec, folder.parent / out)


def test_own_items_stand_in_the_round_beside_those_of_the_package(folder: Path) -> None:
    opened = built(folder)
    rows = {row["id"]: row for row in opened.items("implementation", "formula")}
    assert list(rows) == ["Vol20", "own_range"]
    assert rows["own_range"]["columns"] == ["daily_pv.$high", "daily_pv.$low"]
    assert rows["own_range"]["origin"] == "own"
    values = table_of_parquet(opened.read_file("implementation", rows["own_range"]["values"]))
    own = pd.read_parquet(folder / "market" / "daily_pv.parquet")
    assert values.num_rows == len(own) < 700  # of two stocks
    assert sum(values["value"].to_pylist()) == pytest.approx((own["$high"] - own["$low"]).sum())
    (claim,) = opened.items("implementation", "reproduce")
    assert claim["claim"] == pytest.approx((own["$high"] - own["$low"]).mean(), rel=1e-9)


def test_a_formula_that_was_changed_is_read_again(folder: Path) -> None:
    built(folder)
    shutil.rmtree(folder.parent / "own" / "market")
    code = folder / "formulas" / "ranges.py"
    code.write_text(CODE.replace('"$low"', '"$close"'), "utf-8")
    rows = built(folder, "again", reports=[]).items("implementation", "formula")
    assert rows[1]["columns"] == ["daily_pv.$close", "daily_pv.$high"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_references_of_own_items_are_right(folder: Path, tmp_path: Path) -> None:
    opened = built(folder)
    tasks = ["formula", "reproduce"]
    logs = tmp_path / "logs"
    spec = RunSpec(tasks=tasks, round=opened.folder, logs=logs, methods=["oracle"], display="none")
    assert run(spec).failed == ()
    values = {(r["task"], r["metric"]): r["value"] for r in leaderboard(logs, resamples=0).rows}
    assert values["formula", "skill"] == values["formula", "data"] == 1.0
    assert values["reproduce", "claim"] == values["reproduce", "acc"] == 1.0


def test_what_is_missing_is_said(folder: Path) -> None:
    with pytest.raises(InputError, match="nowhere is not a folder"):
        built(folder, items="nowhere")
    with pytest.raises(InputError, match="none is called 'other'"):
        built(folder, formulas=["other"])
    table = folder / "market" / "daily_pv.parquet"
    pd.read_parquet(table).drop(columns="$high").to_parquet(table)
    with pytest.raises(InputError, match=r"daily_pv\.parquet lacks the column \$high"):
        built(folder)
