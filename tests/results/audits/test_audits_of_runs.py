"""Audits of logs that real runs have written: scripted judges, retrievers, settings."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.results.integrity.forging import CRITERIA
from tests.servers.commands import small_round
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.results.audits.judge import JudgeAudit, audit_judge
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run

PAPERS = 3


def one_place(ask: Ask) -> Reply:
    """Takes the first text always, or as another judge the second."""
    place = 1 if ask.model == "audit-first" else 2
    return answer(json.dumps({name: {"reason": "so", "winner": place} for name in CRITERIA}))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("audited"), papers=PAPERS)


@pytest.fixture(scope="module")
def judged(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Logs of one contestant before two judges."""
    logs = tmp_path_factory.mktemp("judged") / "logs"
    with scripted(one_place) as server, pytest.MonkeyPatch.context() as patch:
        for name in ("SCRIPTED_BASE_URL", "SCRIPTED_API_KEY"):
            patch.setenv(name, server.environment[name])
        for judge in ("audit-first", "audit-second"):
            asked = {"judge": f"openai-api/scripted/{judge}", "task_args": {"questions": "compare"}}
            report = run(spec(opened, logs, models=["extractive/lead"], **asked))
            assert report.failed == ()
        assert server.failures == []
        yield logs


def spec(opened: Round, logs: Path, **changes: Any) -> RunSpec:
    plain = RunSpec(tasks=["abstract"], round=opened.folder, logs=logs, display="none")
    return dataclasses.replace(plain, **changes)


def value(audit: JudgeAudit, judge: str, name: str) -> float:
    [found] = [
        row["value"]
        for row in audit.measures
        if judge in row["judge"] and (row["measure"], row["criterion"]) == (name, "overall")
    ]
    return float(found)


def test_judges_that_always_take_one_place_are_seen_through(judged: Path) -> None:
    audit = audit_judge(judged, resamples=0)
    for judge, share in (("audit-first", 1.0), ("audit-second", 0.0)):
        found = [value(audit, judge, name) for name in ("first_share", "flip_rate", "win_rate")]
        assert found == [share, 1.0, 0.5]
    # Both say tie of every answer.
    [row] = [row for row in audit.agreement if row["criterion"] == "overall"]
    assert (row["n"], row["agreement"]["value"]) == (PAPERS, 1.0)


def test_labels_of_people_name_the_runs_contestants(
    judged: Path, opened: Round, tmp_path: Path
) -> None:
    labels = tmp_path / "labels.jsonl"
    rows = [
        {"id": item["id"], "a": "reference", "b": "extractive/lead", "verdict": "tie"}
        for item in opened.items("writing", "abstract")
    ]
    labels.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for found in audit_judge(judged, human=labels, resamples=0).human:
        assert (found["n"], found["agreement"]["value"]) == (len(rows), 1.0)
