"""Demands: worded from a template, and read from a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.store import write_jsonl
from vivavoce.tasks.tables.items.demand_checklist import check_demand
from vivavoce.tasks.tables.items.demand_leaks import leak_index
from vivavoce.tasks.tables.items.demands import (
    WORDINGS,
    Verdict,
    WrittenDemand,
    read_demands,
    spot_check_row,
    template_demand,
)
from vivavoce.tasks.tables.items.table_items import GoldRow, GoldTable

TITLES = (
    "Graph Neural Networks for Traffic Forecasting",
    "Traffic Forecasting with Attention",
    "A Deep Model of Road Congestion",
)


def table_of(
    caption: str = "Table 2: Comparison of models for traffic forecasting, by backbone.",
    columns: tuple[str, ...] = ("Backbone", "Horizon"),
    rows: tuple[tuple[str | None, ...], ...] = (("GCN", "60 min"), ("Transformer", None)),
    name: str = "t1",
) -> GoldTable:
    return GoldTable(
        id=name,
        source_paper="survey",
        kind="cited",
        caption=caption,
        columns=columns,
        rows=tuple(GoldRow(n, f"p{n}", f"M{n}", cells) for n, cells in enumerate(rows)),
        published=None,
    )


def test_a_template_names_the_topic_of_the_caption_and_what_titles_share() -> None:
    demand = template_demand(table_of(), TITLES)
    assert demand is not None
    assert "models for traffic forecasting" in demand
    assert "backbone" not in demand.lower()
    assert leak_index(table_of(), TITLES).leaks(demand) == ()
    # The same table has the same demand; other tables have other wordings.
    assert demand == template_demand(table_of(), TITLES)
    others = {template_demand(table_of(name=f"t{n}"), TITLES) for n in range(40)}
    assert len(others) == len(WORDINGS)


@pytest.mark.parametrize(
    ("caption", "topic"),
    [
        ("Table 3. A summary of recent speech corpora used for training.", "speech corpora"),
        ("TABLE IV: Overview of the main gradient estimators [3, 4].", "gradient estimators"),
        ("Table 1", "traffic forecasting"),
        ("", "traffic forecasting"),
        ("Taxonomy of Image Captioning: the encoder is given first.", "image captioning"),
        ("List of open benchmarks for \\textbf{code search} (see Section 3).", "code search"),
    ],
)
def test_the_topic_of_a_caption(caption: str, topic: str) -> None:
    demand = template_demand(table_of(caption, columns=("Cost", "Venue")), TITLES)
    assert demand is not None
    assert topic in demand


def test_a_word_that_is_a_column_or_a_value_is_left_out_of_the_topic() -> None:
    table = table_of("Table 1: Summary of forecasting models for roads.", ("Model", "Forecast"))
    demand = template_demand(table, TITLES)
    assert demand is not None
    assert "model" not in demand.lower()
    assert "forecast" not in demand.lower()
    assert leak_index(table, TITLES).leaks(str(template_demand(table_of(), TITLES))) != ()


def test_the_task_of_a_table_of_results_is_its_topic() -> None:
    table = replace(
        table_of("Published results on sentiment analysis.", ("Sentiment Treebank – F1", "Yelp")),
        kind="results",
    )
    assert "on sentiment analysis" in f"on {template_demand(table, TITLES)}".replace("about", "on")
    assert leak_index(table, TITLES).leaks("F1 on the Treebank") != ()


def test_titles_in_capitals_are_lowered() -> None:
    titles = ("GRAPH KERNELS for Molecules", "FAST GRAPH KERNELS")
    demand = template_demand(table_of("Table 1", ("Cost", "Venue")), titles)
    assert demand is not None
    assert "graph kernels" in demand


def test_a_wording_whose_own_words_are_columns_is_not_used() -> None:
    table = table_of(columns=("Papers", "Publications", "Overview", "Literature"))
    demand = template_demand(table, TITLES)
    assert demand is not None
    assert not any(word in demand for word in ("papers", "publications", "overview", "literature"))


def test_without_a_topic_there_is_no_demand() -> None:
    assert template_demand(table_of(caption="Table 1"), ()) is None
    words = " ".join(WORDINGS).replace("{topic}", "").split()
    everything = table_of(columns=tuple(dict.fromkeys(words)))
    assert template_demand(everything, TITLES) is None


_VOCABULARY = sorted(
    {
        *" ".join((*WORDINGS, *TITLES)).replace("{topic}", "traffic").split(),
        *("datasets", "evaluated", "accuracy", "GCN", "60", "ImageNet", "three", "data", "road"),
        *("Table", "1:", "comparison", "of", "the", "summary", "in", "terms", "multi-modal", "é"),
    }
)
_PHRASES = st.lists(st.sampled_from(_VOCABULARY), max_size=6).map(" ".join)
_ANY = st.one_of(_PHRASES, _PHRASES, st.text(max_size=30))


@given(
    caption=_ANY,
    columns=st.lists(_ANY.filter(str.strip), min_size=2, max_size=5, unique=True),
    cells=st.lists(st.one_of(st.none(), _ANY), min_size=10, max_size=10),
    titles=st.lists(_ANY, max_size=5),
)
def test_a_template_demand_never_leaks_and_passes_the_checklist(
    caption: str, columns: list[str], cells: list[str | None], titles: list[str]
) -> None:
    width = len(columns)
    rows = (tuple(cells[:width]), tuple(cells[width : 2 * width]))
    table = table_of(caption, tuple(columns), rows)
    demand = template_demand(table, titles)
    if demand is not None:
        assert leak_index(table, titles).leaks(demand) == ()
        assert [check.reason for check in check_demand(demand, table, titles)] == [""] * 4


def test_the_row_for_a_spot_check_flags_what_failed() -> None:
    demand = "Which backbones are there?"
    row = spot_check_row(table_of(), demand, "given", TITLES)
    checks = check_demand(demand, table_of(), TITLES)
    assert (row["id"], row["source"], row["columns"]) == ("t1", "given", ["Backbone", "Horizon"])
    assert row["flagged"] == ["goal_oriented", "non_leaking"]
    assert [check["name"] for check in row["checks"]] == [check.name for check in checks]
    json.dumps(row)


GOOD: Mapping[str, Any] = {
    "id": "t1",
    "demand": "I need a table.",
    "model": "openai/x",
    "attempts": 1,
    "verdicts": [
        {"attempt": 1, "demand": "I need a table.", "check": "model", "decision": "ACCEPT"}
        | {"reason": "Nothing leaks."}
    ],
}


def test_a_file_of_demands_gives_back_what_was_written(tmp_path: Path) -> None:
    accepted = WrittenDemand(
        "t1", "I want it.", "m", 2, (Verdict(2, "I want it.", "model", "ACCEPT", "Clean."),)
    )
    given_up = WrittenDemand("t2", None, "m", 3, (Verdict(3, "", "answer", "REWRITE", "None."),))
    path = tmp_path / "demands.jsonl"
    write_jsonl(path, [asdict(accepted), asdict(given_up)])
    assert read_demands(path) == {"t1": accepted, "t2": given_up}
    assert given_up.reason == "None."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": 7}, "id: Input should be a valid string; got 7"),
        ({"id": ""}, "id: String should have at least 1 character"),
        ({"demand": " "}, "demand: String should match"),
        ({"demand": "x" * 2001}, "demand: String should have at most 2000 characters"),
        ({"model": None}, "model: Input should be a valid string; got None"),
        ({"attempts": True}, "attempts: Input should be a valid integer; got True"),
        ({"attempts": 0}, "attempts: Input should be greater than or equal to 1; got 0"),
        ({"verdicts": None}, "verdicts: Input should be a valid tuple"),
        ({"verdicts": []}, "the last verdict on a demand must be ACCEPT"),
        ({"verdicts": ["ACCEPT"]}, "verdicts.0: Input should be a dictionary"),
        (
            {"verdicts": [{**GOOD["verdicts"][0], "decision": "MAYBE"}]},
            "verdicts.0.decision: String should match pattern '^(ACCEPT|REWRITE)$'; got 'MAYBE'",
        ),
        ({"verdicts": [{"attempt": 1, "decision": "ACCEPT"}]}, "verdicts.0.demand: Field required"),
        ({"verdicts": [{"attempt": "1"}]}, "verdicts.0.attempt: Input should be a valid integer"),
    ],
)
def test_a_faulty_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "demands.jsonl"
    write_jsonl(path, [GOOD, {**GOOD, "id": "t2", **change}])
    with pytest.raises(InputError, match="jsonl:2: ") as caught:
        read_demands(path)
    assert message in str(caught.value)


def test_two_demands_for_one_table_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "demands.jsonl"
    write_jsonl(path, [GOOD, GOOD])
    with pytest.raises(InputError, match="2: the table t1 has a demand already"):
        read_demands(path)
