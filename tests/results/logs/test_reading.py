"""Reading logs: who ran what, each sample's scores, and logs that make no row."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelConfig, ModelUsage
from inspect_ai.scorer import Score
from tests.results.integrity.forgeries import add_raised_archive
from tests.servers.commands import title_logs

from vivavoce.errors import InputError
from vivavoce.results.logs.reading import read_logs
from vivavoce.results.logs.records import RunLog
from vivavoce.tasks.family import open_prompts

ITEMS = 4


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """A complete log of two answers a sample."""
    [path] = title_logs(tmp_path_factory.mktemp("log"), ITEMS, epochs=2, context=1_500)
    return read_eval_log(path)


def changed(original: EvalLog, path: Path) -> EvalLog:
    """A copy that a test may change and write."""
    copy = original.model_copy(deep=True)
    copy.location = str(path)
    return copy


def write(log: EvalLog, folder: Path, name: str = "2024-01-01T00-00-00_title_a.eval") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_eval_log(log, str(folder / name))
    return folder


def only_log(folder: Path) -> RunLog:
    [log], foreign = read_logs(folder)
    assert foreign == []
    return log


def test_a_second_table_of_contents_changes_no_value(original: EvalLog, tmp_path: Path) -> None:
    (path,) = write(original, tmp_path).iterdir()
    before = only_log(tmp_path)
    add_raised_archive(path)
    assert path.read_bytes().count(b"PK\x05\x06") == 1
    assert only_log(tmp_path) == before


def test_a_log_is_read_whole(original: EvalLog, tmp_path: Path) -> None:
    log = only_log(write(original, tmp_path))
    assert log.is_complete
    assert (log.expected, len(log.samples), log.status) == (2 * ITEMS, 2 * ITEMS, "success")
    assert log.metrics == ("rougeL", "rouge1", "rouge2")
    assert (log.diagnostics, log.judged, log.is_own_judge) == (("length_ratio",), (), None)
    assert log.window == ("2023-01-01", "2025-01-01")
    key = log.key
    assert (key.round, key.task, key.task_version, key.setting) == ("small", "title", "2-B", "base")
    assert (key.method, key.model, key.judge) == ("direct", "extractive/lead", "")
    assert key.decoding == "temperature=0.0 max_tokens=128 context=1500 attempts=2"
    assert key.prompt_hash == open_prompts("writing", None).sha256
    first = log.samples[0]
    assert first.cluster == first.id
    assert first.values.keys() == {"rougeL", "rouge1", "rouge2", "length_ratio"}
    assert (first.fault, first.cost) == (None, None)
    assert (first.judge_tokens, first.judge_cost) == (0, None)
    assert first.tokens > 100
    assert {sample.epoch for sample in log.samples} == {1, 2}


def unscored(samples: list[EvalSample]) -> None:
    samples[0].scores = None


def removed(samples: list[EvalSample]) -> None:
    del samples[3]


def twice(samples: list[EvalSample]) -> None:
    samples[3] = samples[2]


@pytest.mark.parametrize("change", [unscored, removed, twice])
def test_a_log_that_says_success_but_lacks_an_answer_is_partial(
    original: EvalLog, tmp_path: Path, change: Callable[[list[EvalSample]], None]
) -> None:
    log = changed(original, tmp_path)
    change(log.samples)
    assert log.status == "success"
    found = only_log(write(log, tmp_path))
    assert (len(found.samples), found.is_complete) == (2 * ITEMS - 1, False)


def test_nan_stands_for_undefined(original: EvalLog, tmp_path: Path) -> None:
    log = changed(original, tmp_path)
    for sample in log.samples:
        value: Any = sample.scores["writing"].value
        sample.scores["writing"].value = {**value, "rougeL": float("nan")}
    found = only_log(write(log, tmp_path))
    assert {sample.values["rougeL"] for sample in found.samples} == {None}
    assert found.is_complete


def test_a_log_that_was_scored_again_by_another_scorer_keeps_its_values(
    original: EvalLog, tmp_path: Path
) -> None:
    log = changed(original, tmp_path)
    for sample in log.samples:
        sample.scores = {"match": Score(value="C"), **sample.scores}
    again = only_log(write(log, tmp_path))
    assert again.samples == only_log(write(original, tmp_path / "first")).samples


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("temperature", 0.7, "temperature=0.7 max_tokens=128"),
        ("seed", 3, "seed=3"),
        ("reasoning_effort", "high", "reasoning_effort=high"),
        ("system_message", "Short.", "system_message=Short."),
        ("system_message", "Answer as a reviewer would. " * 20, "system_message="),
        ("stop_seqs", ["###"], "stop_seqs="),
        ("extra_body", {"enable_thinking": False}, "extra_body="),
    ],
)
def test_whatever_changes_answers_is_in_the_key(
    original: EvalLog, tmp_path: Path, name: str, value: object, shown: str
) -> None:
    log = changed(original, tmp_path)
    setattr(log.plan.config, name, value)
    decoding = only_log(write(log, tmp_path)).key.decoding
    assert shown in decoding
    assert decoding != only_log(write(original, tmp_path / "first")).key.decoding
    assert len(decoding) < 120


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_connections", 3), ("max_retries", 9), ("attempt_timeout", 5), ("timeout", 50)],
)
def test_transport_is_not_in_the_key(
    original: EvalLog, tmp_path: Path, name: str, value: int
) -> None:
    log = changed(original, tmp_path)
    setattr(log.plan.config, name, value)
    assert only_log(write(log, tmp_path)).key == only_log(write(original, tmp_path / "first")).key


def judged(original: EvalLog, path: Path, role: ModelConfig, by: str = "1a2b3c4d") -> EvalLog:
    """A copy in which a model judged two of the metrics."""
    log = changed(original, path)
    log.eval.metadata |= {"judge": by, "judged": ["rouge1", "length_ratio"]}
    log.eval.model_roles = {"judge": role}
    return log


def test_a_judge_is_its_model_its_template_and_how_it_decodes(
    original: EvalLog, tmp_path: Path
) -> None:
    plain = ModelConfig(model="lab/wise")
    log = only_log(write(judged(original, tmp_path, plain), tmp_path / "plain"))
    assert log.key.judge == "lab/wise template=1a2b3c4d"
    assert log.judged == ("rouge1", "length_ratio")
    assert log.is_own_judge is False
    keys = {log.key.judge}
    for number, (role, by) in enumerate(
        [
            (ModelConfig(model="lab/other"), "1a2b3c4d"),
            (plain, "5e6f7a8b"),
            (plain, "1a2b3c4d+source"),
            (ModelConfig(model="lab/wise", config=GenerateConfig(temperature=1.0)), "1a2b3c4d"),
            (ModelConfig(model="lab/wise", args={"weights": "secret.gguf"}), "1a2b3c4d"),
        ]
    ):
        folder = write(judged(original, tmp_path, role, by), tmp_path / str(number))
        keys.add(only_log(folder).key.judge)
    assert len(keys) == 6
    assert not any("secret" in key for key in keys)
    transport = ModelConfig(model="lab/wise", config=GenerateConfig(max_retries=3))
    same = write(judged(original, tmp_path, transport), tmp_path / "same")
    assert only_log(same).key == log.key


def test_a_judge_of_the_models_own_family_is_reported(original: EvalLog, tmp_path: Path) -> None:
    log = judged(original, tmp_path, ModelConfig(model="azureai/gpt-4.1"))
    log.eval.model = "openai/gpt-4o"
    assert only_log(write(log, tmp_path)).is_own_judge is True


def test_what_a_judge_used_is_counted_apart(original: EvalLog, tmp_path: Path) -> None:
    log = judged(original, tmp_path, ModelConfig(model="lab/wise"))
    for sample in log.samples:
        own = ModelUsage(total_tokens=100, total_cost=0.5)
        judge = ModelUsage(total_tokens=30, total_cost=0.125)
        sample.model_usage = {"extractive/lead": own, "lab/wise": judge}
        sample.role_usage = {"judge": judge}
    found = only_log(write(log, tmp_path)).samples
    assert {(s.tokens, s.cost, s.judge_tokens, s.judge_cost) for s in found} == {
        (100, 0.5, 30, 0.125)
    }


def test_a_metric_without_a_model_behind_it_may_name_its_judge(
    original: EvalLog, tmp_path: Path
) -> None:
    log = changed(original, tmp_path)
    log.eval.metadata["judge"] = "minilm>=0.8"
    found = only_log(write(log, tmp_path))
    assert (found.key.judge, found.is_own_judge) == ("minilm>=0.8", None)
    assert found.judged == (*found.metrics, *found.diagnostics)


def test_model_arguments_are_in_the_key_but_not_shown(original: EvalLog, tmp_path: Path) -> None:
    log = changed(original, tmp_path)
    log.eval.model_args = {"weights": "secret.gguf"}
    decoding = only_log(write(log, tmp_path)).key.decoding
    assert "model_args=" in decoding
    assert "secret" not in decoding


def test_a_log_of_another_benchmark_is_set_aside(tmp_path: Path) -> None:
    task = Task(dataset=MemoryDataset([Sample(input="ask", target="gold")]), name="elsewhere")
    eval(task, model="extractive/lead", display="none", log_dir=str(tmp_path))
    logs, [foreign] = read_logs(tmp_path)
    assert logs == []
    assert not foreign.is_damaged
    assert "not a log of one of our tasks" in foreign.reason


@pytest.mark.parametrize("kept", [0, 10, 0.5, 0.99])
def test_a_log_cut_short_is_damaged(original: EvalLog, tmp_path: Path, kept: float) -> None:
    folder = write(original, tmp_path)
    [path] = folder.glob("*.eval")
    content = path.read_bytes()
    path.write_bytes(content[: int(kept if kept >= 1 else kept * len(content))])
    logs, [foreign] = read_logs(folder)
    assert logs == []
    assert foreign.is_damaged
    assert (foreign.name, "cannot be read" in foreign.reason) == (path.name, True)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 2}', "NaN", '"' + "x" * 99])
def test_json_that_is_no_log_is_damaged(tmp_path: Path, text: str) -> None:
    (tmp_path / "2024-01-01T00-00-00_title_a.json").write_text(text)
    logs, [foreign] = read_logs(tmp_path)
    assert (logs, foreign.is_damaged) == ([], True)


def test_a_log_that_claims_to_be_ours_but_is_not_is_damaged(
    original: EvalLog, tmp_path: Path
) -> None:
    log = changed(original, tmp_path)
    del log.eval.metadata["metrics"]
    logs, [foreign] = read_logs(write(log, tmp_path))
    assert (logs, foreign.is_damaged) == ([], True)


def test_logs_in_folders_below_and_as_json_are_found(original: EvalLog, tmp_path: Path) -> None:
    write(original, tmp_path / "a", "2024-01-01T00-00-00_title_a.eval")
    write(original, tmp_path / "b" / "c", "2024-01-01T00-00-00_title_b.json")
    logs, foreign = read_logs(tmp_path)
    assert foreign == []
    assert [log.name for log in logs] == [
        "2024-01-01T00-00-00_title_a.eval",
        "2024-01-01T00-00-00_title_b.json",
    ]
    assert logs[0].samples == logs[1].samples
    assert len(list_eval_logs(str(tmp_path))) == 2


def test_an_empty_and_a_missing_folder_are_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no logs"):
        read_logs(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        read_logs(tmp_path / "missing")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        read_logs(tmp_path / "file")
