"""Two contestants' answers, item by item, for people to judge."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput
from tests.results.audits.made_logs import write_log
from tests.results.audits.made_table_logs import table, write_table_log

from vivavoce.errors import InputError
from vivavoce.results.audits.preferences import preference_rows, question_rows
from vivavoce.web.annotation.kinds import KINDS, check_rows


def answered(path: Path, model: str, *silent: str) -> None:
    """Give a log answers: the model's name and the item."""
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        text = "" if sample.id in silent else f"{model} on {sample.id}"
        sample.output = ModelOutput.from_content(model, text)
        sample.input = f"Write about {sample.id}."
        sample.target = f"gold of {sample.id}"
    write_eval_log(log, str(path))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for model, silent in (("lab/one", ()), ("lab/two", ("c",))):
        for setting in ("base", "random"):
            path = write_log(folder, dict.fromkeys("abc", 0.5), model=model, setting=setting)
            answered(path, model, *silent)
    return folder


def test_items_that_both_answered_are_kept_in_order(logs: Path) -> None:
    rows, left_out = preference_rows(logs, "lab/two", "lab/one", setting="base")
    assert [row["id"] for row in rows] == ["title base a", "title base b"]
    assert left_out == 1  # c: lab/two said nothing
    assert rows[0]["content"] == {
        "prompt": "Write about a.",
        "a": "lab/two on a",
        "b": "lab/one on a",
        "names": {"a": "lab/two", "b": "lab/one"},
        "source": {"id": "a", "task": "title", "setting": "base"},
    }
    items = check_rows(KINDS["preference"], [(row, "here") for row in rows])
    assert len(items) == 2


def test_every_setting_is_taken_unless_one_is_named(logs: Path) -> None:
    rows, _ = preference_rows(logs, "lab/one", "lab/two")
    assert [row["content"]["source"]["setting"] for row in rows] == [
        "base",
        "base",
        "random",
        "random",
    ]


def test_the_reference_is_a_side_too(logs: Path) -> None:
    rows, _ = preference_rows(logs, "lab/one", "reference", task="title", setting="base")
    assert [row["content"]["b"] for row in rows] == [f"gold of {x}" for x in "abc"]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("lab/one", "lab/one", "with itself"),
        (
            "lab/one",
            "lab/nine",
            "no contestant 'lab/nine'. Contestants: lab/one, lab/two, reference",
        ),
    ],
)
def test_names_are_those_of_the_board(logs: Path, a: str, b: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        preference_rows(logs, a, b)
    assert message in str(refused.value)


def test_a_name_that_means_two_logs_is_refused(logs: Path) -> None:
    write_log(logs, {"a": 0.5}, model="lab/one", prompt_hash="other")
    with pytest.raises(InputError, match="lab/one has 2 logs of title"):
        preference_rows(logs, "lab/one", "lab/two")


def test_tables_are_asked_about_by_their_first_valid_answers(tmp_path: Path) -> None:
    gold = table("Task|Year", "P1|QA|2019", "P2|MT|2017")
    twice = {item: [gold, gold] for item in ("t1", "t2")}
    write_table_log(tmp_path, {"t1": gold, "t2": gold}, twice, faults={"t2": "refusal"})
    names = [row["id"] for row in question_rows(tmp_path, "answers")]
    assert len(names) == len(set(names)) > 0
    assert all(name.startswith("lab/one + one_step t1 ") for name in names)


def test_a_draw_takes_whole_clusters_at_random_and_says_so(tmp_path: Path) -> None:
    clusters = {f"{paper}{part}": paper for paper in "pqrst" for part in "12"}
    path = write_log(tmp_path, dict.fromkeys(clusters, 0.5), clusters=clusters)
    answered(path, "lab/one")
    drawn, _ = preference_rows(tmp_path, "lab/one", "reference", draw=2, seed=3)
    papers = [row["cluster"] for row in drawn]
    assert len(papers) == 4
    assert len(set(papers)) == 2
    records = {row["content"]["source"]["draw"] for row in drawn}
    assert records == {"2 of 5 clusters at random, seed 3"}
    check_rows(KINDS["preference"], [(row, "here") for row in drawn])
    chosen = set()
    for seed in range(20):
        rows, _ = preference_rows(tmp_path, "lab/one", "reference", draw=1, seed=seed)
        chosen |= {row["cluster"] for row in rows}
    assert chosen == set("pqrst")
    assert len(preference_rows(tmp_path, "lab/one", "reference", draw=99)[0]) == 10
