"""Similarity of two papers: cosines of the vectors of their titles and abstracts.

TF-IDF and the packaged MiniLM need no network; SciBERT, SPECTER, SciNCL and any other encoder are
loaded from a folder or the hub. A paper is encoded when an edge first needs it, by itself, so its
vector does not depend on other texts, and is kept for as long as the round is open.

Every pair of papers that anything is told of meets once. Numbers count that fit the board: by the
words of the column, the group, the caption and the paper around them. The pair is won

1. by wins in tables that have a line of both, weighed by how well the column fits; else
2. by the better score that tables and sentences tell of each, wherever they stand; else
3. by the later date.

Papers are ordered by matches won minus lost (Copeland 1951), of equals the newer first. A paper of
which nothing is told stands by its date: those told of share their own dates out among themselves,
the first of them taking the latest. Nothing here looks at the gold.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import median_low
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.readers.terms import BoardTerms, terms_of_text
from vivavoce.retrieval.dense import Encoder
from vivavoce.retrieval.presets import (
    OAG_BERT,
    PRESETS,
    Preset,
    find_folder,
    find_preset,
    read_settings,
)
from vivavoce.retrieval.sparse import TfidfRetriever
from vivavoce.tasks.ranking.items.boards import BoardQuery
from vivavoce.tasks.ranking.items.pairwise_results import ABOUT, Comparison, Line
from vivavoce.text.dates import day_after

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.integer[Any]]

TFIDF = "tfidf"
ENCODERS = (TFIDF, "minilm", "scibert", "specter", "scincl", "oagbert")
"""Encoders with a name; every other is the folder of a model or its name on the hub."""

_SYNONYMS = {"oagbert": "oag-bert"}
_OF_PAPERS = ("scibert", "specter", "scincl", "oag-bert")
"""Read a paper as title, separator token, abstract."""


def open_vectors(
    encoder: str,
    titles: Sequence[str],
    abstracts: Sequence[str],
    *,
    folder: str | None = None,
) -> PaperVectors:
    """The vectors of papers by an encoder.

    Args:
        encoder: A name of `ENCODERS`, a folder, or a name on the hub.
        titles: Of each paper, by place.
        abstracts: Likewise; empty for none.
        folder: Where the weights of a named encoder are instead of its place on the hub.

    Raises:
        MissingExtra: torch or transformers is not installed.
        InputError: The encoder cannot be found or loaded; OAG-BERT says why.
    """
    check_encoder(encoder, folder)
    if encoder == TFIDF:
        return TfidfVectors(titles, abstracts)
    opened = Encoder(_preset_of(encoder, folder), batch_size=1)
    return EncodedVectors(titles, abstracts, opened)


class TfidfVectors:
    """TF-IDF vectors, with the weights of `TfidfRetriever`: f (ln((1 + N) / (1 + n)) + 1)."""

    def __init__(self, titles: Sequence[str], abstracts: Sequence[str]) -> None:
        texts = [f"{title}\n{text}" for title, text in zip(titles, abstracts, strict=True)]
        self._rows = TfidfRetriever(texts).rows()

    def cosines(self, first: Places, second: Places) -> Floats:
        """The cosine of each pair of papers, named by their places; 0 for one without words."""
        if not len(first):
            return np.zeros(0)
        products = self._rows[first].multiply(self._rows[second])
        return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()


class EncodedVectors:
    """Vectors of a neural encoder, made when they are first asked for."""

    def __init__(self, titles: Sequence[str], abstracts: Sequence[str], encoder: Encoder) -> None:
        self.encoder = encoder
        self.truncated = 0
        """Papers so far that were too long for the model."""
        self._titles, self._abstracts = titles, abstracts
        self._known: dict[int, Floats] = {}

    def cosines(self, first: Places, second: Places) -> Floats:
        """The cosine of each pair of papers, named by their places."""
        if not len(first):
            return np.zeros(0)
        left = np.stack([self.vector(place) for place in first.tolist()])
        right = np.stack([self.vector(place) for place in second.tolist()])
        return np.asarray((left * right).sum(axis=1), dtype=np.float64)

    def vector(self, place: int) -> Floats:
        """The vector of one paper, of length 1; shape (dimensions of the encoder,)."""
        known = self._known.get(place)
        if known is None:
            text = self.encoder.paper_text(self._titles[place], self._abstracts[place])
            found = self.encoder.embed([text])
            self.truncated += found.truncated
            raw = found.vectors[0].astype(np.float64)
            length = float(np.sqrt((raw**2).sum()))
            known = self._known[place] = raw / length if length else raw
        return known


PaperVectors = TfidfVectors | EncodedVectors


def check_encoder(encoder: str, folder: str | None = None) -> None:
    """Raise `InputError` for an encoder that cannot be; nothing is loaded."""
    name = _SYNONYMS.get(encoder, encoder)
    if encoder == TFIDF and folder is not None:
        raise InputError("tfidf has no weights: give the folder with a named encoder.")
    if name in PRESETS:
        if folder is None and find_preset(name).passages == OAG_BERT:
            find_folder(OAG_BERT)  # says why it is refused
    elif folder is not None:
        raise InputError(f"{encoder} is no named encoder: give its folder as the encoder alone.")
    elif encoder != TFIDF and "/" not in name and not Path(name).is_dir():
        raise InputError(
            f"There is no encoder {encoder!r}. There are {', '.join(ENCODERS)}; any other is named "
            "by its folder or as OWNER/NAME on the hub."
        )


def _preset_of(encoder: str, folder: str | None) -> Preset:
    name = _SYNONYMS.get(encoder, encoder)
    if name in PRESETS:
        preset = find_preset(name)
        weights = folder or preset.passages
        joint = "sep" if name in _OF_PAPERS else preset.joint
        return replace(preset, passages=weights, joint=joint)
    return read_settings(find_folder(name))


LEAST_FIT = 0.2
"""Fit of a score that is compared across tables, at least. This and the next three were chosen on
boards for development."""
_LEAST_FIT_WITHIN = 0.1
_NEARLY_BEST = 0.7
"""Share of a paper's best fit from which on its scores count."""
_SAME_SCALE = 2.0
"""Scores this many times above or below the usual are of another scale."""
_FIT_STEPS = 1_000
_UNDATED = -1
"""Day of papers without a date: they are the oldest."""

_Signs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Told:
    """A number that a line tells of a paper."""

    fit: float
    value: float
    """Turned round where less is better, so that more is always better."""
    place: tuple[int, int]
    """Table and column."""


@dataclass(frozen=True, slots=True)
class _Words:
    """Terms around the numbers of a comparison."""

    headers: tuple[tuple[str, ...], ...]
    above: tuple[str, ...]
    """Terms of all headers."""
    caption: tuple[str, ...]
    about: tuple[str, ...]


class Tournament:
    """The comparisons of a round, read once and asked for each board.

    Args:
        comparisons: In any order.
        sentences: Whether scores that papers state in sentences count beside those in tables.
    """

    def __init__(self, comparisons: Iterable[Comparison], *, sentences: bool = True) -> None:
        self._tables: list[Comparison] = []
        self._about: dict[str, tuple[str, ...]] = {}
        self._lines: dict[str, list[tuple[int, Line]]] = defaultdict(list)
        for one in comparisons:
            if one.ordinal == ABOUT:
                self._about[one.paper_id] = terms_of_text(one.caption)
                continue
            if one.ordinal < ABOUT and not sentences:
                continue
            for line in one.lines:
                self._lines[line.paper_id].append((len(self._tables), line))
            self._tables.append(one)

    def rank(
        self,
        query: BoardQuery,
        papers: Sequence[str],
        dates: Mapping[str, str | None],
        *,
        higher_is_better: bool,
    ) -> list[str]:
        """Every paper once, best first; of equals the newer first, then by id."""
        days = {
            paper: day_after(dates.get(paper) or None, _UNDATED) for paper in sorted(set(papers))
        }
        told = self._told(query, days, 1 if higher_is_better else -1)
        ranked = _by_wins(told, _scores(told), days)
        slots = sorted((days[paper] for paper in ranked), reverse=True)
        places = {paper: place for place, paper in enumerate(ranked)}
        day = {**days, **dict(zip(ranked, slots, strict=True))}
        return sorted(days, key=lambda paper: (-day[paper], places.get(paper, len(ranked)), paper))

    def _told(self, query: BoardQuery, papers: Iterable[str], sign: int) -> dict[str, list[_Told]]:
        """The numbers that fit a board times a sign, of each paper that has any."""
        board = BoardTerms.of(query.dataset, query.metric, self._weights)
        told: dict[str, list[_Told]] = {}
        for paper in papers:
            found = [
                _Told(fit, sign * number, (table, column))
                for table, line in self._lines.get(paper, ())
                for column, number, fit in self._fitting(board, table, line)
            ]
            if found:
                told[paper] = found
        return told

    def _fitting(
        self, board: BoardTerms, table: int, line: Line
    ) -> Iterable[tuple[int, float, float]]:
        """Column, number and fit of a line's numbers that may be scores on a board."""
        words = self._words[table]
        group = terms_of_text(line.group)
        is_told_apart = len(words.headers) == len(line.numbers)
        for column, number in enumerate(line.numbers):
            if number:
                header = words.headers[column] if is_told_apart else ()
                above = () if is_told_apart else words.above
                fit = board.fit(header + group, words.caption + above, words.about)
                if fit > _LEAST_FIT_WITHIN:
                    yield column, number, fit

    @cached_property
    def _words(self) -> list[_Words]:
        return [
            _Words(
                tuple(terms_of_text(header) for header in one.headers),
                terms_of_text(" ".join(one.headers)),
                terms_of_text(one.caption),
                self._about.get(one.paper_id, ()),
            )
            for one in self._tables
        ]

    @cached_property
    def _weights(self) -> dict[str, float]:
        """Rarity of each term among the comparisons, from 0 to 1."""
        counts: Counter[str] = Counter()
        for one, told in zip(self._tables, self._words, strict=True):
            terms = set(told.caption).union(*told.headers)
            for line in one.lines:
                terms |= set(terms_of_text(line.group))
            counts.update(terms)
        total = len(self._tables)
        return {
            term: math.log(1 + total / count) / math.log(1 + total)
            for term, count in counts.items()
        }


def _scores(told: Mapping[str, Sequence[_Told]]) -> dict[str, float]:
    """The score that stands for each paper: its best among those that fit best."""
    fitting = {
        paper: found
        for paper, numbers in told.items()
        if (found := [one for one in numbers if one.fit >= LEAST_FIT])
    }
    usual = {
        paper: median_low(sorted(abs(one.value) for one in _best_fitting(found)))
        for paper, found in fitting.items()
    }
    if not usual:
        return {}
    middle = median_low(sorted(usual.values()))
    scores: dict[str, float] = {}
    for paper, found in fitting.items():
        same = [
            one for one in found if middle / _SAME_SCALE <= abs(one.value) <= middle * _SAME_SCALE
        ]
        if same:
            scores[paper] = max(one.value for one in _best_fitting(same))
    return scores


def _best_fitting(numbers: Sequence[_Told]) -> list[_Told]:
    top = max(one.fit for one in numbers)
    return [one for one in numbers if one.fit >= _NEARLY_BEST * top]


def _by_wins(
    told: Mapping[str, Sequence[_Told]], scores: Mapping[str, float], days: Mapping[str, int]
) -> list[str]:
    """The papers that have a score, or met another in a table, by matches won minus lost."""
    met = _wins_within(told)
    papers = sorted({paper for pair in met for paper in pair} | set(scores))
    place = {paper: at for at, paper in enumerate(papers)}
    within = np.zeros((len(papers), len(papers)), dtype=np.int64)
    for (one, other), wins in met.items():
        within[place[one], place[other]] = wins
        within[place[other], place[one]] = -wins
    score = np.array([scores.get(paper, math.nan) for paper in papers])
    day = np.array([days[paper] for paper in papers], dtype=np.int64)
    matches = np.sign(within)
    for values in (score, day.astype(np.float64)):
        matches = np.where(matches == 0, _compare(values), matches)
    points = matches.sum(axis=1)
    return sorted(papers, key=lambda paper: (-points[place[paper]], -days[paper], paper))


def _compare(values: npt.NDArray[np.float64]) -> _Signs:
    """1 where a row's value is above a column's, -1 below it, 0 where equal or one is absent."""
    signs = np.sign(values[:, None] - values[None, :])
    return np.nan_to_num(signs, nan=0.0).astype(np.int64)


def _wins_within(told: Mapping[str, Sequence[_Told]]) -> dict[tuple[str, str], int]:
    """Wins minus losses of pairs in columns that have both, weighed by fit; never 0."""
    best: dict[tuple[int, int], dict[str, tuple[float, float]]] = defaultdict(dict)
    for paper in sorted(told):
        for one in told[paper]:
            value, fit = best[one.place].get(paper, (-math.inf, 0.0))
            best[one.place][paper] = (max(value, one.value), max(fit, one.fit))
    wins: Counter[tuple[str, str]] = Counter()
    for column in best.values():
        papers = sorted(column)
        for at, paper in enumerate(papers):
            for other in papers[at + 1 :]:
                (value, fit), (its, its_fit) = column[paper], column[other]
                # Whole steps: sums do not depend on the order of tables.
                wins[paper, other] += ((value > its) - (value < its)) * round(
                    max(fit, its_fit) * _FIT_STEPS
                )
    return {pair: margin for pair, margin in wins.items() if margin}
