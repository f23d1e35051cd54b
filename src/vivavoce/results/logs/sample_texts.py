"""What contestants were asked and what they said, item by item, read out of logs when needed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai.log import read_eval_log

from vivavoce.errors import InputError
from vivavoce.results.logs.answer_texts import Answer, LogFile, Source, read_answer
from vivavoce.results.logs.records import LogHeader, Place, SampleScore, mean_value
from vivavoce.store import hash_file, hash_of


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """One item, and where the answers of all contestants to it are."""

    place: Place
    """Round, task, task version and setting, as the rows of the board spell them."""
    id: str
    metrics: tuple[str, ...]
    """Those that rank, the headline metric first, then what stands beside them."""
    sources: tuple[Source, ...]
    """By the keys of their rows."""
    _desk: _Desk = field(repr=False, compare=False)

    @property
    def key(self) -> str:
        """Sha256 of all that decides what the answers say."""
        logs = [
            [source.file.sha256, source.file.name, source.file.folder] for source in self.sources
        ]
        return hash_of([self.place, self.id, self.metrics, logs])

    def read(self) -> tuple[Answer, ...]:
        """Every contestant's answer, read from its log."""
        return self._desk.open(self)

    def scores(self) -> tuple[tuple[SampleScore, ...], ...]:
        """The scores of each answer's attempts, for which no log is opened again."""
        return self._desk.scores(self)

    def means(self) -> tuple[float | None, ...]:
        """Of each answer, the mean of the headline metric over its attempts."""
        return tuple(mean_value(scores, self.metrics[0]) for scores in self.scores())


class _Desk:
    """Keeps what was read last: the answers to one item, and the scores of its board's items.

    One desk serves a whole site, so that no more than this is ever in memory.
    """

    def __init__(self) -> None:
        self._place: Place | None = None
        self._item: str | None = None
        self._answers: tuple[Answer, ...] = ()
        self._scores: dict[str, tuple[tuple[SampleScore, ...], ...]] = {}

    def open(self, item: ItemTexts) -> tuple[Answer, ...]:
        if (self._place, self._item) == (item.place, item.id):
            return self._answers
        if self._place != item.place:
            self._place, self._scores = item.place, {}
        self._item, self._answers = item.id, ()
        self._answers = tuple(read_answer(source, item.id, item.metrics) for source in item.sources)
        self._scores[item.id] = tuple(answer.scores for answer in self._answers)
        return self._answers

    def scores(self, item: ItemTexts) -> tuple[tuple[SampleScore, ...], ...]:
        if self._place != item.place or item.id not in self._scores:
            self.open(item)
        return self._scores[item.id]


def locate(log: LogHeader, folder: Path, place: int = 0) -> LogFile:
    """The file of a log below a folder, which is the one at `place` of those given.

    Raises:
        InputError: The log is gone.
    """
    path = Path(log.path).absolute()
    if not path.is_file():
        raise InputError(f"{log.name} is gone from the folder of logs. Build the board again.")
    name = path.relative_to(folder.absolute()).as_posix()
    return LogFile(path, name, place, log.sha256 or hash_file(path))


def choose_item_texts(
    logs: Sequence[LogHeader], folders: Sequence[Path], *, count: int, seed: int = 0
) -> list[ItemTexts]:
    """Some items of every round, task and setting, with the answers of all who ran there.

    Which ones is drawn by the seed from the items' ids alone, so that the settings of a task show
    the same papers and another contestant does not change the draw.

    Args:
        logs: Those that make the rows of a board.
        folders: The folder of logs, then the reader's own, where there is one.
        count: Items of each place.
        seed: Seed of the draw.

    Raises:
        InputError: A log is gone from its folder.
    """
    by_place: dict[Place, list[tuple[LogHeader, LogFile]]] = defaultdict(list)
    for log in logs if count > 0 else ():
        file = locate(log, folders[int(log.is_own)], int(log.is_own))
        by_place[log.key.place].append((log, file))
    desk = _Desk()
    items: list[ItemTexts] = []
    for place in sorted(by_place):
        ids = _draw(by_place[place], count, seed)
        items += texts_of_items(by_place[place], ids, desk)
    return items


def texts_of_items(
    logs: Sequence[tuple[LogHeader, LogFile]], ids: Sequence[str], desk: _Desk | None = None
) -> list[ItemTexts]:
    """Items of one round, task and setting, in the order of `ids`."""
    first, desk = logs[0][0], desk or _Desk()
    metrics = (*first.metrics, *first.diagnostics)
    sources = tuple(
        Source(log.key, -(-log.answers // max(1, log.items)), file) for log, file in logs
    )
    return [ItemTexts(first.key.place, item, metrics, sources, desk) for item in ids]


def _draw(logs: Sequence[tuple[LogHeader, LogFile]], count: int, seed: int) -> list[str]:
    """Ids of the items to show, sorted: of the log with most, since others may be partial."""
    _, file = max(logs, key=lambda log: (log[0].items, log[0].name))
    header = read_eval_log(str(file.path), header_only=True)
    ids = [str(item) for item in header.eval.dataset.sample_ids or ()]

    def lot(item: str) -> str:
        return hashlib.sha256(f"{seed}\n{item}".encode("utf-8", "surrogatepass")).hexdigest()

    return sorted(sorted(ids, key=lot)[:count])
