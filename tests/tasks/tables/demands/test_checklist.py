"""The checklist for demands, point by point."""

from __future__ import annotations

import pytest

from vivavoce.tasks.tables.items.demand_checklist import CHECKS, check_demand, failures
from vivavoce.tasks.tables.items.table_items import GoldRow, GoldTable

TITLES = ("Speaker diarization with clustering", "End-to-end diarization", "Turn taking")
TABLE = GoldTable(
    id="t",
    source_paper="s",
    kind="cited",
    caption="Speaker diarization toolkits",
    columns=("Latency", "Licence"),
    rows=(GoldRow(1, "a", "", ("20 ms", "MIT")), GoldRow(2, "b", "", ("1 s", None))),
    published=None,
)
GOOD = "I need a table that compares diarization toolkits, to decide which of them suits a product."


def failed(demand: str) -> list[str]:
    checks = check_demand(demand, TABLE, TITLES)
    assert tuple(check.name for check in checks) == CHECKS
    assert all(check.passed == (not check.reason) for check in checks)
    return [check.name for check in checks if not check.passed]


@pytest.mark.parametrize(
    "demand",
    [
        GOOD,
        "Please give me an overview of diarization. I would like to see how its toolkits differ.",
        "Summarize end-to-end diarization research in a table so that trends can be traced.",
    ],
)
def test_good_demands_pass(demand: str) -> None:
    assert failed(demand) == []
    assert failures(check_demand(demand, TABLE, TITLES)) == ""


@pytest.mark.parametrize(
    "demand",
    [
        "I need a table that compares the diarization toolkits of this paper.",
        "I want the table above again, to compare diarization toolkits.",
        "I need a table like Table 3 to compare diarization toolkits.",
        "I need a table that compares the diarization toolkits listed below.",
        "I need a table to compare diarization toolkits [3, 5].",
        "I need a table that helps to choose between these cookery books.",
    ],
)
def test_what_needs_something_else_is_not_self_contained(demand: str) -> None:
    assert failed(demand) == ["self_contained"]


def test_what_has_no_aim_is_not_goal_oriented() -> None:
    assert failed("I need a table of diarization toolkits.") == ["goal_oriented"]
    assert failed("I want to see how diarization went on.") == ["goal_oriented"]


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
    assert reason in failures(check_demand(demand, TABLE, TITLES))
    assert "concise" in failed(demand)


def test_what_leaks_says_what_leaked() -> None:
    demand = "I need a table that compares diarization toolkits by latencies, to find one at 20 ms."
    assert failed(demand) == ["non_leaking"]
    assert failures(check_demand(demand, TABLE, TITLES)) == (
        "It gives parts of the table away: 'latencies' is the column 'Latency'; "
        "'20 ms' is a number of the table, as in '20 ms'."
    )


def test_a_long_list_of_leaks_is_cut() -> None:
    columns = tuple(f"{word}ness" for word in "red green blue pink grey brown white".split())
    wide = GoldTable("t", None, "cited", "", (*columns, "Tall", "Small", "Wide"), (), None)
    reason = check_demand(" ".join(wide.columns), wide, ())[3].reason
    assert reason.endswith("; and 2 more.")
