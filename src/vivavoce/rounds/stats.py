"""Measurements of a round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Any

from vivavoce.rounds.family import Shown
from vivavoce.rounds.reading import Round
from vivavoce.store import Row
from vivavoce.text.dates import period
from vivavoce.text.tokens import TokenCounter

_NOT_TEXTS = (
    *("id", "paper_id", "cluster", "split", "published", "published_from", "category"),
    *("kind", "demand_source"),
)


def round_stats(opened: Round) -> dict[str, Any]:
    """Items, clusters, splits, lengths in words and exclusions of every task of a round."""
    return {
        "round": opened.id,
        "manifest": opened.sha256,
        "window": opened.manifest["window"],
        "tasks": {
            f"{family}/{task}": {
                **opened.manifest["counts"][family][task],
                **_measure(opened.items(family, task)),
            }
            for family, task in opened.tasks()
        },
    }


def measure_settings(shown: Iterable[Shown], counter: TokenCounter) -> list[Row]:
    """The table of lengths: one row a task and setting, in the order they come.

    `input_tokens` and `output_tokens` are means over the items. `compression` is the mean of each
    item's input tokens over its output tokens, `compression_of_totals` the ratio of the sums.
    `test_from` and `test_to` are the earliest and the latest date of the test items.

    Source: AcademicEval, Table 2.
    """
    groups: dict[tuple[str, str], list[Shown]] = defaultdict(list)
    for item in shown:
        groups[item.task, item.setting].append(item)
    tokens = _Tokens(counter)
    return [_measure_setting(*key, items, tokens) for key, items in groups.items()]


class _Tokens:
    """Counts each text once: settings show the same papers again and again."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}

    def count(self, texts: Sequence[str]) -> int:
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known.update(zip(new, self._counter.count(new), strict=True))
        return sum(self._known[text] for text in texts)


def _measure_setting(task: str, setting: str, items: Sequence[Shown], tokens: _Tokens) -> Row:
    inputs = [tokens.count(item.inputs) for item in items]
    outputs = [tokens.count([item.output]) for item in items]
    splits = Counter(item.split for item in items)
    test = sorted((item.published for item in items if item.split == "test"), key=period)
    rates = [i / o for i, o in zip(inputs, outputs, strict=True) if o]
    return {
        "task": task,
        "setting": setting,
        "items": len(items),
        **{split: splits[split] for split in ("train", "val", "test")},
        "test_from": test[0] if test else None,
        "test_to": test[-1] if test else None,
        "input_tokens": fmean(inputs),
        "output_tokens": fmean(outputs),
        "compression": fmean(rates) if rates else None,
        "compression_of_totals": sum(inputs) / sum(outputs) if sum(outputs) else None,
    }


def _measure(items: list[Row]) -> dict[str, Any]:
    """Splits, and the median number of words of every text column."""
    splits = Counter(row["split"] for row in items if row.get("split"))
    texts = [name for name in (items[0] if items else ()) if name not in _NOT_TEXTS]
    words = {
        name: [len(row[name].split()) for row in items if isinstance(row[name], str)]
        for name in texts
    }
    return {
        "splits": {name: splits[name] for name in ("train", "val", "test") if name in splits},
        "median_words": {name: median(counts) for name, counts in words.items() if counts},
    }
