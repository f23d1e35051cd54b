"""One short request to each model, before anything is planned or paid.

It uses the same call as a run, so that a wrong key, name or kind of server shows up here.
"""

from __future__ import annotations

from collections.abc import Sequence

import anyio

from vivavoce.errors import VivaError
from vivavoce.models import start_model
from vivavoce.running.provider_errors import cause_of, watch

QUESTION = "Reply with the word yes."
_TOKENS = 16
"""Most tokens of the reply; some models accept no smaller limit."""
_TRIES_MORE = 2
_SECONDS = 120
"""Seconds of one try: a local server may load its model first."""


def probe(names: Sequence[str]) -> None:
    """Ask each model a short question.

    Raises:
        InputError: A model does not exist.
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
        except Exception as error:  # providers raise errors of any type
            line = (
                gate.line or f"{model} gave no reply to a first short question: {cause_of(error)}"
            )
            raise VivaError(line) from error
