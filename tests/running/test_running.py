"""Running tasks: what is resolved, resumed, counted and refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from tests.running.specs import spec
from tests.servers.commands import small_round
from tests.servers.scripted import KEY, scripted

from vivavoce.errors import InputError, VivaError
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.running import run

ITEMS = 4


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("running"), papers=ITEMS)


def headline(logs: Path, **options: Any) -> dict[str, dict[str, Any]]:
    """Rows of the headline metric by contestant."""
    rows = leaderboard(logs, resamples=0, **options).rows
    return {
        row["method"] if row["model"] == "none" else row["model"].split("/")[-1]: row
        for row in rows
        if row["metric"] == "rougeL"
    }


def answers(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return f"replay/{path}"


def test_a_log_for_each_task_method_and_model(small: Round, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = run(
        spec(
            small,
            tmp_path / "logs",
            tasks=["title", "vivavoce/abstract", "title"],
            models=["extractive/lead", "extractive/centrality", "extractive/lead"],
            methods=["direct", "oracle", "null", "copycat", "direct"],
        ),
        lambda done, total: seen.append((done, total)),
    )
    assert report.failed == ()
    made = set()
    for path in report.logs:
        log = read_eval_log(path, header_only=True)
        steps = [step.solver for step in log.plan.steps]
        made.add((log.eval.task, log.eval.model, *steps))
    models = ("extractive/lead", "extractive/centrality")
    assert made == {
        (f"vivavoce/{task}", model, solver)
        for task in ("title", "abstract")
        for model, solver in [
            *((model, "vivavoce/direct") for model in models),
            *(("none/none", f"vivavoce/{name}") for name in ("oracle", "null", "copycat")),
        ]
    }
    assert len(report.logs) == 10
    total = 10 * ITEMS
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


def test_a_contestant_needs_no_model_and_no_second_log(small: Round, tmp_path: Path) -> None:
    report = run(spec(small, tmp_path / "logs", models=[], methods=["oracle", "null"]))
    assert (len(report.logs), report.failed) == (2, ())
    again = run(spec(small, tmp_path / "logs", models=[], methods=["oracle", "null"]))
    assert again.logs == report.logs


def test_more_models_can_be_added_to_the_same_logs(small: Round, tmp_path: Path) -> None:
    run(spec(small, tmp_path / "logs"))
    run(spec(small, tmp_path / "logs", models=["extractive/centrality"]))
    assert headline(tmp_path / "logs").keys() == {"lead", "centrality"}


def test_a_limited_run_is_partial_until_it_is_run_in_full(small: Round, tmp_path: Path) -> None:
    report = run(spec(small, tmp_path / "logs", limit=2))
    assert report.failed == ()
    with pytest.raises(VivaError, match="2 of 4 answers"):
        leaderboard(tmp_path / "logs")
    assert headline(tmp_path / "logs", partial=True)["lead"]["partial"]
    run(spec(small, tmp_path / "logs"))
    assert headline(tmp_path / "logs")["lead"]["n"] == ITEMS


def test_another_decoding_is_another_row(small: Round, tmp_path: Path) -> None:
    run(spec(small, tmp_path / "logs"))
    run(spec(small, tmp_path / "logs", temperature=0.7))
    run(spec(small, tmp_path / "logs", max_tokens=64))
    run(spec(small, tmp_path / "logs", epochs=2))
    run(spec(small, tmp_path / "logs", context=2_000))
    rows = leaderboard(tmp_path / "logs", resamples=0).rows
    assert sorted(row["decoding"] for row in rows if row["metric"] == "rougeL") == [
        "temperature=0.0 max_tokens=128 attempts=1",
        "temperature=0.0 max_tokens=128 attempts=2",
        "temperature=0.0 max_tokens=128 context=2000 attempts=1",
        "temperature=0.0 max_tokens=64 attempts=1",
        "temperature=0.7 max_tokens=128 attempts=1",
    ]


def test_answers_from_elsewhere_are_scored_and_gaps_counted(small: Round, tmp_path: Path) -> None:
    gold = {row["id"]: row["reference"] for row in small.items("writing", "title")}
    first, second, third, fourth = sorted(gold)
    whole = answers(tmp_path / "gold.jsonl", *({"id": i, "text": t} for i, t in gold.items()))
    part = answers(
        tmp_path / "part.jsonl",
        {"id": first, "text": gold[first]},
        {"id": second, "text": None},
        {"id": third, "text": "I'm sorry, but I can't help with that."},
    )
    assert fourth
    report = run(spec(small, tmp_path / "logs", models=[whole, part]))
    assert report.failed == ()
    rows = headline(tmp_path / "logs")
    assert (rows["gold.jsonl"]["value"], rows["gold.jsonl"]["rank"]) == (1.0, 1)
    assert rows["part.jsonl"]["value"] == 0.25  # one of four
    assert rows["part.jsonl"]["value_valid"] == 1.0
    assert (rows["part.jsonl"]["n"], rows["part.jsonl"]["missing"]) == (4, 1)
    assert rows["part.jsonl"]["faults"] == {"empty": 1, "missing": 1, "refusal": 1}
    assert rows["part.jsonl"]["valid"] == 0.25


def test_answers_differ_by_epoch(small: Round, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for item in small.items("writing", "title"):
        rows += [
            {"id": item["id"], "epoch": 1, "text": item["reference"]},
            {"id": item["id"], "epoch": 2, "text": "zzz"},
        ]
    model = answers(tmp_path / "two.jsonl", *rows)
    run(spec(small, tmp_path / "logs", models=[model], epochs=2))
    row = headline(tmp_path / "logs")["two.jsonl"]
    assert (row["value"], row["n"], row["valid"]) == (0.5, ITEMS, 1.0)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"tasks": ["novel"]}, "There is no task 'novel'"),
        ({"methods": ["magic"]}, "no method 'magic'.*direct"),
        ({"models": []}, "at least one --model"),
        ({"settings": ["everything"]}, "no setting 'everything'.*base"),
        ({"models": ["nonsense/model"]}, "nonsense/model cannot be used"),
        ({"models": ["extractive/other"]}, "extractive/lead"),
        ({"models": ["replay/none.jsonl"]}, "none.jsonl is not a file"),
        ({"round": Path("nowhere")}, "nowhere is not a round"),
        ({"decoding": {"temperature": float("nan")}}, "temperature is nan. Give a number"),
        ({"prompts": Path("nowhere")}, "nowhere has no prompt templates"),
    ],
)
def test_wrong_use_is_reported_before_any_work(
    small: Round, tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        run(spec(small, tmp_path / "logs", **changes))
    assert not (tmp_path / "logs").exists()


def test_a_missing_key_is_reported_in_plain_words(
    small: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCRIPTED_API_KEY", raising=False)
    with pytest.raises(VivaError, match="SCRIPTED_API_KEY") as caught:
        run(spec(small, tmp_path / "logs", models=["openai-api/scripted/model"]))
    assert "[bold]" not in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_model_is_asked_where_it_is_now_not_where_it_was_in_an_earlier_run(
    small: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", KEY)
    for logs in ("first", "second"):
        with scripted() as server:
            monkeypatch.setenv("SCRIPTED_BASE_URL", server.url)
            model = "openai-api/scripted/moved"
            report = run(spec(small, tmp_path / logs, models=[model], max_retries=0))
        assert report.failed == ()
        assert len(server.prompts("moved")) == ITEMS


def test_a_window_too_small_is_reported_with_the_log(small: Round, tmp_path: Path) -> None:
    report = run(spec(small, tmp_path / "logs", context=200, retry_on_error=0))
    [line] = report.failed
    assert "ended as error" in line
    assert "A window of 200 tokens with 128 kept for the answer" in line


def test_a_request_takes_what_the_run_says_else_ten_minutes(small: Round, tmp_path: Path) -> None:
    def patience(**changes: Any) -> tuple[int | None, int | None]:
        [path] = run(spec(small, tmp_path / str(len(changes)), **changes)).logs
        config = read_eval_log(path, header_only=True).plan.config
        return config.attempt_timeout, config.max_retries

    assert patience() == (600, 6)
    assert patience(attempt_timeout=30) == (30, 6)
    assert patience(attempt_timeout=30, max_retries=0) == (30, 0)
