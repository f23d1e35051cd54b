"""`viva audit retrieval` and `viva audit evaluators`: tables, one JSON document, exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.results.audits.made_table_logs import table, write_table_log
from tests.results.audits.made_table_rounds import item, write_table_round
from tests.servers.commands import only_json, viva_here
from tests.servers.scripted import ScriptedServer, by_model, scripted
from tests.tasks.tables.roles.readers import always_yes, careful

GOLDS = {
    "t1": table("Task|Year", "P1|QA|2019", "P2|MT|2017"),
    "t2": table("Task|Size", "P1|QA|340M", "P3|Parsing|60M"),
}
CAREFUL, YES = "openai-api/scripted/audit-careful", "openai-api/scripted/audit-yes"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with scripted() as running:
        for name, value in running.environment.items():
            if name.startswith("SCRIPTED_"):
                monkeypatch.setenv(name, value)
        running.script = by_model({"audit-careful": careful, "audit-yes": always_yes})
        yield running


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    poor = {"t1": table("Task", "P1|QA"), "t2": table("Task", "P3|Parsing")}
    write_table_log(tmp_path / "logs", GOLDS, GOLDS, model="lab/good")
    write_table_log(tmp_path / "logs", GOLDS, poor, model="lab/poor")
    return tmp_path / "logs"


def test_evaluators_are_held_against_the_matcher(
    server: ScriptedServer, logs: Path, tmp_path: Path
) -> None:
    keep = tmp_path / "scores.jsonl"
    wanted = ("--evaluator", CAREFUL, "--evaluator", YES, "--keep", keep, "--runs", "1")
    done = viva_here("audit", "evaluators", logs, *wanted)
    shown = (
        "F1 against matcher: 2 items, 2 contestants",
        "Ranks of the contestants against those by matcher",
        "yes where no is right",
        "lab/poor + one_step",
        "1.000 [1.000, 1.000]",
    )
    assert [text for text in shown if text not in done.stdout] == []
    assert done.stdout.rstrip().endswith(str(keep))
    asked = len(server.asks)
    found = only_json(viva_here("audit", "evaluators", logs, *wanted, "--json").stdout)
    assert len(server.asks) == asked
    assert found["base"] == "matcher"
    assert {row["aspect"] for row in found["drift"]} == {"schema", "unary", "pairwise", "macro"}
    kendall = {(row["evaluator"], row["aspect"]): row["kendall"] for row in found["ranks"]}
    assert kendall[CAREFUL, "macro"] == pytest.approx(1.0)
    assert kendall[YES, "macro"] is None
    assert [row["value"] for row in found["evaluators"]] == [None, 0.0, 1.0]


def test_evaluators_that_there_are_not_end_with_2(logs: Path) -> None:
    for wanted in ((), ("--evaluator", "gpt"), ("--evaluator", "a/b", "--headers", "all")):
        done = viva_here("audit", "evaluators", logs, *wanted, expect=2)
        assert done.stdout == ""
        assert "Error: " in done.stderr


def test_retrieval_prints_cutoffs_and_a_curve(tmp_path: Path) -> None:
    items = [item("a", "A table of wheat", ["p3", "p4"]), item("b", "Dolphins", ["p1", "p2"])]
    made = write_table_round(tmp_path / "round", items)
    wanted = ("--retriever", "tfidf", "--retriever", "bm25", "--resamples", "100")
    done = viva_here("audit", "retrieval", made, *wanted)
    assert "Round made: the works of its tables among 5 works" in done.stdout
    assert "Precision and recall by the number of works retrieved" in done.stdout
    # Of ten places two hold works that are asked for, and both are found.
    assert "1.000 [1.000, 1.000]" in done.stdout
    curve = [line.split() for line in done.stdout.splitlines() if line.strip().startswith("10 ")]
    assert curve == [["10", "0.200", "1.000", "0.200", "1.000"]]
    found = only_json(viva_here("audit", "retrieval", made, *wanted, "--json").stdout)
    assert [row["retriever"] for row in found["retrievers"]] == ["tfidf", "bm25"]
    assert [point["k"] for point in found["retrievers"][0]["curve"]] == list(range(2, 101))
    assert viva_here("audit", "retrieval", made, *wanted).stdout == done.stdout
