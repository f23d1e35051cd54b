"""Several attempts at an item: means, best, spread, with failures as zero and without them."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.scorer import Score
from tests.servers.commands import title_logs, viva_here

from vivavoce.reports import NOTHING, by_metric, metric_columns, shown
from vivavoce.results.board.attempts import ALL, attempt_tables
from vivavoce.tasks.scoring.guard import standard_deviation

NAN = math.nan
GRADES = [("minute", "easy"), ("minute", "hard"), ("fundamental", "hard")]
ATTEMPTS = 3


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """Three items with three attempts each, as a run leaves them."""
    folder = tmp_path_factory.mktemp("attempts")
    [path] = title_logs(folder, len(GRADES), epochs=ATTEMPTS)
    return read_eval_log(path)


def write(log: EvalLog, folder: Path, values: list[list[float]], graded: bool = True) -> Path:
    """The log with other values, item by item; a negative one is a failed attempt that got it."""
    log = log.model_copy(deep=True)
    samples = sorted(log.samples or [], key=lambda sample: (str(sample.id), sample.epoch))
    for place, sample in enumerate(samples):
        item, attempt = divmod(place, ATTEMPTS)
        given = values[item][attempt]
        failed = math.copysign(1.0, given) < 0
        if graded:
            sample.metadata["category"], sample.metadata["difficulty"] = GRADES[item]
        value = {"rougeL": abs(given), "rouge1": 0.5, "rouge2": 0.5, "length_ratio": 1.0}
        value["valid"] = float(not failed)
        metadata = {"fault": "timeout" if failed else None}
        sample.scores = {"writing": Score(value=value, metadata=metadata)}
    folder.mkdir()
    write_eval_log(log, str(folder / "log.eval"))
    return folder


def row(rows: tuple[dict[str, Any], ...], **wanted: str) -> dict[str, Any]:
    (found,) = [row for row in rows if all(row[name] == wanted[name] for name in wanted)]
    return found


VALUES = [[1.0, 0.5, -0.0], [0.4, 0.4, 0.4], [-0.0, -0.0, -0.0]]
"""The first item fails once, the second never, the third always."""


def test_an_item_has_its_mean_best_and_spread_with_failures_and_without(
    log: EvalLog, tmp_path: Path
) -> None:
    tables = attempt_tables(write(log, tmp_path / "logs", VALUES), resamples=0)

    first = row(tables.items, category="minute", difficulty="easy", metric="rougeL")
    assert (first["attempts"], first["succeeded"], first["faults"]) == (3, 2, {"timeout": 1})
    assert (first["mean"], first["max"]) == (0.5, 1.0)  # (1 + 0.5 + 0) / 3
    assert first["std"] == pytest.approx(0.5)  # sqrt((0.25 + 0 + 0.25) / 2)
    assert (first["mean_succeeded"], first["max_succeeded"]) == (0.75, 1.0)
    assert first["std_succeeded"] == pytest.approx(math.sqrt(0.125))  # 2 * 0.25**2 / 1
    last = row(tables.items, category="fundamental", metric="rougeL")
    assert (last["mean"], last["mean_succeeded"], last["succeeded"]) == (0.0, None, 0)


def test_a_group_is_the_mean_over_its_items(log: EvalLog, tmp_path: Path) -> None:
    tables = attempt_tables(write(log, tmp_path / "logs", VALUES), resamples=200)

    minute = row(tables.groups, category="minute", difficulty=ALL, metric="rougeL")
    assert (minute["items"], minute["attempts"], minute["succeeded"]) == (2, 6, 5)
    assert minute["mean"] == pytest.approx((0.5 + 0.4) / 2)
    assert minute["max"] == pytest.approx((1.0 + 0.4) / 2)
    assert minute["mean_succeeded"] == pytest.approx((0.75 + 0.4) / 2)
    everything = row(tables.groups, category=ALL, difficulty=ALL, metric="rougeL")
    assert everything["mean"] == pytest.approx((0.5 + 0.4 + 0.0) / 3)
    assert (everything["items"], everything["items_succeeded"]) == (3, 2)
    low, high = everything["ci"]
    assert low <= everything["mean"] <= high
    hard = row(tables.groups, category=ALL, difficulty="hard", metric="rougeL")
    assert (hard["items"], hard["mean"]) == (2, pytest.approx(0.2))
    grades = {(row["category"], row["difficulty"]) for row in tables.groups}
    assert ("fundamental", "easy") not in grades


def test_an_item_without_a_defined_attempt_has_no_say_in_its_group(
    log: EvalLog, tmp_path: Path
) -> None:
    values = [[1.0, 0.5, 0.0], [NAN, NAN, NAN], [0.2, 0.2, 0.2]]
    tables = attempt_tables(write(log, tmp_path / "logs", values), resamples=50)
    everything = row(tables.groups, category=ALL, difficulty=ALL, metric="rougeL")
    assert (everything["items"], everything["mean"]) == (3, pytest.approx((0.5 + 0.2) / 2))
    assert everything["ci"] is not None


def test_difficulties_stand_in_order(log: EvalLog, tmp_path: Path) -> None:
    tables = attempt_tables(write(log, tmp_path / "logs", VALUES), resamples=0)

    found = [row["difficulty"] for row in tables.groups if row["category"] == "minute"]
    assert list(dict.fromkeys(found)) == ["easy", "hard", ALL]


def test_a_failed_attempt_keeps_what_it_reached_and_zero_where_undefined(
    log: EvalLog, tmp_path: Path
) -> None:
    values = [[-0.9, 0.3, -NAN], [NAN, 0.4, 0.4], [-0.0, -0.0, -0.0]]
    tables = attempt_tables(write(log, tmp_path / "logs", values), resamples=0)

    first = row(tables.items, category="minute", difficulty="easy", metric="rougeL")
    assert first["mean"] == pytest.approx((0.9 + 0.3 + 0.0) / 3)
    assert first["mean_succeeded"] == pytest.approx(0.3)
    # An attempt that succeeded and is undefined all the same has no say.
    second = row(tables.items, category="minute", difficulty="hard", metric="rougeL")
    assert (second["mean"], second["attempts"]) == (pytest.approx(0.4), 3)


def test_an_answer_fails_at_its_first_stage_short_of_the_best(log: EvalLog, tmp_path: Path) -> None:
    staged = log.model_copy(deep=True)
    staged.eval.metadata = {**(log.eval.metadata or {}), "stages": ["rouge1", "rougeL"]}
    tables = attempt_tables(write(staged, tmp_path / "logs", VALUES), resamples=0)

    # rouge1 is 0.5 everywhere; where rougeL, the last, is 1, nothing failed
    first = row(tables.items, category="minute", difficulty="easy", metric="rougeL")
    assert first["stages"] == {"rouge1": 2}
    everything = row(tables.groups, category=ALL, difficulty=ALL, metric="rougeL")
    assert everything["stages"] == {"rouge1": 8}


def test_items_without_grades_are_one_group(log: EvalLog, tmp_path: Path) -> None:
    tables = attempt_tables(write(log, tmp_path / "logs", VALUES, graded=False), resamples=200)

    everything = row(tables.groups, metric="rougeL")
    assert (everything["category"], everything["difficulty"], everything["items"]) == (ALL, ALL, 3)
    # Of the two items that were answered, 0.75 and 0.4; draws hold one of them or both.
    assert everything["mean_succeeded"] == pytest.approx(0.575)
    assert everything["ci_succeeded"] == [pytest.approx(0.4), pytest.approx(0.75)]


def test_the_command_prints_both_tables(log: EvalLog, tmp_path: Path) -> None:
    folder = write(log, tmp_path / "logs", VALUES)

    show = ("board", "show", "--by", "attempts", folder, "--resamples", "0")
    groups, found = viva_here(*show), json.loads(viva_here(*show, "--json").stdout)

    # The one easy item: mean, highest, deviation, and of its two attempts that succeeded.
    assert "0.500 (1.000, 0.500)" in groups.stdout
    assert "0.750 (1.000, 0.354)" in groups.stdout
    # 3 metrics of 3 items, and of 3 pairs, 2 categories, 2 difficulties and all together
    assert (len(found["items"]), len(found["groups"])) == (9, 24)


def test_a_log_of_several_attempts_holds_mean_max_and_standard_deviation(log: EvalLog) -> None:
    assert log.eval.config.epochs_reducer == ["mean", "max", "std"]
    names = [(found.scorer, found.reducer) for found in log.reductions]
    assert sorted(reducer or "" for _, reducer in names) == ["max", "mean", "std"]


def test_the_standard_deviation_leaves_out_what_is_undefined() -> None:
    reduce = standard_deviation()

    found = reduce([Score(value={"a": 1.0, "b": NAN}), Score(value={"a": 3.0, "b": 1.0})])

    assert isinstance(found.value, dict)
    assert found.value["a"] == pytest.approx(math.sqrt(2))
    assert math.isnan(float(str(found.value["b"])))


def test_a_metric_that_only_some_contestants_have_is_a_dash_for_the_others() -> None:
    """An answer that a judge read has more metrics."""
    rows = [
        {"name": name, "metric": metric, "value": 0.5}
        for name, metrics in (("judged", ("rougeL", "support")), ("unjudged", ("rougeL",)))
        for metric in metrics
    ]
    lines = by_metric(rows, lambda row: row["name"])
    columns = metric_columns(rows, lambda row: shown(row["value"]))
    assert [[column.text(line) for column in columns] for line in lines] == [
        ["0.500", "0.500"],
        ["0.500", NOTHING],
    ]
