"""Permanent errors of providers: each costs one request and is reported in one line.

The first request to a model goes alone, so that a wrong key, model or parameter costs one request
instead of one for each item. Until a model has answered, a permanent error stops it: the run sends
it no more requests. Later, such an error stops only the one request, which is not sent again.
`probe` asks each model one short question before anything is planned or paid.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio

from vivavoce.errors import ProviderError, VivaError
from vivavoce.models import FILE_HASH, is_permanent, start_model
from vivavoce.running.meter import Reply, Request, Send, intercept
from vivavoce.store import hash_of

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput


MAX_LINE = 200
"""Maximum length of the line that names the cause."""
_ALONE = 10.0
"""Seconds that other requests wait for the first reply: long enough for a refusal to arrive."""
_SILENCE = 10.0
"""Seconds without a first reply after which the user gets a message."""
_CONNECTING = 3.0
"""Seconds to wait for a connection to a server that has not replied."""
_PORTS = {"http": 80, "https": 443}
_OF_ALL = (401, 402, 403, 404)
"""Statuses about the key, the account or the model, which concern all requests."""
_NO_SUCH_CALL = (404, 405, 501)
_OPENAI = "api.openai.com"
_FORMLESS = (ProviderError, AttributeError, IndexError, KeyError, TypeError)
"""Errors that a client raises for a reply without a part that it expects."""
_OVERFLOW = re.compile(
    r"maximum (?:context|model|input|prompt|sequence)[ _-]length|longer than the (?:maximum|model)"
    r"|context (?:length|window|size)|(?:input|prompt) (?:is )?too long|too many (?:input )?tokens",
    re.IGNORECASE,
)
"""Messages about overlong prompts from servers that give no error code for them, such as vLLM."""
_OVERFLOW_STATUSES = (400, 413, 422)


class Gate:
    """Gate before a model's provider that stops requests known to fail."""

    def __init__(self, model: Model, *, is_batched: bool) -> None:
        self.model = str(model)
        self._api = model.api
        self._is_batched = is_batched
        self.line: str | None = None
        """The reason why nothing more is sent to the model."""
        self._turn = anyio.Lock()
        self._waiting: asyncio.Task[None] | None = None
        self._has_answered = False
        self._refused: dict[str, str] = {}
        intercept(model, self._answer)

    async def _answer(self, request: Request, send: Send) -> Reply:
        is_alone = False
        if not self._has_answered and not self._is_batched:
            self._waiting = self._waiting or asyncio.create_task(self._tell_of_silence())
            with anyio.move_on_after(_ALONE):
                await self._turn.acquire()
                is_alone = True
            if is_alone and self._has_answered:
                self._turn.release()
                is_alone = False
        try:
            return await self._ask(request, send)
        finally:
            if is_alone:
                self._turn.release()

    async def _tell_of_silence(self) -> None:
        """Report on stderr that a model has not replied, and whether its server is reachable."""
        await anyio.sleep(_SILENCE)
        if self._has_answered or self.line:
            return
        address = self._address()
        line = f"no reply yet from {address or 'its provider'}"
        if address and not await _is_reached(address):
            line = f"nothing answers at {address}"
        print(f"{self.model}: {line}. Still trying.", file=sys.stderr, flush=True)

    def _address(self) -> str:
        """Address that the model's client calls; empty for a file, or a client without one."""
        if hasattr(self._api, FILE_HASH):
            return ""
        client = getattr(self._api, "client", None)
        return str(getattr(client, "base_url", None) or getattr(self._api, "base_url", None) or "")

    async def _ask(self, request: Request, send: Send) -> Reply:
        words = hash_of([message.text for message in request.input])
        if line := self.line or self._refused.get(words):
            raise ProviderError(line)
        try:
            reply = await send()
        except Exception as error:  # providers raise errors of any type
            if overflow := self._overflow(error):
                return overflow
            raise self._known(error, words) from error
        output = reply[0] if isinstance(reply, tuple) else reply
        if isinstance(output, Exception):
            if overflow := self._overflow(output):
                return (overflow, reply[1]) if isinstance(reply, tuple) else overflow
            raise self._known(output, words) from output
        if not output.choices and not self._has_answered:
            raise self._known(ProviderError("The reply has no choices"), words)
        self._has_answered = True
        return reply

    def _known(self, error: Exception, words: str) -> Exception:
        """Remember a permanent error and explain it in one line; return others as they are."""
        status = _status(error)
        is_formless = isinstance(error, _FORMLESS)
        if self._has_answered if is_formless else not is_permanent(status):
            return error
        cause = cause_of(error)
        if not isinstance(error, ProviderError) and is_formless:
            cause = f"The reply is not of the API's form: {cause}"
        is_of_all = not self._has_answered or status in _OF_ALL
        about = [*([f"HTTP {status}"] if status else []), self.model]
        line = _line(cause, ", ".join(about) + ("; nothing more was sent" if is_of_all else ""))
        line += self._other_name(status, is_formless)
        if is_of_all:
            self.line = line
        self._refused[words] = line
        return ProviderError(line)

    def _other_name(self, status: int | None, is_formless: bool) -> str:
        """Advice on the right name for a server that lacks the call `openai/` makes; else empty."""
        provider, _, name = self.model.partition("/")
        address = self._address()
        is_missing = status in _NO_SUCH_CALL or is_formless
        is_asked = provider == "openai" and getattr(self._api, "responses_api", False)
        if not (is_asked and is_missing and address) or urlsplit(address).hostname == _OPENAI:
            return ""
        return (
            f". For a server with chat completions only, write openai-api/local/{name}, "
            f"with LOCAL_BASE_URL={address} and LOCAL_API_KEY"
        )

    def _overflow(self, error: Exception) -> ModelOutput | None:
        """Output for a prompt that is too long; None for any other error."""
        from inspect_ai.model import ModelOutput

        body, cause = getattr(error, "body", None), cause_of(error)
        is_named = isinstance(body, dict) and body.get("param") == "input_tokens"
        is_overflow = is_named or bool(_OVERFLOW.search(cause))
        if _status(error) not in _OVERFLOW_STATUSES or not is_overflow:
            return None
        return ModelOutput.from_content(self.model, cause, stop_reason="model_length")


async def _is_reached(address: str) -> bool:
    """Check whether anything accepts connections at an address; a proxy is assumed to reach it."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme in getproxies() and not proxy_bypass(host):
        return True
    try:
        with anyio.fail_after(_CONNECTING):
            await (await anyio.connect_tcp(host, parts.port or _PORTS[parts.scheme])).aclose()
    except (OSError, TimeoutError):
        return False
    return True


def _status(error: Exception) -> int | None:
    """The HTTP status of a provider's error; clients keep it under one of two names."""
    codes = (getattr(error, name, None) for name in ("status_code", "code"))
    return next((value for value in codes if type(value) is int), None)


def cause_of(error: Exception) -> str:
    """The provider's message, on one line and without its wrapping."""
    body: Any = getattr(error, "body", None)
    message = body.get("message") or body.get("detail") if isinstance(body, dict) else None
    text = message or getattr(error, "message", None) or error
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())


def _line(cause: str, about: str) -> str:
    """One line with the cause first, no longer than `MAX_LINE`."""
    rest = f" ({about[: MAX_LINE // 2]})"
    cause, space = cause.rstrip(". "), MAX_LINE - len(rest)
    return (cause if len(cause) <= space else f"{cause[: space - 1]}…") + rest


QUESTION = "Reply with the word yes."
_TOKENS = 16
"""Maximum tokens of the reply; some models accept no smaller limit."""
_TRIES_MORE = 2
_SECONDS = 120
"""Seconds for one try: a local server may have to load its model first."""


def probe(names: Sequence[str]) -> None:
    """Ask each model a short question."""
    anyio.run(_probe, names)


async def _probe(names: Sequence[str]) -> None:
    from inspect_ai.model import GenerateConfig

    config = GenerateConfig(
        max_tokens=_TOKENS, max_retries=_TRIES_MORE, attempt_timeout=_SECONDS, cache=False
    )
    models = [start_model(name, {}) for name in names]
    for model, gate in ((model, Gate(model, is_batched=False)) for model in models):
        try:
            await model.generate(QUESTION, config=config)
        except Exception as error:  # providers raise errors of any type
            silent = f"{model} gave no reply to a first short question: {cause_of(error)}"
            raise VivaError(gate.line or silent) from error
