"""A scripted provider that sends a bill: it counts tokens in a way of its own."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable

from tests.servers.golden import text_of
from tests.servers.scripted import Ask, Reply

IN, OUT = 2.0, 10.0
"""Dollars for a million tokens."""


def by_letters(text: str) -> int:
    return math.ceil(len(text) / 4)


def by_words(text: str) -> int:
    """Words of more than six letters are two tokens, as a vocabulary of pieces has it."""
    pieces = re.findall(r"\w+|[^\w\s]", text)
    return sum(1 + (len(piece) > 6) for piece in pieces)


class Bill:
    """A server's charges: it counts tokens in a way of its own."""

    def __init__(self, reply: Callable[[Ask], Reply], count: Callable[[str], int]) -> None:
        self._reply, self._count = reply, count
        self.usd: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()

    def __call__(self, ask: Ask) -> Reply:
        reply = self._reply(ask)
        body = json.loads(reply.body)
        taken = sum(self._count(text_of(message)) for message in ask.body["messages"])
        given = self._count(body["choices"][0]["message"]["content"])
        body["usage"] = {
            "prompt_tokens": taken,
            "completion_tokens": given,
            "total_tokens": taken + given,
        }
        self.usd[ask.model] += (taken * IN + given * OUT) / 1e6
        self.tokens[ask.model] += taken
        return Reply(json.dumps(body).encode())
