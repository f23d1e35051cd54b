"""Runs over every combination of arguments, and over some of the items."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from tests.faults.storms import sample_round
from tests.running.specs import spec
from tests.servers.commands import small_round

from vivavoce.errors import InputError, VivaError
from vivavoce.requests.run import given_sweep
from vivavoce.results.audits.contrasts import base_of
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.running import run
from vivavoce.running.spec import combinations, rename
from vivavoce.tasks import list_families

ITEMS = 6


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("sweeps"), papers=ITEMS)


def answered(path: str) -> list[str]:
    return sorted(str(sample.id) for sample in read_eval_log(path).samples or [])


def test_combinations_are_rows_and_a_rerun_adds_what_is_new(small: Round, tmp_path: Path) -> None:
    swept = spec(
        small,
        tmp_path / "logs",
        methods=["rag", "null"],
        sweep={"chunks": [1, 2], "size": [130, 200]},
    )
    first = run(swept)
    assert (first.failed, len(first.logs)) == ((), 4 + 1)  # null takes neither argument
    rows = leaderboard(tmp_path / "logs", resamples=0).rows
    assert sorted({row["method"] for row in rows}) == [
        "null",
        *(
            f"rag(retriever=bm25, chunks={chunks}, size={size}, overlap=64)"
            for chunks in (1, 2)
            for size in (130, 200)
        ),
    ]
    wider = run(dataclasses.replace(swept, sweep={"chunks": [1, 2, 3], "size": [130, 200]}))
    assert set(first.logs) < set(wider.logs)
    assert len(wider.logs) == 6 + 1


def test_names_that_a_paper_gives_arguments_are_on_the_card(small: Round, tmp_path: Path) -> None:
    assert list_families()["tables"].aliases == {"b": "batch", "k": "rounds"}
    twice = {"b": [2, 4], "batch": [6]}
    with pytest.raises(InputError, match="batch is given twice"):
        run(spec(small, tmp_path / "logs", tasks=["table"], methods=["iterative"], sweep=twice))
    with pytest.raises(InputError, match="'b' is not an argument of rag, title"):
        run(spec(small, tmp_path / "logs", methods=["rag"], sweep={"b": [2]}))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"sweep": {"chunk": [1]}}, "'chunk' is not an argument of rag, title. There are: chunks"),
        ({"sweep": {"context": [4096, 0]}}, "context=0 is not a number of tokens"),
        ({"sweep": {"context": [4096, "many"]}}, "context='many' is not a number of tokens"),
        ({"sweep": {"context": [1]}, "context": 2}, "context has one value and is swept too"),
        ({"method_args": {"track": 1}}, "'track' is not an argument of rag. There are: chunks"),
        ({"sweep": {"chunks": [1]}, "method_args": {"chunks": 2}}, "one value and is swept too"),
        ({"sweep": {"chunks": [1, 0]}}, "chunks=0 is not a number from 1"),
    ],
)
def test_a_wrong_sweep_is_refused_before_any_work(
    small: Round, tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        run(spec(small, tmp_path / "logs", methods=["rag"], **changes))
    assert not (tmp_path / "logs").exists()


def test_a_subset_is_the_same_items_for_everyone_and_never_looks_like_the_whole(
    small: Round, tmp_path: Path
) -> None:
    some = spec(small, tmp_path / "logs", methods=["direct", "null"], subset=2, subset_seed=1)
    report = run(some)
    one, other = (answered(path) for path in report.logs)
    assert one == other
    assert len(one) == 2
    recorded = (read_eval_log(report.logs[0], header_only=True).eval.metadata or {})["subset"]
    assert (recorded["size"], recorded["of"], recorded["seed"]) == (2, ITEMS, 1)
    # The whole, and another choice, are logs and sections of their own.
    whole = run(spec(small, tmp_path / "logs"))
    others = run(dataclasses.replace(some, subset=2, subset_seed=2, methods=["null"]))
    assert not {*whole.logs, *others.logs} & set(report.logs)
    rows = leaderboard(tmp_path / "logs", resamples=0).rows
    counts = {(row["setting"], row["n"]) for row in rows}
    assert counts == {
        ("base", ITEMS),
        (f"base (2 of {ITEMS}, seed 1)", 2),
        (f"base (2 of {ITEMS}, seed 2)", 2),
    }
    # And asked for again, it is there already.
    assert run(some).logs == report.logs


def test_a_subset_that_lacks_an_answer_is_partial(small: Round, tmp_path: Path) -> None:
    run(spec(small, tmp_path / "logs", subset=3, limit=2))
    with pytest.raises(VivaError, match="2 of 3 answers"):
        leaderboard(tmp_path / "logs")


def test_a_subset_is_compared_with_the_same_subset_of_the_base_setting() -> None:
    assert base_of("mixed+padded@1 (60 of 400, seed 1)") == "base+padded (60 of 400, seed 1)"
    assert base_of("base (60 of 400)") == "base (60 of 400)"
    assert base_of("mixed@1") == "base"


def test_arguments_of_a_task_are_swept_for_every_method(small: Round, tmp_path: Path) -> None:
    swept = spec(
        small,
        tmp_path / "logs",
        methods=["direct", "null"],
        sweep={"context": [9000, 12000, 16000]},
    )
    first = run(swept)
    assert (first.failed, len(first.logs)) == ((), 6)
    rows = leaderboard(tmp_path / "logs", resamples=0).rows
    assert len({row["decoding"] for row in rows if row["method"] == "direct"}) == 3
    assert run(swept).logs == first.logs


def test_values_that_a_board_could_not_tell_apart_are_refused(tmp_path: Path) -> None:
    chosen = {"formulas": ["PEG"], "architectures": [], "reports": []}
    opened = sample_round(tmp_path, ("implementation",), implementation=chosen)
    asked = spec(opened, tmp_path / "logs", tasks=["formula"], methods=["null"], models=[])
    says = "Several values of timeout are the same setting of formula"
    with pytest.raises(InputError, match=says):
        run(dataclasses.replace(asked, sweep={"timeout": [60, 120]}))
    assert not (tmp_path / "logs").exists()


# Words of a sweep, and the combinations they stand for


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("batch=2,4,6", [2, 4, 6]),
        ("rounds=2..5", [2, 3, 4, 5]),
        ("rounds=1,4..6", [1, 4, 5, 6]),
        ("offset=-1..1", [-1, 0, 1]),
        ("cot=true,false", [True, False]),
        ("retriever=bm25,tfidf", ["bm25", "tfidf"]),
        ("share=0.5,1", [0.5, 1]),
        ("seed=7", [7]),
    ],
)
def test_a_word_names_an_argument_and_its_values(word: str, values: list[Any]) -> None:
    name = word.partition("=")[0]
    assert given_sweep([word]) == {name: values}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["batch"], "'batch' is not of the form NAME=VALUES"),
        (["batch="], "'' is not a value"),
        (["batch=2", "batch=4"], "batch is swept twice"),
        (["batch=2,2"], "a value twice"),
        (["rounds=5..2"], "not a rising range"),
        (["rounds=1..999999999"], "not a rising range of up to 1000"),
        (["batch=[2"], "no readable value"),
        (["batch={}"], "'{}' is not a value"),
    ],
)
def test_what_is_no_sweep_is_refused(words: list[str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        given_sweep(words)


def test_every_combination_of_what_a_method_takes() -> None:
    sweep = given_sweep(["batch=2,4", "rounds=1..3", "retriever=bm25"])
    found = list(combinations(sweep, ["rounds", "batch", "seed"]))
    assert [(one["batch"], one["rounds"]) for one in found] == [
        *((2, 1), (2, 2), (2, 3)),
        *((4, 1), (4, 2), (4, 3)),
    ]
    assert all(one.keys() == {"batch", "rounds"} for one in found)


def test_a_method_that_takes_nothing_swept_is_run_once() -> None:
    assert list(combinations({"batch": [2, 4]}, ["seed"])) == [{}]
    assert list(combinations({}, ["batch"])) == [{}]


def test_a_paper_s_letter_stands_for_the_argument_unless_a_method_has_one_of_that_name() -> None:
    aliases = {"b": "batch", "k": "rounds"}
    assert rename({"b": [2], "seed": [0]}, aliases, {"batch", "rounds"}) == {
        "batch": [2],
        "seed": [0],
    }
    assert rename({"k": 3}, aliases, {"k", "rounds"}) == {"k": 3}
    with pytest.raises(InputError, match="batch is given twice, once as b"):
        rename({"batch": 2, "b": 4}, aliases, {"batch"})
