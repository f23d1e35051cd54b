"""Demands: held against the checklist, worded from a template, and read from a file."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.store import write_jsonl
from vivavoce.tasks.tables.demand import (
    CHECKS,
    Verdict,
    WrittenDemand,
    check_demand,
    failures,
    read_demands,
    template_demand,
)
from vivavoce.tasks.tables.demand_leaks import LeakIndex
from vivavoce.tasks.tables.item import GoldRow, GoldTable

DIARIZATION = ("Speaker diarization with clustering", "End-to-end diarization", "Turn taking")


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


TOOLKITS = table_of(
    "Speaker diarization toolkits", ("Latency", "Licence"), (("20 ms", "MIT"), ("1 s", None))
)
GOOD = "I need a table that compares diarization toolkits, to decide which of them suits a product."


def failed(demand: str) -> list[str]:
    checks = check_demand(demand, TOOLKITS, DIARIZATION)
    assert tuple(checks) == CHECKS
    return [name for name, reason in checks.items() if reason]


@pytest.mark.parametrize(
    ("demand", "points"),
    [
        (GOOD, []),
        ("Please give me an overview of diarization. I would like to see how toolkits differ.", []),
        ("Summarize end-to-end diarization in a table so that trends can be traced.", []),
        (GOOD.replace("toolkits,", "toolkits of this paper,"), ["self_contained"]),
        (GOOD.replace("a table", "a table like Table 3"), ["self_contained"]),
        (GOOD.replace("toolkits,", "toolkits [3, 5],"), ["self_contained"]),
        ("I need a table that helps to choose between these cookery books.", ["self_contained"]),
        ("I need a table of diarization toolkits.", ["goal_oriented"]),
        ("I want to see how diarization went on.", ["goal_oriented"]),
    ],
)
def test_each_point_of_the_checklist_is_told_apart(demand: str, points: list[str]) -> None:
    assert failed(demand) == points


@pytest.mark.parametrize(
    ("demand", "reason"),
    [
        (f"{GOOD} Make it short. Thank you.", "It has 3 sentences; 1 or 2 are asked for."),
        (f"{GOOD[:-1]} {'and so on ' * 30}.", "It has 107 words; 90 are allowed."),
        (
            "Compare diarization toolkits in a table by size, age, taste, colour, shape, weight, "
            "smell and sound.",
            "It enumerates more than 6 things.",
        ),
        ("", "It has 0 sentences; 1 or 2 are asked for."),
    ],
)
def test_what_is_long_is_not_concise(demand: str, reason: str) -> None:
    assert reason in failures(check_demand(demand, TOOLKITS, DIARIZATION))
    assert "concise" in failed(demand)


def test_what_leaks_says_what_leaked() -> None:
    demand = "I need a table that compares diarization toolkits by latencies, to find one at 20 ms."
    assert failures(check_demand(demand, TOOLKITS, DIARIZATION)) == (
        "It gives parts of the table away: 'latencies' is the column 'Latency'; "
        "'20 ms' is a number of the table, as in '20 ms'."
    )
    columns = tuple(f"{word}ness" for word in "red green blue pink grey brown white".split())
    wide = replace(TOOLKITS, columns=(*columns, "Tall", "Small", "Wide"))
    reason = check_demand(" ".join(wide.columns), wide, ())["non_leaking"]
    assert reason.endswith("; and 2 more.")


TITLES = (
    "Graph Neural Networks for Traffic Forecasting",
    "Traffic Forecasting with Attention",
    "A Deep Model of Road Congestion",
)


OF_ROADS = "For a review of congestion on roads, I need a table that compares"


@pytest.mark.parametrize(
    ("caption", "columns", "topic"),
    [
        (table_of().caption, ("Backbone",), "models for traffic forecasting"),
        ("TABLE IV: Overview of graph attention networks [3, 4].", (), "graph attention networks"),
        (
            "List of benchmarks for \\textbf{road search} (see Section 3).",
            (),
            "benchmarks for road search",
        ),
        # Parts of an enumeration and of a clause, single words, verbs, capitals, other subjects.
        ("Summary of models and traffic lights", ("Model",), ""),
        ("Some recent work on resorting to traffic data", (), ""),
        ("Table 2: Traffic.", (), ""),
        ("Overview of traffic rerouting", (), ""),
        ("TABLE 1: TRAFFIC MODELS", (), ""),
        ("Summary of image encoders", (), ""),
        # A phrase with a word that leaks is left out as a whole.
        ("Overview of traffic forecasting models.", ("Forecast",), ""),
        ("Table 1", (), ""),
        # A caption without a lead-in may be a sentence.
        ("Traffic forecasting models.", (), "traffic forecasting models"),
        ("Traffic models use different networks.", (), ""),
    ],
)
def test_a_template_asks_for_the_phrase_of_the_caption_in_the_field_of_the_survey(
    caption: str, columns: tuple[str, ...], topic: str
) -> None:
    table = table_of(caption, columns=(*columns, "Cost", "Venue"))
    rest = f"work on {topic}." if topic else "existing work."
    survey = replace(table, survey="A survey on congestion on roads")
    assert template_demand(survey, TITLES) == f"{OF_ROADS} {rest}"
    alone = f"I need a table that compares work on {topic}." if topic else None
    assert template_demand(table, TITLES) == alone


@pytest.mark.parametrize(
    ("title", "field"),
    [
        ("Congestion on Roads: A Survey", "congestion on roads"),
        ("A Comprehensive Review of Congestion on Roads", "congestion on roads"),
        ("Red All the Way: A Survey of Congestion on Roads", "congestion on roads"),
        ("Congestion on Roads – An Overview", "congestion on roads"),
        ("LSTM Models of Traffic: A Survey", "LSTM models of traffic"),
    ],
)
def test_the_field_is_what_the_title_of_a_survey_names(title: str, field: str) -> None:
    table = replace(table_of("Table 1"), survey=title)
    expected = f"For a review of {field}, I need a table that compares existing work."
    assert template_demand(table, TITLES) == expected


@pytest.mark.parametrize("title", ["ROAD-NET", "交通综述 Congestion on Roads"])
def test_a_name_alone_or_a_title_in_another_script_is_no_field(title: str) -> None:
    table = replace(table_of("Table 1"), survey=title)
    assert template_demand(table, TITLES) is None


def test_a_title_that_names_a_column_is_no_field() -> None:
    table = replace(table_of(columns=("Congestion", "Venue")), survey="Congestion on Roads")
    assert template_demand(table, TITLES) == (
        "I need a table that compares work on models for traffic forecasting."
    )


def test_without_a_topic_or_with_its_own_words_as_columns_there_is_no_demand() -> None:
    assert template_demand(table_of(caption="Table 1"), ()) is None
    assert template_demand(table_of(columns=("Needed work", "Table")), TITLES) is None


_VOCABULARY = sorted(
    {
        *" ".join((OF_ROADS, *TITLES)).split(),
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
    survey=_ANY,
)
def test_a_template_demand_never_leaks_and_passes_the_checklist(
    caption: str, columns: list[str], cells: list[str | None], titles: list[str], survey: str
) -> None:
    width = len(columns)
    rows = (tuple(cells[:width]), tuple(cells[width : 2 * width]))
    table = replace(table_of(caption, tuple(columns), rows), survey=survey)
    demand = template_demand(table, titles)
    if demand is not None:
        assert LeakIndex(table, titles).leaks(demand) == ()
        assert failures(check_demand(demand, table, titles)) == ""


ROW: dict[str, Any] = {
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
        ({"id": ""}, "id: String should have at least 1 character"),
        ({"demand": "x" * 2001}, "demand: String should have at most 2000 characters"),
        ({"attempts": True}, "attempts: Input should be a valid integer; got True"),
        ({"verdicts": [ROW["verdicts"][0] | {"decision": "MAYBE"}]}, "'^(ACCEPT|REWRITE)$'"),
        ({"verdicts": []}, "the last verdict on a demand must be ACCEPT"),
        ({"id": "t1"}, "the table t1 already has a demand"),
    ],
)
def test_a_faulty_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "demands.jsonl"
    write_jsonl(path, [ROW, {**ROW, "id": "t2", **change}])
    with pytest.raises(InputError, match="jsonl:2: ") as caught:
        read_demands(path)
    assert message in str(caught.value)
