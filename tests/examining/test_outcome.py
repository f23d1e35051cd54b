"""The answer of an exam: held against small standings worked out by hand."""

from collections.abc import Sequence
from typing import Any

from vivavoce.examining.outcome import AUTHORS, Outcome, conclude
from vivavoce.examining.planning import ExamTask
from vivavoce.examining.request import as_csv, left_out_lines
from vivavoce.examining.standings import Standing
from vivavoce.reports import Sheet, markdown
from vivavoce.results.logs.records import RowKey, RunLog, SampleScore

A, B, C = "lab/a", "lab/b", "lab/c"


def log_of(task: str, method: str, values: Sequence[float], cost: float | None) -> RunLog:
    key = RowKey("r", task, "1-A", "base", method, method, "", "", "")
    samples = tuple(
        SampleScore(f"i{n}", 1, f"p{n}", {"rougeL": value}, None if value else "empty", 9, cost, 0)
        for n, value in enumerate(values)
    )
    return RunLog(
        name=method, created="", key=key, metrics=("rougeL",), diagnostics=(),
        round_sha256="", judged=frozenset(), is_own_judge=None, window=("", ""),
        expected=len(values),
        status="success", family="writing", stages=(), samples=samples,
    )  # fmt: skip


def standing(task: str, values: dict[str, list[float]], beats: set[tuple[str, str]]) -> Standing:
    """Contestants on the items that all have: as many as the shortest list."""
    shared = min(map(len, values.values()))
    chosen = ExamTask("writing", task, "direct", "rougeL", 4, 4, ("lead", "null"), False)
    means = {name: sum(each[:shared]) / shared for name, each in values.items()}
    return Standing(
        chosen=chosen,
        logs={
            name: log_of(task, name, each, 0.5 if "/" in name else None)
            for name, each in values.items()
        },
        items=[f"i{n}" for n in range(shared)],
        papers=shared,
        values={name: {"value": mean, "ci": None} for name, mean in means.items()},
        beats=frozenset(beats),
        sign=1,
    )


def pair(task: str, one: str, other: str, better: str | None, more: int | None) -> dict[str, Any]:
    worse = None if better is None else other if better == one else one
    return {"task": task, "between": [one, other], "better": better, "worse": worse,
            "more_papers_needed": more}  # fmt: skip


REST = {"lead": [0.2] * 4, "null": [0.1] * 4, AUTHORS: [1.0] * 4}


def answer(stands: Sequence[Standing], pairs: Sequence[Any], models: Sequence[str]) -> Outcome:
    return conclude(stands, pairs, models)


def test_models_that_lose_to_a_baseline_are_not_recommended() -> None:
    values = {A: [0.1] * 4, B: [0.05] * 2, C: [0.0] * 4, **REST}
    stand = standing("abstract", values, {("lead", A), ("lead", B), ("lead", C)})
    pairs = [pair("abstract", A, B, A, None), pair("abstract", A, C, A, None),
             pair("abstract", B, C, None, 7)]  # fmt: skip
    found = answer([stand], pairs, (A, B, C))
    assert found.answer == (
        "None of the 3 models is better than the baseline lead on abstract (worse: a, b, c)."
    )
    assert found.more_papers == []
    table = found.table()
    assert table.heads == (
        *("contestant", "abstract (rougeL)", "per answer", "in all", "failed", "papers"),
    )
    assert table.rows == (
        ("authors' text", "1.000", "", "", "", ""),
        ("lead (baseline)", "0.200", "", "", "", ""),
        ("a", "0.100", "$0.50", "$2.00 for 4", "0", "4"),
        ("b", "0.050", "$0.50", "$1.00 for 2", "0", "2"),
        ("c", "0.000", "$0.50", "$2.00 for 4", "4", "4"),
    )
    assert (
        table.below[0]
        == "Scores [95% interval] on the papers that every contestant answered: abstract 2."
    )


def test_one_for_a_task_and_several_that_cannot_be_told_apart_on_another() -> None:
    values = {A: [0.5] * 4, B: [0.6] * 4, C: [0.3] * 4, **REST}
    above = {(A, "lead"), (B, "lead"), (C, "lead")}
    stands = [standing("related_work", values, above), standing("title", values, above)]
    pairs = [
        *(pair("related_work", A, B, B, None), pair("related_work", A, C, A, None)),
        *(pair("related_work", B, C, B, None), pair("title", A, B, None, 12)),
        *(pair("title", A, C, A, None), pair("title", B, C, B, None)),
    ]
    found = answer(stands, pairs, (A, B, C))
    assert found.answer == (
        "b is the best model, better than the baseline lead, on related work; "
        "a and b are too close to call on title."
    )
    assert found.more_papers == [
        "title: about 12 more such papers would probably separate a and b."
    ]
    assert [row["best"] for row in found.tasks] == [[B], [A, B]]


def test_an_outcome_that_several_tasks_share_is_reported_once() -> None:
    low = {A: [0.1] * 4, B: [0.05] * 4, **REST}
    mixed = {**low, "null": [0.3] * 4}
    stands = [
        standing("title", low, {("lead", A), ("lead", B)}),
        standing("abstract", mixed, {("null", A), ("null", B)}),
        standing("introduction", low, {("lead", B)}),
    ]
    pairs = [pair(each.chosen.task, A, B, None, 9) for each in stands]
    assert answer(stands, pairs, (A, B)).answer == (
        "Neither a nor b is better than the best baseline (lead, null) on title and abstract "
        "(worse: a, b), on introduction (worse: b; undecided: a)."
    )


def test_without_models_only_a_baseline_shown_to_be_better_is_called_the_best() -> None:
    stands = [
        standing("title", REST, {("lead", "null")}),
        standing("abstract", REST, set()),
        standing("related_work", REST, set()),
    ]
    found = answer(stands, [], ())
    assert found.answer == (
        "No model was asked; lead is the best baseline on title; "
        "the baselines lead and null are too close to call on abstract and related work."
    )
    assert [row["best"] for row in found.tasks] == [["lead"], ["lead", "null"], ["lead", "null"]]


def test_one_model_alone_is_compared_with_the_best_baseline() -> None:
    stand = standing("title", {A: [0.5] * 4, **REST}, {(A, "lead"), (A, "null")})
    assert answer([stand], [], (A,)).answer == "a is better than every baseline on title."
    found = answer([standing("title", {A: [0.5] * 4, **REST}, set())], [], (A,))
    assert found.answer == "a is not better than the baseline lead on title (undecided: a)."
    assert found.more_papers == [
        "title: about 8 more such papers would probably separate a and lead."
    ]


def test_what_is_pasted_cannot_mark_up_anything() -> None:
    table = Sheet("", ("contestant", "value"), (("<b>a|b</b>", "0.1"),), ("a *note*",))
    assert list(markdown(["_x_", table])) == [
        r"\_x\_", "",
        "| contestant | value |", "| --- | ---: |", r"| \<b\>a\|b\</b\> | 0.1 |", "",
        r"a \*note\*", "",
    ]  # fmt: skip


def test_papers_left_out_are_named_five_at_a_time() -> None:
    rows = [{"file": f"{n}.pdf", "reason": "scanned", "remedy": "ocrmypdf a a"} for n in range(7)]
    lines = list(left_out_lines(rows, "out/left-out.csv"))
    assert lines[0] == "  0.pdf: scanned; ocrmypdf a a"
    assert lines[5:] == ["  2 more: out/left-out.csv"]
    risky = [{"file": "=cmd()", "reason": "x,y", "remedy": None}]
    assert as_csv(risky) == 'file,reason,remedy\n\'=cmd(),"x,y",\n'
