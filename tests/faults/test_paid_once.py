"""Whatever a run is killed at, an answer is paid for once: at most what was under way is again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.paid_once import FAMILIES, KINDS, OPTIONS, Paid, drawn, run_killed
from tests.faults.storms import shared_round

from vivavoce.rounds import Round
from vivavoce.running.journal import JOURNAL, Journal
from vivavoce.running.meter import Meter

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
]
KILLS = 1
"""Kills of each kind; `python -m tests.faults.paid_once` makes twenty, of programs as well."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return shared_round(tmp_path_factory, "paid", FAMILIES, **OPTIONS)


def check(paid: Paid) -> None:
    assert (len(paid.twice), paid.unlike) == (KILLS, 0), paid
    assert 0 <= min(paid.twice) <= max(paid.twice) <= paid.in_flight, paid


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"implementation"}))
def test_what_was_answered_before_a_kill_is_not_asked_again(
    opened: Round, tmp_path: Path, kill_after: Callable[..., None], kind: str
) -> None:
    check(run_killed(kill_after, opened, tmp_path, kind, drawn(KILLS, seed=1)))


def test_a_line_that_a_kill_cut_off_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    path.write_text('{"reply":{"model":"m"},"request":"r-1","sample":"t/a"}\n{"reply":{"mod')
    journal = Journal(path, Meter(tmp_path, None))
    journal.close(finished=False)
    assert path.exists()
    journal.close(finished=True)  # the line is of another run, which may still go on with it
    assert path.read_text().count("\n") == 1
