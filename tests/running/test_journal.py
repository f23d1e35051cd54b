"""Replies that were paid for are taken from the journal; those that do harm are asked for anew."""

from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import FAULTS, TOKENS, Ask, Reply, opening, scripted

from vivavoce.rounds import Round
from vivavoce.running.journal import JOURNAL

ITEMS = 3


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("journal"), papers=ITEMS)


def test_a_run_that_lacks_answers_goes_on_without_a_journal(small: Round, tmp_path: Path) -> None:
    """The server refuses the second item that it meets, until it is mended."""
    refused: list[str] = []

    def script(ask: Ask) -> Reply:
        if ask.number == 2:
            refused.append(ask.prompt)
        return FAULTS["bad-request"] if ask.prompt in refused else opening(ask)

    command = ["run", "title", "--round", small.folder, "--logs", tmp_path]
    command += ["--model", "openai-api/scripted/broken", "--retry-on-error", "0"]
    with scripted(script) as server:
        viva_here(*command, env=server.environment, expect=1)
        answered = {ask.prompt for ask in server.asks} - set(refused)
        assert (tmp_path / JOURNAL).read_text().count("\n") == len(answered) == ITEMS - 1
        assert len([ask for ask in server.asks if ask.prompt in answered]) == ITEMS - 1
        before, server.script = len(server.asks), opening
        viva_here(*command, env=server.environment)
        assert [ask.prompt for ask in server.asks[before:]] == refused
    assert not (tmp_path / JOURNAL).exists()
    logs = [read_eval_log(info) for info in list_eval_logs(str(tmp_path))]
    [whole] = [log for log in logs if log.status == "success"]
    used = [sum(u.total_tokens for u in s.model_usage.values()) for s in whole.samples or []]
    assert used == [TOKENS] * ITEMS


def test_replies_that_make_a_sample_fail_are_not_kept(small: Round, tmp_path: Path) -> None:
    """A reply without any choice ends a sample in an error; the next try asks anew."""
    command = ["run", "title", "--round", small.folder, "--logs", tmp_path]
    command += ["--model", "openai-api/scripted/mute", "--retry-on-error", "0"]
    with scripted(lambda ask: opening(ask) if ask.number == 1 else FAULTS["no-choices"]) as server:
        viva_here(*command, env=server.environment, expect=1)
        server.script = opening
        viva_here(*command, env=server.environment)
    assert not (tmp_path / JOURNAL).exists()
