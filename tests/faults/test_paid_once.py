"""Whatever a run is killed at, an answer is paid for once: at most what was under way is again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.paid_once import KINDS, run_killed
from tests.faults.storms import sample_round

from vivavoce.rounds import Round
from vivavoce.running.journal import JOURNAL, Journal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    families = ("implementation", "leaderboards", "ranking", "tables", "writing")
    chosen = {"formulas": ["PEG"], "architectures": [], "reports": []}
    folder = tmp_path_factory.mktemp("paid")
    return sample_round(folder, families, implementation=chosen, tables={"min_papers": 9})


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_answered_before_a_kill_is_not_asked_again(
    opened: Round, tmp_path: Path, kill_after: Callable[..., None], kind: str
) -> None:
    paid = run_killed(kill_after, opened, tmp_path / "runs", kind, kills=2)
    assert paid.kills
    assert 0 <= paid.twice <= paid.in_flight, paid


def test_a_line_that_a_kill_cut_off_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    path.write_text('{"reply":{"model":"m"},"request":"r-1","sample":"t/a"}\n{"reply":{"mod')
    journal = Journal(path)
    journal.close(finished=False)
    assert path.exists()
    journal.close(finished=True)  # the line is of another run, which may still go on with it
    assert path.read_text().count("\n") == 1
