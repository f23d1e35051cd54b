"""The ledger of a log folder: what it records, and what it does not let pass."""

import json
import shutil
from pathlib import Path

import pytest
from tests.servers.commands import title_logs

from vivavoce.errors import DamagedError
from vivavoce.results.board.building import leaderboard
from vivavoce.results.logs.ledger import check_ledgers
from vivavoce.running.logs import LEDGER, read_ledger, recording
from vivavoce.store import canonical_json

ASKED = {"tasks": ["title"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of two contestants, and no ledger."""
    folder = tmp_path_factory.mktemp("ledger")
    title_logs(folder, 3, methods=["direct", "null"])
    (folder / "logs" / LEDGER).unlink(missing_ok=True)
    return folder / "logs"


def copy_logs(made: Path, to: Path, name: str = "") -> list[Path]:
    to.mkdir(exist_ok=True)
    return [Path(shutil.copy(p, to / f"{p.stem}{name}.eval")) for p in sorted(made.glob("*.eval"))]


@pytest.fixture
def logs(made: Path, tmp_path: Path) -> Path:
    """The same two logs, left by one recorded run."""
    with recording(tmp_path / "logs", ASKED):
        copy_logs(made, tmp_path / "logs")
    return tmp_path / "logs"


def lines_of(folder: Path) -> list[str]:
    return (folder / LEDGER).read_text().splitlines()


def test_a_run_leaves_a_line_when_it_starts_and_one_a_log(logs: Path) -> None:
    ledger = read_ledger(logs)
    assert [line["kind"] for line in ledger.lines] == ["start", "log", "log"]
    assert ledger.lines[0]["asked"] == ASKED
    assert {line["method"] for line in ledger.logs()} == {"direct", "null"}
    assert {(line["status"], line["answers"]) for line in ledger.logs()} == {("success", 3)}
    assert ledger.problems == ()
    check = check_ledgers(logs)
    assert (check.problems, check.removed, check.unrecorded, check.starts) == ((), (), (), 1)


def test_a_second_run_adds_its_own_lines_and_leaves_the_others(logs: Path, made: Path) -> None:
    first = lines_of(logs)
    with recording(logs, ASKED):
        copy_logs(made, logs, "-again")
    assert lines_of(logs)[:3] == first
    assert len(lines_of(logs)) == 6
    with recording(logs, ASKED):
        pass
    assert len(lines_of(logs)) == 7  # a start, and no log that is new
    assert check_ledgers(logs).starts == 3


def test_what_a_killed_run_left_is_recorded_by_the_next_one(logs: Path, made: Path) -> None:
    copy_logs(made, logs, "-killed")
    assert len(check_ledgers(logs).unrecorded) == 2
    with recording(logs, ASKED):
        pass
    assert check_ledgers(logs).unrecorded == ()


def test_logs_are_recorded_when_a_run_ends_in_an_error(made: Path, tmp_path: Path) -> None:
    def fail() -> None:
        with recording(tmp_path / "logs", ASKED):
            copy_logs(made, tmp_path / "logs")
            raise RuntimeError("the run broke off")

    with pytest.raises(RuntimeError):
        fail()
    assert len(read_ledger(tmp_path / "logs").logs()) == 2


def test_a_log_that_changed_is_named_and_no_later_run_takes_it_in(logs: Path) -> None:
    path = sorted(logs.glob("*.eval"))[0]
    with path.open("ab") as stream:
        stream.write(b"x")
    for _ in range(2):
        [problem] = check_ledgers(logs).problems
        assert problem == f"{path} is not the file that its run wrote, according to runs.jsonl."
        with recording(logs, ASKED):
            pass


def test_a_finished_log_that_is_gone_is_a_problem_and_an_unfinished_one_is_not(logs: Path) -> None:
    path = sorted(logs.glob("*.eval"))[1]
    path.unlink()
    check = check_ledgers(logs)
    assert [line["log"] for line in check.removed] == [path.name]
    [problem] = check.problems
    assert f"{LEDGER}: {path.name} was finished" in problem
    rewrite(logs, {"status": "error"})
    check = check_ledgers(logs)
    [problem] = check.problems  # of the log that is there and tells otherwise
    assert (len(check.removed), "has another status" in problem) == (1, True)


def rewrite(logs: Path, change: dict[str, str]) -> None:
    """The same ledger with other words on its logs."""
    found = [json.loads(text) for text in lines_of(logs)]
    lines = [line | (change if line["kind"] == "log" else {}) for line in found]
    (logs / LEDGER).write_text("".join(canonical_json(line) + "\n" for line in lines))


def test_a_finished_log_that_is_only_called_damaged_is_gone(logs: Path) -> None:
    path = sorted(logs.glob("*.eval"))[0]
    aside = path.rename(path.with_name(path.name + ".damaged"))
    check = check_ledgers(logs)
    assert [line["log"] for line in check.removed] == [path.name]
    [problem] = check.problems
    assert "was finished" in problem
    aside.write_bytes(aside.read_bytes()[:-1])
    check = check_ledgers(logs)
    assert (len(check.removed), check.problems) == (1, ())
    rewrite(logs, {"status": "error"})
    check = check_ledgers(logs)
    assert len(check.removed) == 0  # the damaged rest of a run that was killed


def test_a_line_that_says_other_than_its_log_is_named(logs: Path) -> None:
    rewrite(logs, {"model": "lab/better"})
    problems = check_ledgers(logs).problems
    assert len(problems) == 2
    assert all("has another model than its line" in problem for problem in problems)


def test_a_log_whose_line_was_taken_out_is_in_no_ledger(logs: Path) -> None:
    (logs / LEDGER).write_text("\n".join(lines_of(logs)[:-1]) + "\n")
    assert len(check_ledgers(logs).unrecorded) == 1


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"[]\n", b'{"n": NaN}\n', b"{" * 5000])
def test_a_ledger_that_is_none_is_a_problem_and_stops_a_run(logs: Path, content: bytes) -> None:
    (logs / LEDGER).write_bytes(content)
    assert len(check_ledgers(logs).problems) >= 1
    with pytest.raises(DamagedError, match="cannot be continued"), recording(logs, ASKED):
        raise AssertionError("nothing may run")


def test_a_name_that_leads_out_of_the_folder_is_not_followed(logs: Path) -> None:
    rewrite(logs, {"log": "../../etc/passwd"})
    check = check_ledgers(logs)
    assert (check.problems, check.removed, len(check.unrecorded)) == ((), (), 2)


def test_a_board_counts_what_ran_beside_what_it_shows(logs: Path, made: Path) -> None:
    with recording(logs, ASKED):
        copy_logs(made, logs, "-again")
    board = leaderboard(logs, resamples=0)
    runs = {row["method"]: row["runs"] for row in board.rows}
    assert runs["direct"] == {"logs": 2, "removed": 0, "variants": 0}
    assert runs["null"] == {"logs": 2, "removed": 0, "variants": 0}
    gone = next(
        line["log"]
        for line in read_ledger(logs).logs()
        if line["method"] == "direct" and line["log"].endswith("-again.eval")
    )
    (logs / gone).unlink()
    board = leaderboard(logs, resamples=0)
    runs = {row["method"]: row["runs"] for row in board.rows}
    assert runs["direct"] == {"logs": 1, "removed": 1, "variants": 0}
    note = "direct with extractive/lead ran title (base) in 1 more log that was removed"
    assert any(note in told for told in board.notes)
