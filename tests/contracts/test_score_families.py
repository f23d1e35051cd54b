"""What every score family promises: the gold itself is perfect, a constant is far from it."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of
from vivavoce.results.scoring import ScoreOptions, list_score_families, score
from vivavoce.tasks import list_families
from vivavoce.tasks.family import metrics_of_task

TABLE = {
    "columns": ["size", "year"],
    "rows": [
        {"paper": "p1", "cells": {"size": "10", "year": "2020"}},
        {"paper": "p2", "cells": {"size": "20", "year": "2021"}},
    ],
}
TITLES = ["Deep Nets for Paper Reading", "Sparse Attention in Practice", "A Survey of Parsers"]
ENTRIES = [{"method": "Alpha", "score": 90.5}, {"method": "Beta", "score": 88.0}]
CONSTANT = "We study a problem and report what we find."

# family -> gold row, oracle's answer, null's answer
LINES = {
    "writing": ({"reference": "deep nets read papers"}, {"text": "deep nets read papers"}),
    "ranking": ({"gold": TITLES}, {"text": "\n".join(TITLES)}),
    "leaderboards": ({"entries": ENTRIES}, {"entries": ENTRIES}),
    "tables": ({"papers": ["p1", "p2"], "table": TABLE}, {"papers": ["p1", "p2"], "table": TABLE}),
    "own_match": ({"gold": "Paris"}, {"text": "paris."}),
    "own_number": ({"gold": 12}, {"text": "12.0"}),
    "own_list": ({"gold": "red; blue"}, {"text": "- blue\n- red"}),
    "own_text": ({"gold": "deep nets read"}, {"text": "deep nets read"}),
}
HEADLINE = {
    "writing": "rougeL",
    "ranking": "cp",
    "leaderboards": "f1",
    "tables": "avg",
    "factor": "acc",
    "architecture": "tvc",
    "own_match": "exact_match",
    "own_number": "number_match",
    "own_list": "list_f1",
    "own_text": "rougeL",
}


def files(folder, family, answer):
    """A gold file and a file of answers: the oracle's, the constant one's, or none."""
    if family == "factor":
        return factor_files(folder, answer)
    if family == "architecture":
        return architecture_files(folder, answer)
    gold_row, oracle = LINES[family]
    rows = {"oracle": oracle, "null": {"text": CONSTANT}}
    gold, predictions = folder / "gold.jsonl", folder / "predictions.jsonl"
    gold.write_text("".join(json.dumps({"id": i, **gold_row}) + "\n" for i in range(4)), "utf-8")
    lines = [json.dumps({"id": i, **rows[answer]}) + "\n" for i in range(4) if answer in rows]
    predictions.write_text("".join(lines), "utf-8")
    return gold, predictions


def factor_files(folder, answer):
    index = {"datetime": ["2024-01-01"] * 3, "instrument": ["a", "b", "c"]}
    values = {"oracle": [1.0, 2.0, 3.0], "null": [0.0, 0.0, 0.0]}
    gold, predictions = folder / "gold.parquet", folder / "predictions.parquet"
    pq.write_table(pa.table({**index, "value": values["oracle"]}), gold)
    if answer in values:
        pq.write_table(pa.table({**index, "value": values[answer]}), predictions)
    else:
        predictions.write_bytes(b"")
    return gold, predictions


def architecture_files(folder, answer):
    gold, predictions = folder / "gold.safetensors", folder / "predictions.safetensors"
    layers = {"layer_00": np.full((4, 5), 9.0, dtype=np.float32)}
    save_file(layers, gold)
    answers = {"oracle": layers, "null": {"layer_00": np.zeros((4, 5), dtype=np.float32)}}
    save_file(answers.get(answer, {}), predictions)
    return gold, predictions


def known_of(family):
    """The metrics of a score family, which may be a task of its family."""
    tasks = list_families()["own"].tasks
    return metrics_of_task("own", tasks[family]) if family in tasks else metrics_of(family)


@pytest.mark.parametrize("family", list_score_families())
def test_the_gold_itself_reaches_the_top_of_every_metric(tmp_path, family):
    result = score(family, *files(tmp_path, family, "oracle"), resamples=100)
    known = known_of(family)
    assert HEADLINE[family] in result["metrics"].keys() <= known.keys()
    for name, entry in result["metrics"].items():
        assert entry["value"] == pytest.approx(known[name].high), name
        assert entry["undefined"] == 0, name


@pytest.mark.parametrize("family", list_score_families())
def test_a_constant_answer_stays_half_below_the_gold_in_the_headline(tmp_path, family):
    value = score(family, *files(tmp_path, family, "null"), resamples=0)["metrics"]
    assert value[HEADLINE[family]]["value"] <= known_of(family)[HEADLINE[family]].high - 0.5


@pytest.mark.parametrize("family", list_score_families())
def test_no_answer_is_zero_or_counted_as_undefined_and_never_nan(tmp_path, family):
    result = score(family, *files(tmp_path, family, "none"), resamples=100)
    json.dumps(result, allow_nan=False)
    for name, entry in result["metrics"].items():
        assert entry["value"] == 0 or (entry["value"] is None and entry["undefined"]), name


@pytest.mark.parametrize("family", LINES)
def test_a_prediction_without_a_known_field_is_refused_and_null_is_no_answer(tmp_path, family):
    gold, predictions = files(tmp_path, family, "oracle")
    field = next(iter(LINES[family][1]))
    rows = [{"id": 0, field: None}, {"id": 1, "answer": "a text"}]
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.raises(
        InputError, match=r"predictions.jsonl:2: .*has only 'id', 'answer'"
    ) as refusal:
        score(family, gold, predictions, resamples=0)
    assert repr(field) in str(refusal.value)
    predictions.write_text(json.dumps(rows[0]) + "\n", "utf-8")
    values = score(family, gold, predictions, resamples=0)["metrics"].values()
    assert {entry["value"] for entry in values} <= {0.0, None}


@pytest.mark.parametrize("family", LINES)
def test_an_interval_holds_its_value_and_depends_on_the_seed_alone(tmp_path, family):
    gold, predictions = files(tmp_path, family, "oracle")
    lines = predictions.read_text("utf-8").splitlines(keepends=True)[:2]  # half stay unanswered
    predictions.write_text("".join(lines), "utf-8")
    first = score(family, gold, predictions, resamples=300, options=ScoreOptions(seed=5))
    predictions.write_text("".join(reversed(lines)), "utf-8")
    assert score(family, gold, predictions, resamples=300, options=ScoreOptions(seed=5)) == first
    assert first["missing"] == 2
    headline = first["metrics"][HEADLINE[family]]
    assert headline["ci"][0] <= headline["value"] <= headline["ci"][1]


@pytest.mark.parametrize("family", list_score_families())
def test_a_file_that_is_not_there_is_named(tmp_path, family):
    with pytest.raises(InputError, match="does not exist"):
        score(family, tmp_path / "none.jsonl", tmp_path / "none.jsonl")
