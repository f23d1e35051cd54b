"""Splits of the items, by the names that commands and exports use."""

from __future__ import annotations

from typing import Any

from vivavoce.errors import InputError

SPLIT_NAMES = ("train", "validation", "test")
_NAMES = {"train": "train", "val": "validation", "dev": "validation"}
"""By the names that stand in items; items without a split are all for the test."""
SPLIT_LABELS = frozenset({*SPLIT_NAMES, *_NAMES})
"""Names that stand in the labels of settings."""


def split_name(given: Any) -> str:
    """The name of the split that an item says it is in."""
    return _NAMES.get(str(given), "test")


def check_split(split: str | None) -> None:
    """Refuse a split that no round has; None means all.

    Raises:
        InputError: There is none of that name.
    """
    if split is not None and split not in SPLIT_NAMES:
        raise InputError(f"There is no split {split!r}. There are: {', '.join(SPLIT_NAMES)}.")
