"""Prompts and answers of contestants, item by item, read from logs when needed.

Logs are untrusted, so the size of samples and texts is limited. A cut text states that it was cut;
an unreadable sample gives the reason.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.results.logs.reading import read_log
from vivavoce.results.logs.records import LogHeader, Place, RunLog, SampleScore, mean_value
from vivavoce.store import hash_file, hash_of, loads_fast
from vivavoce.tasks.scoring import our_scores
from vivavoce.text.final_answer import final_answer

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

MAX_LENGTH = 1_000_000
"""Maximum number of characters in a text."""
LARGEST = 32 * 1024 * 1024
"""Maximum unpacked bytes of a sample."""

_PIECE = 4096  # packed bytes read at a time, which bounds the unpacked size of a piece
_UNREAD = {"events", "messages", "metadata", "store"}


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of the first attempt at an item."""

    input: str = ""
    gold: str = ""
    output: str = ""
    cut: str = ""
    """Reasoning, drafts and wrappers that were removed before scoring."""
    explanation: str = ""
    """The scorer's explanation of the score."""
    judgement: Mapping[str, Any] | None = None
    """A judge's prompts and replies, as recorded by the scorer."""
    problem: str = ""
    """Reason why there are no texts; empty if there are."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One contestant's attempts at an item."""

    source: LogHeader
    scores: tuple[SampleScore, ...]
    """Scores of the scored attempts, in order."""
    texts: Texts
    """Texts of the first attempt."""

    @property
    def score(self) -> SampleScore | None:
        """Score of the first attempt; None if it was not scored."""
        return next((score for score in self.scores if score.epoch == 1), None)

    def mean(self, metric: str) -> float | None:
        """Mean over the attempts that have a defined value; None if there are none."""
        return mean_value(self.scores, metric)


def _read_answer(source: LogHeader, item: str) -> Answer:
    """Read one contestant's answer; `problem` in its texts is the reason for missing texts."""
    answer = Answer(source, _scores_of(source, item), Texts())
    try:
        texts = _texts(_read_sample(Path(source.path), item))
    except Exception as error:  # a damaged log fails in many ways, inside Inspect too
        return replace(answer, texts=Texts(problem=_problem(error)))
    if answer.score is None:
        texts = Texts(problem="This answer was never scored.")
    return replace(answer, texts=texts)


def _scores_of(source: LogHeader, item: str) -> tuple[SampleScore, ...]:
    """Scores of the attempts at an item, in order; empty if the log cannot be read."""
    return tuple(_attempts(source.path, source.sha256, source.added_sha256).get(item, ()))


@lru_cache(maxsize=256)
def _attempts(path: str, _sha256: str, _added: str) -> dict[str, list[SampleScore]]:
    log = read_log(path)
    return log.attempts() if isinstance(log, RunLog) else {}


def _problem(error: Exception) -> str:
    if isinstance(error, _OversizeError):
        return f"This sample has {error} and is not shown. Open the log itself."
    if isinstance(error, KeyError | IndexError | StopIteration):
        return "There is no answer to this item."
    return f"The log cannot be read here ({type(error).__name__})."


def _texts(sample: EvalSample) -> Texts:
    score, output = next(iter(our_scores(sample.scores)), None), sample.output.completion
    judgement = ((score.metadata if score else None) or {}).get("judge")
    from inspect_ai.model import ContentReasoning

    content = sample.output.message.content if sample.output.choices else ""
    parts = [] if isinstance(content, str) else content
    hidden = [
        *[part.reasoning for part in parts if isinstance(part, ContentReasoning)],
        *(part for _, part in final_answer(output).cuts),
    ]
    return Texts(
        input=cut(input_text(sample), MAX_LENGTH),
        gold=cut(target_text(sample), MAX_LENGTH),
        output=cut(output, MAX_LENGTH),
        cut=cut("\n\n".join(hidden), MAX_LENGTH),
        explanation=cut((score.explanation if score else None) or "", MAX_LENGTH),
        judgement=judgement if isinstance(judgement, Mapping) else None,
    )


class _OversizeError(Exception):
    """The sample is too large."""


def _read_sample(path: Path, item: str) -> EvalSample:
    """Read the first attempt at an item, with attachments but without its transcript."""
    from inspect_ai.log import EvalSample, read_eval_log, resolve_sample_attachments

    if path.suffix == ".eval":
        _check_contents(path, path.stat().st_mtime_ns)
        stored = loads_fast(_read_part(path, f"samples/{item}_epoch_1.json"))
        fields = {name: value for name, value in stored.items() if name not in _UNREAD}
        return resolve_sample_attachments(EvalSample.model_validate(fields), "core")
    if path.stat().st_size > LARGEST:
        raise _OversizeError(_megabytes(path.stat().st_size))
    # Inspect's single-sample reader caches the file and would miss later changes.
    samples = read_eval_log(str(path), resolve_attachments="core").samples or []
    return next(one for one in samples if (str(one.id), one.epoch) == (item, 1))


def _read_part(path: Path, name: str) -> bytes:
    """Read a part of a log; `_OversizeError` if it is too large.

    zipfile stops at the size that the archive states; Inspect would unpack a part of any size.
    """
    # Inspect, once imported, adds the compression of its logs to zipfile.
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo(name)
        if entry.file_size > LARGEST:
            raise _OversizeError(_megabytes(entry.file_size))
        with archive.open(entry) as stream:
            return b"".join(iter(partial(stream.read, _PIECE), b""))


@lru_cache(maxsize=4096)
def _check_contents(path: Path, _changed: int) -> None:
    """Raise `BadZipFile` if Inspect and zipfile find different parts in an archive."""
    from inspect_ai._util._async import run_coroutine

    with zipfile.ZipFile(path) as archive:
        parts = {
            part.filename: (part.header_offset, part.compress_size) for part in archive.infolist()
        }
    if run_coroutine(_find_parts(path)) != parts:
        raise zipfile.BadZipFile("an archive with two tables of contents")


async def _find_parts(path: Path) -> dict[str, tuple[int, int]]:
    """Offsets and sizes of a log's parts, as Inspect finds them."""
    from inspect_ai._util.async_zip import AsyncZipReader
    from inspect_ai._util.asyncfiles import AsyncFilesystem

    async with AsyncFilesystem() as files:
        entries = (await AsyncZipReader(files, str(path)).entries()).entries
    return {one.filename: (one.local_header_offset, one.compressed_size) for one in entries}


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:,.0f} MB"


def input_text(sample: EvalSample) -> str:
    """The prompt of a sample; texts of several messages are joined."""
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(message.text for message in sample.input)


def target_text(sample: EvalSample) -> str:
    """The gold of a sample."""
    return sample.target if isinstance(sample.target, str) else "\n".join(sample.target)


def cut(text: str, longest: int) -> str:
    """Cut a text to `longest` characters and state how many were cut."""
    rest = len(text) - longest
    return f"{text[:longest]}\n… (+{rest:,} characters)" if rest > 0 else text


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """One item with the logs of all its answers."""

    place: Place
    """Round, task, task version and setting, as in the rows of the board."""
    id: str
    metrics: tuple[str, ...]
    """Ranked metrics, the headline metric first, then diagnostics."""
    sources: tuple[LogHeader, ...]
    """Logs with answers to the item, sorted by row key."""

    @property
    def key(self) -> str:
        """Sha256 of everything that determines the answers."""
        logs = [[log.sha256, log.added_sha256, log.name, log.is_own] for log in self.sources]
        return hash_of([self.place, self.id, self.metrics, logs])

    def read(self) -> tuple[Answer, ...]:
        """Every contestant's answer, read from its log."""
        return tuple(_read_answer(source, self.id) for source in self.sources)

    def scores(self) -> tuple[tuple[SampleScore, ...], ...]:
        """Scores of the attempts, per answer."""
        return tuple(_scores_of(source, self.id) for source in self.sources)

    def means(self) -> tuple[float | None, ...]:
        """Mean of the headline metric over the attempts, per answer."""
        return tuple(mean_value(scores, self.metrics[0]) for scores in self.scores())


def choose_item_texts(logs: Sequence[LogHeader], *, count: int, seed: int = 0) -> list[ItemTexts]:
    """Choose items from every round, task and setting, with the answers of all contestants.

    The draw depends only on the seed and the ids, so all settings of a task show the same papers.
    """
    by_place: dict[Place, list[LogHeader]] = defaultdict(list)
    for log in logs if count > 0 else ():
        by_place[log.key.place].append(log)
    items: list[ItemTexts] = []
    for place in sorted(by_place):
        items += texts_of_items(by_place[place], _draw(by_place[place], count, seed))
    return items


def texts_of_items(logs: Sequence[LogHeader], ids: Sequence[str]) -> list[ItemTexts]:
    """Items of one round, task and setting, in the order of `ids`."""
    for log in logs:
        if not Path(log.path).is_file():
            raise InputError(
                f"{log.name} is no longer in the folder of logs. Build the board again."
            )
    first = logs[0]
    shared = set.intersection(*(set(log.added) for log in logs))
    every = (*first.metrics, *first.diagnostics)
    metrics = tuple(name for name in every if name not in first.added or name in shared)
    sources = tuple(replace(log, sha256=log.sha256 or hash_file(Path(log.path))) for log in logs)
    return [ItemTexts(first.key.place, item, metrics, sources) for item in ids]


def _draw(logs: Sequence[LogHeader], count: int, seed: int) -> list[str]:
    """Draw sorted item ids from the log with the most items, since other logs may be partial."""
    log = max(logs, key=lambda log: (log.items, log.name))

    def lot(item: str) -> str:
        return hashlib.sha256(f"{seed}\n{item}".encode("utf-8", "surrogatepass")).hexdigest()

    return sorted(sorted(log.only or log.ids, key=lot)[:count])
