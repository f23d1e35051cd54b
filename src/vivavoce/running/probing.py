"""One short request to each model, before anything is planned or paid.

It goes through the call that a run makes, so that a wrong key, name or kind of server is met here.
"""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from vivavoce.errors import VivaError
from vivavoce.models import start_model
from vivavoce.running.provider_errors import cause_of, watch

QUESTION = "Reply with the word yes."
_TOKENS = 16
"""Tokens of the reply at most: no API takes a smaller limit than this for all of its models."""
_TRIES_MORE = 2
_SECONDS = 120
"""Seconds of one try: a local server may load its model first."""


def probe(names: Sequence[str]) -> None:
    """Ask each model a question of a few tokens.

    Raises:
        InputError: There is no such model.
        VivaError: A model cannot be used; one line says why, and what to write instead.
    """
    anyio.run(_probe, names)


async def _probe(names: Sequence[str]) -> None:
    from inspect_ai.model import GenerateConfig

    config = GenerateConfig(
        max_tokens=_TOKENS, max_retries=_TRIES_MORE, attempt_timeout=_SECONDS, cache=False
    )
    models = [start_model(name, {}) for name in names]
    for model, gate in zip(models, watch(models, is_batched=False), strict=True):
        try:
            await model.generate(QUESTION, config=config)
        except Exception as error:  # a provider raises what it likes
            line = (
                gate.line or f"{model} gave no reply to a first short question: {cause_of(error)}"
            )
            raise VivaError(line) from error
