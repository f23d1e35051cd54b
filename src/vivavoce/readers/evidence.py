"""Evidence that a column and a row of a table are those that a board asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.readers.blocks import Block, Record
from vivavoce.readers.paper_tables import Source
from vivavoce.readers.terms import (
    MEASURES,
    RESOURCES,
    SPLITS,
    stands_for,
    telling_terms,
    terms_in,
)
from vivavoce.text.data import read_data

_SHORT = re.compile(r"\b[A-Z][A-Za-z]{0,7}[A-Z0-9][\w-]{0,4}\b")
_CAPITALS = re.compile(r"\b[A-Z]{2,5}\b")
_INITIAL = re.compile(r"[A-Z][a-z]{0,3}\.?")
_WORDS = read_data(__file__, "words.toml")
_ASIDE = frozenset(_WORDS["aside"])
"""Words in the captions of tables that compare no methods."""
_KINDS = MEASURES - {"score"}
_OTHER_MEASURE = 0.05
_OTHER_SPLIT = 0.1
_LEAST = 0.02
_TEXTS = 20_000
"""Headers, captions and lines whose terms are kept."""
_BARE = 0.7
_NAMED = 0.95
_SPLIT_WORDS = frozenset({"test", "dev", "valid", "val", "validation", "train"})


@dataclass(frozen=True)
class Question:
    """The terms by which a board is looked for in tables."""

    metric: str
    measures: frozenset[str]
    """Terms that name how results are measured."""
    split: str
    about: tuple[tuple[str, ...], ...]
    """Terms that name what they are measured on, in several ways; the first is the whole name."""
    extra: tuple[str, ...]
    """Terms of the metric's name besides the measure, such as a part of the dataset."""
    task: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    """Words that an abbreviation may stand for."""
    shorts: tuple[str, ...] = ()
    """Abbreviations in the names, such as `CN`."""

    @staticmethod
    def of(task: str, dataset: str, metric: str) -> Question:
        """Read the three names of a board."""
        asked = telling_terms(metric)
        named = telling_terms(dataset)
        measures = [t for t in asked if t in _KINDS] or [t for t in named if t in _KINDS]
        splits = [t for t in (*asked, *named) if t in SPLITS]
        extra = [t for t in asked if t not in MEASURES | SPLITS]
        parts = [part for part in re.split(r"[>/()|]", dataset) if part.strip()]
        ways = [_plain(named), *(_plain(telling_terms(part)) for part in parts)]
        words = [_words(part) for part in (dataset, *parts)]
        words += [_without_measures(name) for name in words]
        return Question(
            metric=metric,
            measures=frozenset(measures),
            split=splits[0] if splits else "",
            about=tuple(dict.fromkeys((*way, *extra) for way in ways if way or extra)),
            extra=tuple(extra),
            task=tuple(t for t in telling_terms(task) if t not in _plain(named)),
            names=tuple(dict.fromkeys(name for name in words if 1 < len(name) < 8)),
            shorts=tuple(dict.fromkeys(_CAPITALS.findall(f"{dataset} {metric}"))),
        )

    def columns(
        self, block: Block, source: Source, place: int, *, named: bool = False
    ) -> list[float]:
        """Weight of the evidence for each column of a block."""
        context = _Context(self, block, source, place, named=named)
        return [context.weigh(column) for column in block.columns]

    def row_share(self, label: str) -> float:
        """Share of the dataset's name in the label of a row, where it says nothing else."""
        terms = _terms(label[:200])
        if not self.about or len(terms) > len(self.about[0]) + 1:
            return 0.0
        return self.share(terms, label[:200] if len(label.split()) == 1 else "")

    def row_weight(self, block: Block, source: Source, place: int) -> float:
        """Weight of the row of the dataset in a block whose columns are methods."""
        context = _Context(self, block, source, place)
        return context.weigh_turned()

    def of_row(self, record: Record) -> float:
        """Factor of a row by the split it is of."""
        given = _terms(record.context) & SPLITS
        return _OTHER_SPLIT if given and (self.split or "test") not in given else 1.0

    def of_group(self, record: Record) -> float:
        """Share of the dataset's name in the context of a row."""
        return self.share(_terms(record.context), record.context) if record.context else 0.0

    def share(self, terms: frozenset[str], text: str = "") -> float:
        """Share of the dataset's name that is among some terms, or abbreviated in a text."""
        if not self.about:
            return 0.0
        whole, *parts = (sum(_credit(terms, t) for t in way) / len(way) for way in self.about)
        best = max([whole, *(0.9 * part for part in parts)])
        shorts = dict.fromkeys(_SHORT.findall(text[:2_000])) if best < 0.9 else ()
        if any(stands_for(short, name) for short in shorts for name in self.names):
            return 0.9
        return best

    def is_spelt_out(self, text: str) -> bool:
        """Check whether a header gives in full what a name abbreviates: `Common noun` for `CN`."""
        words = tuple(w for w in _words(text[:100]) if w not in MEASURES and w not in _SPLIT_WORDS)
        return 1 < len(words) < 6 and any(
            stands_for(short, words) and len(short) == len(words) for short in self.shorts
        )


class _Context:
    """The evidence that all columns of a block share."""

    def __init__(
        self, question: Question, block: Block, source: Source, place: int, *, named: bool = False
    ) -> None:
        self._question = question
        self._columns = block.columns
        self._own = source.caption_of(block, place)
        near = source.near_of(place)
        self._heads = _terms(" ".join(block.heads)[-600:])
        self._caption = _terms(self._own)
        self._around = _terms(near)
        self._mentions = _terms(source.mentions)
        self._paper = _terms(source.paper)
        share = question.share
        self._about = max(
            0.95 * share(self._caption, self._own),
            0.8 * share(self._around, near),
            0.7 * share(self._mentions, source.mentions),
            0.35 * share(self._paper, source.paper),
            0.15 * share(source.all_terms),
            _NAMED if named else _LEAST,
        )
        self._kind = self._weigh_kind()

    def weigh(self, text: str) -> float:
        terms = _terms(text)
        return (
            self._weigh_about(text, terms)
            * self._weigh_measure(terms)
            * self._weigh_split(terms)
            * self._kind
            * (_LEAST if terms & RESOURCES and not terms & self._question.measures else 1.0)
        )

    def weigh_turned(self) -> float:
        """Weight of a row that is headed by the dataset."""
        return self._weigh_measure(frozenset()) * self._weigh_split(frozenset()) * self._kind

    def _weigh_kind(self) -> float:
        """Weight of a table as one that compares methods, and for the task."""
        task = self._question.task
        known = self._caption | self._heads | self._around | self._mentions
        told = sum(_has(known, t) for t in task) / len(task) if task else 0.0
        paper = sum(_has(self._paper, t) for t in task) / len(task) if task else 0.0
        aside = 0.4 if self._caption & _ASIDE else 1.0
        return (0.6 + 0.4 * max(told, 0.6 * paper)) * aside

    def _weigh_about(self, text: str, terms: frozenset[str]) -> float:
        question = self._question
        column = question.share(terms, text)
        if column < 0.8 and (self._is_initial(text) or question.is_spelt_out(text)):
            column = 0.8
        both = 0.95 * question.share(terms | self._caption)
        return max(column, both, self._about) * (1.0 + column)

    def _is_initial(self, text: str) -> bool:
        """Check whether a column is headed by the first letters of a term, as the others are."""
        if not _INITIAL.fullmatch(text) or len(text.strip(".")) > 3:
            return False
        short = sum(_INITIAL.fullmatch(column) is not None for column in self._columns)
        if short < 2:
            return False
        start = text.strip(".").casefold()
        return any(term.startswith(start) for term in self._question.extra)

    def _weigh_measure(self, terms: frozenset[str]) -> float:
        wanted = self._question.measures
        if not wanted:
            return 0.6
        if wanted & terms:
            return 0.6 + 0.4 * len(wanted & terms) / len(wanted)
        if terms & MEASURES:
            return _OTHER_MEASURE
        places = ((self._caption, 0.8), (self._around, 0.7), (self._heads, 0.6))
        for known, weight in (*places, (self._mentions, 0.5), (self._paper, 0.35)):
            if wanted & known:
                return weight
        return 0.25

    def _weigh_split(self, terms: frozenset[str]) -> float:
        given = terms & SPLITS
        wanted = self._question.split or "test"
        if given:
            return 1.2 if wanted in given else _OTHER_SPLIT
        said = self._caption & {"dev", "test"}
        return 0.6 if said and wanted not in said else 1.0


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z0-9]+", text.casefold()))


def _without_measures(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words up to the first that names a way of measuring results."""
    for place, word in enumerate(words):
        if word in MEASURES | SPLITS:
            return words[:place]
    return words


def _plain(terms: Sequence[str]) -> tuple[str, ...]:
    """Terms that name a dataset; a digit alone is the rest of a version."""
    named = tuple(t for t in terms if t not in MEASURES | SPLITS)
    return tuple(t for t in named if len(t) > 1) or named


def _has(terms: frozenset[str], term: str) -> bool:
    """Check whether a term is there, also in the other number."""
    return (
        term in terms or f"{term}s" in terms or (len(term) > 3 and term.removesuffix("s") in terms)
    )


def _credit(terms: frozenset[str], term: str) -> float:
    """1 for a term that is there, less where only its number is missing: `SQuAD` for `SQuAD1.1`."""
    if _has(terms, term):
        return 1.0
    bare = term.rstrip("0123456789")
    return _BARE if 3 < len(bare) < len(term) and bare in terms else 0.0


@lru_cache(maxsize=_TEXTS)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms_in(text))
