"""Records of logs: who ran what, the scores of each sample, and headers without samples.

This module also limits logs to one split, whose name then becomes part of the setting.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.rounds.family import SPLIT_LABELS, check_split
from vivavoce.statistics.intervals import mean_of
from vivavoce.store import SHORT_HASH, Row

Place = tuple[str, str, str, str]
"""Round, task, task version and setting."""
PLACE = ("round", "task", "task_version", "setting")
"""Columns that identify the group of a row."""
CONTESTANT = ("method", "model", "decoding", "prompt_hash", "judge")
"""Columns that identify a contestant within its group."""
NO_MODEL = "none"
RECOMPUTED, NOT_RECOMPUTED = "recomputed", "not_recomputed"
"""Trust of a row: whether the board's maker recomputed its scores, on their copy of the round."""


@dataclass(frozen=True, slots=True, order=True)
class RowKey:
    """Key of one row of a board."""

    round: str
    task: str
    task_version: str
    setting: str
    method: str
    model: str
    decoding: str
    prompt_hash: str
    judge: str

    @property
    def place(self) -> Place:
        """The place of the row's group."""
        return self.round, self.task, self.task_version, self.setting

    @property
    def contestant(self) -> str:
        """The contestant's short name."""
        return contestant_label({"model": self.model, "method": self.method})


_LEAST_OF_HASH = 4
"""Minimum length of a hash prefix in a name; an ambiguous prefix means all matches."""


def contestant_label(row: Mapping[str, Any]) -> str:
    """A contestant's short name: model, method unless `direct`, and alias."""
    if row["model"] == NO_MODEL:
        return str(row["method"])
    label = row["model"] if row["method"] == "direct" else f"{row['model']} + {row['method']}"
    return f"{label} ({row['alias']})" if row.get("alias") else label


def distinct_labels(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of contestants; after equal names come the run settings that differ.

    An example is `lab/one (context=8000)` beside `lab/one (context=32000)`.
    """
    labels = [contestant_label(row) for row in rows]
    for field_name in ("decoding", "prompt_hash"):
        places: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            places.setdefault(label, []).append(place)
        for label, equal in places.items():
            words = [_words(str(rows[place][field_name] or ""), field_name) for place in equal]
            shared = set.intersection(*map(set, words))
            for place, of_place in zip(equal, words, strict=True):
                own = " ".join(word for word in of_place if word not in shared)
                labels[place] = f"{label} ({own})" if own else label
    return labels


def _words(value: str, field_name: str) -> list[str]:
    return [value[:SHORT_HASH]] if field_name == "prompt_hash" else value.split()


@dataclass(frozen=True, slots=True)
class SampleScore:
    """One scored sample of one epoch."""

    id: str
    epoch: int
    cluster: str
    values: dict[str, float | None]
    """Values by metric; None if undefined."""
    fault: str | None
    tokens: int
    """Tokens of the contestant, without those of a judge."""
    cost: float | None
    seconds: float
    category: str = ""
    difficulty: str = ""
    """Difficulty grade of the item, if its task has grades."""
    judge_tokens: int = 0
    judge_cost: float | None = None
    published: str = ""
    """The item's date; empty if it has none."""
    split: str = ""
    """The item's split: train, validation or test."""
    title: str = ""
    """Title of the item's paper or table, or name of its leaderboard; empty if unknown."""
    fit: Mapping[str, int] = field(default_factory=dict)
    """Counts of the parts that the setting adds to the prompt: whole, cut, dropped."""
    agent: Mapping[str, int] = field(default_factory=dict)
    """Numbers of an agent's steps, searches and reads; empty without an agent."""
    truncated: bool = False
    """True if the reply was cut off at the token limit."""


def where(sample: str | int, epoch: int) -> str:
    """A sample's name in messages."""
    return f"sample {sample}" + (f" (attempt {epoch})" if epoch > 1 else "")


def mean_value(scores: Iterable[SampleScore], metric: str) -> float | None:
    """Mean of the defined values, independent of their order; None if there are none."""
    return mean_of(each.values[metric] for each in scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHeader:
    """A log without its samples, with all facts needed to choose the logs of a board."""

    name: str
    created: str
    key: RowKey
    metrics: tuple[str, ...]
    """Ranked metrics, the headline metric first."""
    diagnostics: tuple[str, ...]
    """Metrics that are shown but not ranked."""
    judged: tuple[str, ...]
    """Metrics and diagnostics that depend on the judge."""
    is_own_judge: bool | None
    """True if the judge is of the contestant's own family; None without a judge."""
    round_sha256: str
    window: tuple[str, str]
    expected: int
    """Number of scores in a complete log: samples times epochs."""
    status: str
    answers: int
    """Number of scored samples over all epochs."""
    items: int
    """Number of scored items."""
    is_complete: bool
    """True if every sample of every epoch has a score."""
    added: Mapping[str, str] = field(default_factory=dict)
    """Metrics added after the run: their settings, by metric name."""
    added_sha256: str = ""
    """Hash of the files with added metrics."""
    only: tuple[str, ...] = ()
    """Ids of the items in the split; empty without a split."""
    ids: tuple[str, ...] = ()
    """Ids of all items in the run."""
    alias: str = ""
    """Name that the maker of the run gave the contestant or the prompts."""
    path: str = ""
    sha256: str = ""
    """Hash of the file; empty if not computed."""
    is_own: bool = False
    """True for a log in the reader's own folder."""
    trust: str = NOT_RECOMPUTED
    trust_reason: str | None = "no round was named to check it against"
    """Reason why the log is not recomputed; None if it is."""

    @property
    def contestant(self) -> str:
        """The contestant's name on the board."""
        return contestant_label(
            {"model": self.key.model, "method": self.key.method, "alias": self.alias}
        )

    @property
    def epochs(self) -> int:
        """Number of attempts at each item, also in a log that lacks some."""
        return -(-self.answers // max(1, self.items))

    def is_named(self, name: str) -> bool:
        """Check whether a name means this log: short name, with or without settings, or alias."""
        label = self.key.contestant
        behind = name[len(label) :]
        if name == self.alias or not name.startswith(label) or not behind:
            return name in (label, self.alias)
        is_whole = behind.startswith(" (") and behind.endswith(")")
        return is_whole and all(self._is_word(part) for part in behind[2:-1].split(") ("))

    def _is_word(self, part: str) -> bool:
        words = self.key.decoding.split()
        return part in (self.alias, f"judge {self.key.judge}") or all(
            word in words or (len(word) >= _LEAST_OF_HASH and self.key.prompt_hash.startswith(word))
            for word in part.split()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLog(LogHeader):
    """One log file with its samples; `answers`, `items` and `is_complete` are derived from them."""

    family: str
    stopped: Row | None = None
    """Record of why the contestant was no longer asked, in a run with --decide."""
    stages: tuple[str, ...]
    """Metrics for the stages of an answer, in order."""
    samples: tuple[SampleScore, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The task's arguments, including defaults."""
    steps: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Solvers, each with its arguments, including defaults."""
    answers: int = field(init=False)
    items: int = field(init=False)
    is_complete: bool = field(init=False)

    def __post_init__(self) -> None:
        """Count the samples."""
        scored = {(sample.id, sample.epoch) for sample in self.samples}
        is_whole = len(scored) == len(self.samples) == self.expected
        object.__setattr__(self, "answers", len(self.samples))
        object.__setattr__(self, "items", len({sample.id for sample in self.samples}))
        object.__setattr__(self, "is_complete", self.status == "success" and is_whole)

    def attempts(self) -> dict[str, list[SampleScore]]:
        """Samples of each item by epoch, in the order of the items' ids."""
        attempts: dict[str, list[SampleScore]] = {}
        for sample in sorted(self.samples, key=lambda sample: (sample.id, sample.epoch)):
            attempts.setdefault(sample.id, []).append(sample)
        return attempts

    def item_values(self, metric: str) -> dict[str, float]:
        """Mean of each item over its attempts with a defined value; NaN if there are none."""
        means = {item: mean_value(scores, metric) for item, scores in self.attempts().items()}
        return {item: nan if mean is None else mean for item, mean in means.items()}

    def item_clusters(self) -> dict[str, str]:
        """The cluster of each item."""
        return {sample.id: sample.cluster for sample in self.samples}


@dataclass(frozen=True, slots=True)
class ForeignLog:
    """A log that makes no row, with the reason."""

    name: str
    reason: str
    is_damaged: bool


def refuse_empty(folder: Path, headers: Sequence[LogHeader], split: str | None) -> None:
    """Refuse an unknown split, or a split without answers in a folder of logs."""
    if split is not None:
        check_split(split)
        if not headers:
            raise InputError(f"No log of {folder} has an answer to a {split} item.")


def of_split(log: RunLog, split: str) -> RunLog | ForeignLog:
    """Limit a log to the items of a split, and add the split's name to the setting.

    An incomplete log stays incomplete, since its missing answers may belong to the split.
    """
    samples = tuple(sample for sample in log.samples if sample.split == split)
    if not samples:
        return ForeignLog(log.name, f"has no answer to a {split} item", False)
    return replace(
        log,
        key=replace(log.key, setting=named_setting(log.key.setting, split)),
        samples=samples,
        expected=log.expected - len(log.samples) + len(samples),
        only=tuple(sorted({sample.id for sample in samples})),
    )


def named_setting(setting: str, split: str) -> str:
    """The setting with the split in its name, such as `mixed+test@1 (60 of 400)`."""
    name, rest = _parts(setting)
    return "+".join([*(part for part in name if part not in SPLIT_LABELS), split]) + rest


def bare_setting(setting: str) -> str:
    """The setting without a split in its name."""
    name, rest = _parts(setting)
    return "+".join(part for part in name if part not in SPLIT_LABELS) + rest


def _parts(setting: str) -> tuple[list[str], str]:
    """The parts of a setting's name, and the rest: number of demonstrations and subset."""
    shown, space, subset = setting.partition(" ")
    name, at_sign, demos = shown.partition("@")
    return name.split("+"), at_sign + demos + space + subset
