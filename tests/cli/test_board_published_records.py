"""`viva board build --published`: results of other boards beside ours, never ranked with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import only_json, small_round, viva_here

from vivavoce.running import RunSpec, run
from vivavoce.store import read_json

DAY = ("--date", "2026-01-02", "--organization", "Example lab")
FAST = ("--resamples", "500", "--no-charts")
SAME = ("value", "ci", "n", "clusters", "missing", "undefined", "valid", "value_valid", "metric")
MARK = "not recomputed"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of two contestants on one round, and records of two of another run on it."""
    made = tmp_path_factory.mktemp("published")
    opened = small_round(made, papers=5)
    for name, models in (("ours", ["extractive/lead"]), ("theirs", ["extractive/centrality"])):
        spec = RunSpec(
            tasks=["title"],
            round=opened.folder,
            logs=made / name,
            models=models,
            methods=["direct", "copycat"],
            display="none",
        )
        assert run(spec).failed == ()
    viva_here("board", "export", made / "theirs", "--as", "eee", "--out", made / "eee", *DAY)
    return made


def rows_of(site: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_json(site / "board.json")["rows"]
    return found


def build(folder: Path, out: Path, *options: str | Path) -> list[dict[str, Any]]:
    viva_here("board", "build", folder / "ours", "--out", out, *FAST, *options)
    return rows_of(out)


def test_our_own_records_come_back_as_they_went(folder: Path, tmp_path: Path) -> None:
    rows = build(folder, tmp_path / "site", "--published", folder / "eee")
    theirs = only_json(viva_here("board", "show", folder / "theirs", "--json").stdout)["rows"]
    published = [row for row in rows if MARK in row["method"]]
    assert len(published) == len(theirs) > 4
    found = {(row["method"], row["model"], row["metric"]): row for row in published}
    for row in theirs:
        method = f"{row['method']} ({MARK}, Example lab)"
        back = found[method, row["model"], row["metric"]]
        assert {name: back[name] for name in SAME} == {name: row[name] for name in SAME}
        for name in ("round", "task", "task_version", "setting", "decoding", "prompt_hash"):
            assert back[name] == row[name]
        assert (back["rank"], back["rank_interval"], back["tied_with"]) == (None, None, None)


def test_ours_are_what_they_were_without_them(folder: Path, tmp_path: Path) -> None:
    alone = build(folder, tmp_path / "alone")
    beside = build(folder, tmp_path / "beside", "--published", folder / "eee")
    assert [row for row in beside if MARK not in row["method"]] == alone
    names = {row["model"] for row in alone} | {row["method"] for row in alone}
    assert not any(MARK in str(row["tied_with"]) for row in beside), names


HARNESS: dict[str, Any] = {
    "schema_version": "0.3.0",
    "evaluation_id": "paper-quiz/acme/small-7b/1767312000",
    "retrieved_timestamp": "1767312000",
    "source_metadata": {
        "source_name": "Paper quiz",
        "source_type": "documentation",
        "source_organization_name": "Quiz makers",
        "evaluator_relationship": "third_party",
    },
    "eval_library": {"name": "lm_eval", "version": "0.4.9"},
    "model_info": {"name": "Small 7B", "id": "acme/small-7b"},
    "evaluation_results": [
        {
            "evaluation_name": "title_guess",
            "source_data": {"dataset_name": "quiz-v2", "source_type": "hf_dataset"},
            "metric_config": {"metric_name": "accuracy", "lower_is_better": False},
            "score_details": {
                "score": 0.61,
                "uncertainty": {
                    "confidence_interval": {"lower": 0.55, "upper": 0.67, "confidence_level": 0.95},
                    "num_samples": 250,
                },
            },
            "generation_config": {"generation_args": {"temperature": 0.0, "max_tokens": 64}},
        },
        {
            "evaluation_name": "abstract_guess",
            "source_data": {"dataset_name": "quiz-v2", "source_type": "other"},
            "metric_config": {"lower_is_better": False},
            "score_details": {
                "score": 41,
                "uncertainty": {
                    "confidence_interval": {"lower": 39.0, "upper": 43.0, "confidence_level": 0.68}
                },
            },
        },
    ],
}


def changed(*path: str | int, value: Any) -> dict[str, Any]:
    """The record with one field set."""
    record = json.loads(json.dumps(HARNESS))
    place = record
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return record


def test_a_record_of_another_harness_is_a_board_of_its_own(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "quiz.json").write_text(json.dumps(HARNESS), "utf-8")
    rows = build(folder, tmp_path / "site", "--published", tmp_path / "quiz.json")
    first, second = sorted((r for r in rows if MARK in r["method"]), key=lambda r: -r["n"])
    assert first == first | {
        **{"round": "paper-quiz", "task": "title_guess", "setting": "quiz-v2"},
        **{"method": "lm_eval 0.4.9 (not recomputed, Quiz makers)", "model": "acme/small-7b"},
        **{"metric": "accuracy", "value": 0.61, "ci": [0.55, 0.67], "n": 250, "rank": None},
        **{"decoding": "max_tokens=64 temperature=0.0", "cost": None, "valid": None},
    }
    # An interval of another level is none of ours, and no number of items is no number.
    assert (second["value"], second["ci"], second["n"]) == (41, None, 0)
    assert second["metric"] == "abstract_guess"
    pages = [page.read_text("utf-8") for page in (tmp_path / "site").rglob("*.html")]
    assert sum(MARK in page and "acme/" in page.replace("<wbr>", "") for page in pages) >= 2
    (own,) = (tmp_path / "site").glob("boards/*/abstract-guess*.html")
    assert ">0<" not in own.read_text("utf-8")  # of items; it is not known how many
    assert "They were not recomputed" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_the_record_that_was_retrieved_last_counts(folder: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.mkdir()
    later = changed("retrieved_timestamp", value="1767312001")
    later["evaluation_results"][0]["score_details"]["score"] = 0.7
    (records / "a.json").write_text(json.dumps(later), "utf-8")
    (records / "b.json").write_text(json.dumps(HARNESS), "utf-8")
    rows = build(folder, tmp_path / "site", "--published", records)
    assert [row["value"] for row in rows if row["metric"] == "accuracy"] == [0.7]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (changed("evaluation_results", value=[]), "it has no evaluation_results"),
        (["a list"], "it has no evaluation_results"),
        (changed("evaluation_results", 0, value="text"), "evaluation_results.0 gives a row"),
        (
            changed("evaluation_results", 0, "score_details", "score", value=float("nan")),
            "evaluation_results.0 gives a row with a wrong 'value'",
        ),
        (
            changed("evaluation_results", 1, "score_details", "score", value="41"),
            "evaluation_results.1 gives a row with a wrong 'value'",
        ),
        (changed("model_info", "id", value=7), "with a wrong 'model'"),
    ],
)
def test_what_is_no_record_is_named(
    record: Any, message: str, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(record), "utf-8")
    site = ("--out", tmp_path / "site", "--published", file)
    done = viva_here("board", "build", folder / "ours", *site, expect=2)
    assert message in done.stderr
    assert str(file) in done.stderr


def test_hostile_names_stay_text(folder: Path, tmp_path: Path) -> None:
    name = "acme/<script>alert(1)</script>\x1b[31m\u202e" + "x" * 5000
    record = changed("model_info", "id", value=name)
    record["evaluation_id"] = "../../etc/x"
    record["evaluation_results"][0]["evaluation_name"] = '<img src="x">'
    (tmp_path / "x.json").write_text(json.dumps(record), "utf-8")
    build(folder, tmp_path / "site", "--published", tmp_path / "x.json")
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text("utf-8")
        assert "<script>alert" not in text
        assert "<img src=" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert {path.name for path in tmp_path.iterdir()} == {"site", "x.json"}


@pytest.mark.parametrize("kept", [True, False])
def test_a_site_is_verified_with_the_records_it_shows(
    kept: bool, folder: Path, tmp_path: Path
) -> None:
    site, records = tmp_path / "site", ("--published", folder / "eee")
    build(folder, site, *records)
    given: Callable[..., Any] = viva_here
    done = given(
        *("board", "verify", site, "--logs", folder / "ours"),
        *(records if kept else ()),
        expect=0 if kept else 1,
    )
    assert ("Every file is what the logs give." in done.stdout) is kept
