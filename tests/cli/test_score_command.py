"""`viva score`: answers made anywhere against a gold file."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

from vivavoce.cli import app

RUNNER = CliRunner()


def score(family, gold, predictions, *options):
    files = ("--gold", str(gold), "--predictions", str(predictions))
    done = RUNNER.invoke(app, ["score", family, *files, "--json", *options])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def refused(family, gold, predictions, *options):
    files = ("--gold", str(gold), "--predictions", str(predictions))
    done = RUNNER.invoke(app, ["score", family, *files, *options])
    assert done.exit_code == 2, done.output
    return done.stderr


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_writing_scores_texts_and_a_lacking_answer_counts_zero(tmp_path):
    gold = lines(
        tmp_path / "g.jsonl",
        {"id": 1, "reference": "deep nets read papers"},
        {"id": 2, "reference": "another text"},
    )
    answers = lines(tmp_path / "p.jsonl", {"id": 1, "text": "deep nets read"})
    result = score("writing", gold, answers, "--resamples", "200")
    # ROUGE-1 of the first: P = 3/3, R = 3/4, F = 2 * .75 / 1.75; of the second: 0
    assert result["metrics"]["rouge1"]["value"] == pytest.approx((6 / 7) / 2)
    assert (result["family"], result["n"], result["missing"]) == ("writing", 2, 1)
    low, high = result["metrics"]["rouge1"]["ci"]
    assert low <= result["metrics"]["rouge1"]["value"] <= high
    assert result["settings"]["stem"] is False


def test_ranking_counts_incomplete_answers_zero_and_tau_only_over_complete_ones(tmp_path):
    gold = lines(
        tmp_path / "g.jsonl",
        {"id": "a", "gold": ["First Paper", "Second Paper", "Third Paper"]},
        {"id": "b", "gold": ["First Paper", "Second Paper", "Third Paper"]},
    )
    answers = lines(
        tmp_path / "p.jsonl",
        {"id": "a", "text": "1. First Paper\n2. Third Paper\n3. Second Paper"},
        {"id": "b", "text": None},
    )
    metrics = score("ranking", gold, answers, "--resamples", "0")["metrics"]
    assert metrics["cis"]["value"] == 0.5
    assert metrics["cp"]["value"] == pytest.approx((2 / 3) / 2)
    # one pair of three is turned: tau = (2 - 1) / 3, and the empty answer is undefined
    assert metrics["ktau"] == {"value": pytest.approx(1 / 3), "ci": None, "n": 2, "undefined": 1}


def test_leaderboards_read_a_markdown_table(tmp_path):
    gold = lines(
        tmp_path / "g.jsonl",
        {"id": 1, "entries": [{"method": "A", "score": "90.1%"}, {"method": "B", "score": 80}]},
    )
    table = "Here it is:\n\n| Method | Score |\n|---|---|\n| **A** (ours) | 90.1 |\n| C | 70 |\n"
    result = score("leaderboards", gold, lines(tmp_path / "p.jsonl", {"id": 1, "text": table}))
    values = {name: entry["value"] for name, entry in result["metrics"].items()}
    assert (values["mr"], values["mp"], values["f1"]) == (0.5, 0.5, 0.5)
    assert (values["sp_matched"], values["sp_generated"]) == (1.0, 0.5)
    assert result["settings"]["invented_methods"] == 1


def test_tables_pool_questions_with_micro(tmp_path):
    def table(*rows):
        return {
            "columns": ["size"],
            "rows": [{"paper": paper, "cells": {"size": size}} for paper, size in rows],
        }

    gold = lines(
        tmp_path / "g.jsonl",
        {"id": 1, "papers": ["p"], "table": table(("p", "1"))},
        {"id": 2, "papers": ["q", "r", "s"], "table": table(("q", "1"), ("r", "2"), ("s", "3"))},
    )
    answers = lines(
        tmp_path / "p.jsonl",
        {"id": 1, "papers": ["p"], "table": table(("p", "1"))},
        {"id": 2, "papers": ["q"], "table": table(("q", "1"))},
    )
    macro = score("tables", gold, answers)["metrics"]
    micro = score("tables", gold, answers, "--aggregate", "micro")["metrics"]
    # recall of cells: 1/1 and 1/3; macro (1 + 1/3) / 2, micro 2/4
    assert macro["unary_r"]["value"] == pytest.approx(2 / 3)
    assert micro["unary_r"]["value"] == pytest.approx(1 / 2)
    assert macro["unary_f1"]["value"] == pytest.approx(2 * (2 / 3) / (1 + 2 / 3))


def factor(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def test_factor_compares_one_file_with_one(tmp_path):
    days, names = ["2024-01-01"] * 3, ["a", "b", "c"]
    gold = factor(tmp_path / "g.parquet", datetime=days, instrument=names, value=[1.0, 2.0, 3.0])
    own = factor(tmp_path / "p.parquet", datetime=days, instrument=names, mine=[2.0, 4.0, 6.0])
    result = score("factor", gold, own)
    values = {name: entry["value"] for name, entry in result["metrics"].items()}
    assert values == {"exe": 1.0, "form": 1.0, "corr": 1.0, "corr_pooled": 1.0, "acc": 0.0}
    assert result["n"] == 1
    assert all(entry["ci"] is None for entry in result["metrics"].values())


def test_time_stamps_of_a_factor_count_as_on_their_clock(tmp_path):
    names = ["a", "b", "c"]
    clock = pa.array(["2024-01-02 00:30"] * 3).cast(pa.timestamp("us"))
    for zone in ("+08:00", "-05:00", "Asia/Shanghai", "UTC"):
        stamps = pc.assume_timezone(clock, zone)
        files = [
            factor(tmp_path / name, datetime=days, instrument=names, value=[1.0, 2.0, 3.0])
            for name, days in (("g.parquet", ["2024-01-02"] * 3), ("p.parquet", stamps))
        ]
        metrics = score("factor", *files)["metrics"]
        assert (metrics["form"]["value"], metrics["acc"]["value"]) == (1.0, 1.0), zone


def test_a_factor_that_cannot_be_read_scores_zero_and_a_broken_gold_one_is_refused(tmp_path):
    gold = factor(tmp_path / "g.parquet", datetime=["2024-01-01"], instrument=["a"], value=[1.0])
    broken = tmp_path / "p.parquet"
    broken.write_bytes(b"no parquet")
    metrics = score("factor", gold, broken)["metrics"]
    assert (metrics["exe"]["value"], metrics["acc"]["value"]) == (0.0, 0.0)
    shapeless = factor(tmp_path / "s.parquet", day=["2024-01-01"], value=[1.0])
    assert "datetime, instrument and one of values" in refused("factor", gold, shapeless)
    assert "g.txt" in refused("factor", tmp_path / "g.txt", broken)


def test_architecture_is_one_for_itself_and_one_half_as_published(tmp_path):
    path = tmp_path / "a.safetensors"
    save_file({"layer_00": np.ones((2, 3), dtype=np.float32)}, path)
    assert score("architecture", path, path)["metrics"]["tvc"]["value"] == 1.0
    assert score("architecture", path, path, "--legacy")["metrics"]["tvc"]["value"] == 0.5


@pytest.mark.parametrize(
    ("gold", "prediction", "says"),
    [
        ({"id": 1, "reference": 5}, {"id": 1}, r"g\.jsonl:1: reference must be a text"),
        ({"id": 1, "reference": "a"}, {"id": 1, "text": ["a"]}, r"p\.jsonl:1: text must be a text"),
        ({"id": 1, "reference": "a"}, {"id": "1", "text": "a"}, r"p\.jsonl:1: id '1' is not in"),
    ],
)
def test_a_wrong_type_or_an_unknown_id_names_the_line(tmp_path, gold, prediction, says):
    message = refused(
        "writing", lines(tmp_path / "g.jsonl", gold), lines(tmp_path / "p.jsonl", prediction)
    )
    assert re.search(says, message)


@pytest.mark.data
def test_legacy_needs_the_published_queries(data_dir, tmp_path):
    gold = lines(tmp_path / "g.jsonl", {"id": 0, "gold": ["A"]})
    assert "402" in refused("ranking", gold, lines(tmp_path / "p.jsonl"), "--legacy")


WRONG = {
    "writing": ({"reference": ["a", "list"]}, "reference"),
    "ranking": ({"gold": "Deep Nets"}, "gold"),
    "leaderboards": ({"entries": {"A": 1}}, "entries"),
    "tables": ({"papers": ["p1"], "table": "| a |"}, "table"),
    "own_list": ({"gold": ["a"]}, "gold"),
    "factor": (None, "Parquet"),
    "architecture": (None, "safetensors"),
}


@pytest.mark.parametrize("family", WRONG)
def test_a_file_of_another_form_ends_with_the_form_that_is_read(family, tmp_path):
    row, named = WRONG[family]
    gold = tmp_path / "g.jsonl"
    gold.write_text("no such file" if row is None else json.dumps({"id": 1, **row}) + "\n", "utf-8")
    answers = lines(tmp_path / "p.jsonl", {"id": 1, "text": "an answer"})
    said = refused(family, gold, answers)
    assert f"Of {family}, gold is " in said
    assert named in said.partition(f"Of {family}, gold is ")[2]
