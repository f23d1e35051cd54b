"""Logs that real runs wrote are verified; every way to raise a score in them by hand is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score
from tests.results.integrity.doors import FORM, write_form
from tests.results.integrity.forging import CRITERIA
from tests.servers.commands import small_round
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.errors import InputError
from vivavoce.results.integrity.log_check import LogCheck
from vivavoce.results.integrity.submission import check_submission, read_form
from vivavoce.results.integrity.verification import verify_logs
from vivavoce.rounds import Round
from vivavoce.running import RunSpec, run
from vivavoce.running.logs import recording

ITEMS = 4
Edit = Callable[[EvalLog], None]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("verified"), papers=ITEMS)


def made_by(opened: Round, logs: Path, **given: Any) -> Path:
    spec = {"tasks": ["title"], "models": ["extractive/lead"], "display": "none", **given}
    assert run(RunSpec(round=opened.folder, logs=logs, **spec)).failed == ()
    return logs


@pytest.fixture(scope="module")
def made(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of one contestant."""
    return made_by(opened, tmp_path_factory.mktemp("made") / "logs")


@pytest.fixture
def logs(made: Path, tmp_path: Path) -> Path:
    """A copy to edit, without a ledger."""
    return Path(shutil.copytree(made, tmp_path / "logs", ignore=shutil.ignore_patterns("*.jsonl")))


def only_log(logs: Path) -> Path:
    [path] = logs.glob("*.eval")
    return path


def edited(logs: Path, edit: Edit) -> LogCheck:
    """What is found of the log once it has been edited and written again with Inspect."""
    path = only_log(logs)
    log = read_eval_log(str(path))
    edit(log)
    write_eval_log(log, str(path))
    [check] = verify_logs(logs).logs
    return check


def first(log: EvalLog) -> Any:
    return min(log.samples, key=lambda sample: str(sample.id))


def our_score(log: EvalLog) -> Score:
    score: Score = first(log).scores["writing"]
    return score


def test_what_a_run_wrote_is_verified(made: Path) -> None:
    found = verify_logs(made)
    [check] = found.logs
    assert (check.status, check.samples, check.refused) == ("recomputed", ITEMS, [])
    trust = {"trust": "recomputed", "reason": None, "refused": False}
    assert (found.is_sound, found.trust) == (True, {check.name: trust})


def test_a_score_raised_by_hand_is_refused_and_its_sample_named(logs: Path) -> None:
    def raise_score(log: EvalLog) -> None:
        value: Any = our_score(log).value
        our_score(log).value = {**value, "rougeL": 0.9}

    check = edited(logs, raise_score)
    assert (check.name, check.status) == (only_log(logs).name, "refused")
    # The mean that Inspect wrote when the log was made is still the true one.
    [problem] = check.refused
    assert problem.startswith("sample sample-0001: scores.rougeL 0.9, it is ")
    assert verify_logs(logs).is_sound is False


def test_a_log_is_not_verified_without_its_round_or_a_ledger(
    made: Path, logs: Path, opened: Round, tmp_path: Path
) -> None:
    def forget_the_round(log: EvalLog) -> None:
        log.eval.task_args = {**log.eval.task_args, "round": "/gone"}

    check = edited(logs, forget_the_round)
    assert (check.status, check.refused) == ("not_recomputed", [])
    assert [why.partition(" (")[0] for why in check.unknown] == [
        "its round small",
        "it is in no ledger",
    ]
    [named] = verify_logs(logs, [opened.folder]).logs
    assert [why.partition(" (")[0] for why in named.unknown] == ["it is in no ledger"]
    other = small_round(tmp_path / "other", papers=ITEMS - 1)
    [refused] = verify_logs(made, [other.folder]).logs
    assert (refused.status, refused.unknown) == ("refused", [])
    assert refused.refused[0].startswith("its round small (")


def test_a_folder_without_logs_and_a_log_that_cannot_be_read(logs: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="has no logs"):
        verify_logs(tmp_path / "empty")
    with pytest.raises(InputError, match="is not a folder of logs"):
        verify_logs(tmp_path / "none")
    path = only_log(logs)
    path.write_bytes(path.read_bytes()[:-300])
    [check] = verify_logs(logs).logs
    assert check.status == "refused"
    assert check.refused[0].startswith("cannot be read")
    assert check.trust == {
        **{"trust": "not_recomputed", "reason": check.refused[0], "refused": True}
    }


def test_attempts_and_subsets_are_verified_as_they_were_run(opened: Round, tmp_path: Path) -> None:
    made_by(opened, tmp_path / "logs", epochs=2, subset=2)
    found = verify_logs(tmp_path / "logs")
    assert [(check.status, check.samples) for check in found.logs] == [("recomputed", 4)]


def judging(ask: Ask) -> Reply:
    return answer(json.dumps({name: {"reason": "so", "winner": 1} for name in CRITERIA}))


@pytest.fixture(scope="module")
def judged(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("judged") / "logs"
    with scripted(judging) as server, pytest.MonkeyPatch.context() as patch:
        for name in ("SCRIPTED_BASE_URL", "SCRIPTED_API_KEY"):
            patch.setenv(name, server.environment[name])
        made_by(opened, logs, judge="openai-api/scripted/verified-judge", limit=None)
    return logs


def test_a_judge_is_not_asked_again_but_read_from_the_log(judged: Path) -> None:
    """The server that judged is gone."""
    found = verify_logs(judged)
    assert [(check.status, check.refused) for check in found.logs] == [("recomputed", [])]


@pytest.fixture
def submission(made: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "submission"
    folder.mkdir()
    with recording(folder / "logs", {"tasks": ["title"]}):
        shutil.copytree(
            made, folder / "logs", ignore=shutil.ignore_patterns("runs.jsonl"), dirs_exist_ok=True
        )
    write_form(folder)
    return folder


def problems(folder: Path, *rounds: Path) -> dict[str, list[str]]:
    report = check_submission(folder, rounds).as_dict()
    return {check["check"]: check["problems"] for check in report["checks"] if not check["ok"]}


def test_a_submission_that_has_all_it_must_have(submission: Path, opened: Round) -> None:
    report = check_submission(submission, [opened.folder])
    assert (report.complete, problems(submission, opened.folder)) == (True, {})
    assert report.runs == {
        **{"started": 1, "logs": 1, "rows": 1},
        **{"repeated": 0, "removed": 0, "private_declared": 0},
    }


def test_who_takes_a_submission_names_the_round(submission: Path) -> None:
    [problem] = problems(submission)["scores"]
    assert problem.startswith("No round was given")


def test_a_submission_without_a_ledger_is_not_complete(submission: Path, opened: Round) -> None:
    (submission / "logs" / "runs.jsonl").unlink()
    found = problems(submission, opened.folder)
    assert found.keys() == {"ledger", "scores"}
    assert "has no runs.jsonl" in found["ledger"][0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("private_runs = 0", ""), "submission.private_runs: it is missing."),
        (("team =", "tteam ="), "submission.tteam is unknown. Did you mean team?"),
        (("[submission]", "[submission"), "is not readable TOML"),
    ],
)
def test_a_wrong_form_says_where(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = tmp_path / "submission.toml"
    path.write_text(FORM.replace(*change))
    form, faults = read_form(path)
    assert form is None
    assert any(words in fault for fault in faults), faults


def test_a_submission_without_form_or_logs_says_what_is_missing(tmp_path: Path) -> None:
    found = problems(tmp_path)
    assert "does not exist" in found["form"][0]
    assert "is not a folder of logs" in found["complete logs"][0]
    with pytest.raises(InputError, match="is not a folder"):
        check_submission(tmp_path / "none")


@pytest.mark.parametrize("is_same_answer", [True, False])
def test_an_interrupted_log_counts_if_a_whole_one_went_on_with_its_answers(
    made: Path, tmp_path: Path, is_same_answer: bool
) -> None:
    logs = Path(shutil.copytree(made, tmp_path / "logs"))
    path = only_log(logs)
    part = read_eval_log(str(path))
    part.status, part.samples = "error", (part.samples or [])[:2]
    if not is_same_answer:
        part.samples[0].output = ModelOutput.from_content("m", "Another Title")
    write_eval_log(part, str(path.with_name(path.name.replace("title", "title-part"))))
    found = {check.name: check for check in verify_logs(logs).logs}
    whole = found.pop(path.name)
    [check] = found.values()
    assert check.lacking.startswith(f"{ITEMS - 2} of the {ITEMS} answers are missing")
    if is_same_answer:
        assert (check.continued_by, check.refused) == (path.name, [])
        assert check.lacking not in check.unknown
    else:
        assert check.continued_by == ""
        assert check.lacking in check.unknown
    assert (whole.status, whole.continued_by, whole.lacking) == ("recomputed", "", "")
