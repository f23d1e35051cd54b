"""Whether two metrics order alike, against scipy and by hand; and windows side by side."""

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import kendalltau
from tests.servers.commands import only_json, small_round, viva_here

METRICS = ("rougeL", "rouge1", "rouge2", "length_ratio")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four contestants that ask no model, and the ceiling."""
    folder = tmp_path_factory.mktemp("metrics")
    opened = small_round(folder)
    names = ("lead", "centrality", "null", "copycat", "oracle")
    methods = [part for name in names for part in ("--method", name)]
    run = ("run", "introduction", "--round", opened.folder, "--logs", folder / "logs")
    viva_here(*run, "--model", "none", *methods)
    return folder / "logs"


def rows(logs: Path, *more: str) -> list[dict[str, Any]]:
    shown = viva_here("board", "show", logs, "--by", "metric", "--json", *more)
    return list(only_json(shown.stdout)["rows"])


def exported(logs: Path, folder: Path) -> dict[str, dict[str, list[float]]]:
    """Values by metric and contestant, in the order of the items."""
    out = folder / "scores.parquet"
    viva_here("board", "export", logs, "--as", "scores", "--out", out)
    found: dict[str, dict[str, list[float]]] = {}
    for row in sorted(pq.read_table(out).to_pylist(), key=lambda row: str(row["id"])):
        if row["method"] != "oracle":
            by_method = found.setdefault(row["metric"], {})
            by_method.setdefault(row["method"], []).append(row["value"])
    return found


def test_both_figures_are_those_of_the_scores(logs: Path, tmp_path: Path) -> None:
    found = {(row["first"], row["second"]): row for row in rows(logs)}
    assert list(found) == list(combinations(METRICS, 2))
    values = exported(logs, tmp_path)
    for (first, second), row in found.items():
        names = sorted(values[first])
        one, other = (
            np.array([values[metric][name] for name in names]) for metric in (first, second)
        )
        expected = kendalltau(one.mean(axis=1), other.mean(axis=1)).statistic
        assert row["tau"] == pytest.approx(expected)
        assert row["contestants"] == 4
        shares = []
        for item in range(one.shape[1]):
            signs = [
                (one[a, item] - one[b, item]) * (other[a, item] - other[b, item])
                for a, b in combinations(range(4), 2)
            ]
            ordered = [sign for sign in signs if sign]
            if ordered:
                shares.append(sum(sign > 0 for sign in ordered) / len(ordered))
        assert row["agreement"] == pytest.approx(np.mean(shares))
        assert row["items"] == len(shares)
        low, high = row["agreement_ci"]
        assert low <= row["agreement"] <= high
        assert -1 <= row["tau_ci"][0] <= row["tau_ci"][1] <= 1


def test_the_same_logs_give_the_same_text_and_no_draws_no_interval(logs: Path) -> None:
    shown = viva_here("board", "show", logs, "--by", "metric").stdout
    assert shown == viva_here("board", "show", logs, "--by", "metric").stdout
    assert "introduction · base" in shown
    assert "items: share of pairs" in shown
    assert all(row["tau_ci"] is row["agreement_ci"] is None for row in rows(logs, "--resamples=0"))


def test_one_contestant_has_nothing_to_be_compared(tmp_path: Path) -> None:
    opened = small_round(tmp_path)
    run = ("run", "title", "--round", opened.folder, "--logs", tmp_path / "logs")
    viva_here(*run, "--model", "none", "--method", "null")
    done = viva_here("board", "show", tmp_path / "logs", "--by", "metric", expect=None)
    assert done.exit_code != 0
    assert "two contestants" in " ".join((done.stdout + done.stderr).split())


def test_options_of_the_board_are_refused(logs: Path) -> None:
    done = viva_here("board", "show", logs, "--by", "metric", "--all", expect=2)
    assert "--by metric does not take it" in " ".join(done.stderr.split())
    assert json.loads(viva_here("board", "show", logs, "--json").stdout)["rows"]


def test_swept_windows_are_columns_of_one_table(tmp_path: Path) -> None:
    opened = small_round(tmp_path)
    run = ("run", "introduction", "--round", opened.folder, "--logs", tmp_path / "logs")
    models = ("--model", "extractive/lead", "--model", "extractive/centrality")
    viva_here(*run, *models, "--sweep", "context=4200,6000")
    shown = viva_here("board", "show", tmp_path / "logs", "--by", "context", "--json")
    found = [row for row in only_json(shown.stdout)["rows"] if row["headline"]]
    assert {(row["model"], row["context"]) for row in found} == {
        (f"extractive/{name}", window) for name in ("lead", "centrality") for window in (4200, 6000)
    }
    board = only_json(viva_here("board", "show", tmp_path / "logs", "--json").stdout)["rows"]
    for row in found:
        [same] = [
            other
            for other in board
            if (other["model"], other["metric"]) == (row["model"], row["metric"])
            and f"context={row['context']} " in other["decoding"]
        ]
        assert row["value"] == pytest.approx(same["value"])
    text = viva_here("board", "show", tmp_path / "logs", "--by", "context").stdout
    assert re.search(r"model +method +setting +4200 +6000", text)
    refused = viva_here(*run, *models, "--sweep", "context=4200,many", expect=2)
    assert "context='many' is not a number of tokens" in refused.stderr
