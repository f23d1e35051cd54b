"""A leaderboard read from papers' tables, without a model.

Every row of every table is weighed: whether the table is about the dataset, whether a column holds
the metric, whether the label can name a method. The best rows make the board.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import median

from vivavoce.metrics.leaderboards import method_key
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.readers.blocks import Block, Record
from vivavoce.readers.claims import claims, own_method
from vivavoce.readers.evidence import Question
from vivavoce.readers.metric_names import metric_key
from vivavoce.readers.metric_values import direction_of, impossible, is_resource
from vivavoce.readers.paper_tables import IN_TEXT, LibraryPaper, Source, sources_of
from vivavoce.readers.terms import (
    MEASURES,
    RESOURCES,
    SPLITS,
    STUBS,
    terms_in,
)
from vivavoce.text.cell_text import plain_words
from vivavoce.text.data import read_data, read_patterns

_MAX_NAME = 160
_AUTHORS = (
    r"[^\W\d_][\w'’.-]{0,30}(?:(?:,? (?:and|&) |, )[^\W\d_][\w'’.-]{0,30}){0,4}(?: et al\.?)?"
)
_YEAR = r"(?:19|20)\d\d[a-z]?"
_CITED_BEFORE = re.compile(
    rf"^{_AUTHORS},? ?[(\[]{_YEAR}(?:[;,] ?{_YEAR}){{0,3}}[)\]]\s?[-–—:]+\s?(?=\S)"
)
_CITED = re.compile(
    rf"[(\[][^()\[\]]{{0,120}}{_YEAR}[^()\[\]]{{0,40}}[)\]]|\[\d[\d,;\s–-]{{0,30}}\]"
)
_KEY = re.compile(
    r"[(\[]?\b(?:DBLP:[^\s()\[\]]{3,80}"
    r"|[A-Z]?[a-z][A-Za-z'-]{1,30}[:_-]?(?:19|20)\d\d[\w:-]{0,60})[)\]]?(?:\s[-–—:]\s)?"
    r"|\(\s?\)"
)
"""A key of a bibliography that is not there, as `ha2016hypernetworks`; brackets around nothing."""
_BARE_AUTHORS = re.compile(rf"{_AUTHORS},? ?[(\[]?{_YEAR}[)\]]?")
_PATTERNS = read_patterns(__file__, "patterns.toml")
_OURS = _PATTERNS["board_ours"]
_OURS_BEFORE = re.compile(r"^ours?(?:\s?[-–—:]+\s?|\s+)(?=\S)", re.IGNORECASE)
_OWN = _PATTERNS["board_own"]
_MARKS = re.compile(r"^[\s*†‡§¶⋆★•·]+|[\s*†‡§¶⋆★•·,;:]+$")
_KIND = re.compile(r"\bensemble|\bsingle(?=[ -]models?\b)", re.IGNORECASE)
_NOTE = re.compile(r"(?<=\S) [a-z]$")
_MIN_NOTES = 3
_LETTER = re.compile(r"[^\W\d_]")
_ABLATION = _PATTERNS["board_ablation"]
_WORDS = read_data(__file__, "words.toml")
_NOT_NAMES = frozenset(_WORDS["not_names"])
_COMMON = MEASURES | SPLITS | STUBS | RESOURCES | _NOT_NAMES


def method_name(label: str) -> str:
    """The name in a row's label, without citations and footnote marks; empty for none."""
    name = plain_words(label[:_MAX_NAME])
    name = _CITED_BEFORE.sub("", _KEY.sub(" ", name).strip())
    name = _OURS.sub(" ", name)
    if not _OWN.fullmatch(name.strip()):
        name = _OURS_BEFORE.sub("", name)
    if not _BARE_AUTHORS.fullmatch(name.strip()):
        name = _CITED.sub(" ", name) if _LETTER.search(_CITED.sub(" ", name)) else name
    name = _MARKS.sub("", " ".join(name.split()))
    return name if _LETTER.search(name) else ""


def with_kind(name: str, context: str) -> str:
    """A name with `(ensemble)` or `(single model)`, where the rows have such a heading."""
    if not name or _KIND.search(name):
        return name
    found = _KIND.search(context)
    if found is None:
        return name
    return f"{name} (ensemble)" if found[0].casefold() == "ensemble" else f"{name} (single model)"


def is_own(name: str) -> bool:
    """Check whether a row names no method but calls it the paper's own."""
    return _OWN.fullmatch(name) is not None


def name_quality(name: str) -> float:
    """Quality of a row's label as the name of a method, from 0 to 1."""
    words = name.split()
    terms = set(terms_in(name))
    if name[:1] in ".,;:#%)]" or ". " in name.replace("al. ", ""):
        return 0.0
    if len(name) < 2 or all(map(_is_common, terms)):
        return 0.0
    if len(words) > 10 or name.endswith("."):
        return 0.1
    if _ABLATION.match(name):
        return 0.3
    letters = sum(c.isalpha() for c in name)
    if letters * 2 < len(name.replace(" ", "")):
        return 0.3
    if words[0].islower() and not any(c.isupper() or c.isdigit() for c in name):
        return 0.5
    if len(words) == 1 and name.isalpha() and not any(c.isupper() for c in name[1:]):
        return 0.7
    return 1.0


def _is_common(term: str) -> bool:
    """Check whether a word is in no name of its own, also with a number: `Baseline 2`."""
    return term in _COMMON or term.rstrip("0123456789") in _NOT_NAMES


def without_notes(labels: Sequence[str]) -> list[str]:
    """Labels without the letters of footnotes, where several end with one: `Match-LSTM d`."""
    noted = [label for label in labels if _NOTE.search(label)]
    if len(noted) < _MIN_NOTES or len({label[-1] for label in noted}) * 2 < len(noted):
        return list(labels)
    return [_NOTE.sub("", label) for label in labels]


LIMIT = 30
SHARE = 0.5
"""An entry needs this share of the best one's confidence."""
_WHOLE = 0.5
"""Factor of a column that holds whole numbers only."""
_NAMED = 0.9
"""Share of the dataset's name that makes a row or a group of rows one of that dataset."""
_OTHER_GROUP = 0.3
"""Factor of a row in a group of another dataset."""
_MAX_ROWS = 5_000
"""Rows of a paper that are weighed."""
_FAR = 5.0
_OUTLIER = 0.2
"""Factor of a score over five times or under a fifth of what the best table says."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One line of a board, and where it was read."""

    method: str
    score: str
    paper_id: str
    table: int
    """Place of the table in its paper, from 0; -1 for a table in the running text."""
    confidence: float
    """Weight of the evidence, above 0; only the order means something."""


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    score: str
    weight: float
    context: str = ""


def read_tables(
    papers: Sequence[LibraryPaper],
    *,
    task: str,
    dataset: str,
    metric: str,
    limit: int = LIMIT,
) -> list[TableEntry]:
    """The entries of a board that the tables of some papers give, best evidence first."""
    question = Question.of(task, dataset, metric)
    found: list[TableEntry] = []
    for paper in papers:
        found += islice(_entries_of(paper, question), _MAX_ROWS)
    merged = _merge(_without_outliers(found), metric)
    least = max((SHARE * entry.confidence for entry in merged), default=0.0)
    return [entry for entry in merged if entry.confidence >= least][:limit]


def _entries_of(paper: LibraryPaper, question: Question) -> Iterator[TableEntry]:
    own = own_method(paper)
    for score, weight in claims(paper, own, question):
        if _is_possible(question.metric, score):
            yield TableEntry(own, score, paper.paper_id, IN_TEXT, weight)
    for source in sources_of(paper):
        for place, block in enumerate(source.blocks):
            for row in _rows_in(block, source, place, question):
                name = method_name(row.label)
                name = own if is_own(name) else name
                sure = row.weight * name_quality(name)
                if sure and row.score and _is_possible(question.metric, row.score):
                    name = with_kind(name, row.context)
                    yield TableEntry(name, row.score, paper.paper_id, source.place, sure)


def _rows_in(block: Block, source: Source, place: int, question: Question) -> list[_Row]:
    """The scores of a block, one a row; one a column where its rows are datasets."""
    labels = without_notes([record.label for record in block.records])
    turned = [question.row_share(label) for label in labels]
    if max(turned, default=0.0) >= _NAMED:
        record = block.records[turned.index(max(turned))]
        weight = question.row_weight(block, source, place)
        pairs = zip(block.columns, record.values, strict=False)
        return [_Row(head, value, weight) for head, value in pairs]
    if not block.columns:
        return []
    groups = [question.of_group(record) for record in block.records]
    is_grouped = max(groups, default=0.0) >= _NAMED
    weights = question.columns(block, source, place, named=is_grouped)
    column = max(range(len(weights)), key=lambda place: (weights[place], -place))
    whole = 1.0 if any("." in value for value in _typical(block, column)) else _WHOLE
    rows = []
    for label, record, group in zip(labels, block.records, groups, strict=True):
        factor = _OTHER_GROUP if is_grouped and group < _NAMED else 1.0
        weight = weights[column] * whole * factor * question.of_row(record)
        rows.append(_Row(label, _value_at(record, column, block), weight, record.context))
    return rows


def _value_at(record: Record, column: int, block: Block) -> str:
    """The value of a row in a column; where some are missing, the most alike it may be."""
    width, size = len(block.columns), len(record.values)
    if size == width:
        return record.values[column]
    low, high = sorted((column, column + size - width))
    choices = [record.values[c] for c in range(max(0, low), min(size, high + 1))]
    typical = _typical(block, column)
    return min(choices, key=lambda value: _unlike(value, typical), default="")


def _typical(block: Block, column: int) -> list[str]:
    width = len(block.columns)
    return [r.values[column] for r in block.records if len(r.values) == width and r.values[column]]


def _unlike(value: str, others: Sequence[str]) -> float:
    number = read_number(value)
    numbers = [n for n in map(read_number, others[:50]) if n is not None]
    if number is None:
        return 1e9
    if not numbers:
        return 0.0
    middle = median(numbers)
    kind = ("." in value) != (sum("." in other for other in others) * 2 > len(others))
    return abs(number - middle) / (abs(middle) + 1e-9) + kind + (value[-1:].isalpha()) * 2


def _is_possible(metric: str, score: str) -> bool:
    if score[-1:] in "KMBkmbn" and not is_resource(metric_key(metric)):
        return False
    return impossible(metric_key(metric), read_number(score)) is None


def _without_outliers(found: Sequence[TableEntry]) -> list[TableEntry]:
    """Entries of another scale than those of the best evidence, made less sure."""
    best = max((entry.confidence for entry in found), default=0.0)
    sure = [abs(read_number(e.score) or 0.0) for e in found if e.confidence >= 0.9 * best]
    middle = median(sure) if sure else 0.0
    if not middle:
        return list(found)
    return [
        entry
        if middle / _FAR <= abs(read_number(entry.score) or 0.0) <= middle * _FAR
        else replace(entry, confidence=entry.confidence * _OUTLIER)
        for entry in found
    ]


def _merge(found: Sequence[TableEntry], metric: str) -> list[TableEntry]:
    """One entry a method: of the best evidence, then the most frequent score, then the best."""
    groups: dict[str, list[TableEntry]] = defaultdict(list)
    for entry in found:
        groups[method_key(entry.method)].append(entry)
    higher = direction_of([metric]).higher_is_better is not False
    best = []
    for entries in groups.values():
        votes: dict[float, float] = defaultdict(float)
        for entry in entries:
            votes[read_number(entry.score) or 0.0] += entry.confidence
        top = max(entry.confidence for entry in entries)
        near = [entry for entry in entries if entry.confidence >= 0.8 * top]

        def rank(
            entry: TableEntry, votes: dict[float, float] = votes
        ) -> tuple[float, float, str, int]:
            value = read_number(entry.score) or 0.0
            return (-votes[value], -value if higher else value, entry.paper_id, entry.table)

        best.append(replace(min(near, key=rank), confidence=top))
    return sorted(best, key=lambda e: (-e.confidence, e.paper_id, e.table, method_key(e.method)))
