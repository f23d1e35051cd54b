"""Matching of headers, and of cells of one column, that mean the same.

Forms are compared first: numbers with units (`quantities`), lists in any order, and words
(`wording`). If they do not decide, the similarity of the two texts does, with weights that were
fitted to labelled pairs. Texts that differ in a number or in a negation never mean the same. Rules
that decided fewer than one labelled pair in a hundred correctly were left out; a model as the
matcher agrees far better than rules.

The aligned table is then compared by the lexical rule as before, so that `score_table` of the
original table is a lower bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.metrics.tables.quantities import read_numbers, same_numbers
from vivavoce.metrics.tables.table_questions import rename_columns
from vivavoce.metrics.tables.table_schema import column_unit, match_columns
from vivavoce.metrics.tables.wording import (
    LONG,
    are_like,
    compared,
    is_negated,
    raw_words,
    terms_in_order,
    terms_of,
)

Pair = tuple[str, str, str | None]
"""Two texts in alphabetical order, and the name of their column; None for headers."""

_SEPARATOR = re.compile(
    r"\s*(?:[;,|•\n]|(?<=\s)&(?=\s)|\s\+\s|\+(?=\s)|\s/\s|/(?=[^\W\d])|/\s)\s*(?:and\s+)?|\s+and\s+|\s+or\s+"
)
_MAX_ITEM_WORDS, _MAX_ITEMS = 4, 60


@dataclass(slots=True)
class Meaning:
    """Decides about pairs of headers and of cells.

    Args:
        judge: Decides, in place of forms and similarity, about all texts that are not equal.
    """

    judge: Callable[[Pair], bool] | None = None
    _known: dict[Pair, bool] = field(default_factory=dict)

    def same_headers(self, first: str, second: str) -> bool:
        """True if two columns would hold the same statement about every paper."""
        return self._same(first, second, None)

    def same_cells(self, first: str, second: str, header: str = "") -> bool:
        """True if two cells under a header state the same."""
        return self._same(first, second, header)

    def _same(self, first: str, second: str, header: str | None) -> bool:
        first, second = sorted((first, second))
        key = (first, second, header)
        if key not in self._known:
            self._known[key] = self._decide(key)
        return self._known[key]

    def _decide(self, pair: Pair) -> bool:
        first, second, header = pair
        one, other = compared(first, second)
        if self.judge is not None:
            return one == other or self.judge(pair)
        decision = by_forms(one, other, header)
        if decision is not None:
            return decision
        return are_like(one, other, header)


def by_forms(one: str, other: str, header: str | None) -> bool | None:
    """Decide about clean texts by their forms; None if these leave it open."""
    if one == other:
        return True
    verdict: bool | None = None
    if header is None:
        verdict = terms_of(one, is_header=True) == terms_of(other, is_header=True) or None
    else:
        verdicts = (compare(one, other) for compare in (_number_forms, _list_forms, _word_forms))
        verdict = next((verdict for verdict in verdicts if verdict is not None), None)
    if verdict is None and (is_negated(one) != is_negated(other) or _digits(one) != _digits(other)):
        return False
    return verdict


def _list_forms(one: str, other: str) -> bool | None:
    """Compare lists in any order; None for other texts."""
    ones, others = _items(one), _items(other)
    shorter, longer = sorted((len(ones), len(others)))
    if longer < 2 or not shorter:
        return None
    if shorter < 2 and max(len(raw_words(text)) for text in (one, other)) >= LONG:
        return None
    if terms_of(" ".join(ones)) == terms_of(" ".join(others)):
        return True
    left, unmatched = list(others), list[str]()
    for item in ones:
        same = (each for each in left if by_forms(*compared(item, each), "") is True)
        if (match := next(same, None)) is None:
            unmatched.append(item)
        else:
            left.remove(match)
    # Items left over on both sides may mean the same in other words.
    return None if unmatched and left else not (unmatched or left)


def _number_forms(one: str, other: str) -> bool | None:
    """Compare numbers with units; None unless both cells consist of numbers."""
    numbers, others = read_numbers(one), read_numbers(other)
    return None if numbers is None or others is None else same_numbers(numbers, others)


def _word_forms(one: str, other: str) -> bool | None:
    """True for words with the same senses; False if names with digits differ."""
    words = raw_words(one), raw_words(other)
    if terms_of(one) == terms_of(other):
        is_passive = len({"by" in group for group in words}) == 2
        in_order = terms_in_order(one) == terms_in_order(other)
        return min(map(len, words)) < LONG or in_order or is_passive
    if "".join(words[0]) == "".join(words[1]):
        return True
    digits = [{word for word in group if any(map(str.isdigit, word))} for group in words]
    return False if digits[0] and digits[1] and digits[0] != digits[1] else None


def _digits(text: str) -> set[str]:
    return {word for word in raw_words(text) if word.isdigit()}


def _items(text: str) -> list[str]:
    """Items of a list of short items; empty if the text is not such a list."""
    items = [item.strip() for item in _SEPARATOR.split(text) if item and item.strip()]
    is_list = len(items) <= _MAX_ITEMS and all(len(i.split()) <= _MAX_ITEM_WORDS for i in items)
    if len(items) == 2 and " and " in text and len(raw_words(text)) > LONG:
        is_list = False  # a sentence with two objects
    return list(dict.fromkeys(items)) if is_list else []


_MAX_COLUMNS, _MAX_ROWS = 60, 500
"""Most columns and rows of a table compared by meaning; the rest keeps its words."""


def align_by_meaning(
    gold: LiteratureTable, system: LiteratureTable, meaning: Meaning
) -> LiteratureTable:
    """The system's table, with gold names and values wherever columns and cells mean the same."""
    pairs = match_headers(gold.columns, system.columns, meaning)
    given = rename_columns(system, gold, pairs)
    values: dict[tuple[str, int], list[str]] = {}
    for row in gold.rows[:_MAX_ROWS]:
        for column, there in pairs.items():
            if cell := row.cells[column]:
                values.setdefault((row.paper, there), []).append(cell)
    units = [column_unit(name) for name in given.columns]

    def aligned(row: TableRow) -> TableRow:
        return replace(
            row,
            cells=tuple(
                cell
                if cell is None
                else _in_words_of(
                    values.get((row.paper, place), ()), cell, units[place], name, meaning
                )
                for place, (cell, name) in enumerate(zip(row.cells, given.columns, strict=True))
            ),
        )

    rows = (*map(aligned, given.rows[:_MAX_ROWS]), *given.rows[_MAX_ROWS:])
    return replace(given, rows=rows)


def match_headers(
    gold: tuple[str, ...], system: tuple[str, ...], meaning: Meaning
) -> dict[int, int]:
    """Pair columns one to one, first by the lexical rule and then by meaning."""
    pairs = match_columns(gold, system)
    left = [place for place in range(len(system))[:_MAX_COLUMNS] if place not in pairs.values()]
    for here in sorted(range(len(gold))[:_MAX_COLUMNS], key=lambda place: gold[place]):
        if here in pairs:
            continue
        for there in sorted(left, key=lambda place: system[place]):
            if meaning.same_headers(gold[here], system[there]):
                pairs[here] = there
                left.remove(there)
                break
    return pairs


def _in_words_of(values: Iterable[str], cell: str, unit: str, header: str, meaning: Meaning) -> str:
    """The gold value that a cell means; the cell itself if it means none or equals one."""
    keys = {cell_key(value, unit) for value in values}
    key = cell_key(cell, unit)
    if not key or key in keys:
        return cell
    return next((value for value in values if meaning.same_cells(value, cell, header)), cell)
