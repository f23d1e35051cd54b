"""Keys of boards: normalised names of task, dataset and metric.

Lists spell the same board in different ways. They add headings (`Word Level Models > Penn
Treebank`) and remarks (`CoQA (Conversational Question Answering Challenge)`) to the dataset's name.
They repeat the task, the metric, a unit or the split, or use a sentence as a name. The rules here
use English words, but no names of boards.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from vivavoce.readers.metric_values import split_metric
from vivavoce.readers.terms import SPLITS, metric_key, name_key, terms_in, without_abbreviation
from vivavoce.text import read_data
from vivavoce.text.normalise import words_of

_WORDS = read_data(__file__, "words.toml")
_CLOSING = frozenset(_WORDS["closing"])
_SHARED_TASK = ["shared", "task"]
_HEADING = frozenset(_WORDS["heading"])
_OF_MODELS = frozenset(_WORDS["of_models"])
_JOINTS = re.compile(r"[-_/]+")
_UNITS = frozenset("byte char character subword word".split())
_PER_UNIT = frozenset({"bpb", "bpc", "perplexity"})
"""Metrics per unit: for these, a remark such as `word level` repeats the metric."""
_TASK_WORD = re.compile(
    r"\w{1,40}(?:ing|[ts]ion|ysis)|discovery|enrichment|entailment|inference|retrieval|similarity"
)
"""Words that end the name of a task."""
_STEP = " > "
_REMARK = re.compile(r"\(([^()]{1,300})\)")
_LETTER = re.compile(r"[^\W\d_]+")
_SPACES = re.compile(r"\s+")
_ARTICLES = frozenset({"a", "an", "the"})
_BESIDE_METRIC = frozenset({"test", "in", "of", "on", "for"})
"""Words beside a metric that do not distinguish boards."""
_UNIT = re.compile(rf"%|\((?:{'|'.join(_WORDS['units'])})\)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[\w)])[.;!?]\s+(?=[A-Z])")
_LONG_REMARK = re.compile(r"\((?:[^()\s]+\s+){6,}[^()]*\)")
_MAX_NAME = 12
"""Maximum number of words in a name; longer text is a sentence."""


class BoardNames(NamedTuple):
    """The task and dataset of a board, as spelt in a list."""

    task: str
    dataset: str


def board_id(task: str, dataset: str, metric: str) -> str:
    """Make the id of a board from the keys of its task, dataset and metric."""
    names = board_names(task, dataset)
    keys = (
        task_key(names.task),
        dataset_key(names.dataset, names.task, metric),
        measured_key(metric),
    )
    return "/".join(_SPACES.sub("_", key) for key in keys)


def board_names(task: str, dataset: str) -> BoardNames:
    """Find the task and dataset of a board, without list headings in the dataset's name.

    A heading that names a task replaces the task. A heading that only announces results, or names
    the kind of models compared, is dropped.
    """
    steps = [step.strip() for step in dataset.split(_STEP)]
    steps = [step for step in steps if not _HEADING.issuperset(words_of(step))] or steps[-1:]
    while len(steps) > 1 and (words := words_of(steps[0])) and _TASK_WORD.fullmatch(words[-1]):
        task = steps.pop(0)
    steps = [step for step in steps[:-1] if not _ends_in(step, _OF_MODELS)] + steps[-1:]
    return BoardNames(task, _STEP.join(steps))


def task_key(name: str) -> str:
    """Make the key of a task, without an abbreviation after its name."""
    return name_key(without_abbreviation(name))


def measured_key(metric: str) -> str:
    """Make the key of a metric and the rest of its name, except units, `test`: `accuracy dev`."""
    text = without_abbreviation(_UNIT.sub("", metric))
    name, rest = split_metric(text)
    if not name:  # a hyphen may be part of a metric's name, or join the metric to the split
        name, rest = split_metric(_JOINTS.sub(" ", text))
        if sum(map(str.isalnum, name)) < 2:  # a single letter, as in `QA->R`
            return metric_key(metric)
    beside = [_split_of(word) or word for word in words_of(rest)]
    kept = [word for word in beside if word not in _BESIDE_METRIC and any(map(str.isalnum, word))]
    return " ".join([metric_key(name), *kept])


def dataset_key(name: str, task: str = "", metric: str = "") -> str:
    """Make the key of a dataset, without sentences, `test`, metric, and task at either end."""
    measured = set(metric_key(metric).split()) if metric else set()
    text = without_abbreviation(_LONG_REMARK.sub(" ", _SENTENCE.split(name)[0]))
    parts = []
    for number, part in enumerate(re.split(r" > |[()]", text)):
        words = words_of(part)
        if number and measured and _repeats(words, measured):
            continue
        if number:
            parts.append(_without_closing(words))
        else:
            bare = _without_metric(words, metric_key(metric)) if metric else words
            parts.append(_without_task(bare, words_of(task)))
    return " ".join(word for words in parts for word in words) or name_key(name)


def is_named(board: str) -> bool:
    """Check that the dataset is a name, not a sentence, and the metric is more than a split."""
    _, dataset, metric = (part.split("_") for part in board.split("/"))
    is_dataset = len(dataset) <= _MAX_NAME and any(map(str.isalnum, "".join(dataset)))
    return is_dataset and not all(map(_split_of, metric))


def is_of_training(dataset: str, metric: str) -> bool:
    """Check whether scores are on training data."""
    last = [word for word in words_of(dataset) if word != "set"][-1:]
    return "train" in map(_split_of, (*words_of(metric), *last))


def _split_of(word: str) -> str | None:
    """The split that a word means: `dev`, `test` or `train`."""
    terms = terms_in(word)
    return terms[0] if len(terms) == 1 and terms[0] in SPLITS else None


def _without_metric(words: list[str], metric: str) -> list[str]:
    """Drop `test` and the metric from the end of some words."""
    while len(words) > 1:
        last = next(
            (n for n in range(1, len(words)) if metric_key(" ".join(words[n:])) == metric),
            len(words) - (_split_of(words[-1]) == "test"),
        )
        if last == len(words):
            break
        words = words[:last]
    return words


def _repeats(remark: list[str], measured: set[str]) -> bool:
    """Check whether a remark on a dataset repeats its metric."""
    is_level = remark[-1:] == ["level"] and not _UNITS.isdisjoint(remark)
    return measured.issubset(remark) or (is_level and not _PER_UNIT.isdisjoint(measured))


def _ends_in(heading: str, closing: frozenset[str]) -> bool:
    words = words_of(heading)
    return len(words) > 1 and words[-1] in closing


def _without_task(words: list[str], task: list[str]) -> list[str]:
    """Drop leading articles, the task at the start or end, and closing words."""
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    words = _without_closing(words)
    if task and len(words) > len(task):
        if words[: len(task)] == task:
            words = words[len(task) :]
        elif words[-len(task) :] == task:
            words = words[: -len(task)]
    return _without_closing(words)


def _without_closing(words: list[str]) -> list[str]:
    while len(words) > 1:
        if len(words) > len(_SHARED_TASK) and words[-2:] == _SHARED_TASK:
            words = words[:-2]
        elif words[-1] in _CLOSING:
            words = words[:-1]
        else:
            break
    return words


def most_frequent(names: Iterable[str]) -> str:
    """The most frequent spelling; ties go to the alphabetically first."""
    counts = Counter(names)
    return min(counts, key=lambda name: (-counts[name], name), default="")
