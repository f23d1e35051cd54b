"""Whether two metrics order alike, against scipy and by hand."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import kendalltau
from tests.results.audits.made_logs import write_log
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


def test_without_draws_there_is_no_interval(logs: Path) -> None:
    assert all(row["tau_ci"] is row["agreement_ci"] is None for row in rows(logs, "--resamples=0"))


def test_one_contestant_has_nothing_to_be_compared(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.5})
    done = viva_here("board", "show", tmp_path, "--by", "metric", expect=1)
    assert "two contestants" in " ".join((done.stdout + done.stderr).split())


def test_options_of_the_board_are_refused(logs: Path) -> None:
    done = viva_here("board", "show", logs, "--by", "metric", "--all", expect=2)
    assert "--by metric does not take it" in " ".join(done.stderr.split())
