"""Two contestants on the same items: every number by hand or by another library."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import (
    MetadataEdit,
    ProvenanceData,
    edit_eval_log,
    read_eval_log,
    write_eval_log,
)
from tests.results.audits.made_logs import write_log

from vivavoce.errors import InputError
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.head_to_head import Pair, differing_items, head_to_head, verdict
from vivavoce.store import Row

FIRST = {"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.2}
SECOND = {"a": 0.5, "b": 0.5, "c": 0.1, "d": 0.4}


def fight(folder: Path, first: Any, second: Any, **options: Any) -> Row:
    """The headline row of a duel between lab/one and lab/two."""
    write_log(folder, first, model="lab/one")
    write_log(folder, second, model="lab/two")
    (duel,) = head_to_head("lab/one", "lab/two", folder, **options).duels
    return duel


def test_a_duel_by_hand(tmp_path: Path) -> None:
    # a - b: 0.4, 0, 0.3, -0.2; their mean 0.5 / 4 = 0.125.
    duel = fight(tmp_path, FIRST, SECOND)
    row = duel["metrics"][0]
    assert row["metric"] == "rougeL"
    assert (row["a"], row["b"]) == (pytest.approx(0.5), pytest.approx(0.375))
    assert row["difference"] == pytest.approx(0.125)
    assert 0.2 <= row["ci_a"][0] <= 0.5 <= row["ci_a"][1] <= 0.9
    assert 0.1 <= row["ci_b"][0] <= 0.375 <= row["ci_b"][1] <= 0.5
    assert (row["wins_a"], row["equal"], row["wins_b"], row["n"]) == (2, 1, 1, 4)
    assert row["better"] is None
    assert (row["undecided"], row["tied"]) == (True, False)
    assert "only 4 papers, and at least 12 are needed" in duel["verdict"].lower()


def test_both_ways_round_the_same_is_reported(tmp_path: Path) -> None:
    write_log(tmp_path, FIRST, model="lab/one")
    write_log(tmp_path, SECOND, model="lab/two")
    there = head_to_head("lab/one", "lab/two", tmp_path, seed=3).duels[0]
    back = head_to_head("lab/two", "lab/one", tmp_path, seed=3).duels[0]
    for one, other in zip(there["metrics"], back["metrics"], strict=True):
        assert one["difference"] == pytest.approx(-other["difference"])
        assert one["ci"] == [pytest.approx(-other["ci"][1]), pytest.approx(-other["ci"][0])]
        assert (one["wins_a"], one["wins_b"]) == (other["wins_b"], other["wins_a"])
        for name in ("undecided", "more_papers_needed"):
            assert one[name] == other[name]


def test_a_clear_lead_is_named(tmp_path: Path) -> None:
    items = [f"item-{number:02d}" for number in range(20)]
    low = {item: 0.1 + 0.01 * place for place, item in enumerate(items)}
    high = {item: value + 0.2 for item, value in low.items()}
    row = fight(tmp_path, low, high)["metrics"][0]
    assert (row["better"], row["undecided"], row["more_papers_needed"]) == ("b", False, None)


def test_a_pair_is_decided_as_on_the_board_among_all_its_pairs(tmp_path: Path) -> None:
    items = [f"item-{number:02d}" for number in range(20)]
    # lab/one is ahead of lab/two by 0.4 on sixteen papers, and behind on four.
    values = {item: 0.1 if place % 5 == 0 else 0.9 for place, item in enumerate(items)}
    alone = fight(tmp_path, values, dict.fromkeys(items, 0.5))["metrics"][0]
    assert (alone["better"], alone["undecided"]) == ("a", False)
    # Among ten others, 66 pairs in all, a difference has to be larger.
    for rival in range(10):
        others = {
            item: 0.3 + 0.05 * (place * (2 * rival + 1) % 8) for place, item in enumerate(items)
        }
        write_log(tmp_path, others, model=f"lab/rival-{rival}")
    among = head_to_head("lab/one", "lab/two", tmp_path).duels[0]["metrics"][0]
    rows = leaderboard(tmp_path).rows
    [row] = [row for row in rows if (row["model"], row["metric"]) == ("lab/one", "rougeL")]
    needed = dict(zip(row["undecided_with"], row["more_papers_needed"], strict=True))
    assert (among["better"], among["undecided"]) == (None, True)
    assert among["more_papers_needed"] == needed["lab/two"]
    assert (among["difference"], among["ci"]) == (alone["difference"], alone["ci"])


def test_only_items_of_both_count_and_undefined_values_are_left_out(tmp_path: Path) -> None:
    duel = fight(
        tmp_path, {"a": 0.4, "b": 0.6, "x": 1.0}, {"a": 0.2, "b": None, "y": 0.0, "z": 0.0}
    )
    row = duel["metrics"][0]
    assert (duel["items"], duel["only_a"], duel["only_b"]) == (2, 1, 2)
    assert (row["n"], row["undefined"]) == (1, 1)
    # Of the item a alone; the means too are those of the items that are compared.
    assert (row["a"], row["b"]) == (pytest.approx(0.4), pytest.approx(0.2))
    assert row["difference"] == pytest.approx(0.2)
    assert row["ci"] is None


def test_several_attempts_count_with_their_mean(tmp_path: Path) -> None:
    row = fight(tmp_path, {"a": [0.2, 0.6], "b": [0.5, 0.5]}, {"a": [0.1, 0.1], "b": [0.9, 0.1]})
    # a: 0.4 - 0.1; b: 0.5 - 0.5.
    assert row["metrics"][0]["difference"] == pytest.approx(0.15)
    assert (row["metrics"][0]["wins_a"], row["metrics"][0]["equal"]) == (1, 1)


def test_items_that_differ_most_come_first(tmp_path: Path) -> None:
    duel = fight(tmp_path, FIRST, SECOND, differing=2)
    assert [(row["id"], round(row["difference"], 6)) for row in duel["differ_most"]] == [
        ("a", 0.4),
        ("c", 0.3),
    ]
    # b is equal, so that of four only three differ.
    assert len(head_to_head("lab/one", "lab/two", tmp_path).duels[0]["differ_most"]) == 3
    undefined = fight(tmp_path / "other", FIRST, {**SECOND, "a": None})
    assert [row["id"] for row in undefined["differ_most"]] == ["c", "d"]


def test_they_come_with_both_answers(tmp_path: Path) -> None:
    fight(tmp_path, FIRST, SECOND)
    found = head_to_head("lab/one", "lab/two", tmp_path, differing=2)
    ((first, second),) = differing_items(found)
    assert (first.id, second.id) == ("a", "c")
    assert [answer.source.key.model for answer in first.read()] == ["lab/one", "lab/two"]
    assert [answer.texts.gold for answer in first.read()] == ["the gold text"] * 2


def test_metrics_of_different_judges_are_not_compared(tmp_path: Path) -> None:
    for model, judge in (("lab/one", "jury/x"), ("lab/two", "jury/y")):
        path = write_log(tmp_path, FIRST, model=model, judge=judge)
        log = read_eval_log(str(path))
        log.eval.metadata = {**(log.eval.metadata or {}), "judged": ["rouge1"]}
        write_eval_log(log, str(path))
    (duel,) = head_to_head("lab/one", "lab/two", tmp_path).duels
    assert [row["metric"] for row in duel["metrics"]] == ["rougeL"]


def test_without_draws_there_are_no_intervals(tmp_path: Path) -> None:
    row = fight(tmp_path, FIRST, SECOND, resamples=0)["metrics"][0]
    assert (row["ci"], row["undecided"], row["better"]) == (None, None, None)
    assert row["difference"] == pytest.approx(0.125)


@pytest.mark.parametrize(
    ("beats", "ties", "better", "tied"),
    [([[1, 0]], [], "b", False), ([[0, 1]], [], "a", False), ([], [[0, 1]], None, True)],
)
def test_two_that_one_run_stopped_stand_as_it_decided(
    tmp_path: Path, beats: list[list[int]], ties: list[list[int]], better: str, tied: bool
) -> None:
    for number, model in enumerate(("lab/one", "lab/two")):
        path = write_log(tmp_path, FIRST, model=model)
        log = read_eval_log(str(path))
        record = {
            **{"comparison": "c", "question": "top=1", "reason": "decided", "decided": True},
            **{"contestant": number, "look": 1, "looks": 3, "items": 4, "of": 9},
            **{"beats": beats, "ties": ties},
        }
        edit = MetadataEdit(metadata_set={"stopped": record})
        write_eval_log(edit_eval_log(log, [edit], ProvenanceData(author="run")), str(path))
    (duel,) = head_to_head("lab/one", "lab/two", tmp_path).duels
    headline, other = duel["metrics"]
    assert (headline["better"], headline["tied"], headline["undecided"]) == (better, tied, False)
    assert (other["better"], other["tied"], other["undecided"]) == (None, None, None)


def test_what_has_no_upper_end_has_no_winner(tmp_path: Path) -> None:
    for model in ("lab/one", "lab/two"):
        path = write_log(tmp_path, FIRST, model=model)
        log = read_eval_log(str(path))
        log.eval.metadata = {**(log.eval.metadata or {}), "diagnostics": ["length_ratio"]}
        for sample in log.samples or []:
            score = (sample.scores or {})["writing"]
            value = {"lab/one": 1.5, "lab/two": 0.5}[model]
            score.value = {**score.value, "length_ratio": value}  # type: ignore[dict-item]
        write_eval_log(log, str(path))
    (duel,) = head_to_head("lab/one", "lab/two", tmp_path).duels
    row = duel["metrics"][-1]
    assert (row["metric"], row["ranks"], row["difference"]) == ("length_ratio", False, 1.0)
    assert (row["higher_is_better"], row["better"], row["wins_a"]) == (None, None, 0)


def a_row(**changes: Any) -> dict[str, Any]:
    metric = {
        "metric": "rougeL",
        "difference": -0.01,
        "ci": [-0.03, 0.02],
        "better": None,
        "tied": False,
        "more_papers_needed": 25,
        "wins_a": 3,
        "wins_b": 5,
        "equal": 2,
        "n": 10,
        **changes,
    }
    sides = {"a": {"name": "lab/one"}, "b": {"name": "lab/two"}}
    return {"headline": "rougeL", "metrics": [metric], "clusters": 43, **sides}


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({}, "25 more papers"),
        ({"tied": True}, "tied"),
        ({"better": "b", "ci": [-0.03, -0.01], "difference": -0.02}, "lab/two is ahead by 0.020"),
        ({"equal": 10, "n": 10}, "the same value"),
        ({"ci": None}, "too few items for an interval"),
        ({"difference": None}, "share no item"),
    ],
)
def test_a_duel_in_a_sentence(changes: dict[str, Any], part: str) -> None:
    said = verdict(a_row(**changes))
    assert part in said
    assert ("ahead" in said) == ("better" in changes)


VALUES = {"a": 0.5, "b": 0.6}


def pairs_of(logs: Path, a: str, b: str) -> tuple[Pair, ...]:
    return head_to_head(a, b, logs, resamples=0).pairs


def places_of(pairs: tuple[Pair, ...]) -> list[tuple[str, str, str, str]]:
    """Task and setting, and both logs' models."""
    keys = [(first.log.key, second.log.key) for first, second in pairs]
    assert all(first.place == second.place for first, second in keys)
    return [(first.task, first.setting, first.model, second.model) for first, second in keys]


def test_contestants_meet_wherever_both_ran(tmp_path: Path) -> None:
    for task in ("title", "abstract"):
        write_log(tmp_path, VALUES, model="lab/one", task=task)
    write_log(tmp_path, VALUES, model="lab/two", task="title")
    write_log(tmp_path, VALUES, model="lab/two", task="title", setting="random")
    pairs = pairs_of(tmp_path, "lab/two", "lab/one")
    assert places_of(pairs) == [("title", "base", "lab/two", "lab/one")]


def test_a_method_is_part_of_the_name(tmp_path: Path) -> None:
    write_log(tmp_path, VALUES, model="lab/one")
    write_log(tmp_path, VALUES, model="lab/one", method="rag", params={"chunks": 4})
    pairs = pairs_of(tmp_path, "lab/one", "lab/one + rag(chunks=4)")
    assert [(a.name, b.name) for a, b in pairs] == [("lab/one", "lab/one + rag(chunks=4)")]


def test_a_name_that_means_two_logs_lists_the_longer_names(tmp_path: Path) -> None:
    write_log(tmp_path, VALUES, model="lab/one", prompt_hash="first")
    write_log(tmp_path, VALUES, model="lab/one", prompt_hash="second")
    write_log(tmp_path, VALUES, model="lab/two")
    with pytest.raises(InputError, match="lab/one has 2 logs of title") as refused:
        pairs_of(tmp_path, "lab/one", "lab/two")
    assert "lab/one (attempts=1) (second)" in str(refused.value)
    for name in (
        "lab/one (second)",
        "lab/one (attempts=1) (second)",
        "lab/one (attempts=1 second)",
    ):
        [(found, _)] = pairs_of(tmp_path, name, "lab/two")
        assert found.log.key.prompt_hash == "second"


@pytest.mark.parametrize("name", ["lab/one second", "lab/one (attempts=2)", "lab/one (", "lab"])
def test_a_name_that_no_board_prints_means_nobody(tmp_path: Path, name: str) -> None:
    write_log(tmp_path, VALUES, model="lab/one", prompt_hash="second")
    write_log(tmp_path, VALUES, model="lab/two")
    with pytest.raises(InputError, match="has no contestant"):
        pairs_of(tmp_path, name, "lab/two")


def test_two_judges_make_two_duels(tmp_path: Path) -> None:
    for judge in ("jury/x", "jury/y"):
        for model in ("lab/one", "lab/two"):
            write_log(tmp_path, VALUES, model=model, judge=judge)
    pairs = pairs_of(tmp_path, "lab/one", "lab/two")
    assert [a.log.key.judge == b.log.key.judge for a, b in pairs] == [True, True]
    assert len({a.log.key.judge for a, _ in pairs}) == 2


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("lab/one", "lab/one", "with itself"),
        ("lab/nine", "lab/one", "no contestant 'lab/nine'. There are: lab/one, lab/two."),
        ("lab/one", "lab/two", "no task and setting that both lab/one and lab/two ran in"),
    ],
)
def test_refusals_say_what_there_is(tmp_path: Path, a: str, b: str, message: str) -> None:
    write_log(tmp_path, VALUES, model="lab/one", task="title")
    write_log(tmp_path, VALUES, model="lab/two", task="abstract")
    with pytest.raises(InputError) as refused:
        pairs_of(tmp_path, a, b)
    assert message in str(refused.value)
