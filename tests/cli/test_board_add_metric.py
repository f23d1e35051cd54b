"""`viva board add-metric`: a metric that was thought of after the runs stands on every board."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow.csv
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from tests.plugin_packages import install
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import answer, by_model, scripted
from tests.small_models import save_bert
from tests.support.once import make_once

import vivavoce.metrics

pytestmark = pytest.mark.slow

VOCABULARY = "[PAD] [UNK] [CLS] [SEP] [MASK] a of the we and for graph paper model text ##s".split()
MODULE = """
from vivavoce.metrics import Measure, Metric, TextMetric, metric

METRICS = (
    Metric("letters", "letters of the answer for one of the reference", "writing", 0.0, None, "t"),
    Metric("longer", "words more than the reference", "writing", -99.0, None, "t", False),
)
calls = []


@metric("writing", "t")
def same_start(answer, row):
    "Answers that begin as the reference does."
    return float(answer[:1] == row["target"][:1])


def _score(pairs):
    calls.append(len(pairs))
    return [
        {"letters": len(a) / len(r), "longer": float(len(a.split()) - len(r.split()))}
        for a, r in pairs
    ]


TEXT_METRICS = (
    TextMetric("letters", "writing", ("letters", "longer"), lambda: Measure(_score, batch=2)),
)
"""


def run_titles(folder: Path) -> None:
    """Run a baseline and a model that says nothing."""
    opened = small_round(folder, 12)
    with scripted(by_model({"mute": lambda ask: answer("")})) as server:
        viva_here(
            *("run", "title", "--round", opened.folder, "--logs", folder / "logs"),
            *("--model", "extractive/lead", "--model", "openai-api/scripted/mute"),
            env=server.environment,
        )


@pytest.fixture
def logs(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """Logs of titles by a baseline and by a model that says nothing, beside their round."""
    made = make_once(tmp_path_factory, "titles-to-measure", run_titles)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "logs"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    groups = {"vivavoce.families": {"letters": "letters_metric"}}
    install(tmp_path / "packages", "letters", groups, {"letters_metric.py": MODULE})
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    vivavoce.metrics._registered.cache_clear()
    yield
    vivavoce.metrics._registered.cache_clear()


def add(logs: Path, *words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        viva_here("board", "add-metric", logs, *map(str, words), "--json").stdout
    )
    return found


def rows_of(logs: Path, metric: str, *words: str) -> dict[str, dict[str, Any]]:
    shown = json.loads(viva_here("board", "show", logs, "--json", *words).stdout)
    return {row["model"]: row for row in shown["rows"] if row["metric"] == metric}


def pairs_of(logs: Path, model: str) -> list[tuple[str, str]]:
    """What was answered and the paper's title, straight from the log."""
    [found] = (
        log
        for log in map(read_eval_log, list_eval_logs(str(logs)))
        if log.eval.model == model and log.status == "success"
    )
    return [(each.output.completion, str(each.target)) for each in found.samples or []]


def test_any_metric_of_texts_is_added_and_each_text_computed_once(logs: Path, plugin: None) -> None:
    pairs = pairs_of(logs, "extractive/lead")
    found = add(logs, "letters")
    assert (found["computed"], found["samples"]) == (len(set(pairs)), 2 * len(pairs))
    assert add(logs, "letters")["computed"] == 0

    lead, mute = rows_of(logs, "letters")["extractive/lead"], "openai-api/scripted/mute"
    assert lead["value"] == pytest.approx(fmean(len(a) / len(r) for a, r in pairs))
    assert lead["ci"][0] <= lead["value"] <= lead["ci"][1]
    assert lead["rank"] == 1
    assert (rows_of(logs, "letters")[mute]["value"], rows_of(logs, "letters")[mute]["n"]) == (
        0.0,
        len(pairs),
    )
    # Of words too many less is better: no answer has no value there, and nobody is ranked by it.
    longer = rows_of(logs, "longer")
    assert (longer[mute]["value"], longer[mute]["undefined"]) == (None, len(pairs))
    assert longer["extractive/lead"]["value"] == pytest.approx(
        fmean(len(a.split()) - len(r.split()) for a, r in pairs)
    )


def test_a_metric_that_is_a_function_needs_no_further_lines(logs: Path, plugin: None) -> None:
    assert add(logs, "same_start")["metrics"] == ["same_start"]
    pairs = pairs_of(logs, "extractive/lead")
    row = rows_of(logs, "same_start")["extractive/lead"]
    assert row["value"] == pytest.approx(fmean(a[:1] == r[:1] for a, r in pairs))


def test_a_run_that_came_later_lacks_the_metric_until_it_is_added_again(
    logs: Path, plugin: None, tmp_path: Path
) -> None:
    site, kept = tmp_path / "site", tmp_path / "kept"
    build = ("board", "build", logs, "--out", site, "--cache", kept, "--samples", "2")
    viva_here(*build)
    add(logs, "letters")
    viva_here(*build)
    values = {row["letters"] for row in wide(site)}
    assert len(values) == 2
    viva_here(
        *("run", "title", "--round", tmp_path / "round-0" / "small", "--logs", logs),
        *("--model", "extractive/centrality"),
    )
    assert set(rows_of(logs, "letters")) == {"extractive/lead", "openai-api/scripted/mute"}
    new, old = (set(pairs_of(logs, f"extractive/{name}")) for name in ("centrality", "lead"))
    assert add(logs, "letters")["computed"] == len(new - old)
    assert len(rows_of(logs, "letters")) == 3
    viva_here(*build)
    assert any("letters" in path.read_text("utf-8") for path in (site / "boards").rglob("*.html"))
    assert "letters was added after the runs." in viva_here("board", "show", logs).stdout


def wide(site: Path) -> list[dict[str, Any]]:
    """Values by metric of each contestant, out of the downloaded table."""
    found: dict[str, dict[str, Any]] = {}
    for row in pyarrow.csv.read_csv(site / "board.csv").to_pylist():
        found.setdefault(row["model"], {})[row["metric"]] = row["value"]
    return list(found.values())


def test_bertscore_stands_on_the_board_as_the_model_gives_it(logs: Path, tmp_path: Path) -> None:
    from vivavoce.metrics.neural import BertScorer

    model = save_bert(tmp_path / "tiny", VOCABULARY, 64)
    found = add(logs, "bertscore", "--model", model, "--layer", 2)
    assert found["made_by"] == "bertscore model=tiny layer=2"
    pairs = pairs_of(logs, "extractive/lead")
    expected = [one["bertscore_f1"] for one in BertScorer(model, 2).score(pairs)]
    row = rows_of(logs, "bertscore_f1")["extractive/lead"]
    assert row["value"] == pytest.approx(fmean(expected), abs=1e-6)
    assert rows_of(logs, "bertscore_f1")["openai-api/scripted/mute"]["value"] == 0.0
    said = viva_here("board", "show", logs, "--wide").stdout
    assert "bertscore_p" in said.splitlines()[1]
    # Another model is another metric: the old values are not mixed with it.
    assert add(logs, "bertscore", "--model", model, "--layer", 1)["computed"] == len(set(pairs))
    assert rows_of(logs, "bertscore_f1")["extractive/lead"]["value"] != row["value"]


def test_metrics_made_in_two_ways_do_not_stand_on_one_board(logs: Path, tmp_path: Path) -> None:
    model = save_bert(tmp_path / "tiny", VOCABULARY, 64)
    (logs / "more").mkdir()
    last = max(logs.glob("*.eval"))
    last.rename(logs / "more" / last.name)
    add(logs / "more", "bertscore", "--model", model, "--layer", 1)
    kept = (logs / "more" / "metrics" / "bertscore.jsonl").read_bytes()
    add(logs, "bertscore", "--model", model, "--layer", 2)
    (logs / "more" / "metrics" / "bertscore.jsonl").write_bytes(kept)
    said = viva_here("board", "show", logs, expect=1).stderr
    assert "bertscore model=tiny layer=1 and bertscore model=tiny layer=2" in said
    assert "viva board add-metric" in said


def test_what_cannot_be_added_is_reported(logs: Path, plugin: None) -> None:
    said = viva_here("board", "add-metric", logs, "no-such", expect=2).stderr
    assert "'no-such' can be added to logs. There are: bertscore, exact_match, letters" in said
    assert "same_start" in said
    said = viva_here("board", "add-metric", logs, "letters", "--model", "x", expect=2).stderr
    assert "letters has no setting model" in said
    add(logs, "letters")
    path = logs / "metrics" / "letters.jsonl"
    lines = path.read_text("utf-8").splitlines()
    for damage in ("{}", '{"text": "x", "values": [1]}', '{"text": "x", "values": [1, 1e999]}'):
        path.write_text("\n".join([damage, *lines[1:]] if damage == "{}" else [*lines, damage]))
        assert "letters.jsonl" in viva_here("board", "add-metric", logs, "letters", expect=2).stderr
