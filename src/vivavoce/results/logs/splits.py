"""Logs narrowed to the items of one split, and settings named after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.results.logs.records import ForeignLog, LogHeader, RunLog
from vivavoce.rounds.family import SPLIT_LABELS, check_split


def refuse_empty(folder: Path, found: Sequence[LogHeader], split: str | None) -> None:
    """Refuse a split that no round has, or that no log of a folder has an answer to.

    Raises:
        InputError: It is so.
    """
    if split is not None:
        check_split(split)
        if not found:
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
