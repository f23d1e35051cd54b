"""Replies that are none are asked for again, one request at a time."""

import asyncio
import itertools

import pytest
from inspect_ai.model import ChatMessageUser, Model, ModelOutput, get_model
from tests.servers.scripted import FAULTS, KEY, Reply, ScriptedServer, answer, scripted

from vivavoce.tasks.methods import direct
from vivavoce.tasks.methods.direct import TRIES, generate_with_retry

_NUMBERS = itertools.count()
ERROR_WITH_200 = Reply(b'{"error": {"message": "overloaded", "code": 503}}')
UNREADABLE = [FAULTS["malformed"], FAULTS["no-choices"], ERROR_WITH_200, Reply(b"")]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_time(seconds: float) -> None:
        pass

    monkeypatch.setattr(direct.anyio, "sleep", no_time)


def ask(server: ScriptedServer) -> ModelOutput:
    name = f"openai-api/scripted/patience-{next(_NUMBERS)}"
    model: Model = get_model(name, base_url=server.url, api_key=KEY)
    return asyncio.run(generate_with_retry(model, [ChatMessageUser(content="Which one?")]))


@pytest.mark.parametrize("fault", UNREADABLE)
def test_a_reply_that_cannot_be_read_is_asked_for_again(fault: Reply) -> None:
    with scripted(lambda ask: fault if ask.turn < TRIES else answer("This one.")) as server:
        assert ask(server).completion == "This one."
        assert len(server.asks) == TRIES


def test_what_never_can_be_read_ends_in_its_own_error() -> None:
    with (
        scripted(lambda ask: FAULTS["malformed"]) as server,
        pytest.raises(ValueError, match="char"),
    ):
        ask(server)
    assert len(server.asks) == TRIES


def test_what_always_says_nothing_is_the_answer_in_the_end() -> None:
    with scripted(lambda ask: FAULTS["no-choices"]) as server:
        assert ask(server).choices == []
        assert len(server.asks) == TRIES


@pytest.mark.parametrize("name", ["empty", "refusal", "overflow", "cut-off"])
def test_an_answer_is_taken_as_it_is_good_or_bad(name: str) -> None:
    with scripted(lambda ask: FAULTS[name]) as server:
        assert ask(server).choices
        assert len(server.asks) == 1


def test_a_request_that_is_refused_is_not_repeated() -> None:
    with (
        scripted(lambda ask: FAULTS["bad-request"]) as server,
        pytest.raises(Exception, match="400"),
    ):
        ask(server)
    assert len(server.asks) == 1
