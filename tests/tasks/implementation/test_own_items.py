"""A folder of a user's own items of every kind, and market data, as items of a round."""

import importlib.util
import shutil
from functools import cache
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
    (own / "market" / "daily_pv.parquet").write_bytes(prices_of_two_stocks())
    return own


@cache
def prices_of_two_stocks() -> bytes:
    prices = generate(3)["daily_pv"]
    return to_parquet(prices[prices["instrument"].isin(["SH600001", "SZ000001"])])


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
    assert rows["formula", "skill"] == rows["formula", "data"] == 1.0
    assert rows["extract_method", "entity_f1"] == 1.0
    assert rows["reproduce", "claim"] == rows["reproduce", "acc"] == 1.0
    other = folder.parent / "other"
    viva_here("run", "architecture", "--round", opened_at, "--logs", other, "--method", "empty")
    assert {r["value"] for r in leaderboard(other, resamples=0).rows} == {0.0}


def test_what_is_missing_is_reported(folder: Path) -> None:
    with pytest.raises(InputError, match="nowhere is not a folder"):
        built(folder, items="nowhere")
    with pytest.raises(InputError, match="there is no 'other'"):
        built(folder, formulas=["other"])
    table = folder / "market" / "daily_pv.parquet"
    pd.read_parquet(table).drop(columns="$high").to_parquet(table)
    with pytest.raises(InputError, match=r"daily_pv\.parquet has no column \$high"):
        built(folder)


REPLACED = [
    ("formulas/ranges.py", "$high", "$hihg", "failed: KeyError: '$hihg'"),
    ("formulas/ranges.py", "own_range", "other", "has no function own_range"),
    ("formulas/ranges.py", "def", "import no_such_package\ndef", "cannot be run: ModuleNotFound"),
    (
        "formulas/ranges.py",
        '("value")',
        '("value").to_frame()',
        "returns DataFrame that is no series",
    ),
    ("formulas/ranges.py", '"datetime", "instrument"', '"instrument"', "returns Series that is no"),
    ("formulas/ranges.py", '- rows["$low"]', "/ 0", "an infinite number, or no number at all"),
    ("formulas/own_range.toml", "ranges:", "nowhere:", "nowhere.py does not exist"),
    ("formulas/own_range.toml", "category", "kind", "category: Field required"),
    (
        "formulas/own_range.toml",
        '["daily_pv"]',
        '"daily_pv"]',
        "complete formula. Expected newline",
    ),
    ("reports/ranges.md", "---\nThe", "The", "no YAML header between two lines of three dashes"),
    ("reports/ranges.md", "formula: H - L", "formula: null", "'Range', which has no formula"),
    ("reports/ranges.md", "{H: high, L: low}", "{}", "'Range' has a formula, but no variables"),
    ("reports/ranges.md", "statistic: mean", "statistic: sum", "claim.statistic: Input should be"),
]
"""A file of one's own, what is put into it in place of something, and what is said of it."""


@pytest.mark.parametrize(("name", "old", "new", "reason"), REPLACED)
def test_a_fault_in_a_file_of_ones_own_names_the_file(
    folder: Path, name: str, old: str, new: str, reason: str
) -> None:
    path = folder / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(InputError) as caught:
        built(folder)
    assert str(path.parent) in str(caught.value)
    assert reason in str(caught.value)


NETWORKS_REPLACED = [
    (
        "nets.py",
        'zeros_like(inputs["x"])',
        'zeros_like(inputs["y"])',
        "own_sum of .* KeyError: 'y'",
    ),
    ("nets.py", "return [total, total", "return [total", "returns 1 layers, .* own_sum has 2"),
    (
        "nets.py",
        "return [total, total",
        "return [1, total",
        "own_sum of .*nets.py does not return a list of arrays",
    ),
    (
        "nets.py",
        '"x": generator',
        '"x": random',
        "The function ring of .*nets.py failed: NameError",
    ),
    ("own_sum.toml", "zeros_like", "zeros_lke", "reference of .* own_sum failed: AttributeError"),
    ("own_sum.toml", "x[edge_index[0]]", "x[edge_index[1]]", "returns other layers than .*nets.py"),
]


@pytest.mark.parametrize(("name", "old", "new", "reason"), NETWORKS_REPLACED)
@pytest.mark.skipif(
    importlib.util.find_spec("torch_geometric") is None,
    reason="torch-geometric is not installed: pip install 'vivavoce[neural]'",
)
def test_a_fault_in_a_network_of_ones_own_names_what_failed(
    folder: Path, name: str, old: str, new: str, reason: str
) -> None:
    (folder / "architectures").mkdir()
    for file, text in (("own_sum.toml", NETWORK), ("nets.py", NETWORK_CODE)):
        assert file != name or old in text
        changed = text.replace(old, new) if file == name else text
        (folder / "architectures" / file).write_text(changed, "utf-8")
    with pytest.raises(InputError, match=reason):
        built(folder, formulas=[], reports=[], architectures=["own_sum"])
