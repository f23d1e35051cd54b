"""Comparisons of the logs in a folder: gains, drift, parts of a paper and metrics, by hand."""

import json
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import kendalltau
from tests.results.audits.made_logs import write_log
from tests.rounds.titles_family import build, corpus_of, follow, spec_of
from tests.servers.commands import only_json, small_round, viva_here
from tests.statistics.one_metric import interval
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.errors import InputError, NothingToAuditError, VivaError
from vivavoce.results.audits.contrasts import (
    base_of,
    context_gains,
    drift_of_anchors,
    overall_scores,
)
from vivavoce.rounds import Round, load_round
from vivavoce.store import hash_file, read_json, write_json, write_sealed


def headline(rows: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    return [row for row in rows if row["headline"]]


def test_a_gain_is_the_mean_difference_on_shared_items(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2, "b": 0.4, "c": 0.6, "only-base": 1.0})
    write_log(tmp_path, {"a": 0.3, "b": 0.4, "c": 0.9}, setting="random")
    [row] = headline(context_gains(tmp_path).rows)
    # (0.1 + 0 + 0.3) / 3; the item without demonstrations has no say.
    assert row["gain"] == pytest.approx(0.4 / 3)
    assert (row["value_base"], row["value"]) == (pytest.approx(0.4), pytest.approx(1.6 / 3))
    assert (row["n"], row["n_base"], row["n_setting"]) == (3, 4, 3)
    differences = [0.3 - 0.2, 0.0, 0.9 - 0.6]
    assert row["ci"] == pytest.approx(list(interval(differences, ["a", "b", "c"]) or ()))
    assert (row["setting"], row["base"], row["undecided"]) == ("random", "base", True)


def test_items_of_one_cluster_are_drawn_together(tmp_path: Path) -> None:
    clusters = {"a": "x", "b": "x", "c": "y", "d": "z"}
    base = dict.fromkeys(clusters, 0.5)
    write_log(tmp_path, base, clusters=clusters)
    gained = {"a": 0.9, "b": 0.8, "c": 0.4, "d": 0.6}
    write_log(tmp_path, gained, setting="mixed", clusters=clusters)
    [row] = headline(context_gains(tmp_path, resamples=400, seed=3).rows)
    differences = [value - 0.5 for value in gained.values()]
    expected = interval(differences, list(clusters.values()), resamples=400, seed=3)
    assert row["ci"] == pytest.approx(list(expected or ()))


def test_every_setting_is_compared_with_the_base_of_its_track(tmp_path: Path) -> None:
    for setting, value in (
        ("base", 0.1),
        ("base+padded", 0.3),
        ("random+padded@1", 0.5),
        ("title_only", 0.0),
    ):
        write_log(tmp_path, {"a": value, "b": value}, setting=setting, task="related_work")
    rows = headline(context_gains(tmp_path).rows)
    assert [(row["setting"], row["base"], round(row["gain"], 6)) for row in rows] == [
        ("base+padded", "base", 0.2),
        ("random+padded@1", "base+padded", 0.2),
        ("title_only", "base", -0.1),
    ]
    assert base_of("mixed@3") == "base"


def test_gains_are_those_of_a_split_where_one_is_asked_for(tmp_path: Path) -> None:
    splits = {"a": "train", "b": "val", "c": "test", "d": "test"}
    write_log(tmp_path, dict.fromkeys(splits, 0.1), splits=splits)
    gained = {"a": 0.9, "b": 0.7, "c": 0.2, "d": 0.4}
    write_log(tmp_path, gained, setting="random@1", splits=splits)
    for split, gain, n in (("test", 0.2, 2), ("validation", 0.6, 1)):
        [row] = headline(context_gains(tmp_path, split=split).rows)
        assert (row["gain"], row["n"]) == (pytest.approx(gain), n)
        assert (row["setting"], row["base"]) == (f"random+{split}@1", f"base+{split}")
    assert base_of("base+padded+test") == "base+test"
    assert base_of("corpus+dev") == "base+dev"


def test_contestants_are_not_mixed(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.1, "b": 0.1}, model="lab/one")
    write_log(tmp_path, {"a": 0.2, "b": 0.2}, model="lab/one", setting="random")
    write_log(tmp_path, {"a": 0.9, "b": 0.9}, model="lab/two", setting="random")
    table = context_gains(tmp_path)
    assert [row["contestant"] for row in headline(table.rows)] == ["lab/one"]
    assert ["lab/two has no log of title in the setting base" in note for note in table.notes] == [
        True
    ]


def test_failures_stay_in_and_undefined_values_do_not(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2, "b": None, "c": 0.4})
    write_log(tmp_path, {"a": 0.0, "b": 0.5, "c": 0.4}, setting="random")
    [row] = headline(context_gains(tmp_path).rows)
    assert (row["gain"], row["n"]) == (pytest.approx(-0.1), 2)


def test_attempts_at_an_item_count_with_their_mean(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": [0.0, 0.4], "b": [0.2, 0.2]})
    write_log(tmp_path, {"a": [0.4, 0.4], "b": [0.2, 0.4]}, setting="random")
    [row] = headline(context_gains(tmp_path).rows)
    assert row["gain"] == pytest.approx((0.2 + 0.1) / 2)
    assert row["n"] == 2


def test_what_cannot_be_compared_is_reported(tmp_path: Path) -> None:
    write_log(tmp_path / "logs", {"a": 0.2})
    with pytest.raises(VivaError, match="in the setting base and in another"):
        context_gains(tmp_path / "logs")


def test_a_paper_counts_with_the_mean_over_its_tasks(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2, "b": 0.4}, task="title")
    write_log(tmp_path, {"a": 0.6, "b": 0.6, "c": 0.9}, task="abstract")
    [row] = overall_scores(tmp_path).rows
    # a: (0.2 + 0.6) / 2, b: (0.4 + 0.6) / 2; c has no title to write.
    assert row["value"] == pytest.approx((0.4 + 0.5 + 0.9) / 3)
    assert (row["n"], row["in_all_tasks"], row["tasks"]) == (3, 2, ["abstract", "title"])
    assert row["ci"] == pytest.approx(list(interval([0.4, 0.5, 0.9], ["a", "b", "c"]) or ()))


def test_who_lacks_a_task_is_named_and_not_compared(tmp_path: Path) -> None:
    for model in ("lab/one", "lab/two"):
        write_log(tmp_path, {"a": 0.2}, task="title", model=model)
    write_log(tmp_path, {"a": 0.6}, task="abstract", model="lab/two")
    found = overall_scores(tmp_path)
    assert [row["contestant"] for row in found.rows] == ["lab/two"]
    assert found.notes == ("lab/one did not run abstract in the setting base; left out.",)


def test_settings_are_not_mixed(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.2}, task="title")
    write_log(tmp_path, {"a": 0.6}, task="abstract", setting="random")
    with pytest.raises(VivaError, match="no contestant that ran two tasks"):
        overall_scores(tmp_path)


BEFORE, NOW = "live", "live-2024-02-01"


@pytest.fixture
def opened(tmp_path: Path) -> Round:
    """A round with the items b1, b2, a1 and a2, of which a1 and a2 are anchors of `title`.

    The logs of these tests are of the task writing/title, so the family is renamed in the files.
    """
    papers = {"a1": ("2023-02-01", ["Ada"]), "a2": ("2023-03-01", ["Ada"])}
    parent = build(
        corpus_of(tmp_path, papers), spec_of(date(2024, 1, 1), anchors=2), tmp_path / "rounds"
    )
    more = corpus_of(tmp_path, {"b1": ("2024-01-02", ["Ada"]), "b2": ("2024-01-03", ["Ada"])})
    made = follow(parent, more, date(2024, 2, 1)).round
    path = made.folder / "update.json"
    stored = read_json(path)
    write_json(path, {**stored, "anchors": {"writing/title": stored["anchors"]["titles/first"]}})
    return sealed_again(made)


def sealed_again(made: Round) -> Round:
    """The round with a manifest that knows the file as it is now."""
    entry = {"sha256": hash_file(made.folder / "update.json")}
    files = {**made.manifest["files"], "update.json": entry}
    write_sealed(made.folder / "manifest.json", {**made.manifest, "files": files})
    return load_round(made.folder)


def write(folder: Path, before: dict[str, float], now: dict[str, float], **more: Any) -> None:
    write_log(folder, before, round_id=BEFORE, **more)
    write_log(folder, now, round_id=NOW, round_sha256="e" * 64, **more)


def drift_row(folder: Path, opened: Round, **options: Any) -> dict[str, Any]:
    [row] = [r for r in drift_of_anchors(folder, opened, **options).rows if r["headline"]]
    return row


def test_a_contestant_that_changed_drifts(opened: Round, tmp_path: Path) -> None:
    write(tmp_path / "l", {"a1": 0.4, "a2": 0.6}, {"a1": 0.6, "a2": 0.8, "b1": 0.7, "b2": 0.7})
    row = drift_row(tmp_path / "l", opened)
    assert (row["before"], row["round"], row["anchors"]) == (BEFORE, NOW, 2)
    assert (row["anchors_before"], row["anchors_now"]) == (pytest.approx(0.5), pytest.approx(0.7))
    assert row["drift"] == pytest.approx(0.2)
    assert row["drift_ci"] == pytest.approx([0.2, 0.2])  # both items moved by as much


def test_who_ran_on_one_round_only_is_named(opened: Round, tmp_path: Path) -> None:
    scores = {"a1": 0.4, "a2": 0.6}
    write(tmp_path / "l", scores, scores)
    write_log(tmp_path / "l", scores, round_id=NOW, round_sha256="e" * 64, model="lab/two")
    found = drift_of_anchors(tmp_path / "l", opened)
    assert {row["contestant"] for row in found.rows} == {"lab/one"}
    assert any("lab/two has no log of title (base) on live" in note for note in found.notes)


def test_without_anchors_or_without_runs_on_both_there_is_nothing_to_tell(
    opened: Round, tmp_path: Path
) -> None:
    write_log(tmp_path / "l", {"a1": 0.5}, round_id=NOW)
    with pytest.raises(
        NothingToAuditError, match="no contestant that ran on both live and live-2024-02-01"
    ):
        drift_of_anchors(tmp_path / "l", opened)
    parent = build(
        corpus_of(tmp_path / "other", {"a1": ("2023-01-01", ["Ada"])}),
        spec_of(date(2024, 1, 1)),
        tmp_path / "other",
    )
    with pytest.raises(InputError, match="has no anchors"):
        drift_of_anchors(tmp_path / "l", parent)


def test_the_command_prints_a_line_a_contestant(opened: Round, tmp_path: Path) -> None:
    write(tmp_path / "l", {"a1": 0.4, "a2": 0.6}, {"a1": 0.6, "a2": 0.8, "b1": 0.7})
    words = ["board", "show", "--by", "drift", str(tmp_path / "l"), "--round", str(opened.folder)]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0
    assert "lab/one" in said.stdout.splitlines()[2]
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert found["rows"][0]["drift"] == pytest.approx(0.2)


METRICS = ("rougeL", "rouge1", "rouge2", "length_ratio")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four contestants that ask no model, and the ceiling."""
    folder = tmp_path_factory.mktemp("metrics")
    opened = small_round(folder)
    names = ("lead", "centrality", "null", "copycat", "oracle")
    methods = [part for name in names for part in ("--method", name)]
    run = ("run", "introduction", "--round", opened.folder, "--logs", folder / "logs")
    viva_here(*run, "--model", "none", *methods)
    return folder / "logs"


def rows(logs: Path, *more: str) -> list[dict[str, Any]]:
    shown = viva_here("board", "show", logs, "--by", "metric", "--json", *more)
    return list(only_json(shown.stdout)["rows"])


def exported(logs: Path, folder: Path) -> dict[str, dict[str, list[float]]]:
    """Values by metric and contestant, in the order of the items."""
    out = folder / "scores.parquet"
    viva_here("board", "export", logs, "--as", "scores", "--out", out)
    found: dict[str, dict[str, list[float]]] = {}
    for row in sorted(pq.read_table(out).to_pylist(), key=lambda row: str(row["id"])):
        if row["method"] != "oracle":
            by_method = found.setdefault(row["metric"], {})
            by_method.setdefault(row["method"], []).append(row["value"])
    return found


def test_both_figures_are_those_of_the_scores(logs: Path, tmp_path: Path) -> None:
    found = {(row["first"], row["second"]): row for row in rows(logs)}
    assert list(found) == list(combinations(METRICS, 2))
    values = exported(logs, tmp_path)
    for (first, second), row in found.items():
        names = sorted(values[first])
        one, other = (
            np.array([values[metric][name] for name in names]) for metric in (first, second)
        )
        expected = kendalltau(one.mean(axis=1), other.mean(axis=1)).statistic
        assert row["tau"] == pytest.approx(expected)
        assert row["contestants"] == 4
        shares = []
        for item in range(one.shape[1]):
            signs = [
                (one[a, item] - one[b, item]) * (other[a, item] - other[b, item])
                for a, b in combinations(range(4), 2)
            ]
            ordered = [sign for sign in signs if sign]
            if ordered:
                shares.append(sum(sign > 0 for sign in ordered) / len(ordered))
        assert row["agreement"] == pytest.approx(np.mean(shares))
        assert row["items"] == len(shares)
        low, high = row["agreement_ci"]
        assert low <= row["agreement"] <= high
        assert -1 <= row["tau_ci"][0] <= row["tau_ci"][1] <= 1


def test_without_draws_there_is_no_interval(logs: Path) -> None:
    assert all(row["tau_ci"] is row["agreement_ci"] is None for row in rows(logs, "--resamples=0"))


def test_one_contestant_has_nothing_to_be_compared(tmp_path: Path) -> None:
    write_log(tmp_path, {"a": 0.5})
    done = viva_here("board", "show", tmp_path, "--by", "metric", expect=1)
    assert "two contestants" in " ".join((done.stdout + done.stderr).split())


def test_options_of_the_board_are_refused(logs: Path) -> None:
    done = viva_here("board", "show", logs, "--by", "metric", "--all", expect=2)
    assert "--by metric does not take it" in " ".join(done.stderr.split())
