"""Audits of logs that real runs have written: a scripted judge, retrievers, settings."""

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import small_round
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.results.audits.contrasts import context_gains
from vivavoce.results.audits.judge import JudgeAudit, audit_judge
from vivavoce.results.audits.sweeps import sweep_tables
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run

PAPERS = 28
PULL = 0.6
"""How often the scripted judge takes the first text unseen."""
CRITERIA = ("novelty", "feasibility", "consistency", "factuality", "style", "overall")


def coin(*texts: str) -> float:
    """A number in [0, 1) that depends on the texts alone."""
    return int(hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12], 16) / 16**12


def shown(ask: Ask) -> tuple[str, str]:
    found = re.findall(r"<answer-([12])-(\w+)>\n(.*?)\n</answer-\1-\2>", ask.prompt, re.DOTALL)
    assert [place for place, _, _ in found] == ["1", "2"], ask.prompt
    return found[0][2], found[1][2]


def verdict(place: int) -> Reply:
    return answer(json.dumps({name: {"reason": "so", "winner": place} for name in CRITERIA}))


def pulled(ask: Ask) -> Reply:
    """Takes the first text unseen in some prompts; else the text that a fair coin favours."""
    first, second = shown(ask)
    if coin("unseen", first, second) < PULL:
        return verdict(1)
    favoured = min(first, second) if coin(*sorted((first, second))) < 0.5 else max(first, second)
    return verdict(1 if first == favoured else 2)


def judge_script(ask: Ask) -> Reply:
    return verdict(1) if ask.model == "audit-always-first" else pulled(ask)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("audited"), papers=PAPERS)


@pytest.fixture(scope="module")
def judged(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Logs of one contestant before two judges."""
    logs = tmp_path_factory.mktemp("judged") / "logs"
    with scripted(judge_script) as server, pytest.MonkeyPatch.context() as patch:
        for name in ("SCRIPTED_BASE_URL", "SCRIPTED_API_KEY"):
            patch.setenv(name, server.environment[name])
        for judge in ("audit-pulled", "audit-always-first"):
            asked = {"judge": f"openai-api/scripted/{judge}", "task_args": {"questions": "compare"}}
            report = run(spec(opened, logs, models=["extractive/lead"], **asked))
            assert report.failed == ()
        assert server.failures == []
        yield logs


def spec(opened: Round, logs: Path, **changes: Any) -> RunSpec:
    plain = RunSpec(tasks=["abstract"], round=opened.folder, logs=logs, display="none")
    return dataclasses.replace(plain, **changes)


def measure(audit: JudgeAudit, judge: str, name: str) -> dict[str, Any]:
    [row] = [
        row
        for row in audit.measures
        if judge in row["judge"] and (row["measure"], row["criterion"]) == (name, "overall")
    ]
    return row


@pytest.mark.slow
def test_a_judge_that_always_takes_the_first_is_seen_through(judged: Path) -> None:
    audit = audit_judge(judged, resamples=500)
    for name, value in (("first_share", 1.0), ("flip_rate", 1.0), ("win_rate", 0.5)):
        row = measure(audit, "audit-always-first", name)
        assert (row["value"], row["ci"]) == (value, [value, value])


def test_judges_of_the_same_answers_are_compared(judged: Path) -> None:
    rows = audit_judge(judged, resamples=100).agreement
    [row] = [row for row in rows if row["criterion"] == "overall"]
    flips = measure(audit_judge(judged, resamples=0), "audit-pulled", "flip_rate")
    # One of them says tie always: they agree where the other does.
    assert row["n"] == flips["n"]
    assert row["agreement"]["value"] == pytest.approx(flips["value"])


def test_labels_of_people_name_the_runs_contestants(
    judged: Path, opened: Round, tmp_path: Path
) -> None:
    labels = tmp_path / "labels.jsonl"
    rows = [
        {"id": item["id"], "a": "reference", "b": "extractive/lead", "verdict": "tie"}
        for item in opened.items("writing", "abstract")
    ]
    labels.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = {row["judge"]: row for row in audit_judge(judged, human=labels, resamples=0).human}
    [always] = [row for judge, row in found.items() if "audit-always-first" in judge]
    assert (always["n"], always["agreement"]["value"]) == (len(rows), 1.0)


@pytest.mark.slow
def test_retrievers_and_settings_are_told_by_the_logs(opened: Round, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    lead = {"models": ["extractive/lead"]}
    for changes in (
        {},
        {"settings": ["random"]},
        {"settings": ["title_only"]},
        {"methods": ["rag"], "method_args": {"retriever": "bm25", "chunks": 2}},
        {"methods": ["rag"], "method_args": {"retriever": "tfidf", "chunks": 2}},
    ):
        assert run(spec(opened, logs, **lead, **changes)).failed == ()
    options = {"resamples": 200}
    gains = [row for row in context_gains(logs, **options).rows if row["headline"]]
    assert {row["setting"] for row in gains} == {"random", "title_only"}
    rows = sweep_tables(logs, over=["retriever"], **options).rows
    assert [row["settings"]["retriever"] for row in rows if row["headline"]] == ["bm25", "tfidf"]
