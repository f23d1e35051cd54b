"""A family's part of a round: options, builder, items, exclusions, and statistics.

This module also finds leaks whose detection needs no model: gold in the input, duplicate papers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.records import Paper
from vivavoce.rounds.reading import Round
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.statistics.intervals import mean_of
from vivavoce.store import Row
from vivavoce.text.dates import period
from vivavoce.text.normalise import normalise_title
from vivavoce.text.tokens import TokenCounter

if TYPE_CHECKING:
    import pyarrow as pa

EVERY_TASK = "*"
"""Name that stands for all tasks of the family in an exclusion."""
DEVELOPMENT = "development.parquet"
"""File of a family's items for tuning methods; scores on these items are not reported."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A paper excluded from a task or from one of its settings, with the reason."""

    task: str
    """The task, or `EVERY_TASK`."""
    paper_id: str
    reason: str
    """Short name of the reason, such as `outside_window`."""
    detail: str = ""
    setting: str = ""
    """The setting from which the paper is excluded; empty if excluded from the whole task."""


@dataclass(frozen=True, slots=True)
class FamilyItems:
    """The items of one family in one round."""

    tasks: Mapping[str, Sequence[Row]]
    """Items by task, sorted; each has an `id`, which is also its `cluster` if it has none."""
    schemas: Mapping[str, pa.Schema] = field(default_factory=dict)
    """Columns of the items, by task; by default those of the rows."""
    excluded: Sequence[Exclusion] = field(default_factory=tuple)
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that items need besides their rows, by name, such as data for computations."""
    notes: Sequence[str] = ()
    """Sentences about the items, for the round's card."""

    def __post_init__(self) -> None:
        """Fill in clusters and schemas."""
        import pyarrow as pa

        tasks, schemas = dict(self.tasks), dict(self.schemas)
        for name, rows in self.tasks.items():
            if any("cluster" not in row for row in rows):
                tasks[name] = [{"cluster": row["id"], **row} for row in rows]
            if name not in schemas:
                known = pa.Table.from_pylist([*tasks[name]]).schema
                schemas[name] = known if rows else pa.schema([("id", pa.string())])
        object.__setattr__(self, "tasks", tasks)
        object.__setattr__(self, "schemas", schemas)


@dataclass(frozen=True, slots=True)
class Shown:
    """Input and gold texts of one item in one setting."""

    task: str
    setting: str
    split: str | None
    published: str
    inputs: tuple[str, ...]
    """Input texts, without the instructions around them."""
    output: str
    """The gold answer."""


class Builder(Protocol):
    """Builder of a family's items, defined in the family's `build.py`, without importing Inspect.

    A builder with `FOLLOWS_AUTHORS` uses only papers in the co-author network of an updated round.
    Other builders always see the whole corpus, since a board without its old entries would be a
    different board.
    """

    OPTIONS: type[Options]

    def build(self, corpus: Corpus, spec: RoundSpec, options: Any) -> FamilyItems:
        """Build the items of one round with the family's options."""
        ...


Name = TypeVar("Name")


def of_split(rows: Iterable[Row], split: str) -> list[Row]:
    """The items in a split."""
    return [row for row in rows if row["split"] == split]


def gold_is_inside(gold: str, inputs: Iterable[str]) -> bool:
    """Check whether an input contains the gold text, ignoring case, punctuation and spacing.

    Only whole words count: `Deep nets` is not inside `deep networks`.
    """
    return bool(names_of_holders([gold], dict(enumerate(inputs))))


def names_of_holders(golds: Iterable[str], inputs: Mapping[Name, str]) -> list[Name]:
    """Names of the inputs that contain any gold text, in the sense of `gold_is_inside`."""
    needles = [f" {text} " for gold in golds if (text := normalise_title(gold))]
    texts = {name: f" {normalise_title(text)} " for name, text in inputs.items()} if needles else {}
    return [name for name, text in texts.items() if any(needle in text for needle in needles)]


def duplicate_works(papers: Sequence[Paper]) -> dict[str, str]:
    """Map each near copy's paper id to the id of the paper kept for that work.

    If a paper of the work passes the quality gates, such a paper is kept.
    """
    groups: dict[str, list[Paper]] = defaultdict(list)
    for paper in papers:
        if paper.work:
            groups[paper.work].append(paper)
    duplicates: dict[str, str] = {}
    for work, group in groups.items():
        kept = min(group, key=lambda p: (bool(p.gates), p.paper_id != work, p.paper_id))
        duplicates.update({p.paper_id: kept.paper_id for p in group if p is not kept})
    return duplicates


def duplicate_titles(papers: Sequence[Paper]) -> dict[str, str]:
    """Map the id of each paper with the title of another to the id of the paper kept.

    The earliest paper with a title is kept; ties go to the lowest id.
    """
    groups: dict[str, list[Paper]] = defaultdict(list)
    for paper in papers:
        if paper.title and (title := normalise_title(paper.title)):
            groups[title].append(paper)
    duplicates: dict[str, str] = {}
    for group in groups.values():
        kept, *others = sorted(group, key=lambda p: (p.first_public or "9999", p.paper_id))
        duplicates.update({other.paper_id: kept.paper_id for other in others})
    return duplicates


SPLIT_NAMES = ("train", "validation", "test")
_NAMES = {"train": "train", "val": "validation", "dev": "validation"}
"""Maps split names used in items to splits; items without a split are test items."""
SPLIT_LABELS = frozenset({*SPLIT_NAMES, *_NAMES})
"""Split names that occur in the labels of settings."""


def split_name(given: Any) -> str:
    """Standard name for the split given in an item."""
    return _NAMES.get(str(given), "test")


def check_split(split: str | None) -> None:
    """Raise `InputError` for an unknown split; None means all splits."""
    if split is not None and split not in SPLIT_NAMES:
        raise InputError(f"There is no split {split!r}. There are: {', '.join(SPLIT_NAMES)}.")


_NOT_TEXTS = (
    *("id", "paper_id", "cluster", "split", "published", "published_from", "category"),
    *("kind", "demand_source"),
)


def round_stats(opened: Round) -> dict[str, Any]:
    """For every task of a round: items, clusters, splits, lengths in words, and exclusions."""
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
    """Table of lengths, with one row per task and setting in order of appearance.

    `input_tokens` and `output_tokens` are means over items. `compression` is the mean over items of
    the ratio of input to output tokens; `compression_of_totals` is the ratio of the sums.
    `test_from` and `test_to` are the earliest and latest dates of test items.

    Source: AcademicEval, Table 2.
    """
    groups: dict[tuple[str, str], list[Shown]] = defaultdict(list)
    for item in shown:
        groups[item.task, item.setting].append(item)
    # Each text is counted once, since settings show the same papers again and again.
    every = (item for items in groups.values() for item in items)
    texts = list(dict.fromkeys(text for item in every for text in (*item.inputs, item.output)))
    tokens = dict(zip(texts, counter.count(texts), strict=True))
    return [_measure_setting(*key, items, tokens) for key, items in groups.items()]


def _measure_setting(
    task: str, setting: str, items: Sequence[Shown], tokens: Mapping[str, int]
) -> Row:
    inputs = [sum(tokens[text] for text in item.inputs) for item in items]
    outputs = [tokens[item.output] for item in items]
    splits = Counter(item.split for item in items)
    test = sorted((item.published for item in items if item.split == "test"), key=period)
    return {
        "task": task,
        "setting": setting,
        "items": len(items),
        **{split: splits[split] for split in ("train", "val", "test")},
        "test_from": test[0] if test else None,
        "test_to": test[-1] if test else None,
        "input_tokens": fmean(inputs),
        "output_tokens": fmean(outputs),
        "compression": mean_of(i / o for i, o in zip(inputs, outputs, strict=True) if o),
        "compression_of_totals": sum(inputs) / sum(outputs) if sum(outputs) else None,
    }


def _measure(items: list[Row]) -> dict[str, Any]:
    """Items per split, and the median number of words in each text column."""
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
