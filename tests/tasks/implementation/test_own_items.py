"""A folder of a user's own items of every kind, and market data, as items of a round."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.servers.commands import viva_here
from tests.tasks.implementation.item_rounds import round_of

from vivavoce.corpus import ingest
from vivavoce.errors import InputError
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round, load_round
from vivavoce.running import RunSpec, run
from vivavoce.store import table_of_parquet
from vivavoce.tasks.implementation.items.market import generate, to_parquet

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


def built(folder: Path, name: str = "mine", **more: Any) -> Round:
    chosen = {"items": str(folder), "formulas": ["own_range", "Vol20"], "reports": ["ranges"]}
    return round_of(folder.parent, name, **{**chosen, **more})


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
@pytest.mark.sandbox
def test_references_of_own_items_are_right(folder: Path, tmp_path: Path) -> None:
    opened = built(folder)
    tasks = ["formula", "reproduce"]
    logs = tmp_path / "logs"
    spec = RunSpec(tasks=tasks, round=opened.folder, logs=logs, methods=["oracle"], display="none")
    assert run(spec).failed == ()
    values = {(r["task"], r["metric"]): r["value"] for r in leaderboard(logs, resamples=0).rows}
    assert values["formula", "skill"] == values["formula", "data"] == 1.0
    assert values["reproduce", "claim"] == values["reproduce", "acc"] == 1.0


NETWORK = """
name = "own_sum"
category = "graph"
difficulty = "easy"
truth = "nets:own_sum"
constructor = "Model(in_channels: int)"
description = "Each node sums the features of the nodes with an edge to it."
formulation = 'y_i = W \\sum_{j \\in N(i)} x_j'
layers = ["the sum", "the output"]
reference = '''
import torch


class Model(torch.nn.Module):
    def __init__(self, in_channels):
        super().__init__()
        self.lin = torch.nn.Linear(in_channels, 3, bias=False)

    def forward(self, x, edge_index):
        total = torch.zeros_like(x).index_add_(0, edge_index[1], x[edge_index[0]])
        return [total, self.lin(total)]
'''

[variables]
x_j = "features of node j"

[arguments]
in_channels = 6

[inputs]
x = "node features"
edge_index = "edges, (2, edges)"

[parameters]
"lin.weight" = [3, 6]

[draw]
function = "nets:ring"
main = { nodes = 9 }
unseen = { nodes = 12 }
"""
NETWORK_CODE = """
import numpy as np


def own_sum(arguments, inputs, weights):
    total = np.zeros_like(inputs["x"])
    np.add.at(total, inputs["edge_index"][1], inputs["x"][inputs["edge_index"][0]])
    return [total, total @ weights["lin.weight"].T]


def ring(generator, *, nodes):
    edges = np.array([[i, (i + 1) % nodes] for i in range(nodes)] + [[0, 4]])
    return {"x": generator.standard_normal((nodes, 6)).astype("f4"), "edge_index": edges.T}
"""


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.skipif(
    importlib.util.find_spec("torch_geometric") is None,
    reason="torch-geometric is not installed: pip install 'vivavoce[neural]'",
)
def test_an_architecture_of_ones_own_goes_from_its_folder_to_the_board(folder: Path) -> None:
    (folder / "architectures").mkdir()
    (folder / "architectures" / "own_sum.toml").write_text(NETWORK, "utf-8")
    (folder / "architectures" / "nets.py").write_text(NETWORK_CODE, "utf-8")
    spec = folder.parent / "spec.toml"
    spec.write_text(
        "[round]\nid = 'nets'\nfamilies = ['implementation']\n"
        "[round.window]\nstart = 2023-07-01\nend = 2025-01-01\n"
        f"[implementation]\nitems = '{folder}'\nformulas = ['own_range']\nreports = ['ranges']\n"
        "architectures = ['own_sum']\n",
        "utf-8",
    )
    corpus, logs = folder.parent / "corpus", folder.parent / "logs"
    ingest("sample", Path("4"), corpus)
    viva_here("round", "build", spec, "--corpus", corpus, "--out", folder.parent)
    opened = load_round(folder.parent / "nets")
    (row,) = opened.items("implementation", "architecture")
    assert row["id"] == "own_sum"
    opened_at = opened.folder
    tasks = ("architecture", "formula", "extract_method", "reproduce")
    viva_here("run", *tasks, "--round", opened_at, "--logs", logs, "--method", "oracle")
    rows = {(r["task"], r["metric"]): r["value"] for r in leaderboard(logs, resamples=0).rows}
    assert rows["architecture", "match"] == rows["architecture", "tvc_unseen"] == 1.0
    assert rows["formula", "skill"] == rows["extract_method", "entity_f1"] == 1.0
    assert rows["reproduce", "claim"] == 1.0
    other = folder.parent / "other"
    viva_here("run", "architecture", "--round", opened_at, "--logs", other, "--method", "empty")
    assert {r["value"] for r in leaderboard(other, resamples=0).rows} == {0.0}


def test_what_is_missing_is_said(folder: Path) -> None:
    with pytest.raises(InputError, match="nowhere is not a folder"):
        built(folder, items="nowhere")
    with pytest.raises(InputError, match="none is called 'other'"):
        built(folder, formulas=["other"])
    table = folder / "market" / "daily_pv.parquet"
    pd.read_parquet(table).drop(columns="$high").to_parquet(table)
    with pytest.raises(InputError, match=r"daily_pv\.parquet lacks the column \$high"):
        built(folder)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def own_range(daily_pv):\n    return daily_pv['$hihg']\n", "failed: KeyError: '$hihg'"),
        ("def other(daily_pv):\n    return 1\n", "has no function own_range"),
        ("import no_such_package\n", "cannot be run: ModuleNotFoundError"),
        ("def own_range(daily_pv:\n", "cannot be run: SyntaxError"),
    ],
)
def test_a_fault_in_a_file_of_ones_own_names_the_file(folder: Path, code: str, says: str) -> None:
    path = folder / "formulas" / "ranges.py"
    path.write_text(code, "utf-8")
    with pytest.raises(InputError) as caught:
        built(folder)
    assert str(path) in str(caught.value)
    assert says in str(caught.value)


def test_a_function_that_gives_no_series_is_named(folder: Path) -> None:
    (folder / "formulas" / "ranges.py").write_text(
        "def own_range(daily_pv):\n    return daily_pv\n"
    )
    with pytest.raises(InputError, match="formula own_range gives no series of numbers"):
        built(folder)


@pytest.mark.parametrize("field", ["name", "description", "formulation", "compute", "tables"])
def test_a_formula_without_a_field_says_which(folder: Path, field: str) -> None:
    path = folder / "formulas" / "own_range.toml"
    lines = [line for line in FORMULA.splitlines() if not line.startswith(f"{field} =")]
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(
        InputError, match=f"own_range.toml is not a complete formula: it has no {field}"
    ):
        built(folder)


@pytest.mark.parametrize("field", ["title", "difficulty"])
def test_a_report_without_a_field_says_which(folder: Path, field: str) -> None:
    path = folder / "reports" / "ranges.md"
    lines = [line for line in REPORT.splitlines() if not line.startswith(f"{field}:")]
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(InputError, match=f"ranges.md is not a complete report: it has no {field}"):
        built(folder)
