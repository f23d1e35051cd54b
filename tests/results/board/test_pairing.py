"""Who is held against whom."""

from pathlib import Path

import pytest
from tests.results.audits.made_logs import write_log

from vivavoce.errors import InputError
from vivavoce.results.board.head_to_head import Pair, head_to_head

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
