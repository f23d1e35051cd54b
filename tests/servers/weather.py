"""Bad weather: a share of the requests to a scripted model meets a fault, drawn by their content.

The draw is a hash of a seed, the model, the conversation and how often it was sent before. So the
same run meets the same faults, in whatever order its requests arrive.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from tests.servers.scripted import FAULTS, PIECES, Ask, Reply, Script, answer, error

PATIENCE = 6
"""Seconds that a request is given: silence and dripping outlast it, everything else is quicker."""

PASSING: Mapping[str, Reply] = {
    "429": FAULTS["rate-limit"],
    "500": FAULTS["server-error"],
    "503": error(503, "The engine is overloaded.", **{"Retry-After": "1"}),
    "silence": Reply(delay=3 * PATIENCE),
    "drip": replace(answer("Too late."), pace=2 * PATIENCE / PIECES),
    "dropped": FAULTS["dropped"],
    "malformed": FAULTS["malformed"],
    "html": FAULTS["html"],
    "error with 200": Reply(b'{"error": {"message": "overloaded", "code": 503}}'),
    "cut": replace(answer("Half of an answer."), cut=True),
}
"""Faults that are over when the same is asked again."""
LASTING: Mapping[str, Reply] = {
    name: FAULTS[name] for name in ("overflow", "filtered", "empty", "refusal", "error-text")
}
"""Answers that are none, however often they are asked for."""


def streamed(reply: Reply) -> Reply:
    """A completion as it comes when it is asked for as a stream: word by word."""
    if reply.status != 200 or not reply.body:
        return reply
    completion = json.loads(reply.body)
    [choice] = completion.pop("choices")
    head = completion | {"object": "chat.completion.chunk"}
    words = choice["message"]["content"].split(" ")
    pieces = [{"content": word if place == 0 else f" {word}"} for place, word in enumerate(words)]
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant"}, None)]
    deltas += [(piece, None) for piece in pieces]
    deltas.append(({}, choice["finish_reason"]))
    events = [
        head | {"usage": None, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in deltas
    ]
    events.append(head | {"choices": []})
    lines = [*(json.dumps(event) for event in events), "[DONE]"]
    return Reply(_events(lines), kind="text/event-stream")


def _events(lines: Iterable[str]) -> bytes:
    return "".join(f"data: {line}\n\n" for line in lines).encode()


_BROKEN = streamed(answer("An answer of which only the first few words have come"))
PASSING_STREAMS: Mapping[str, Reply] = {
    "cut": replace(_BROKEN, cut=True),
    "error in the middle": replace(
        _BROKEN,
        body=_BROKEN.body.split(b" words")[0].rpartition(b"data:")[0]
        + _events(['{"error": {"message": "It broke.", "type": "server_error"}}']),
    ),
    "no words": replace(_BROKEN, body=b""),
    "dropped": FAULTS["dropped"],
    "503": PASSING["503"],
}
"""Faults of streams that are over when the same is asked again."""


@dataclass
class Weather:
    """A script under which some requests meet a fault."""

    clear: Script
    """What the others are answered."""
    faults: Mapping[str, Reply]
    share: float = 0.3
    seed: int = 0
    most: int | None = 4
    """How often one conversation may meet a fault; None for the same one, every time."""
    met: Counter[str] = field(default_factory=Counter)
    """Requests by the fault they met; the empty name for none."""
    _sent: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, ask: Ask) -> Reply:
        """A fault, or the answer."""
        content = json.dumps([self.seed, ask.model, ask.body["messages"]])
        with self._lock:
            self._sent[content] += 1
            times = self._sent[content]
            name = self._draw(content, times)
            self.met[name] += 1
        return self.faults[name] if name else self.clear(ask)

    def _draw(self, content: str, times: int) -> str:
        if self.most is None:
            times = 1
        elif times > self.most:
            return ""
        digest = hashlib.sha256(f"{times} {content}".encode()).digest()
        chance, choice = (int.from_bytes(part) for part in (digest[:8], digest[8:16]))
        if chance >= self.share * 2**64:
            return ""
        return sorted(self.faults)[choice % len(self.faults)]
