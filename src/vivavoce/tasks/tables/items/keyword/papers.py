"""The papers of a pool as the rules read them.

A line of a list is a name and, after a colon, other ways to write it. `*` stands for the rest of a
word; a name in capitals is only found in capitals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from vivavoce.readers.board_names import METRICS
from vivavoce.text.data import read_data, read_patterns

_MAX_TITLE, _MAX_ABSTRACT, _MAX_TEXT = 300, 5_000, 300_000
_ALL_TEXTS = 20_000_000
"""Characters that are read of a pool; of each paper of a large pool, less."""


@dataclass(frozen=True, slots=True)
class PoolText:
    """A paper of a pool; what is not known is empty."""

    label: str
    title: str
    abstract: str = ""
    text: str = ""

    @property
    def parts(self) -> tuple[tuple[int, str], ...]:
        """Title, abstract and text, each with what a mention in it counts."""
        return (_TITLE, self.title), (_ABSTRACT, self.abstract), (_TEXT, self.text)

    @property
    def lead(self) -> str:
        """Title and abstract."""
        return f"{self.title}\n{self.abstract}"


def read_pool(rows: Iterable[Mapping[str, Any]]) -> list[PoolText]:
    """The papers of a sample's `pool`: objects with label, title, abstract and text."""
    given = list(rows)
    most = min(_MAX_TEXT, _ALL_TEXTS // max(1, len(given)))
    return [
        PoolText(
            str(row["label"]),
            " ".join(_part(row, "title", _MAX_TITLE).split()),
            _part(row, "abstract", _MAX_ABSTRACT),
            _part(row, "text", most),
        )
        for row in given
    ]


def _part(row: Mapping[str, Any], name: str, most: int) -> str:
    return str(row.get(name) or "")[:most].strip()


_TITLED = re.compile(r"([A-Z][\w+@./-]{1,30}(?: [\w+@./-]{1,20})?)\s?:\s")
_PATTERNS = read_patterns(__file__, "patterns.toml")
_CALLED = _PATTERNS["called"]
_DATASET = _PATTERNS["dataset"]
_ON_DATASET = _PATTERNS["on_dataset"]
_AND = re.compile(r" and ")
_KINDS = frozenset(("Dataset", "Datasets", "Corpus", "Treebank", "Benchmark"))
_FALSE_START = _PATTERNS["false_start"]
_TASK = _PATTERNS["task"]
_AIM = _PATTERNS["aim"]
_AIM_ENDS = _PATTERNS["aim_ends"]
_VAGUE = _PATTERNS["vague"]
_TITLE, _ABSTRACT, _TEXT = 8, 4, 1


def weigh(parts: Iterable[tuple[int, str]], find: Callable[[str], Iterable[str]]) -> Counter[str]:
    """Names that are found in parts of a paper, by how much speaks for each."""
    weights: Counter[str] = Counter()
    for weight, text in parts:
        for name in find(text):
            weights[name] += weight
    return weights


def own_name(paper: PoolText) -> str | None:
    """What a paper calls its own method, where title or abstract tell."""
    if found := _TITLED.match(paper.title):
        return found[1].strip()
    found = _CALLED.search(paper.abstract)
    return found[1] if found else None


def datasets_in(paper: PoolText) -> Counter[str]:
    """Names of datasets, by how much speaks for each."""
    return weigh(paper.parts, _dataset_names)


def task_of(paper: PoolText) -> Counter[str]:
    """What a paper works on: a phrase such as `machine translation`, or what its title is for."""
    weights = weigh(
        paper.parts[:2],
        lambda text: (_without_vague(found.group()) for found in _TASK.finditer(text.lower())),
    )
    if not weights and (aim := _AIM.search(paper.title)):
        words = _AIM_ENDS.split(f" {aim[1]} ", maxsplit=1)[0].strip().lower()
        weights[_without_vague(words)] += _TITLE
    return weights


def _dataset_names(text: str) -> Iterator[str]:
    for pattern in (_DATASET, _ON_DATASET):
        for found in pattern.finditer(text):
            for name in _AND.split(found[1]):
                while start := _FALSE_START.match(name):
                    name = name[start.end() :]
                if len(name) > 2 and name not in _KINDS:
                    yield name


def _without_vague(phrase: str) -> str:
    while (start := _VAGUE.match(phrase)) and start.end() < len(phrase):
        phrase = phrase[start.end() :]
    return phrase


_LISTS: dict[str, str] = read_data(__file__, "vocabulary.toml")
_LISTS["metric"] = "\n".join(
    f"{metric.name}: {', '.join((*metric.forms, *metric.loose))}"
    for metric in METRICS
    if metric.name
)


class Terms:
    """A list of names, to be found in texts."""

    def __init__(self, listing: str) -> None:
        names: dict[str, str] = {}
        for line in listing.strip().splitlines():
            name, _, others = line.partition(":")
            for form in (name, *others.split(",")):
                if form := form.strip():
                    names.setdefault(form, name)
        self._names = names
        self._folded = {form.rstrip("*").casefold(): name for form, name in names.items()}
        # The longest form first, so that `self-supervised` is not read as `supervised`.
        ordered = sorted(names, key=lambda form: (-len(form), form))
        self._pattern = re.compile(
            rf"(?<![\w-])(?:{'|'.join(_form_pattern(form) for form in ordered)})(?![\w-])"
        )

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, name) of every form in a text, in order."""
        for match in self._pattern.finditer(text):
            yield match.start(), match.end(), self._name(match.group())

    def has(self, name: str) -> bool:
        """Whether a text is one of the forms and nothing else."""
        return self._pattern.fullmatch(name) is not None

    def _name(self, found: str) -> str:
        if found in self._names:
            return self._names[found]
        folded = found.casefold()
        if folded in self._folded:
            return self._folded[folded]
        # A form with an open end.
        return next(name for form, name in self._folded.items() if folded.startswith(form))


def _form_pattern(form: str) -> str:
    body = re.escape(form.rstrip("*"))
    if not any(map(str.isupper, form[1:])):
        body = f"(?i:{body})"
    return body + (r"\w{0,20}" if form.endswith("*") else "")


@cache
def terms_of(listing: str) -> Terms:
    """The terms of one of the lists by its name, such as `architecture` or `metric`."""
    return Terms(_LISTS[listing])
