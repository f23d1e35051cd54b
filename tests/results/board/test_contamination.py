"""Gaps between what a model may have seen and what it cannot have, by hand and on real logs."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.results.audits.made_logs import write_log

from vivavoce.errors import VivaError
from vivavoce.models.cutoffs import Cutoff, Cutoffs, Status
from vivavoce.reports import headlines
from vivavoce.results.board.building import (
    contamination_report,
    exposure_fields,
    find_gaps,
    leaderboard,
)
from vivavoce.results.logs.reading import read_logs
from vivavoce.statistics.intervals import resample

KNOWN = Cutoffs(((Cutoff("lab/one", "2023-12", "their page"), Cutoff("rules/*", "never")),))
OLD, NEAR, NEW = "2023-05-01", "2024-01-10", "2024-06-01"
"""Seen, possibly seen and clean for a model whose data end in December 2023."""

OLDER: list[Status] = ["seen"]
NEWER: list[Status] = ["clean"]


def gap_of(
    values: Sequence[float],
    statuses: Sequence[Status],
    clusters: Sequence[str] | None = None,
    resamples: int = 2_000,
) -> Any:
    names = clusters or [str(i) for i in range(len(values))]
    [found] = find_gaps(
        np.array(values, dtype=float).reshape(-1, 1), statuses, resample(names, resamples=resamples)
    )
    return found


def test_the_gap_by_hand() -> None:
    found = gap_of(
        [0.8, 0.6, 0.1, 0.2, 0.6, 0.9],
        ["seen", "seen", "clean", "clean", "possibly_seen", "unknown"],
    )
    assert found["seen"] == pytest.approx(0.7)  # (0.8 + 0.6) / 2
    assert found["clean"] == pytest.approx(0.15)  # (0.1 + 0.2) / 2
    assert found["gap"] == pytest.approx(0.55)
    assert (found["n_seen"], found["n_clean"]) == (2, 2)
    # Seen means lie between 0.6 and 0.8, clean ones between 0.1 and 0.2.
    assert 0.6 - 0.2 <= found["ci"][0] <= 0.55 <= found["ci"][1] <= 0.8 - 0.1
    # With two papers on a side, some draws have the one alone and some the other.
    assert (found["ci_seen"], found["ci_clean"]) == (
        pytest.approx([0.6, 0.8]),
        pytest.approx([0.1, 0.2]),
    )


def test_an_undefined_value_is_in_neither_mean() -> None:
    found = gap_of([0.8, math.nan, 0.2, math.nan], ["seen", "seen", "clean", "clean"])
    assert (found["gap"], found["n_seen"], found["n_clean"]) == (pytest.approx(0.6), 1, 1)
    assert found["ci"] is None  # one cluster on either side


def test_without_one_of_the_two_groups_there_is_no_gap() -> None:
    found = gap_of([0.8, 0.6], ["seen", "unknown"])
    assert (found["seen"], found["clean"], found["gap"], found["ci"]) == (0.8, None, None, None)
    nothing = find_gaps(np.empty((0, 2)), [], resample([]))
    assert [(gap["gap"], gap["n_seen"]) for gap in nothing] == [(None, 0), (None, 0)]


def test_the_interval_draws_clusters_and_not_items() -> None:
    values = [0.9, 0.9, 0.5, 0.5, 0.1, 0.1, 0.3, 0.3]
    statuses: list[Status] = [*OLDER * 4, *NEWER * 4]
    by_item = gap_of(values, statuses)
    by_pair = gap_of(values, statuses, list("aabbccdd"))
    assert by_item["gap"] == by_pair["gap"] == pytest.approx(0.5)
    assert by_pair["ci"][1] - by_pair["ci"][0] > by_item["ci"][1] - by_item["ci"][0]
    assert gap_of(values, statuses, ["a"] * 4 + ["b"] * 4)["ci"] is None
    assert gap_of(values, statuses, resamples=0)["ci"] is None


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.floats(0, 1))
def test_a_gap_of_equal_values_is_zero_and_a_shift_moves_it_along(
    values: list[float], shift: float
) -> None:
    n = len(values)
    statuses: list[Status] = [*OLDER * n, *NEWER * n]
    names = [str(i) for i in range(2 * n)]
    same = gap_of(values + values, statuses, names, 200)
    moved = gap_of([value + shift for value in values] + values, statuses, names, 200)
    assert same["gap"] == 0
    assert moved["gap"] == pytest.approx(shift)
    assert moved["ci"] == pytest.approx([bound + shift for bound in same["ci"]])


def test_the_interval_is_that_of_two_independent_samples() -> None:
    """Against the normal interval of a difference of means, whose items are drawn apart."""
    generator = np.random.default_rng(7)
    old, new = generator.normal(0.6, 0.1, 400), generator.normal(0.5, 0.2, 400)
    found = gap_of([*old, *new], [*OLDER * 400, *NEWER * 400], resamples=4_000)
    half = 1.96 * math.sqrt(old.var(ddof=1) / 400 + new.var(ddof=1) / 400)
    assert found["ci"] == pytest.approx([found["gap"] - half, found["gap"] + half], abs=0.1 * half)


def write(folder: Path, answers: Sequence[tuple[Any, float]], model: str = "lab/one") -> None:
    """Write a log of (date, value) answers."""
    dates = {f"item-{number}": day for number, (day, _) in enumerate(answers)}
    values = {f"item-{number}": value for number, (_, value) in enumerate(answers)}
    write_log(folder, values, model=model, published=dates)


def headline(folder: Path) -> dict[str, Any]:
    rows = leaderboard(folder, resamples=500, cutoffs=KNOWN).rows
    return {row["model"]: row for row in rows if row["metric"] == "rougeL"}


def test_a_board_says_what_each_model_may_have_seen(tmp_path: Path) -> None:
    write(tmp_path, [(OLD, 0.9), (OLD, 0.7), (NEAR, 0.5), (NEW, 0.3), (NEW, 0.1)])
    write(tmp_path, [(NEW, 0.3)] * 5, model="lab/two")
    write(tmp_path, [(OLD, 0.4)] * 5, model="rules/first")
    rows = headline(tmp_path)
    one, two, rules = rows["lab/one"], rows["lab/two"], rows["rules/first"]
    assert (one["contamination"], two["contamination"], rules["contamination"]) == (
        "mixed",
        "unknown",
        "clean",
    )
    measured = one["exposure"]
    assert (measured["cutoff"], measured["source"], measured["margin_days"]) == (
        "2023-12",
        "their page",
        30,
    )
    assert measured["items"] == {"clean": 2, "possibly_seen": 1, "seen": 2, "unknown": 0}
    assert (measured["seen"], measured["clean"]) == (pytest.approx(0.8), pytest.approx(0.2))
    assert measured["gap"] == pytest.approx(0.6)
    assert measured["ci"][0] <= 0.6 <= measured["ci"][1]
    assert two["exposure"]["cutoff"] is None


def test_a_contestant_without_a_model_has_seen_nothing(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.5}, model="none/none")
    [row] = headline(tmp_path).values()
    assert (row["contamination"], row["exposure"]) == (None, None)


def test_a_date_that_is_none_counts_as_unknown(tmp_path: Path) -> None:
    write(tmp_path, [("soon", 0.5), (None, 0.5), ({"a": 1}, 0.5)])
    [row] = headline(tmp_path).values()
    assert (row["contamination"], row["exposure"]["items"]["unknown"]) == ("unknown", 3)


def test_an_unfinished_log_without_samples_has_no_contamination(tmp_path: Path) -> None:
    write(tmp_path, [(OLD, 0.5)])
    [log], _ = read_logs(tmp_path)
    gaps = find_gaps(np.empty((0, 1)), [], resample([]))
    [fields] = exposure_fields(replace(log, samples=()), [], KNOWN, gaps)
    assert fields["contamination"] == "unknown"


def test_a_report_names_the_models_it_knows_nothing_of(tmp_path: Path) -> None:
    write(tmp_path, [(OLD, 0.8), (NEW, 0.4)])
    write(tmp_path, [(OLD, 0.4)], model="lab/two")
    report = contamination_report(tmp_path, KNOWN, resamples=0)
    gaps = {row["model"]: row["exposure"]["gap"] for row in headlines(report.rows)}
    assert gaps == {"lab/one": pytest.approx(0.4), "lab/two": None}
    assert report.notes == (
        "The training cutoff of lab/two is unknown: add it with --cutoffs FILE.",
    )


def test_a_report_needs_a_model(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.5}, model="none/none")
    with pytest.raises(VivaError, match="no log of a model"):
        contamination_report(tmp_path, KNOWN)
