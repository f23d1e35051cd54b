"""The papers of a pool as the rules read them, and the columns that they are compared in.

A line of a list is a name and, after a colon, other ways to write it. `*` stands for the rest of a
word; a name in capitals is only found in capitals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from vivavoce.readers.board_names import METRICS
from vivavoce.tasks.tables.items.demand_leaks import is_telling, stem_of, windows
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
        """Title, abstract and text, each with the weight of a mention in it."""
        return (_TITLE, self.title), (_ABSTRACT, self.abstract), (_TEXT, self.text)

    @property
    def lead(self) -> str:
        """Title and abstract."""
        return f"{self.title}\n{self.abstract}"


def read_pool(rows: Iterable[Mapping[str, Any]], *, whole: bool = False) -> list[PoolText]:
    """The papers of a sample's `pool`: objects with label, title, abstract and text.

    Abstracts and texts are cut to what rules read, unless the `whole` is asked for.
    """
    given = list(rows)
    most = None if whole else min(_MAX_TEXT, _ALL_TEXTS // max(1, len(given)))
    return [
        PoolText(
            str(row["label"]),
            " ".join(_part(row, "title", _MAX_TITLE).split()),
            _part(row, "abstract", None if whole else _MAX_ABSTRACT),
            _part(row, "text", most),
        )
        for row in given
    ]


def _part(row: Mapping[str, Any], name: str, most: int | None) -> str:
    return str(row.get(name) or "")[:most].strip()


_TITLED = re.compile(r"([A-Z][\w+@./-]{1,30}(?: [\w+@./-]{1,20})?)\s?:\s")
_PATTERNS = read_patterns(__file__, "keyword_patterns.toml")
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
    """A paper's name for its own method, where title or abstract give it."""
    if found := _TITLED.match(paper.title):
        return found[1].strip()
    found = _CALLED.search(paper.abstract)
    return found[1] if found else None


def datasets_in(paper: PoolText) -> Counter[str]:
    """Names of datasets, by how much speaks for each."""
    return weigh(paper.parts, _dataset_names)


def task_of(paper: PoolText) -> Counter[str]:
    """A paper's subject: a phrase such as `machine translation`, or the purpose in its title."""
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


_LISTS: dict[str, str] = read_data(__file__, "keyword_vocabulary.toml")
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
        """Check whether a text is one of the forms and nothing else."""
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


_MAX_VALUES = 3
_NEAR_BEST = 0.5
"""Share of the most mentioned value's weight that another one needs to stand beside it."""
_CELLS = 4096
"""Cells that are kept, since a paper is in many pools: those of some hundred papers."""
_SCALE = {"million": "M", "billion": "B", "thousand": "K"}
_YES, _NO = "Yes", "No"

Find = Callable[[PoolText], Counter[str]]


@dataclass(frozen=True, slots=True)
class Facet:
    """A property that papers can be compared in."""

    name: str
    """Name of the column."""
    asked_by: str
    """A pattern of how words of demands begin that ask for it."""
    find: Find
    """The values that a paper gives, by how much speaks for each."""
    most: int = _MAX_VALUES
    """Values of a cell."""

    def is_asked(self, demand: str) -> bool:
        """Check whether a demand has such a word."""
        return re.search(rf"\b(?:{self.asked_by})", demand, re.IGNORECASE) is not None

    def cell(self, paper: PoolText) -> str | None:
        """A paper's cell: the values with most evidence."""
        return _cell(self, replace(paper, label=""))


@lru_cache(maxsize=_CELLS)
def _cell(facet: Facet, paper: PoolText) -> str | None:
    # Equal ones stay as they were mentioned.
    ranked = facet.find(paper).most_common(facet.most)
    least = _NEAR_BEST * ranked[0][1] if ranked else 0
    return ", ".join(name for name, weight in ranked if weight >= least) or None


def _listed(listing: str) -> Find:
    return lambda paper: weigh(
        paper.parts, lambda text: (name for _, _, name in terms_of(listing).find(text))
    )


def _numbered(pattern: re.Pattern[str]) -> Find:
    """The numbers that a pattern finds, with the sign of their scale."""
    return lambda paper: weigh(
        paper.parts,
        lambda text: (
            "".join(map(_scaled, filter(None, found.groups()))) for found in pattern.finditer(text)
        ),
    )


def _scaled(part: str) -> str:
    for word, sign in _SCALE.items():
        part = re.sub(rf"\s?{word}", sign, part, flags=re.IGNORECASE)
    return part.upper() if part.isalpha() else part


def _method(paper: PoolText) -> Counter[str]:
    name = own_name(paper)
    return Counter([name]) if name else Counter()


def _code(paper: PoolText) -> Counter[str]:
    """Only a whole text can tell that there is none."""
    if any(_PATTERNS["code"].search(text) for _, text in paper.parts):
        return Counter([_YES])
    return Counter([_NO]) if paper.text else Counter()


_FUNCTIONS = {"method": _method, "task": task_of, "dataset": datasets_in, "code": _code}


def _finder(name: str) -> Find:
    """The function that `find` names in `facets.toml`."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    return _numbered(_PATTERNS[name]) if name in _PATTERNS else _listed(name)


FACETS = tuple(
    Facet(**{**given, "find": _finder(given["find"])})
    for given in read_data(__file__, "keyword_facets.toml")["facet"]
)
"""In the order in which a table has them."""


YES, NO = "✓", "✗"
_MIN_COUNT, _MIN_SHARE, _MAX_SHARE = 2, 0.2, 0.7
"""Papers that have a phrase, and the share of all papers."""
_MAX_WORDS = 2
"""Words of a phrase."""
_BREAK = re.compile(r"[:;,.?!()\n–—]")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_EMPTY = read_data(__file__, "keyword_words.toml")["empty"]
"""Words that are in too many papers to say what one is about."""

Stems = tuple[str, ...]


def find_topics(demand: str, papers: Sequence[PoolText], most: int) -> dict[str, dict[str, str]]:
    """Phrases that set papers apart, each with its value for every label.

    Those that split the papers most evenly come first, `most` in all; no word is in two of them,
    and none has but words of the demand.
    """
    asked = {stem_of(word) for word in _WORD.findall(demand)}
    printed: dict[Stems, Counter[str]] = {}
    holders: dict[Stems, list[str]] = {}
    for paper in papers:
        for stems, phrase in dict(_phrases(paper.lead)).items():
            printed.setdefault(stems, Counter())[phrase] += 1
            holders.setdefault(stems, []).append(paper.label)
    size, empty = len(papers), _empty_stems()
    fit = {
        stems: labels
        for stems, labels in holders.items()
        if max(_MIN_COUNT, _MIN_SHARE * size) <= len(labels) <= _MAX_SHARE * size
        and not set(stems) <= asked
        and empty.isdisjoint(stems)
    }
    ranked = sorted(fit, key=lambda stems: (abs(2 * len(fit[stems]) - size), -len(stems), stems))
    topics: dict[str, dict[str, str]] = {}
    said: set[str] = set()
    for stems in ranked:
        if len(topics) == most:
            break
        if said.isdisjoint(stems):
            said.update(stems)
            having = set(fit[stems])
            name = printed[stems].most_common(1)[0][0]
            topics[f"{name[:1].upper()}{name[1:]}"] = {
                paper.label: YES if paper.label in having else NO for paper in papers
            }
    return topics


@cache
def _empty_stems() -> frozenset[str]:
    return frozenset(map(stem_of, _EMPTY))


def _phrases(text: str) -> Iterator[tuple[Stems, str]]:
    for part in _BREAK.split(text):
        for window in windows(_WORD.findall(part), _MAX_WORDS):
            if all(is_telling(word) and not word.isdigit() for word in window):
                shown = (word.lower() if word.istitle() else word for word in window)
                yield tuple(map(stem_of, window)), " ".join(shown)
