"""One answer read out of a log: bounded, and with the reason in words where that cannot be.

A log is a stranger's file: one sample of it may take so many bytes and no more, and a text so many
characters. What is cut says so; what cannot be read says why.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log_sample
from inspect_ai.scorer import Score

from vivavoce.results.logs import RowKey, SampleScore, sample_score
from vivavoce.tasks.shared.guard import VALID

LONGEST = 1_000_000
"""Characters of a text that are kept."""
LARGEST = 32 * 1024 * 1024
"""Bytes of a sample, unpacked, that are read."""

_PIECE = 4096  # packed bytes taken at a time: what one piece unpacks to is bounded by it
_FIELDS = (
    *("id", "epoch", "input", "target", "output", "scores", "metadata"),
    *("model_usage", "role_usage", "working_time", "error"),
)
_LEFT_OUT = {"events", "messages", "store", "timelines", "attachments"}
_ATTACHED = "attachment://"


@dataclass(frozen=True, slots=True)
class LogFile:
    """Where a log lies."""

    path: Path
    name: str
    """Below its folder of logs, with `/` between the parts."""
    folder: int
    """The place of that folder among those given."""
    sha256: str


@dataclass(frozen=True, slots=True)
class Source:
    """A log that answers an item."""

    key: RowKey
    attempts: int
    """At each item."""
    file: LogFile


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts behind an answer."""

    input: str = ""
    gold: str = ""
    output: str = ""
    explanation: str = ""
    """What the scorer says about its score."""
    judgement: Mapping[str, Any] | None = None
    """What a judge was asked and said, as its scorer noted it."""
    problem: str = ""
    """Why there are no texts; empty where there are."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One contestant's first attempt at an item."""

    source: Source
    score: SampleScore | None
    """None where there is none, or it cannot be read."""
    texts: Texts


def read_answer(source: Source, item: str, metrics: tuple[str, ...]) -> Answer:
    """One answer; a problem in words where it cannot be had."""
    try:
        sample, attached = _read_sample(source.file.path, item)
        score = sample_score(sample.summary(), metrics)
    except _TooLarge as error:
        problem = f"This sample takes {error} and is not shown. Open the log itself."
        return Answer(source, None, Texts(problem=problem))
    except (KeyError, IndexError):
        return Answer(source, None, Texts(problem="There is no answer to this item."))
    except Exception as error:  # a damaged archive fails in many ways, inside Inspect too
        problem = f"The log cannot be read here ({type(error).__name__})."
        return Answer(source, None, Texts(problem=problem))
    if score is None:
        return Answer(source, None, Texts(problem="This answer was never scored."))
    return Answer(source, score, _texts(sample, attached))


def _texts(sample: EvalSample, attached: Mapping[str, str]) -> Texts:
    def text(value: str) -> str:
        return _cut(attached.get(value.removeprefix(_ATTACHED), value))

    score = next((s for s in (sample.scores or {}).values() if _is_ours(s)), None)
    judgement = ((score.metadata if score else None) or {}).get("judge")
    return Texts(
        input=text(_input(sample)),
        gold=text(sample.target if isinstance(sample.target, str) else "\n".join(sample.target)),
        output=text(sample.output.completion),
        explanation=text((score.explanation if score else None) or ""),
        judgement=judgement if isinstance(judgement, Mapping) else None,
    )


class _TooLarge(Exception):
    """A sample that is not read."""


def _read_sample(path: Path, item: str) -> tuple[EvalSample, Mapping[str, str]]:
    """A sample without its transcript, and the long texts that Inspect keeps aside."""
    if path.suffix != ".eval":
        if path.stat().st_size > LARGEST:
            raise _TooLarge(_megabytes(path.stat().st_size))
        return read_eval_log_sample(str(path), item, 1, exclude_fields=_LEFT_OUT), {}
    # Loading Inspect taught zipfile the compression of its logs.
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo(f"samples/{item}_epoch_1.json")
        if entry.file_size > LARGEST:
            raise _TooLarge(_megabytes(entry.file_size))
        with archive.open(entry) as stream:
            # zipfile stops at the size that was just looked at, whatever the data unpack to.
            whole = b"".join(iter(lambda: stream.read(_PIECE), b""))
    found = json.loads(whole)
    attached = {
        name: value
        for name, value in (found.get("attachments") or {}).items()
        if isinstance(value, str)
    }
    return EvalSample.model_validate({n: found[n] for n in _FIELDS if n in found}), attached


def _is_ours(score: Score) -> bool:
    return isinstance(score.value, dict) and VALID in score.value


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:,.0f} MB"


def _input(sample: EvalSample) -> str:
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(message.text for message in sample.input)


def _cut(text: str) -> str:
    rest = len(text) - LONGEST
    return f"{text[:LONGEST]}\n… (+{rest:,} characters)" if rest > 0 else text
