"""The board: values by hand, ranks, and what is refused. Logs are written by Inspect itself."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelUsage
from tests.servers.commands import title_logs
from tests.statistics.one_metric import interval

from vivavoce.errors import VivaError
from vivavoce.reports import Sheet
from vivavoce.results.board.building import leaderboard
from vivavoce.results.board.groups import Board

ITEMS = 4
METRICS = ("rougeL", "rouge1", "rouge2", "length_ratio")

Value = float | None
Answer = tuple[Value, str | None]
"""A value in every metric, and a fault."""
Write = Callable[..., None]


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[int, EvalLog]:
    """Complete logs with one and with two answers a sample."""
    folder = tmp_path_factory.mktemp("board")
    return {
        epochs: read_eval_log(
            title_logs(folder, ITEMS, logs=folder / str(epochs), epochs=epochs)[0]
        )
        for epochs in (1, 2)
    }


@pytest.fixture
def write(templates: dict[int, EvalLog], tmp_path: Path) -> Write:
    """Write a log whose samples carry the answers given, in the order of ids, then epochs."""
    count = 0

    def write_log(
        answers: Sequence[Answer | float],
        *,
        model: str = "lab/one",
        method: str = "direct",
        epochs: int = 1,
        clusters: Sequence[str] | None = None,
        costs: Sequence[float] = (),
        created: str = "2024-01-01T00:00:00+00:00",
        status: str = "success",
        metadata: dict[str, Any] | None = None,
        folder: Path = tmp_path,
    ) -> None:
        nonlocal count
        count += 1
        log = templates[epochs].model_copy(deep=True)
        log.eval.model, log.eval.created, log.status = model, created, status  # type: ignore[assignment]
        log.eval.metadata = {**(log.eval.metadata or {}), **(metadata or {})}
        log.plan.steps[0].solver = f"vivavoce/{method}"
        samples = sorted(log.samples or [], key=lambda sample: (str(sample.id), sample.epoch))
        log.samples = samples[: len(answers)]
        for index, (sample, given) in enumerate(zip(log.samples, answers, strict=True)):
            value, fault = given if isinstance(given, tuple) else (given, None)
            score = sample.scores["writing"]
            number = math.nan if value is None else value
            score.value = {**dict.fromkeys(METRICS, number), "valid": 0.0 if fault else 1.0}
            score.metadata = {"fault": fault}
            if clusters:
                sample.metadata["cluster"] = clusters[index // epochs]
            if costs:
                sample.model_usage = {model: ModelUsage(total_cost=costs[index])}
        folder.mkdir(exist_ok=True)
        write_eval_log(log, str(folder / f"2024-01-01T00-00-{count:02d}_title_{count}.eval"))

    return write_log


def headline(board: Board) -> list[dict[str, Any]]:
    return [row for row in board.rows if row["metric"] == "rougeL"]


def test_a_row_by_hand(write: Write, tmp_path: Path) -> None:
    write([0.2, (0.0, "refusal"), 0.6, (0.0, "missing")])
    [row] = headline(leaderboard(tmp_path))
    assert row["value"] == pytest.approx(0.2)  # (0.2 + 0 + 0.6 + 0) / 4
    assert row["value_valid"] == pytest.approx(0.4)  # (0.2 + 0.6) / 2
    assert (row["n"], row["valid"], row["missing"], row["undefined"]) == (4, 0.5, 1, 0)
    assert row["faults"] == {"missing": 1, "refusal": 1}


def test_costs_are_the_same_in_any_order_of_answers(write: Write, tmp_path: Path) -> None:
    write([0.5] * 3, model="lab/one", costs=[0.1, 0.2, 0.3])
    write([0.5] * 3, model="lab/two", costs=[0.3, 0.2, 0.1])
    board = leaderboard(tmp_path, partial=True)
    assert [row["cost"] for row in headline(board)] == [0.6, 0.6]


def test_one_row_for_each_metric(write: Write, tmp_path: Path) -> None:
    write([0.1, 0.2, 0.3, 0.4])
    board = leaderboard(tmp_path)
    assert sorted(row["metric"] for row in board.rows) == sorted(METRICS)
    assert board.headlines == {"title": "rougeL"}
    assert [(r["id"], r["window"], r["counts"]) for r in board.rounds] == [
        ("small", ["2023-01-01", "2025-01-01"], {"title": ITEMS})
    ]


def test_a_diagnostic_has_a_row_with_an_interval_and_no_rank(write: Write, tmp_path: Path) -> None:
    write([0.1, 0.2, 0.3, 0.4])
    by_metric = {row["metric"]: row for row in leaderboard(tmp_path).rows}
    headline, diagnostic = by_metric["rougeL"], by_metric["length_ratio"]
    for name in ("value", "ci", "n", "valid"):
        assert diagnostic[name] == headline[name]
    assert (headline["rank"], diagnostic["rank"]) == (1, None)
    assert diagnostic["rank_interval"] is diagnostic["undecided_with"] is None


def test_an_item_answered_twice_counts_with_its_mean(write: Write, tmp_path: Path) -> None:
    answers: list[Answer | float] = [0.0, 1.0, 0.4, (0.0, "empty"), 0.2, 0.4, 0.6, 0.6]
    write(answers, epochs=2)
    [row] = headline(leaderboard(tmp_path))
    # Items: (0 + 1)/2 = 0.5, (0.4 + 0)/2 = 0.2, 0.3, 0.6; their mean is 1.6/4.
    assert row["value"] == pytest.approx(0.4)
    assert (row["n"], row["valid"]) == (4, 7 / 8)
    # Valid answers: 0, 1, 0.4, 0.2, 0.4, 0.6, 0.6; 3.2/7.
    assert row["value_valid"] == pytest.approx(3.2 / 7)
    assert row["ci"] == list(interval([0.5, 0.2, 0.3, 0.6], ["a", "b", "c", "d"]) or ())


def test_the_interval_resamples_the_clusters(write: Write, tmp_path: Path) -> None:
    values, clusters = [0.1, 0.3, 0.8, 0.9], ["x", "x", "y", "z"]
    write(values, clusters=clusters)
    [row] = headline(leaderboard(tmp_path, resamples=500, seed=7))
    assert row["ci"] == list(interval(values, clusters, resamples=500, seed=7) or ())
    assert row["ci"] != list(interval(values, "abcd", resamples=500, seed=7) or ())


def test_no_interval_without_draws_or_with_a_single_cluster(write: Write, tmp_path: Path) -> None:
    write([0.1, 0.3, 0.8, 0.9], folder=tmp_path / "a")
    write([0.1, 0.3, 0.8, 0.9], clusters=["x"] * 4, folder=tmp_path / "b")
    assert headline(leaderboard(tmp_path / "a", resamples=0))[0]["ci"] is None
    assert headline(leaderboard(tmp_path / "b"))[0]["ci"] is None


def test_methods_of_one_model_are_contestants_of_their_own(write: Write, tmp_path: Path) -> None:
    write([0.5] * 4, method="direct")
    write([0.4] * 4, method="rag")
    assert {row["method"]: row["rank"] for row in headline(leaderboard(tmp_path))} == {
        "direct": 1,
        "rag": 2,
    }


@pytest.mark.parametrize(("value", "leader"), [(0.5, "lab/one"), (0.0, "none is better than null")])
def test_the_summary_names_no_leader_that_is_as_bad_as_null(
    write: Write, tmp_path: Path, value: float, leader: str
) -> None:
    write([value] * 4)
    write([0.0] * 4, model="none/none", method="null")
    [row] = leaderboard(tmp_path).summary().rows
    assert row[:3] == ("title", "small", leader)


def test_the_summary_names_no_leader_with_the_worst_score(write: Write, tmp_path: Path) -> None:
    write([0.0] * 4)
    [row] = leaderboard(tmp_path).summary().rows
    assert row[:3] == ("title", "small", "none, all have the worst score")


def test_an_undefined_value_is_counted_and_left_out(write: Write, tmp_path: Path) -> None:
    write([None, 0.2, 0.4, 0.6])
    [row] = headline(leaderboard(tmp_path))
    assert (row["value"], row["undefined"], row["n"]) == (pytest.approx(0.4), 1, 4)
    assert row["rank"] is None  # more than 5% undefined: this metric ranks nobody
    sheet = next(iter(leaderboard(tmp_path).parts()))
    assert isinstance(sheet, Sheet)
    cells = [cell for cell in sheet.rows[0] if cell.startswith("0.400 ")]
    assert any(cell.endswith(" n 3") for cell in cells)  # its own items


def test_of_two_logs_of_one_row_the_newest_complete_one_counts(
    write: Write, tmp_path: Path
) -> None:
    write([0.1] * 4, created="2024-03-01T00:00:00+00:00")
    write([0.2] * 4, created="2024-05-01T00:00:00+00:00")
    write([0.3] * 4, created="2024-04-01T00:00:00+00:00")
    write([0.9] * 2, created="2024-06-01T00:00:00+00:00")
    board = leaderboard(tmp_path)
    [row] = headline(board)
    assert row["value"] == pytest.approx(0.2)
    assert not row["partial"]
    assert len(board.notes) == 2
    assert all("_title_2.eval; left out" in note for note in board.notes)


def test_a_partial_log_is_refused_by_name_or_marked(write: Write, tmp_path: Path) -> None:
    write([0.5] * 4, model="lab/whole")
    write([0.9] * 3, model="lab/part")
    write([0.9] * 4, model="lab/killed", status="started")
    with pytest.raises(VivaError, match="not complete") as caught:
        leaderboard(tmp_path)
    assert caught.value.exit_code == 1
    assert "_title_2.eval: 3 of 4 answers" in str(caught.value)
    assert "_title_3.eval: 4 of 4 answers, status started" in str(caught.value)
    assert "_title_1.eval" not in str(caught.value)
    board = leaderboard(tmp_path, partial=True)
    assert {row["model"]: (row["partial"], row["rank"]) for row in headline(board)} == {
        "lab/whole": (False, 1),
        "lab/part": (True, None),
        "lab/killed": (True, None),
    }
    assert sum("is partial" in note for note in board.notes) == 2


def test_a_log_without_any_answer_can_be_shown(write: Write, tmp_path: Path) -> None:
    write([])
    [row] = headline(leaderboard(tmp_path, partial=True))
    assert (row["n"], row["value"], row["valid"], row["ci"]) == (0, None, None, None)


def test_two_rounds_of_one_name_are_refused(write: Write, tmp_path: Path) -> None:
    write([0.5] * 4, model="lab/one")
    write([0.5] * 4, model="lab/two", metadata={"round_sha256": "0" * 64})
    for partial in (False, True):
        with pytest.raises(VivaError, match="rounds have the name small"):
            leaderboard(tmp_path, partial=partial)


def test_rounds_of_two_names_are_ranked_apart(write: Write, tmp_path: Path) -> None:
    write([0.5] * 4)
    write([0.4] * 4, metadata={"round": "other", "round_sha256": "0" * 64})
    board = leaderboard(tmp_path)
    assert [(row["round"], row["rank"]) for row in headline(board)] == [("other", 1), ("small", 1)]
    assert [entry["id"] for entry in board.rounds] == ["other", "small"]


def test_a_damaged_log_is_refused_or_noted(write: Write, tmp_path: Path) -> None:
    write([0.5] * 4)
    (tmp_path / "2024-01-01T00-00-00_title_bad.eval").write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(VivaError, match=r"_title_bad\.eval: cannot be read"):
        leaderboard(tmp_path)
    board = leaderboard(tmp_path, partial=True)
    assert len(headline(board)) == 1
    assert any("_title_bad.eval cannot be read" in note for note in board.notes)


def test_the_same_logs_make_the_same_board(write: Write, tmp_path: Path) -> None:
    write([0.1, 0.2, 0.3, 0.7], model="lab/one")
    write([0.7, 0.3, 0.2, 0.1], model="lab/two")
    first, again = leaderboard(tmp_path), leaderboard(tmp_path)
    assert first == again
    one, two = headline(first)
    # The sums of the same numbers in another order are equal to the last digit: a tie.
    assert one["value"] == two["value"] == one["value_valid"] == two["value_valid"]
    assert (one["rank"], two["rank"]) == (1, 1)


def test_a_board_is_a_data_frame_and_a_table_of_a_notebook(write: Write, tmp_path: Path) -> None:
    write([0.2, 0.4, 0.6, 0.8])
    write([0.1, 0.1, 0.1, 0.1], model="lab/<b>two</b>")
    board = leaderboard(tmp_path)
    frame = board.to_pandas()
    assert len(frame) == 2 * len(METRICS)
    assert set(frame[frame["headline"]]["metric"]) == {"rougeL"}
    first = board.to_pandas(headline=True).set_index("model").loc["lab/one"]
    assert first["value"] == pytest.approx(0.5)
    [row] = [row for row in headline(board) if row["model"] == "lab/one"]
    assert [first["ci_low"], first["ci_high"]] == row["ci"]
    shown = board._repr_html_()
    assert "0.500" in shown
    assert "lab/&lt;b&gt;two&lt;/b&gt;" in shown
