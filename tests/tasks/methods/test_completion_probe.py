"""The completion probe on a round, with models that know the papers and models that do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import registry_create
from tests.servers.commands import small_round

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import Cutoff, Cutoffs
from vivavoce.results.board.building import leaderboard
from vivavoce.results.integrity.contamination import contamination_report
from vivavoce.results.integrity.verification import verify_logs
from vivavoce.rounds import Round
from vivavoce.running.ledger import recording
from vivavoce.tasks.methods.completion_probe import completion_probe
from vivavoce.tasks.methods.direct import copycat, null, oracle

PAPERS = 6


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("probed"), papers=PAPERS)


@solver
def knows_old_papers(until: str) -> Solver:
    """Answers with the gold of papers up to a date, and with a guess for later ones."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        is_known = state.metadata["published"] < until
        answer = state.target.text if is_known else "something that nobody has written before"
        state.output = ModelOutput.from_content("lab/one", answer)
        state.completed = True
        return state

    return solve


def probed(opened: Round, logs: Path, method: Solver) -> dict[str, Any]:
    eval(
        completion_probe(str(opened.folder)),
        solver=method,
        model="none/none",
        log_dir=str(logs),
        display="none",
    )
    return {row["metric"]: row for row in leaderboard(logs, resamples=0).rows}


def test_a_sample_asks_for_the_words_behind_the_beginning(opened: Round) -> None:
    samples = list(
        registry_create("task", "vivavoce/completion_probe", round=str(opened.folder)).dataset
    )
    papers = {(sample.metadata or {})["cluster"] for sample in samples}
    assert papers == {row["paper_id"] for row in opened.items("writing", "abstract")}
    assert len(samples) > len(papers)
    for sample in samples:
        told = sample.metadata or {}
        assert isinstance(sample.input, str)
        start, end = told["spans"]["content"]
        assert sample.input[start:end] == told["given"]
        assert str(sample.target) not in sample.input
        assert told["published"]


@pytest.mark.parametrize(
    ("method", "match"),
    [(oracle, 1.0), (null, 0.0), (copycat, 0.0)],
    ids=["oracle", "null", "copycat"],
)
def test_what_the_contestants_reach(
    opened: Round, tmp_path: Path, method: Callable[[], Solver], match: float
) -> None:
    rows = probed(opened, tmp_path / "logs", method())
    assert rows["completion_match"]["value"] == match
    assert rows["completion_run"]["value"] == pytest.approx(match, abs=0.1)
    assert rows["completion_match"]["family"] == "probe"


def test_a_model_that_knows_old_papers_shows_a_gap_and_is_verified(
    opened: Round, tmp_path: Path
) -> None:
    dates = sorted({row["published"] for row in opened.items("writing", "title")})
    (tmp_path / "logs").mkdir()
    with recording(tmp_path / "logs", {}):
        probed(opened, tmp_path / "logs", knows_old_papers(dates[len(dates) // 2]))
    [check] = verify_logs(tmp_path / "logs").logs
    assert (check.refused, len(check.unverified)) == ([], 1)
    assert check.unverified[0].startswith("its method ")  # which is of this test alone
    [log] = (tmp_path / "logs").glob("*.eval")
    written = read_eval_log(str(log))
    written.eval.model = "lab/one"
    write_eval_log(written, str(log))
    known = Cutoffs(((Cutoff("lab/one", dates[len(dates) // 2]),),), margin_days=0)
    rows = contamination_report(tmp_path / "logs", known, resamples=200).rows
    [row] = [row for row in rows if row["metric"] == "completion_match"]
    assert (row["seen"], row["clean"], row["gap"]) == (1.0, 0.0, 1.0)


def test_places_are_a_number_and_stand_in_the_setting(opened: Round) -> None:
    one = completion_probe(str(opened.folder), places=1)
    assert one.metadata is not None
    assert one.metadata["setting"] == "base@1"
    assert len(one.dataset) < len(completion_probe(str(opened.folder)).dataset)
    for wrong in (0, 21, "3"):
        with pytest.raises(InputError, match="is not a number from 1 to 20"):
            completion_probe(str(opened.folder), places=wrong)  # type: ignore[arg-type]
