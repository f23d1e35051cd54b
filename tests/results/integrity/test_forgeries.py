"""Forged logs, made by who knows the code, are not recomputed, unless their replies are forged."""

import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.results.integrity.alterations import alter
from tests.results.integrity.doors import problems_of, try_doors
from tests.results.integrity.forgeries import FORGERIES
from tests.results.integrity.forging import RECOMPUTED, Forgery, asked_in, forge, shown_by_boards
from tests.results.integrity.honest import RUNS, honest_in, make_honest
from tests.servers.commands import only_json, viva_here
from tests.support.once import make_once

from vivavoce.results.integrity.verification import verify_logs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
]

Made = tuple[Path, Path, Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Honest logs, the receiver's round and a forger's."""
    return honest_in(make_once(tmp_path_factory, "honest", make_honest))


@cache
def shown_by(logs: Path) -> tuple[list[str], list[str]]:
    """The values that boards show of honest logs, and the prompts in these."""
    return shown_by_boards(logs), asked_in(logs)


def verified(logs: Path, *options: str | Path) -> tuple[int, dict[str, Any]]:
    done = viva_here("board", "verify", logs, *options, "--json", expect=None)
    return done.exit_code, only_json(done.stdout)


@pytest.mark.parametrize("name", RUNS)
def test_what_runs_wrote_is_recomputed(made: Made, name: str) -> None:
    honest, round, _ = made
    code, found = verified(honest / name, "--round", round)
    assert [(log["status"], log["reasons"]) for log in found["logs"]] == [
        ("recomputed", []) for _ in found["logs"]
    ]
    assert (code, found["recomputed"]) == (0, True)


@pytest.mark.parametrize("name", RUNS)
@settings(
    max_examples=settings.default.max_examples // 25,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_value_that_boards_show_can_be_altered(
    made: Made, name: str, data: st.DataObject
) -> None:
    honest, round, _ = made
    with TemporaryDirectory() as folder:
        logs = Path(shutil.copytree(honest / name, Path(folder) / "logs"))
        alter(data, min(logs.glob("*.eval")), round)
        assume(shown_by_boards(logs) != shown_by(honest / name)[0])
        assert not verify_logs(logs, [round]).is_sound


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.name)
def test_a_forgery_is_not_recomputed_unless_its_replies_are_forged_too(
    made: Made, tmp_path: Path, forgery: Forgery
) -> None:
    honest, round, easy = made
    logs = tmp_path / "logs"
    forge(forgery, honest, logs, round, easy)
    # Unchecked, it would show otherwise on a board or a page, or come from other requests.
    shown, asked = shown_by(honest / forgery.of)
    assert shown_by_boards(logs) != shown or asked_in(logs) != asked
    code, found = verified(logs, "--round", round)
    if forgery.caught == RECOMPUTED:
        assert (code, {log["status"] for log in found["logs"]}) == (0, {"recomputed"}), found
    else:
        assert (code, found["recomputed"]) == (1, False), found
        reasons = [why for log in found["logs"] for why in log["reasons"]]
        assert [*reasons, *found["ledger"]["problems"]]


def test_what_verify_finds_submissions_intakes_and_boards_find_too(
    made: Made, tmp_path: Path
) -> None:
    for forgery, verdicts in try_doors(FORGERIES[5::40], *made, tmp_path / "inbox"):
        assert problems_of(forgery, verdicts) == [], (forgery.name, verdicts)


def test_a_round_that_comes_with_the_logs_does_not_count(made: Made, tmp_path: Path) -> None:
    honest, round, easy = made
    logs = tmp_path / "logs"
    brought = Path(shutil.copytree(easy, logs / "round"))
    [shipped] = [forgery for forgery in FORGERIES if forgery.edit.__name__ == "shipped_round"]
    forge(shipped, honest, logs, round, brought)
    code, found = verified(logs)
    assert code == 1
    assert any("was not found" in why for log in found["logs"] for why in log["reasons"])
    code, found = verified(honest / "rag")
    assert (code, found["logs"][0]["round"]["named"]) == (0, False)


def test_a_board_says_recomputed_only_of_what_its_maker_recomputed(
    made: Made, tmp_path: Path
) -> None:
    honest, round, _ = made

    def trust(*options: str | Path) -> set[tuple[str, str | None]]:
        viva_here("board", "build", honest / "title", "--out", tmp_path / "site", *options)
        rows = json.loads((tmp_path / "site/board.json").read_text())["rows"]
        return {(row["trust"], row["trust_reason"]) for row in rows}

    assert trust() == {("not_recomputed", "no round was named to check it against")}
    assert trust("--round", round) == {("recomputed", None)}
    page = next((tmp_path / "site").rglob("title*.html"))
    assert "recomputed" in page.read_text()
