"""The vocabulary of metrics: names, other ways to write them, and which values are better.

`metric_names.toml` holds it. Readers of tables and sentences, the keys of boards and their
directions all take their words from there.

Lists name one board in different ways: with another spelling, with the headings above it
(`Word Level Models > Penn Treebank`), with remarks (`CoQA (Conversational Question Answering
Challenge)`), with the task or the metric repeated. The rules here know words of English, and no
board.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from vivavoce.text.data import read_data
from vivavoce.text.normalise import words_of

_PHRASE = re.compile(r"\w+(?: [\w']+)+")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, or a word that names what a method costs."""

    term: str
    """The word that texts are folded to."""
    name: str = ""
    """As tables print it; empty for a word that is only read."""
    forms: tuple[str, ...] = ()
    """Other ways to write it."""
    words: tuple[str, ...] = ()
    """Single words of headers and boards that mean it."""
    key: str = ""
    """Key of boards; empty for that of the name."""
    better: Literal["higher", "lower", "none"] = "higher"
    free: bool = False
    """Values above 100 are possible."""
    signed: bool = False
    """Values below 0 are possible."""
    cost: bool = False
    """It tells what a method costs, not how good it is."""
    in_texts: bool = True
    """False for a word too common in texts to name a measure there."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its name and other ways to write it."""
        return (self.name, *self.forms) if self.name else self.forms

    @property
    def single_words(self) -> tuple[str, ...]:
        """Other single words that mean it, without case."""
        forms = (form.rstrip(".").casefold() for form in self.forms)
        return (*self.words, *(form for form in forms if form.isalnum() and form != self.term))

    @property
    def phrases(self) -> tuple[str, ...]:
        """Spellings of several words, without case and hyphens."""
        forms = (form.casefold().replace("-", " ") for form in self.spellings)
        return tuple(form for form in forms if _PHRASE.fullmatch(form))


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}


METRICS = tuple(
    Metric(term, **_fields(row)) for term, row in read_data(__file__, "metric_names.toml").items()
)


def words_where(holds: Callable[[Metric], bool]) -> frozenset[str]:
    """Single words that mean one of the metrics for which something holds."""
    return frozenset(
        word for metric in METRICS if holds(metric) for word in (metric.term, *metric.single_words)
    )


_AT_RANK = re.compile(r"(h|hit|hits|p|prec|precision|r|rec|recall) @ (\d{1,6})")
_AT_RANK_NAMES = {"h": "hits", "p": "p", "r": "recall"}
_WORDS = read_data(__file__, "words.toml")
_CLOSING = frozenset(_WORDS["closing"])
_SHARED_TASK = ["shared", "task"]
_HEADING = frozenset(_WORDS["heading"])
_OF_MODELS = frozenset(_WORDS["of_models"])
_UNITS = frozenset("byte char character subword word".split())
_PER_UNIT = frozenset({"bpb", "bpc", "perplexity"})
"""Metrics that count by a unit: a remark on the level of words or characters repeats it."""
_TASK_WORD = re.compile(
    r"\w{1,40}(?:ing|[ts]ion|ysis)|discovery|enrichment|entailment|inference|retrieval|similarity"
)
"""Last word of a task's name."""
_STEP = " > "
_REMARK = re.compile(r"\(([^()]{1,300})\)")
_LETTER = re.compile(r"[^\W\d_]+")
_SPACES = re.compile(r"\s+")
_ARTICLES = frozenset({"a", "an", "the"})


class BoardNames(NamedTuple):
    """The task and the dataset of a board, in the spelling of a list."""

    task: str
    dataset: str


def board_id(task: str, dataset: str, metric: str) -> str:
    """The id of a board: the keys of its task, its dataset and its metric."""
    names = board_names(task, dataset)
    keys = (
        task_key(names.task),
        dataset_key(names.dataset, names.task, metric),
        metric_key(metric),
    )
    return "/".join(_SPACES.sub("_", key) for key in keys)


def board_names(task: str, dataset: str) -> BoardNames:
    """A task and a dataset, where a list has put its headings into the name of the dataset.

    A heading that is a task of its own is the task: a parser and a tagger that are tested on one
    treebank have two boards. One that only announces results, or says what kind of models are
    compared, is dropped.
    """
    steps = [step.strip() for step in dataset.split(_STEP)]
    steps = [step for step in steps if not _HEADING.issuperset(words_of(step))] or steps[-1:]
    while len(steps) > 1 and (words := words_of(steps[0])) and _TASK_WORD.fullmatch(words[-1]):
        task = steps.pop(0)
    steps = [step for step in steps[:-1] if not _ends_in(step, _OF_MODELS)] + steps[-1:]
    return BoardNames(task, _STEP.join(steps))


def name_key(name: str) -> str:
    """A name without case, accents, punctuation and spaces between words, in American spelling.

    `CNN / Daily Mail (non-anonymised)` and `cnn/daily mail non-anonymized` are one.
    """
    return " ".join(words_of(name))


def task_key(name: str) -> str:
    """The key of a task, without an abbreviation behind it."""
    return name_key(_without_abbreviation(name))


def dataset_key(name: str, task: str = "", metric: str = "") -> str:
    """The key of a dataset, without what its name says beside.

    Words of the task go where they begin or end the name, and so does a remark on the metric.
    """
    measured = set(metric_key(metric).split()) if metric else set()
    text = _without_abbreviation(name)
    parts = []
    for number, part in enumerate(re.split(r" > |[()]", text)):
        words = words_of(part)
        if number and measured and _repeats(words, measured):
            continue
        parts.append(_without_closing(words) if number else _without_task(words, words_of(task)))
    return " ".join(word for words in parts for word in words) or name_key(name)


def metric_key(name: str) -> str:
    """The key of a metric, common spellings told as one."""
    key = name_key(_without_abbreviation(name))
    if found := _AT_RANK.fullmatch(key):
        return f"{_AT_RANK_NAMES[found[1][0]]} @ {found[2]}"
    return _metric_keys().get(key, key)


@cache
def _metric_keys() -> dict[str, str]:
    """The key of each spelling of a metric, by the key of that spelling."""
    return {
        name_key(form): metric.key or name_key(metric.name or metric.term)
        for metric in METRICS
        for form in metric.spellings
    }


def _repeats(remark: list[str], measured: set[str]) -> bool:
    """Check whether a remark on a dataset says what its metric says."""
    is_level = remark[-1:] == ["level"] and not _UNITS.isdisjoint(remark)
    return measured.issubset(remark) or (is_level and not _PER_UNIT.isdisjoint(measured))


def _ends_in(heading: str, closing: frozenset[str]) -> bool:
    words = words_of(heading)
    return len(words) > 1 and words[-1] in closing


def _without_task(words: list[str], task: list[str]) -> list[str]:
    """Words without an opening article, the task before or behind them, and closing words."""
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


def _without_abbreviation(name: str) -> str:
    """A name without a remark that abbreviates it, or that spells it out."""
    for remark in _REMARK.finditer(name):
        before, inside = name[: remark.start()], remark[1]
        if _abbreviates(inside, before) or _abbreviates(before, inside):
            return f"{before.rstrip()}{name[remark.end() :]}"
    return name


def _abbreviates(short: str, long: str) -> bool:
    """Check whether the capitals of a single word are the first letters of some words."""
    words = _LETTER.findall(short)
    if len(words) != 1 or len(_LETTER.findall(long)) < 2:
        return False
    capitals = "".join(c for c in words[0] if c.isupper())
    return len(capitals) > 1 and _initials(long).startswith(capitals)


def _initials(text: str) -> str:
    """The first letters of words as capitals; of a word in capitals all of them, of `of` none."""
    found = []
    for word in _LETTER.findall(text):
        if word.isupper():
            found.append(word)
        elif word.casefold() not in ("a", "and", "for", "of", "on", "the", "to"):
            found.append(word[0].upper())
    return "".join(found)


def most_frequent(names: Iterable[str]) -> str:
    """The most frequent spelling; of several the first in the alphabet."""
    counts = Counter(names)
    return min(counts, key=lambda name: (-counts[name], name), default="")
