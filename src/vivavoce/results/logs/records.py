"""Records of logs: who ran what, the scores of each sample, and what is known without samples.

Logs are narrowed to the items of one split here, and settings named after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from math import fsum, nan
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.rounds.family import SPLIT_LABELS, check_split
from vivavoce.store import SHORT_HASH, Row

Place = tuple[str, str, str, str]
"""Round, task, task version and setting: what was asked."""
PLACE = ("round", "task", "task_version", "setting")
"""Columns that name the group of a row."""
CONTESTANT = ("method", "model", "decoding", "prompt_hash", "judge")
"""Columns that name a contestant within its group."""
NO_MODEL = "none"
RECOMPUTED, NOT_RECOMPUTED = "recomputed", "not_recomputed"
"""Trust of a row: whether the board's maker made its scores again from the log on his round."""


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
        """The group of the row."""
        return self.round, self.task, self.task_version, self.setting

    @property
    def contestant(self) -> str:
        """The contestant's short name."""
        return contestant_label({"model": self.model, "method": self.method})


_LEAST_OF_HASH = 4
"""Letters of a hash that may stand for it; where two begin with them, both are named."""


def contestant_label(row: Mapping[str, Any]) -> str:
    """A contestant's short name: its model, its method unless that is `direct`, its alias."""
    if row["model"] == NO_MODEL:
        return str(row["method"])
    label = row["model"] if row["method"] == "direct" else f"{row['model']} + {row['method']}"
    return f"{label} ({row['alias']})" if row.get("alias") else label


def distinct_labels(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Contestants' names; equal ones with the words of their runs that differ.

    Such as `lab/one (context=8000)` beside `lab/one (context=32000)`.
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
    """Values by metric; None where a metric is undefined."""
    fault: str | None
    tokens: int
    """Tokens that the contestant used; a judge's are counted apart."""
    cost: float | None
    seconds: float
    category: str = ""
    difficulty: str = ""
    """Grade that the item is sorted under, where its task has grades."""
    judge_tokens: int = 0
    judge_cost: float | None = None
    published: str = ""
    """The item's date; empty for an undated one."""
    split: str = ""
    """The item's split: train, validation or test."""
    published_from: str = ""
    """Evidence of that date, such as `arxiv_id`; empty where the task does not tell."""
    title: str = ""
    """Title of the item's paper or table, or name of its leaderboard; empty where not known."""
    fit: Mapping[str, int] = field(default_factory=dict)
    """Parts that the setting adds to the prompt, by what was left of them: whole, cut, dropped."""
    agent: Mapping[str, int] = field(default_factory=dict)
    """Steps, searches and reads of an agent; empty where none answered."""
    truncated: bool = False
    """True if the reply ended at its limit of tokens."""


def where(sample: str | int, epoch: int) -> str:
    """A sample's name in messages."""
    return f"sample {sample}" + (f" (attempt {epoch})" if epoch > 1 else "")


def mean_value(scores: Iterable[SampleScore], metric: str) -> float | None:
    """Mean of the defined values, in whatever order they come; None where there is none."""
    found = [value for each in scores if (value := each.values[metric]) is not None]
    return fsum(found) / len(found) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHeader:
    """A log without its samples: enough to choose the logs of a board."""

    name: str
    created: str
    key: RowKey
    metrics: tuple[str, ...]
    """Metrics that rank, the headline metric first."""
    diagnostics: tuple[str, ...]
    """Metrics that are shown and do not rank."""
    judged: frozenset[str]
    """Metrics of either kind that rest on the judge of the row's key."""
    is_own_judge: bool | None
    """True for a judge of the contestant's own family; None without a judge."""
    round_sha256: str
    window: tuple[str, str]
    expected: int
    """Samples times epochs that a complete log has scores for."""
    status: str
    answers: int
    """Samples that have a score, epochs counted."""
    items: int
    """Items that have a score."""
    is_complete: bool
    """True where every sample of every epoch has a score."""
    added: Mapping[str, str] = field(default_factory=dict)
    """Metrics added after the run, by name: the metric with its settings."""
    added_sha256: str = ""
    """Hash of the files that hold them."""
    only: tuple[str, ...] = ()
    """Ids of its items, where they are a split of the log's; else empty."""
    ids: tuple[str, ...] = ()
    """Ids of all items that were to be answered."""
    alias: str = ""
    """Name that its maker gave the contestant or its prompts."""
    path: str = ""
    sha256: str = ""
    """Hash of the file; empty where it was not hashed."""
    is_own: bool = False
    """True for a log in the reader's own folder, beside the published ones."""
    trust: str = NOT_RECOMPUTED
    trust_reason: str | None = "no round was named to check it against"
    """Reason why it is not recomputed; None where it is."""

    @property
    def contestant(self) -> str:
        """The contestant's name on the board."""
        return contestant_label(
            {"model": self.key.model, "method": self.key.method, "alias": self.alias}
        )

    def is_named(self, name: str) -> bool:
        """True if a name on a board can mean this: alone, with words of the run, or the alias."""
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

    def as_row(self) -> Row:
        """The header as JSON values."""
        row = {each.name: getattr(self, each.name) for each in fields(LogHeader)}
        return {
            **row,
            "key": asdict(self.key),
            "judged": sorted(self.judged),
            "added": dict(self.added),
        }


_LISTS = ("metrics", "diagnostics", "window", "only", "ids")


def header_from_row(row: Mapping[str, Any]) -> LogHeader:
    """The header that `as_row` wrote; `TypeError` or `KeyError` for anything else."""
    lists = {name: tuple(row[name]) for name in _LISTS}
    key, judged = RowKey(**row["key"]), frozenset(row["judged"])
    return LogHeader(**{**row, **lists, "key": key, "judged": judged})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLog(LogHeader):
    """One log file with its samples, from which answers, items and is_complete are counted."""

    family: str
    stopped: Row | None = None
    """Reason why its contestant was asked no more, in a run that ends once it is decided."""
    stages: tuple[str, ...]
    """Metrics that follow the stages of an answer, first to last."""
    samples: tuple[SampleScore, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The task's, defaults included."""
    steps: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Solvers and their arguments, defaults included."""
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

    def item_values(self, metric: str) -> dict[str, float]:
        """Each item's mean over its defined attempts; NaN where none is defined."""
        attempts: dict[str, list[SampleScore]] = {}
        for sample in sorted(self.samples, key=lambda sample: (sample.id, sample.epoch)):
            attempts.setdefault(sample.id, []).append(sample)
        means = {item: mean_value(scores, metric) for item, scores in attempts.items()}
        return {item: nan if mean is None else mean for item, mean in means.items()}

    def item_clusters(self) -> dict[str, str]:
        """The cluster of each item."""
        return {sample.id: sample.cluster for sample in self.samples}


@dataclass(frozen=True, slots=True)
class ForeignLog:
    """A log that makes no row, and why."""

    name: str
    reason: str
    is_damaged: bool


def refuse_empty(folder: Path, headers: Sequence[LogHeader], split: str | None) -> None:
    """Refuse a split that no round has, or that no log of a folder has an answer to.

    Raises:
        InputError: It is so.
    """
    if split is not None:
        check_split(split)
        if not headers:
            raise InputError(f"No log of {folder} has an answer to a {split} item.")


def of_split(log: RunLog, split: str) -> RunLog | ForeignLog:
    """The answers to the items of a split, in a setting that bears its name.

    Answers that an incomplete log lacks may be to any item: it stays incomplete.
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
    """The setting with the split in its name: `mixed+test@1 (60 of 400)`."""
    name, rest = _parts(setting)
    return "+".join([*(part for part in name if part not in SPLIT_LABELS), split]) + rest


def bare_setting(setting: str) -> str:
    """The setting without a split in its name."""
    name, rest = _parts(setting)
    return "+".join(part for part in name if part not in SPLIT_LABELS) + rest


def _parts(setting: str) -> tuple[list[str], str]:
    """The parts of a setting's name, then the number of demonstrations and the subset."""
    shown, space, subset = setting.partition(" ")
    name, at, demos = shown.partition("@")
    return name.split("+"), at + demos + space + subset
