"""Errors that asking again cannot mend cost one request; content in parts is read."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai.log import EvalSample
from tests.faults.storms import complete_logs, fault_of
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import (
    FAULTS,
    Ask,
    Reply,
    ScriptedServer,
    answer,
    error,
    scripted,
)

from vivavoce.rounds import Round
from vivavoce.running import provider_errors

ITEMS = 3
MODEL = "openai-api/scripted/strict"


def content(value: object, **fields: object) -> Reply:
    """A completion whose content need not be a text."""
    body = json.loads(answer(None).body)
    body["choices"][0]["message"] |= {"content": value, **fields}
    return Reply(json.dumps(body).encode())


TITLE = "How otters float"
THOUGHT = "It is about otters."
PARTS = [
    content([{"type": "text", "text": "How otters "}, {"type": "text", "text": "float"}]),
    content([{"type": "output_text", "text": TITLE}]),
    content([{"type": "reasoning", "reasoning": THOUGHT}, {"type": "text", "text": TITLE}]),
    content(
        [
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": TITLE},
        ]
    ),
    content([{"type": "summary_text", "text": THOUGHT}, TITLE]),
    content({"type": "text", "text": TITLE}),
    content(TITLE, reasoning_content=THOUGHT),
    content([{"type": "text", "text": TITLE}], reasoning_content=THOUGHT),
]
PERMANENT = {
    "wrong parameter": (FAULTS["bad-request"], "The parameter frequency is not known (HTTP 400"),
    "no choices": (FAULTS["no-choices"], "The reply has no choices ("),
    "error with 200": (
        Reply(b'{"error": {"message": "No such model.", "code": 404}}'),
        "No such model (",
    ),
    "content": (content([17]), "The reply's content is neither a text nor a list of parts ("),
    "wrong key": (error(401, "Incorrect API key."), "Incorrect API key (HTTP 401"),
    "wrong model": (error(404, "No model " + "x" * 999), "No model xxx"),
    "detail": (Reply(b'{"detail": "A string was expected."}', 422), "A string was expected (HTTP"),
}
OVERFLOWS = [
    error(400, "This model's maximum context length is 4096 tokens. However, you requested 9000."),
    error(400, "The decoder prompt (length 9000) is longer than the maximum model length of 4096."),
    Reply(b'{"error": {"message": "You passed 9000 of 4096.", "param": "input_tokens"}}', 400),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("permanent"), papers=ITEMS)


def run(small: Round, logs: Path, server: ScriptedServer, expect: int = 0) -> str:
    command = ("run", "title", "--round", small.folder, "--logs", logs, "--model", MODEL)
    return viva_here(*command, env=server.environment, expect=expect).stdout


def samples(logs: Path) -> list[EvalSample]:
    [log] = complete_logs(logs)
    return log.samples or []


def test_content_in_parts_is_put_together(tmp_path: Path) -> None:
    made = small_round(tmp_path / "round", papers=len(PARTS))
    with scripted(lambda ask: PARTS[ask.number - 1]) as server:
        run(made, tmp_path / "logs", server)
        assert len(server.asks) == len(PARTS)
    completions = [sample.output.completion for sample in samples(tmp_path / "logs")]
    assert completions == [TITLE] * len(PARTS)


def test_a_permanent_error_costs_one_request_and_is_one_line(small: Round, tmp_path: Path) -> None:
    names = {f"strict-{number}": name for number, name in enumerate(PERMANENT)}
    command = ["run", "title", "--round", small.folder, "--logs", tmp_path]
    command += [word for model in names for word in ("--model", f"openai-api/scripted/{model}")]
    with scripted(lambda ask: PERMANENT[names[ask.model]][0]) as server:
        *lines, logs = viva_here(*command, env=server.environment, expect=1).stdout.splitlines()
        assert {model: len(server.prompts(model)) for model in names} == dict.fromkeys(names, 1)
    assert logs == str(tmp_path)
    assert len(lines) == len(names)
    for model, name in names.items():
        [line] = [line for line in lines if f"openai-api/scripted/{model}" in line]
        assert line.startswith(PERMANENT[name][1])
        assert len(line) <= 200


def test_the_same_command_goes_on_when_the_server_is_mended(small: Round, tmp_path: Path) -> None:
    with scripted(lambda ask: FAULTS["bad-request"]) as server:
        run(small, tmp_path, server, expect=1)
        server.script = lambda ask: answer(TITLE)
        run(small, tmp_path, server)
        assert len(server.asks) == 1 + ITEMS


def test_a_key_that_is_withdrawn_ends_the_run(small: Round, tmp_path: Path) -> None:
    def script(ask: Ask) -> Reply:
        return answer(TITLE) if ask.number == 1 else error(401, "Withdrawn.")

    with scripted(script) as server:
        reported = run(small, tmp_path, server, expect=1)
        assert len(server.asks) <= ITEMS
    assert reported.startswith("Withdrawn (HTTP 401")


def test_a_reply_without_choices_among_others_is_asked_for_again(
    small: Round, tmp_path: Path
) -> None:
    def script(ask: Ask) -> Reply:
        return FAULTS["no-choices"] if ask.number == 2 else answer(TITLE)

    with scripted(script) as server:
        run(small, tmp_path, server)
        assert len(server.asks) == ITEMS + 1


@pytest.mark.parametrize("reply", OVERFLOWS)
def test_a_prompt_that_is_too_long_is_an_overflow(
    small: Round, tmp_path: Path, reply: Reply
) -> None:
    with scripted(lambda ask: reply) as server:
        run(small, tmp_path, server)
        assert len(server.asks) == ITEMS
    assert [fault_of(sample) for sample in samples(tmp_path)] == ["overflow"] * ITEMS


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_named_while_it_is_asked(
    small: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_errors, "_SILENCE", 0.1)
    command = ("run", "title", "--round", small.folder, "--limit", "1", "--model", MODEL)
    with scripted(lambda ask: replace(answer(TITLE), delay=1.0)) as server:
        done = viva_here(*command, "--logs", tmp_path / "slow", env=server.environment)
        assert f"{MODEL}: no reply yet from {server.url}" in done.stderr
        environment = dict(server.environment)
    never = ("--max-retries", "0", "--logs", tmp_path / "none")
    done = viva_here(*command, *never, env=environment, expect=None)
    assert f"{MODEL}: nothing answers at {server.url}" in done.stderr
