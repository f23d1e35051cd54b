"""Four simulated months: killed in every step and between them, it ends as the undisturbed one."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.live.world import Board, board, contestant
from tests.servers.forked import KILLED, Killer, Place
from tests.servers.living_arxiv import submissions
from tests.servers.scripted import Ask, Reply, answer, by_model, opening, slot

from vivavoce.store import hash_tree

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_800)]

PAPERS = 8
MONTHS = [date(2023, month + 1, 1) for month in range(1, 5)]
PRICE = 'price = "1,2"'
JOINING = {
    3: contestant("third", PRICE, "joins = 2023-03-01"),
    4: contestant("fourth", PRICE, "joins = 2023-05-01"),
}


LEDGER = "ledger.jsonl"
writing = partial(Place, "vivavoce.store", "write_chunks")
ELSEWHERE: list[Callable[[int], Place]] = [
    lambda month: writing(month % 5 + 1, LEDGER),  # between two steps
    lambda month: writing(7 * month, after=False),  # amid a step
    lambda month: writing(1, "site.json"),  # amid the site
]


def last_words(ask: Ask) -> Reply:
    """Answer with the last words of the paper: a poor contestant."""
    return answer(" ".join(slot(ask.prompt, "paper").split()[-5:]))


def parts(month: int) -> list[str]:
    """The contestants that the file names in a month; one retires in April."""
    retires = "retires = 2023-04-01" if month >= 4 else ""
    joined = [text for since, text in JOINING.items() if since <= month]
    return [contestant("first", PRICE, retires), *joined]


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[tuple[Board, Board]]:
    archive = submissions(PAPERS, 120)
    script = by_model({"third": last_words}, opening)
    with (
        board(tmp_path / "calm", archive, script) as calm,
        board(tmp_path / "killed", archive, script) as killed,
    ):
        yield calm, killed


def end_state(one: Board) -> dict[str, Any]:
    """Everything that the months leave, but for the seconds that answers took."""
    site = one.folder / "site"
    files = {name for name in hash_tree(site) if not re.search(r"boards/.*-[0-9a-f]{8}/", name)}
    seals = {path.name: path.read_text() for path in (site / "live").glob("*.*ed.json")}
    return {
        "rows": [_timeless(row) for row in one.rows()],
        "files": files,
        "seals": seals,
        "status": one.status(MONTHS[-1]),
        "rounds": hash_tree(one.folder / "rounds"),
        "tables": hash_tree(one.folder / "corpus" / "tables"),
    }


def _timeless(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "seconds"}


def test_months_that_are_killed_everywhere_end_as_the_undisturbed_one(
    boards: tuple[Board, Board],
) -> None:
    calm, killed = boards
    for month, until in enumerate(MONTHS, start=1):
        calm.write(*parts(month))
        calm.live(until)
        before, asked = hash_tree(calm.folder), calm.requests
        assert "Nothing is due." in calm.live(until).stdout
        assert (hash_tree(calm.folder), calm.requests) == (before, asked)
    listings, texts = len(MONTHS), PAPERS
    assert calm.requests[0] == listings + texts

    places = []
    with closing(Killer()) as runs:
        for month, until in enumerate(MONTHS, start=1):
            killed.write(*parts(month))
            killed.archive.today = until
            command, environment = killed.words(until), killed.models.environment
            for place in (
                writing(month, LEDGER, after=False),  # the step is done and not in the ledger
                ELSEWHERE[month % 3](month),
            ):
                if runs.run(command, environment, place) == KILLED:
                    places.append(place)
            assert runs.run(command, environment) == 0
        asked = killed.requests
        assert runs.run(command, environment) == 0
        assert killed.requests == asked
    assert len(places) > 1.5 * len(MONTHS)
    assert end_state(killed) == end_state(calm)
    assert killed.requests[1] == calm.requests[1]

    status = calm.status(MONTHS[-1])
    assert {row["state"] for row in status["periods"]} == {"done"}
    asked_by = {
        name: [row["end"] for row in status["periods"] if name in row["contestants"]]
        for name in ("first", "third", "fourth")
    }
    ends = [end.isoformat() for end in MONTHS]
    assert asked_by["first"] == ends[:3]
    assert asked_by["third"] == ends[1:]
    assert asked_by["fourth"] == ends[3:]
