"""A chat-completions server on the loopback interface that answers by script.

It speaks enough of the OpenAI API for Inspect's `openai-api/scripted/MODEL`. A script is a function
of the request alone, so an answer cannot depend on the gold. Every request is kept: a test reads
there what reached the server, and how often.
"""

import json
import math
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from vivavoce.running.provider_errors import QUESTION

KEY = "not-a-secret"


@dataclass(frozen=True)
class Ask:
    """A request."""

    number: int
    """1 for the first request of all."""
    model: str
    prompt: str
    """Text of the last message."""
    turn: int
    """1 when this model meets this prompt for the first time."""
    body: Mapping[str, Any]
    """The whole request."""
    at: float
    """Seconds on a clock of the server's."""


@dataclass(frozen=True)
class Reply:
    """What to send back."""

    body: bytes = b""
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    """Close the connection without an answer."""
    delay: float = 0.0
    """Seconds before the answer."""
    pace: float = 0.0
    """Seconds between one piece of the body and the next; 0 to send it at once."""
    cut: bool = False
    """Close the connection after half of the body."""


Script = Callable[[Ask], Reply]


PIECES = 100
"""Into how many pieces a body is cut that is sent slowly."""
TOKENS = 107
"""What every completion claims to have used."""


def answer(text: str | None, *, finish: str = "stop") -> Reply:
    """A well-formed completion."""
    message = {"role": "assistant", "content": text}
    return Reply(_json(_completion([{"index": 0, "message": message, "finish_reason": finish}])))


def _completion(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": choices,
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
    }


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def error(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error as the API words it."""
    body = {"error": {"message": message, "type": "invalid_request_error", "code": code}}
    return Reply(_json(body), status, headers=headers)


OVERFLOW_TEXT = "This model's maximum context length is 4096 tokens. However, you asked for 9000."

FAULTS: dict[str, Reply] = {
    "rate-limit": error(429, "Slow down.", "rate_limit_exceeded", **{"Retry-After": "1"}),
    "server-error": error(500, "Something broke."),
    "malformed": Reply(b'{"id": "chatcmpl-1", "choices": [{"mess'),
    "html": Reply(b"<!DOCTYPE html><html><body>Bad gateway</body></html>", kind="text/html"),
    "no-choices": Reply(_json(_completion([]))),
    "dropped": Reply(drop=True),
    "overflow": error(400, OVERFLOW_TEXT, "context_length_exceeded"),
    "bad-request": error(400, "The parameter frequency is not known.", "unknown_parameter"),
    "filtered": answer("", finish="content_filter"),
    "empty": answer(""),
    "null": answer(None),
    "blank": answer(" \n\t \n"),
    "refusal": answer("I'm sorry, but I can't help with that."),
    "error-text": answer("Error code: 503 - upstream connect error"),
    "symbols": answer("--- 12.5 ---"),
    "cut-off": answer("A title that stops in the middle of", finish="length"),
}
"""Ways to misbehave, by name."""


def opening(ask: Ask) -> Reply:
    """Answer with the first words of the paper in the prompt: a plain, honest contestant."""
    return answer(" ".join(slot(ask.prompt, "paper").split()[:12]))


def slot(prompt: str, tag: str) -> str:
    """The text between a prompt's <tag> and </tag>, which may end in a mark; there must be one."""
    found = re.search(rf"<{tag}(-\w{{12}}|)>\n(.*)\n</{tag}\1>", prompt, re.DOTALL)
    assert found, f"no <{tag}> in the prompt that was sent"
    return found.group(2)


def by_model(scripts: Mapping[str, Script], default: Script = opening) -> Script:
    """A script for each model, and one for the rest."""
    return lambda ask: scripts.get(ask.model, default)(ask)


def first_time(fault: Reply, then: Script = opening) -> Script:
    """Misbehave when a prompt is met for the first time."""
    return lambda ask: fault if ask.turn == 1 else then(ask)


class ScriptedServer:
    """A running server; `script` may be exchanged while it runs."""

    def __init__(self, script: Script = opening) -> None:
        self.script = script
        self.probe: Script = lambda ask: answer("yes")
        """The answer to the word that a model is asked before an exam."""
        self.asks: list[Ask] = []
        """All requests but these."""
        self.probed: list[str] = []
        """Models that were asked a word."""
        self.answered = 0
        self.failures: list[str] = []
        """What went wrong inside a script, such as a slot that did not arrive."""
        self._most, self._sent = math.inf, 0
        self._turns: Counter[tuple[str, str]] = Counter()
        self._changed = threading.Condition()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = QuietServer(("127.0.0.1", 0), handler)

    @property
    def url(self) -> str:
        """The base address to give to a client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment, with the server in it."""
        return {**os.environ, "SCRIPTED_BASE_URL": self.url, "SCRIPTED_API_KEY": KEY}

    def serve_here(self, patch: Any) -> None:
        """Let the models of this process ask here, as long as a MonkeyPatch lasts."""
        patch.setenv("SCRIPTED_BASE_URL", self.url)
        patch.setenv("SCRIPTED_API_KEY", KEY)

    def prompts(self, model: str) -> list[str]:
        """Prompts that reached a model, in order."""
        return [ask.prompt for ask in self.asks if ask.model == model]

    def wait_for_answers(self, count: int, seconds: float = 300) -> None:
        """Wait until so many answers were sent."""
        with self._changed:
            arrived = self._changed.wait_for(lambda: self.answered >= count, timeout=seconds)
        assert arrived, f"{self.answered} of {count} answers after {seconds} s"

    def send_until(self, answers: float) -> None:
        """Send no more replies once so many answers were sent; infinity to go on."""
        with self._changed:
            self._most, self._sent = answers, self.answered
            self._changed.notify_all()

    def wait_to_send(self) -> None:
        """Wait until one more reply may be sent."""
        with self._changed:
            self._changed.wait_for(lambda: self._sent < self._most)
            self._sent += 1

    def take_back(self) -> None:
        """Note that a reply could not be sent."""
        with self._changed:
            self._sent -= 1
            self._changed.notify_all()

    def reply_to(self, body: dict[str, Any]) -> Reply:
        """Note a request and find its reply."""
        content = body["messages"][-1]["content"]
        prompt = content if isinstance(content, str) else content[0]["text"]
        is_probe = prompt == QUESTION
        with self._changed:
            self._turns[body["model"], prompt] += 1
            turn = self._turns[body["model"], prompt]
            ask = Ask(len(self.asks) + 1, body["model"], prompt, turn, body, time.monotonic())
            if is_probe:
                self.probed.append(ask.model)
            else:
                self.asks.append(ask)
        try:
            return self.probe(ask) if is_probe else self.script(ask)
        except AssertionError as failure:
            self.failures.append(str(failure))
            return error(400, f"script: {failure}")

    def count_answer(self) -> None:
        """Note that a reply was sent."""
        with self._changed:
            self.answered += 1
            self._changed.notify_all()

    def serve(self) -> None:
        """Answer until `stop`."""
        self._http.serve_forever(poll_interval=0.02)

    def stop(self) -> None:
        """Stop answering and close the port."""
        self._http.shutdown()
        self._http.server_close()


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error of the server's."""


class _Handler(BaseHTTPRequestHandler):
    owner: ScriptedServer
    protocol_version = "HTTP/1.1"
    timeout = 60
    """Seconds after which a connection that nobody uses is closed."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_known = self.path.endswith("/chat/completions")
        reply = self.owner.reply_to(body) if is_known else error(404, "Not Found")
        if reply.delay:
            time.sleep(reply.delay)
        if reply.drop:
            self.close_connection = True
            return
        self.owner.wait_to_send()
        try:
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self._send_body(reply)
        except (BrokenPipeError, ConnectionResetError):
            self.owner.take_back()  # the client was killed: that answer was not sent
            return
        self.owner.count_answer()

    def _send_body(self, reply: Reply) -> None:
        body = reply.body[: len(reply.body) // 2] if reply.cut else reply.body
        self.close_connection = self.close_connection or reply.cut
        step = max(1, len(body) // PIECES) if reply.pace else max(1, len(body))
        for start in range(0, len(body), step):
            self.wfile.write(body[start : start + step])
            time.sleep(reply.pace)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def scripted(script: Script = opening) -> Iterator[ScriptedServer]:
    """A server for the length of a block."""
    server = ScriptedServer(script)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
