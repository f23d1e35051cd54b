"""Matching of headers, and of cells in one column, that mean the same.

Forms are compared first: numbers with units, lists in any order, and words (`wording`). If they do
not decide, the similarity of the two texts does, with weights that were fitted to labelled pairs.
Texts that differ in a number or in a negation never mean the same. Rules that decided fewer than
one labelled pair in a hundred correctly were left out; a model as the matcher agrees far better
than rules.

The aligned table is then compared by the lexical rule as before, so that `score_table` of the
original table is a lower bound.

Quantities are compared in their base unit. Two are the same if one is a rounding of the other to at
least three digits (two if there is a scale such as `k`). A bound (`>10k`) is not a value. A spread
(`± 0.3`) does not count. A share and its percentage are the same (`0.912`,
`91.2%`).
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
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
from vivavoce.text import read_data

Pair = tuple[str, str, str | None]
"""Two texts in alphabetical order, and the name of their column; None for headers."""

_SEPARATOR = re.compile(
    r"\s*(?:[;,|•\n]|(?<=\s)&(?=\s)|\s\+\s|\+(?=\s)|\s/\s|/(?=[^\W\d])|/\s)\s*(?:and\s+)?|\s+and\s+|\s+or\s+"
)
_MAX_ITEM_WORDS, _MAX_ITEMS = 4, 60


@dataclass(slots=True)
class Meaning:
    """Decides whether two headers, or two cells, mean the same.

    Args:
        judge: Decides about all unequal texts, in place of forms and similarity.
    """

    judge: Callable[[Pair], bool] | None = None
    _known: dict[Pair, bool] = field(default_factory=dict)

    def same(self, first: str, second: str, header: str | None = None) -> bool:
        """Check whether two cells of a header mean the same, or two headers if none is given."""
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
        return are_like(one, other, header) if decision is None else decision


def by_forms(one: str, other: str, header: str | None) -> bool | None:
    """Decide from their forms whether clean texts mean the same; None if these leave it open."""
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
    """Compare numbers with units; None unless both cells consist of numbers.

    Also None if only the words beside the numbers differ.
    """
    first, second = read_numbers(one), read_numbers(other)
    if first is None or second is None:
        return None
    (ones, nouns), (others, other_nouns) = first, second
    if len(ones) != len(others) or not all(map(_same, ones, others)):
        return False
    return True if nouns <= other_nouns or other_nouns <= nouns else None


def _word_forms(one: str, other: str) -> bool | None:
    """True for words with the same senses; None if they leave it open."""
    words = raw_words(one), raw_words(other)
    if terms_of(one) == terms_of(other):
        return min(map(len, words)) < LONG or terms_in_order(one) == terms_in_order(other)
    return True if "".join(words[0]) == "".join(words[1]) else None


def _digits(text: str) -> set[str]:
    return {word for word in raw_words(text) if word.isdigit()}


def _items(text: str) -> list[str]:
    """Items of a list of short items; empty if the text is not such a list."""
    items = [item.strip() for item in _SEPARATOR.split(text) if item and item.strip()]
    is_list = len(items) <= _MAX_ITEMS and all(len(i.split()) <= _MAX_ITEM_WORDS for i in items)
    return list(dict.fromkeys(items)) if is_list else []


_MAX_COLUMNS, _MAX_ROWS = 60, 500
"""Maximum columns and rows of a table compared by meaning; the rest keeps its words."""


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
            if meaning.same(gold[here], system[there]):
                pairs[here] = there
                left.remove(there)
                break
    return pairs


def _in_words_of(values: Iterable[str], cell: str, unit: str, header: str, meaning: Meaning) -> str:
    """The gold value with a cell's meaning; the cell itself if none has it, or one equals it."""
    keys = {cell_key(value, unit) for value in values}
    key = cell_key(cell, unit)
    if not key or key in keys:
        return cell
    return next((value for value in values if meaning.same(value, cell, header)), cell)


_DATA = read_data(__file__, "units.toml")
_UNITS: dict[str, tuple[str, float]] = {
    name: (base, factor) for base, names in _DATA["units"].items() for name, factor in names.items()
} | {
    prefix + base: (base, factor)
    for base in _DATA["prefixed"]
    for prefix, factor in (("", 1.0), *_DATA["prefixes"].items())
    if prefix + base not in ("min", "T")
}
_SCALES: dict[str, float] = _DATA["scales"]
_BOUNDS: dict[str, str] = {word: sign for sign, words in _DATA["bounds"].items() for word in words}
_FILLERS = frozenset(_DATA["fillers"])
_NUMBER = r"(?:\d{1,3}(?:[, \u2009\u202f]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+"
_POWER = re.compile(
    rf"(?:({_NUMBER})\s*[x×·*]\s*)?\b10\s*(?:\^\s*|(?=\s*[-+]\s*\d$))([-+]?)\s*(\d+)"
)
_SPREAD = re.compile(rf"\(?\s*(?:±|\bSD\b\s*=?)\s*({_NUMBER})\s*%?\s*\)?")
_BOUND = "|".join(sorted(map(re.escape, _BOUNDS), key=len, reverse=True))
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_TOKEN = re.compile(
    rf"(?P<bound>{_BOUND})?\s*(?P<money>[$€])?\s*(?P<sign>(?<![\w)%])[+-])?"
    rf"(?<![^\W_])(?<!\d\.)(?<![^\W\d_]-)(?P<number>{_NUMBER})"
    rf"(?:\s?(?P<scale>(?-i:{_SCALE}))(?![^\W_]))?(?P<plus>\+(?!\s*\d))?"
    r"\s?(?P<unit>percentage points|[%$€]|°[CF]?|"
    r"(?!to\b|and\b|or\b|until\b)[^\W\d_]+(?:[23]\b)?(?:/[^\W\d_]+(?:[23]\b)?)?)?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?<=\d)([kKMBTG%]?)\s*[-~]\s*(?=\d)")
_WORD = re.compile(r"[^\W\d_]+|=")
_MAX_CELL = 200
_RELATIVE = 1e-6
_MIN_DIGITS, _MIN_ROUGH_DIGITS = 3, 2


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a cell."""

    value: float
    printed: float
    """The value as it is printed, without its unit."""
    step: float
    """Value of one unit of the last printed digit."""
    digits: int
    is_rough: bool
    """True if the number has a scale, such as `k`."""
    unit: str
    """Base unit; empty if there is none."""
    bound: str
    """`<`, `>` or empty."""


def read_numbers(text: str) -> tuple[list[Quantity], frozenset[str]] | None:
    """Read the numbers of a cell that consists of numbers; None for a cell of words.

    Also return the words next to the numbers that are neither units nor fillers.

    Args:
        text: The cell without markup, with one kind of dash.
    """
    if len(text) > _MAX_CELL or not re.search(r"\d", text):
        return None
    text = _POWER.sub(lambda m: f"{m[1] or 1}e{m[2]}{m[3]}", text)
    text = _RANGE.sub(r"\1 - ", text)
    words = _SPREAD.sub(" ", text)
    quantities: list[Quantity] = []
    nouns: set[str] = set()
    position = 0
    for match in _TOKEN.finditer(words):
        between = words[position : match.start()]
        quantity, noun = _quantity(match)
        quantities.append(quantity)
        nouns |= {noun, *_WORD.findall(between.lower())}
        position = match.end()
    nouns |= set(_WORD.findall(words[position:].lower()))
    kept = frozenset(word.removesuffix("s") for word in nouns - _FILLERS if word)
    return (quantities, kept) if quantities else None


def _quantity(match: re.Match[str]) -> tuple[Quantity, str]:
    """Read a number with its unit, or with the noun in place of a unit."""
    digits = re.sub(r"[, \u2009\u202f]", "", match["number"]).lower()
    mantissa, _, exponent = digits.partition("e")
    scale = _SCALES[match["scale"]] if match["scale"] else 1.0
    after = match["unit"] or match["money"] or ""
    unit, factor = _UNITS.get(after) or _UNITS.get(after.lower()) or ("", 1.0)
    power = scale * factor * 10.0 ** float(exponent or 0)
    bound = _BOUNDS.get((match["bound"] or "").lower(), "") or (">" if match["plus"] else "")
    value = float(mantissa) * power
    quantity = Quantity(
        value=-value if match["sign"] == "-" else value,
        printed=float(f"{match['sign'] or ''}{digits}") * scale,
        step=power * 10.0 ** -len(mantissa.partition(".")[2]),
        digits=len(mantissa.replace(".", "").lstrip("0")),
        is_rough=bool(match["scale"]),
        unit=unit,
        bound=bound,
    )
    return quantity, "" if unit or not after else after.lower()


def _same(one: Quantity, other: Quantity) -> bool:
    if one.bound != other.bound:
        return False
    pairs, units = [(one, other)], {one.unit, other.unit}
    if one.unit != other.unit and not units <= {"", "share", "times", "frame"}:
        return units == {"", "s"} and one.printed == other.printed
    if units <= {"", "share"}:
        both = ((one, other), (other, one))
        as_shares = [
            (replace(small, value=small.value * 100, step=small.step * 100), large)
            for small, large in both
            if _is_part(small) and (large.unit == "share" or 1 < large.value <= 100)
        ]
        is_plain = one.unit == other.unit or not any(map(_is_part, (one, other)))
        pairs = [*pairs, *as_shares] if is_plain else as_shares
    return any(_close(a, b) for a, b in pairs)


def _is_part(one: Quantity) -> bool:
    """Check for a plain fraction of 1, such as 0.01."""
    return not one.unit and 0 < abs(one.value) <= 1 and one.step < 1


def _close(one: Quantity, other: Quantity) -> bool:
    fine, coarse = sorted((one, other), key=lambda quantity: quantity.step)
    gap = abs(fine.value - coarse.value)
    if gap <= _RELATIVE * abs(coarse.value):
        return True
    enough = _MIN_ROUGH_DIGITS if one.is_rough or other.is_rough else _MIN_DIGITS
    return coarse.digits >= enough and gap <= 0.5 * coarse.step * (1 + _RELATIVE)
