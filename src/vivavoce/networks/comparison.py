"""The comparison network: the works that a paper's tables cite, and its comparing sentences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import (
    MISSING,
    Flags,
    Ints,
    Longs,
    as_flags,
    as_numbers,
    column,
    flat,
    numbers_in,
    text_column,
)
from vivavoce.corpus import Corpus
from vivavoce.networks.citation import Entries, distinct_pairs, with_nodes
from vivavoce.networks.graph import pair_keys
from vivavoce.networks.tables import column_batches, number_papers, number_sorted_papers, widen
from vivavoce.store import Row
from vivavoce.text.citation_markers import (
    AuthorYearMarker,
    find_author_year_markers,
    find_numeric_markers,
    name_keys,
    surname_keys,
)
from vivavoce.text.sentences import split_sentences
from vivavoce.text.shingles import distinct

_MIN_SHARE = 0.5
_MIN_SHARE_OF_A_LIST = 1 / 3
"""Share where cells come one below the other, as in a PDF without columns: labels are between."""
_MIN_NUMBERS = 2
_MAX_NUMBER_LENGTH = 60
_ROWS_AT_A_TIME = 1_000
_EMPTY = r"^[\s\-–—−.·/]*$|^(?i:n/?a)$"
_WORD = r"\p{L}{2}"
_MARKER = r"^[\[(]?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]$"


def result_like(cells: pa.Array) -> Flags:
    """For each table, whether most of its filled body cells are numbers.

    The body is what stands neither in the first row nor in the first column. A cell is a number
    when it has a digit, no two letters in a row, and is no citation such as `[12]`.

    Args:
        cells: Rows of cells of each table, as a list of lists of texts.
    """
    rows = cells.flatten()
    texts = rows.flatten()
    table_of_row = numbers_in(pc.list_parent_indices(cells))
    row_of_cell = numbers_in(pc.list_parent_indices(rows))
    width = as_numbers(pc.list_value_length(rows), missing=0).astype(np.int64)
    table_of_cell = table_of_row[row_of_cell]
    # A grid has at least as many rows of several cells as of one.
    several = np.bincount(table_of_row[width > 1], minlength=len(cells))
    is_grid = 2 * several >= np.bincount(table_of_row, minlength=len(cells))
    in_body = (_place(table_of_row)[row_of_cell] > 0) & (_place(row_of_cell) > 0)
    in_body |= ~is_grid[table_of_cell]
    filled, number = _read_cells(texts)

    def count(flags: Flags) -> Longs:
        return np.bincount(table_of_cell[in_body & flags], minlength=len(cells)).astype(np.int64)

    numbers, all_filled = count(number), count(filled)
    needed = np.where(is_grid, _MIN_SHARE, _MIN_SHARE_OF_A_LIST) * all_filled
    return np.asarray((numbers > needed) & (numbers >= _MIN_NUMBERS), dtype=np.bool_)


def _place(groups: Longs) -> Longs:
    """The place of each member in its group, from 0; members of a group stand together."""
    if not len(groups):
        return np.zeros(0, dtype=np.int64)
    begins = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    sizes = np.diff(np.append(begins, len(groups)))
    return np.arange(len(groups)) - np.repeat(begins, sizes)


def _read_cells(texts: pa.Array) -> tuple[Flags, Flags]:
    """Flags of filled cells, and of cells that are numbers."""
    filled = pc.invert(pc.match_substring_regex(texts, _EMPTY))
    has_digit = pc.match_substring_regex(texts, r"\d")
    has_word = pc.match_substring_regex(texts, _WORD)
    is_marker = pc.match_substring_regex(texts, _MARKER)
    is_short = column(as_numbers(pc.utf8_length(texts), missing=0) <= _MAX_NUMBER_LENGTH)
    is_number = pc.and_(has_digit, pc.and_(is_short, pc.invert(pc.or_(has_word, is_marker))))
    return as_flags(filled), as_flags(is_number)


TABLES, RESULT_TABLES, SENTENCES = "tables", "result_tables", "sentences"
RESULT_ROWS = "result_rows"
"""Evidence of an edge, counted: all tables, those that look like results, those in which a row with
a result cites the work, and sentences."""


class _Mentions(NamedTuple):
    """Places that compare: in which paper, in which table or sentence, and the entry cited."""

    paper: Ints
    place: Ints
    ordinal: Ints
    is_result: Flags


def comparison_tables(
    corpus: Corpus, entries: Entries, *, prose: bool = False
) -> tuple[pa.Table, pa.Table]:
    """Nodes, and edges from the paper with the table to the work its cells or caption cite.

    Each edge counts the tables and sentences it rests on. An edge that rests on sentences only is
    there only with `prose`.
    """
    paper_ids = flat(entries.papers["key"])
    tables = _cited_in(corpus, paper_ids, "tables", "ordinal", "cells")
    rows = _cited_in(corpus, paper_ids, "tuples", "table")
    sentences = _in_prose(corpus, paper_ids) if prose else _nowhere()
    row_in_tables, row_in_prose = (_rows_of(entries, found) for found in (tables, sentences))
    used = np.zeros(len(entries.source), dtype=np.bool_)
    used[row_in_tables[row_in_tables != MISSING]] = True
    used[row_in_prose[row_in_prose != MISSING]] = True
    source, target = distinct_pairs(entries, used)
    counted = {
        TABLES: _count(entries, source, target, tables, row_in_tables),
        RESULT_TABLES: _count(entries, source, target, tables, row_in_tables, tables.is_result),
        RESULT_ROWS: _count(entries, source, target, rows, _rows_of(entries, rows)),
        SENTENCES: _count(entries, source, target, sentences, row_in_prose),
    }
    return with_nodes(entries, source, target, counted)


def _cited_in(corpus: Corpus, paper_ids: pa.Array, table: str, place: str, *more: str) -> _Mentions:
    """Every entry that the rows of a table of the corpus cite; with their `cells`, of results."""
    found = [_nowhere()]
    for rows in map(widen, column_batches(corpus, table, ["paper_id", place, "cited", *more])):
        paper = number_sorted_papers(flat(rows["paper_id"]), paper_ids)
        cited = flat(rows["cited"])
        row = numbers_in(pc.list_parent_indices(cited))
        ordinal = as_numbers(cited.flatten())
        is_result = result_like(flat(rows["cells"])) if more else np.ones(len(paper), np.bool_)
        found.append(_Mentions(paper[row], as_numbers(rows[place])[row], ordinal, is_result[row]))
    return _Mentions(*map(np.concatenate, zip(*found, strict=True)))


def _in_prose(corpus: Corpus, paper_ids: pa.Array) -> _Mentions:
    """Every entry that a comparing sentence cites."""
    found = [
        (paper_id, sentence, ordinal)
        for paper_id, sentence, cited in find_comparisons(corpus)
        for ordinal in cited
    ]
    paper = number_papers(text_column([row[0] for row in found]), paper_ids)
    place, ordinal = np.array([row[1:] for row in found], dtype=np.int32).reshape(-1, 2).T
    return _Mentions(paper, place, ordinal, np.zeros(len(paper), dtype=np.bool_))


def find_comparisons(corpus: Corpus) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """(paper, number of the sentence in it, entries cited) of each sentence that compares."""
    lists = _by_paper(corpus, "references", ["ordinal", "raw", "year", "first_author"])
    listed, entries = next(lists, (None, iter(())))
    for paper_id, sections in _by_paper(corpus, "sections", ["role", "text"]):
        while listed is not None and listed < paper_id:
            listed, entries = next(lists, (None, iter(())))
        if listed != paper_id:
            continue
        known = _ReferenceList(entries)
        texts = (row["text"] or "" for row in sections if row["role"] not in _ON_OTHERS)
        compared = (sentence for text in texts for sentence in _comparing_sentences(text))
        for number, sentence in enumerate(compared):
            if cited := known.cited_in(sentence):
                yield paper_id, number, tuple(sorted(cited))


_ON_OTHERS = frozenset(("abstract", "related_work", "background", "references", "acknowledgements"))
"""Roles of sections that compare works of others."""
_CUE = re.compile(
    r"\b(?:out-?perform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|beat(?:s|ing)?"
    r"|baselines?|compar(?:e|es|ed|ing|isons?)\b.{0,60}?\b(?:with|to|against)|on par with"
    r"|(?:better|worse|higher|lower|faster|slower|stronger|weaker) than"
    r"|improv(?:es?|ed|ing|ements?) (?:over|upon)|(?:superior|inferior|competitive|comparable)"
    r" (?:to|with)|competes? with)\b",
    re.IGNORECASE,
)
"""Words of a sentence that compares."""
_LABEL = re.compile(r"\s{0,3}\[([0-9]{1,3})\]")
_SHOWN = 400
"""Characters of an entry in which its authors stand."""
_MAX_SENTENCE = 2_000


class _ReferenceList:
    """One paper's list of references, searched by the text of a marker.

    Args:
        entries: Rows of the corpus' table `references` with `ordinal`, `raw`, `year` and
            `first_author`.
    """

    def __init__(self, entries: Iterable[Row]) -> None:
        self._by_author: dict[tuple[str, int], list[Row]] = defaultdict(list)
        labels: dict[int, list[int]] = defaultdict(list)
        count = 0
        for entry in entries:
            count += 1
            if label := _LABEL.match(entry["raw"] or ""):
                labels[int(label[1])].append(entry["ordinal"])
            if entry["first_author"] and entry["year"] is not None:
                for key in sorted(surname_keys(entry["first_author"])):
                    self._by_author[key, entry["year"]].append(entry)
        printed = {number: found[0] for number, found in labels.items() if len(found) == 1}
        self._by_number = printed if 2 * len(printed) > count else {}

    def cited_in(self, sentence: str) -> set[int]:
        """The entries that a sentence cites beyond doubt."""
        found = {meant for m in find_author_year_markers(sentence) for meant in self._named(m)}
        for numbered in find_numeric_markers(sentence):
            if all(number in self._by_number for number in numbered.numbers):
                found.update(self._by_number[number] for number in numbered.numbers)
        return found

    def _named(self, marker: AuthorYearMarker) -> Iterator[int]:
        for names in marker.readings:
            fitting = [
                entry
                for entry in self._by_author.get((names[0], marker.year), ())
                if _fits(entry["raw"] or "", names[1:], f"{marker.year}{marker.letter}")
            ]
            if fitting:
                if len(fitting) == 1:
                    yield int(fitting[0]["ordinal"])
                return


def _comparing_sentences(text: str) -> Iterator[str]:
    """Sentences of a text that compare."""
    for paragraph in text.split("\n\n"):
        if _CUE.search(paragraph):
            for sentence in split_sentences(paragraph):
                shown = sentence[:_MAX_SENTENCE]
                if _CUE.search(shown):
                    yield shown


def _fits(raw: str, others: tuple[str, ...], year: str) -> bool:
    """Check whether an entry names the other authors too, and prints the year with its letter."""
    shown = raw[:_SHOWN]
    if others and not set(others) <= name_keys(shown):
        return False
    return not year[-1].isalpha() or year in raw.lower()


def _by_paper(
    corpus: Corpus, table: str, columns: list[str]
) -> Iterator[tuple[str, Iterator[Row]]]:
    def rows() -> Iterator[Row]:
        for batch in column_batches(corpus, table, ["paper_id", *columns]):
            for piece in batch.to_batches(max_chunksize=_ROWS_AT_A_TIME):
                yield from piece.to_pylist()

    return groupby(rows(), key=lambda row: str(row["paper_id"]))


def _nowhere() -> _Mentions:
    none = np.zeros(0, dtype=np.int32)
    return _Mentions(none, none, none, np.zeros(0, dtype=np.bool_))


def _rows_of(entries: Entries, mentions: _Mentions) -> Ints:
    """The row of the entry that each mention means; -1 where the list has no such entry."""
    if not len(mentions.paper) or not len(entries.source):
        return np.full(len(mentions.paper), MISSING, dtype=np.int32)
    span = 1 + max(int(entries.ordinal.max()), int(mentions.ordinal.max()), 0)
    known = entries.source.astype(np.int64) * span + entries.ordinal
    wanted = mentions.paper.astype(np.int64) * span + mentions.ordinal
    row = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    found = (known[row] == wanted) & (mentions.paper != MISSING) & (mentions.ordinal >= 0)
    return np.where(found, row, MISSING).astype(np.int32)


def _count(
    entries: Entries,
    source: Ints,
    target: Ints,
    mentions: _Mentions,
    row: Ints,
    only: Flags | None = None,
) -> Ints:
    """For each edge, in how many tables or sentences it shows."""
    n = entries.papers.num_rows + entries.works.num_rows
    keep = row != MISSING if only is None else (row != MISSING) & only
    pair = pair_keys(entries.source[row[keep]], entries.target[row[keep]], n)
    edges = pair_keys(source, target, n)
    at = np.searchsorted(edges, pair)
    is_edge = at < len(edges)
    is_edge[is_edge] = edges[at[is_edge]] == pair[is_edge]
    shown = distinct(pair_keys(at[is_edge], mentions.place[keep][is_edge], np.iinfo(np.int32).max))
    return np.bincount(shown // np.iinfo(np.int32).max, minlength=len(edges)).astype(np.int32)
