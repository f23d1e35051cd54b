"""Who is held against whom, by name or by path."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.results.audits.made_logs import write_log

from vivavoce.errors import InputError, VivaError
from vivavoce.results.board.pairing import Only, Pair, contestant_pairs, path_pairs

VALUES = {"a": 0.5, "b": 0.6}


def told(pairs: list[Pair]) -> list[tuple[str, str, str]]:
    """Task, and both logs' models."""
    return [(a.log.key.task, a.log.key.model, b.log.key.model) for a, b in pairs]


def test_contestants_meet_wherever_both_ran(tmp_path: Path) -> None:
    for task in ("title", "abstract"):
        write_log(tmp_path, VALUES, model="lab/one", task=task)
    write_log(tmp_path, VALUES, model="lab/two", task="title")
    write_log(tmp_path, VALUES, model="lab/two", task="title", setting="random")
    pairs, _ = contestant_pairs(tmp_path, "lab/two", "lab/one", Only())
    assert told(pairs) == [("title", "lab/two", "lab/one")]


def test_a_method_is_part_of_the_name(tmp_path: Path) -> None:
    write_log(tmp_path, VALUES, model="lab/one")
    write_log(tmp_path, VALUES, model="lab/one", method="rag", params={"chunks": 4})
    pairs, _ = contestant_pairs(tmp_path, "lab/one", "lab/one + rag(chunks=4)", Only())
    assert [(a.name, b.name) for a, b in pairs] == [("lab/one", "lab/one + rag(chunks=4)")]


def test_a_name_that_means_two_logs_lists_the_longer_names(tmp_path: Path) -> None:
    write_log(tmp_path, VALUES, model="lab/one", prompt_hash="first")
    write_log(tmp_path, VALUES, model="lab/one", prompt_hash="second")
    write_log(tmp_path, VALUES, model="lab/two")
    with pytest.raises(InputError, match="lab/one has 2 logs of title") as refused:
        contestant_pairs(tmp_path, "lab/one", "lab/two", Only())
    assert "lab/one (attempts=1) (second)" in str(refused.value)
    for name in (
        "lab/one (second)",
        "lab/one (attempts=1) (second)",
        "lab/one (attempts=1 second)",
    ):
        [(found, _)], _ = contestant_pairs(tmp_path, name, "lab/two", Only())
        assert found.log.key.prompt_hash == "second"


@pytest.mark.parametrize("name", ["lab/one second", "lab/one (attempts=2)", "lab/one (", "lab"])
def test_a_name_that_no_board_prints_means_nobody(tmp_path: Path, name: str) -> None:
    write_log(tmp_path, VALUES, model="lab/one", prompt_hash="second")
    write_log(tmp_path, VALUES, model="lab/two")
    with pytest.raises(InputError, match="has no contestant"):
        contestant_pairs(tmp_path, name, "lab/two", Only())


def test_two_judges_make_two_duels(tmp_path: Path) -> None:
    for judge in ("jury/x", "jury/y"):
        for model in ("lab/one", "lab/two"):
            write_log(tmp_path, VALUES, model=model, judge=judge)
    pairs, _ = contestant_pairs(tmp_path, "lab/one", "lab/two", Only())
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
        contestant_pairs(tmp_path, a, b, Only())
    assert message in str(refused.value)


def test_only_one_setting_is_taken(tmp_path: Path) -> None:
    for setting in ("base", "random"):
        for model in ("lab/one", "lab/two"):
            write_log(tmp_path, VALUES, model=model, setting=setting)
    pairs, _ = contestant_pairs(tmp_path, "lab/one", "lab/two", Only(setting="random"))
    assert [a.log.key.setting for a, _ in pairs] == ["random"]


def test_two_logs_are_held_against_each_other(tmp_path: Path) -> None:
    first = write_log(tmp_path, VALUES, model="lab/one")
    second = write_log(tmp_path, VALUES, model="lab/two")
    pairs, _ = path_pairs(first, second, Only())
    assert told(pairs) == [("title", "lab/one", "lab/two")]
    assert pairs[0][0].folder == tmp_path


def test_two_folders_meet_by_contestant(tmp_path: Path) -> None:
    for folder in ("before", "after"):
        write_log(tmp_path / folder, VALUES, model="lab/one")
        write_log(tmp_path / folder, VALUES, model="lab/two")
    write_log(tmp_path / "after", VALUES, model="lab/new")
    pairs, _ = path_pairs(tmp_path / "before", tmp_path / "after", Only())
    assert told(pairs) == [("title", "lab/one", "lab/one"), ("title", "lab/two", "lab/two")]
    assert pairs[0][1].name == f"lab/one in {tmp_path / 'after'}"


def test_other_prompts_of_one_contestant_meet_when_nothing_fits_better(tmp_path: Path) -> None:
    for folder, prompt in (("before", "first"), ("after", "second")):
        write_log(tmp_path / folder, VALUES, model="lab/one", prompt_hash=prompt)
        write_log(tmp_path / folder, VALUES, model="lab/two")
    pairs, _ = path_pairs(tmp_path / "before", tmp_path / "after", Only())
    assert told(pairs) == [("title", "lab/two", "lab/two"), ("title", "lab/one", "lab/one")]


def test_rounds_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    first = write_log(tmp_path / "one", VALUES)
    second = write_log(tmp_path / "two", VALUES, round_sha256="e" * 64)
    with pytest.raises(InputError, match="different rounds of one name"):
        path_pairs(first, second, Only())


def test_a_log_of_something_else_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    log = write_log(tmp_path, VALUES)
    broken = tmp_path / "broken.eval"
    broken.write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot be read"):
        path_pairs(log, broken, Only())


def test_an_incomplete_log_needs_partial(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    first = write_log(tmp_path, VALUES, model="lab/one")
    second = write_log(tmp_path, VALUES, model="lab/two")
    log = read_eval_log(str(second))
    log.status = "started"
    write_eval_log(log, str(second))
    with pytest.raises(VivaError, match="is not complete"):
        path_pairs(first, second, Only())
    pairs, _ = path_pairs(first, second, Only(), partial=True)
    assert len(pairs) == 1
