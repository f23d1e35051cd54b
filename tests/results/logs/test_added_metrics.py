"""A metric that is computed after the runs, and kept beside the logs."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from tests.results.answered_logs import give
from tests.results.audits.made_logs import write_log

from vivavoce.errors import InputError
from vivavoce.metrics import Measure, TextMetric
from vivavoce.results.logs import adding
from vivavoce.results.logs.added import FOLDER, added_to


def shares_of_ten(pairs: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
    """The length of each answer, as a share of ten letters."""
    return [{"rougeL": len(answer) / 10} for answer, _ in pairs]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Logs with one answer to `a`, a faulty one to `b`, and none to `c`."""
    metric = TextMetric("length", "writing", ("rougeL",), lambda: Measure(shares_of_ten, {}))
    monkeypatch.setattr(adding, "find_text_metric", lambda name: metric)
    path = write_log(tmp_path, {"a": 0.5, "b": 0.5, "c": 0.5})
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        give(sample, output="seven l")
        sample.uuid = f"uuid of {sample.id}"
        for score in (sample.scores or {}).values():
            score.metadata = {**(score.metadata or {}), "fault": "malformed" * (sample.id == "b")}
        if sample.id == "c":
            sample.scores = None
    write_eval_log(log, str(path))
    return tmp_path


def test_an_answer_is_measured_and_a_faulty_one_is_0(logs: Path) -> None:
    report = adding.add_metric(logs, "length", {})
    assert (report.samples, report.computed) == (2, 1)
    (added,) = added_to(logs)
    values = {sample: added.texts[text] for sample, text in added.samples.items()}
    assert values == {"uuid of a": (0.7,), "uuid of b": (0.0,)}


def test_a_text_is_computed_once(logs: Path) -> None:
    adding.add_metric(logs, "length", {})
    assert adding.add_metric(logs, "length", {}).computed == 0


@pytest.mark.parametrize("line", ['{"text": "t", "values": [0.5, 0.5]}', '{"sample": "s"}', "{}"])
def test_a_damaged_file_is_named(logs: Path, line: str) -> None:
    adding.add_metric(logs, "length", {})
    (path,) = (logs / FOLDER).glob("*.jsonl")
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=f"{path.name} is damaged"):
        added_to(logs)
