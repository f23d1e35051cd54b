"""Batches of requests: a run that is killed while they are in flight finds them again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.batches import batch_server
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.golden import Golden

pytestmark = pytest.mark.slow

ITEMS, LOOKS = 12, 30


@pytest.mark.parametrize("is_lost", [False, True], ids=["in flight", "lost"])
def test_batches_in_flight_are_found_again(
    kill_after: Callable[..., None], tmp_path: Path, is_lost: bool
) -> None:
    opened = small_round(tmp_path, papers=ITEMS)
    logs = tmp_path / "logs"
    model = ("--model", "openai/gpt-4o-mini", "-M", "responses_api=false")
    command = ("run", "title", "--round", opened.folder, "--logs", logs, *model)
    options = ("--batch", "--batch-tick", "0.05", "--epochs", "2", "--json")
    with batch_server(Golden(opened, ("title",))) as server:
        # After so many looks at batches all requests are in one.
        kill_after(server, LOOKS, [*command, *options])
        assert server.asks == []
        assert server.requests() == 2 * ITEMS
        server.lost = set(server.batches) if is_lost else set()
        server.released = True
        done = only_json(viva_here(*command, *options, env=server.environment).stdout)
        assert done["failed"] == []
        assert server.failures == []
        # Only what the provider lost is sent again, and each answer is asked for once.
        assert server.requests() == (4 if is_lost else 2) * ITEMS
        assert len(server.asks) == 2 * ITEMS
        assert not (logs / "batches.jsonl").exists()
        before = len(server.batches)
        viva_here(*command, *options, env=server.environment)
        assert len(server.batches) == before
    rows = only_json(viva_here("board", "show", logs, "--json").stdout)["rows"]
    assert {row["value"] for row in rows if row["headline"]} == {1.0}


def test_a_batch_that_was_accepted_and_never_confirmed_is_the_only_one_sent_again(
    kill_after: Callable[..., None], tmp_path: Path
) -> None:
    opened = small_round(tmp_path, papers=ITEMS)
    model = ("--model", "openai/gpt-4o-mini", "-M", "responses_api=false", "--batch")
    command = ("run", "title", "--round", opened.folder, "--logs", tmp_path / "logs", *model)
    options = ("--batch-tick", "0.05", "--json")
    with batch_server(Golden(opened, ("title",)), looks=2) as server:
        server.may_confirm.clear()
        kill_after(server, 2, [*command, *options])  # its file was taken, and the batch itself
        server.may_confirm.set()
        [accepted] = server.batches
        unconfirmed = server.requests()
        done = only_json(viva_here(*command, *options, env=server.environment).stdout)
        assert (done["failed"], server.failures) == ([], [])
        assert server.requests() == ITEMS + unconfirmed
        assert server.looks[accepted] == 0
