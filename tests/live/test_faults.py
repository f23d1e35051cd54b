"""What goes wrong in a live board, and what a person is told."""

import errno
import json
from datetime import date
from pathlib import Path

import pytest
from tests.live.world import LEAD, Board, board, contestant
from tests.servers.arxiv_replay import Ask as ArxivAsk
from tests.servers.arxiv_replay import Fault
from tests.servers.bill import IN, OUT, Bill, by_letters
from tests.servers.commands import viva_here
from tests.servers.living_arxiv import submissions
from tests.servers.scripted import Ask, Reply, Script, answer, error, opening, slot

from vivavoce.rounds import load_round
from vivavoce.store import hash_tree, lock, read_json

pytestmark = pytest.mark.slow

FEBRUARY, MARCH, APRIL = "2023-02-01", "2023-03-01", "2023-04-01"
ONE, TWO = contestant("one", 'price = "1,2"'), contestant("two", 'price = "1,2"')


def dies_after(number: int, model: str) -> Script:
    """A provider that dies half-way through one contestant's answers."""
    answered: list[int] = []

    def script(ask: Ask) -> Reply:
        if ask.model != model:
            return opening(ask)
        answered.append(ask.number)
        return opening(ask) if len(answered) <= number else error(500, "gone")

    return script


def test_a_provider_that_dies_half_way_stops_nobody_else_and_is_mended(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        one.write(ONE, TWO)
        one.models.script = dies_after(3, "one")
        failed = one.live(FEBRUARY, expect=1)
        assert "Failed: 2023-02-01 live-2023-02-01 · one · base" in failed.stdout
        assert {row["model"] for row in one.rows()} == {"openai-api/scripted/two"}
        status = one.status(FEBRUARY)
        [period] = status["periods"]
        assert period["state"] == "partial"
        assert period["lacks"] == ["cell live-2023-02-01 · one · base"]
        items = period["cells"][0]["items"]
        assert f"lacks {items - 3} of {items} answers" in status["failures"][0]["reason"]

        one.models.script = opening
        before = len(one.models.prompts("one"))
        one.live(FEBRUARY)
        assert len(one.models.prompts("one")) - before == items - 3  # what was answered is kept
        assert len(one.models.prompts("two")) == items
        assert {row["model"][-3:] for row in one.rows()} == {"one", "two"}
        assert one.status(FEBRUARY)["failures"] == []


def test_texts_that_fail_stop_the_round_and_are_asked_for_again(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        one.write(ONE)
        busy = Fault(b"slow down", 429, {"Retry-After": "100000"})

        def script(ask: ArxivAsk) -> Fault:
            return busy if "/html/" in ask.target and ask.number > 4 else one.archive(ask)

        one.arxiv.script = script
        failed = one.live(FEBRUARY, expect=1)
        assert "The fetch of texts stopped before its end" in failed.stdout
        assert [row["step"] for row in one.ledger] == ["listing"]
        assert one.models.asks == []
        one.arxiv.script = one.archive
        one.live(FEBRUARY)
        listings = [ask for ask in one.arxiv.asks if "/api/query" in ask.target]
        assert len(listings) == 1


def test_a_text_that_came_late_is_asked_about_in_the_next_round_and_once(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        one.write(ONE)
        late = one.archive.archive[3]

        def script(ask: ArxivAsk) -> Fault:
            is_late = late.name in ask.target and one.archive.today < date(2023, 3, 1)
            return Fault(b"come back", 503) if is_late else one.archive(ask)

        one.arxiv.script = script
        one.live(FEBRUARY)
        first = hash_tree(one.folder / "rounds" / "live-2023-02-01")
        assert one.status(FEBRUARY)["periods"][0]["texts_failed"] == 1
        for until in (MARCH, APRIL):
            one.live(until, "--strict")
        rounds = [
            {row["paper_id"] for row in load_round(folder).items("writing", "title")}
            for folder in sorted((one.folder / "rounds").glob("live-*-01"))
        ]
        assert [f"arxiv:{late.name}" in asked for asked in rounds] == [False, True, False]
        assert [row["late"] for row in one.status(APRIL)["periods"]] == [0, 1, 0]
        about = [p for p in one.models.prompts("one") if late.document.abstract in p]
        assert len(about) == 1
        assert hash_tree(one.folder / "rounds" / "live-2023-02-01") == first
        audit = viva_here("audit", "leakage", one.folder / "rounds" / "live-2023-03-01", "--json")
        assert json.loads(audit.stdout)["breaches"] == 0


def test_months_that_were_skipped_are_caught_up_one_by_one(tmp_path: Path) -> None:
    with board(tmp_path / "late") as late, board(tmp_path / "due") as due:
        for one in (late, due):
            one.write(ONE)
        for until in (FEBRUARY, MARCH):
            due.live(until)
        late.live("2023-03-20")
        assert hash_tree(late.folder / "rounds") == hash_tree(due.folder / "rounds")
        status = [one.status(MARCH) for one in (late, due)]
        assert status[0] == status[1]
        assert len(status[0]["periods"]) == 2


def test_a_month_without_papers_makes_no_round_and_the_next_begins_where_it_did(
    tmp_path: Path,
) -> None:
    archive = [one for one in submissions(30, 90) if one.day.month == 2]
    with board(tmp_path / "board", archive) as one:
        one.write(ONE)
        one.live(FEBRUARY)
        [period] = one.status(FEBRUARY)["periods"]
        assert (period["state"], period["round"], period["papers"]) == ("done", None, 0)
        assert not (one.folder / "site").exists()
        before = one.requests
        one.live(FEBRUARY)
        assert one.requests == before
        one.live(MARCH)
        manifest = read_json(one.folder / "rounds" / "live-2023-03-01" / "manifest.json")
        assert manifest["window"] == {"start": "2023-01-01", "end": "2023-03-01"}


def test_a_second_instance_ends_with_75_and_does_nothing(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        one.write(ONE)
        with lock(one.folder):
            refused = one.live(FEBRUARY, expect=75)
        assert "is held by process" in refused.stderr
        assert one.requests == (0, 0)


def test_a_clock_that_is_behind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with board(tmp_path / "board") as one:
        one.write(LEAD)
        one.live(FEBRUARY)
        before = hash_tree(one.folder)
        monkeypatch.setattr("vivavoce.cli.live.today", lambda: date(2023, 1, 20))
        refused = viva_here("live", one.config, expect=1)
        assert "The clock says 2023-01-20" in refused.stderr
        assert "Nothing is due." in one.live("2023-01-20").stdout  # a day named on purpose
        assert hash_tree(one.folder) == before


def test_a_budget_is_held_for_each_request_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        one.models.script = bill = Bill(opening, by_letters)
        priced = [text.replace("1,2", f"{IN:g},{OUT:g}") for text in (ONE, TWO)]
        one.write(priced[0])
        one.live(FEBRUARY)
        cost, items = bill.usd["one"], len(one.models.asks)
        budget = 1.4 * cost
        one.write(*priced, f"[budget]\nperiod = {budget}\ntotal = 9.0")
        failed = one.live(FEBRUARY, expect=1)
        assert "live-2023-02-01 · two · base: " in failed.stdout
        assert "is used up" in failed.stdout
        assert "Notice: 2023-02-01 budget:" in failed.stdout
        assert 0 < bill.usd["two"] <= 0.4 * cost
        assert 0.8 * budget <= sum(bill.usd.values()) <= budget
        spent = one.status(FEBRUARY)["spent"]["total"]
        assert spent == pytest.approx(sum(bill.usd.values()))
        before = one.requests
        one.live(FEBRUARY, expect=1)
        assert one.requests == before

        one.write(*priced, f"[budget]\nperiod = {9 * cost}")
        assert one.live(FEBRUARY, "--strict").exit_code == 0
        assert len(one.models.asks) == 2 * items  # what was answered is kept
        assert one.status(FEBRUARY)["spent"]["total"] == pytest.approx(2 * cost, rel=1e-6)
        assert {row["trust"] for row in one.rows()} == {"recomputed"}

        one.write(*priced, f"[budget]\ntotal = {2 * cost}")
        assert "is used up" in one.live(MARCH, expect=1).stdout
        assert len(one.models.asks) == 2 * items


def test_drift_is_a_notice_and_ends_with_3_where_it_is_strict(tmp_path: Path) -> None:
    with board(tmp_path / "board", submissions(60, 90)) as one:
        one.write(ONE)
        text = one.config.read_text().replace("anchors = 1", "anchors = 14")
        one.config.write_text(text.replace('["title"]', '["abstract"]'))
        one.models.script = long_opening
        one.live(FEBRUARY, "--strict")
        one.models.script = lambda ask: answer("Nothing of note.")
        noticed = one.live(MARCH, "--strict", expect=3)
        assert "Notice: 2023-03-01 drift: openai-api/scripted/one moved by -" in noticed.stdout
        assert [row["kind"] for row in one.status(MARCH)["notices"]] == ["drift"]
        before = one.requests
        assert "drift" in one.live(MARCH, "--strict", expect=3).stdout
        assert one.live(MARCH).exit_code == 0
        assert one.requests == before


def long_opening(ask: Ask) -> Reply:
    """Answer with the first two hundred words of the paper."""
    return answer(" ".join(slot(ask.prompt, "paper").split()[:200]))


def test_a_name_stands_for_one_model_for_ever(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        one.write(ONE)
        one.live(FEBRUARY)
        one.write(ONE.replace("scripted/one", "scripted/two"))
        refused = one.live(MARCH, expect=2)
        assert "one was openai-api/scripted/one direct in earlier rounds" in refused.stderr
        one.write(ONE.replace("openai-api/scripted/one", "opnai/one").replace('"one"', '"new"'))
        before = one.requests
        assert "cannot be used" in one.live(MARCH, expect=2).stderr
        assert one.requests == before


def pages_of(one: Board) -> dict[str, str]:
    """The files of a site but for its status."""
    found = hash_tree(one.folder / "site")
    return {name: value for name, value in found.items() if "status" not in name}


def test_a_log_that_was_edited_keeps_the_site_as_it_was(tmp_path: Path) -> None:
    with board(tmp_path / "board") as one:
        one.write(ONE)
        one.live(FEBRUARY)
        site = pages_of(one)
        [log] = (one.folder / "logs").rglob("*.eval")
        log.write_bytes(log.read_bytes() + b" ")
        one.write(ONE, TWO)
        failed = one.live(FEBRUARY, expect=1)
        assert "The site was not built" in failed.stdout
        assert pages_of(one) == site
        [failure] = one.status(FEBRUARY)["failures"]
        assert "The site was not built" in failure["reason"]


def test_a_full_disk_ends_the_step_and_the_next_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with board(tmp_path / "board") as one:
        one.write(ONE)
        put = Path.replace

        def put_while_there_is_room(source: Path, target: Path) -> Path:
            if len(one.arxiv.asks) > 5:
                raise OSError(errno.ENOSPC, "No space left on device", str(target))
            return put(source, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", put_while_there_is_room)
            failed = one.live(FEBRUARY, expect=1)
            assert "No space left on device" in failed.stderr
        one.live(FEBRUARY)
        assert one.status(FEBRUARY)["periods"][0]["state"] == "done"
        texts = [ask.target for ask in one.arxiv.asks if "/html/" in ask.target]
        assert len(texts) <= len(set(texts)) + 1  # the one that could not be saved
