"""Leaks of a demand about its table: column names, words of them, values.

Leaks (words are compared without inflection):

- a column's name, or a synonym listed in `metrics.table_schema`, in any word order;
- a telling word of a column's name;
- a value: a short cell, an item of a list in a cell, or any name or number in a cell or row label.

Words in at least half of the works' titles are the table's topic. A demand must name it, so these
are not leaks, except as a column's whole name or as a number.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from vivavoce.metrics.tables.cell_matching import MAX_CELL, cell_key, is_unit, read_number
from vivavoce.metrics.tables.table_schema import column_key
from vivavoce.tasks.tables.item import GoldTable
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import normalise
from vivavoce.text.terms import STOP_WORDS, porter_stem

MAX_DEMAND = 2_000
"""Maximum characters of a demand."""
_MAX_VALUE = 5
"""Maximum words of a value that is searched as a whole; in longer ones, only names are searched."""
_MAX_NAME = 4
"""Maximum words of a synonym of a column's name."""
_MAX_WORD = 40
_MIN_ROOT, _MAX_ENDING = 5, 4
_SILENT = STOP_WORDS | {"yes", "true", "false", "none", "na", "etc", "eg", "ie", "vs", "et"}

_WORD = re.compile(r"[^\W_]+")
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:[-+./\u2010\u2011][^\W_]+)+")
_MARKED = re.compile(r"[a-z][A-Z]|[A-Z]{2}|[^\W\d_]\d|\d[^\W\d_]")
_PARTS = re.compile(r"[,;/|()\[\]\n•]|\s(?:and|or)\s|\s&\s")
_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)(\d[\d,]{0,30}(?:\.\d{1,20})?)(?:(%|[A-Za-zµ]{1,12})|\s([A-Za-zµ%]{1,12}))?"
)
_SMALL = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_SMALL.split(), start=2)} | {
    **{"thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000"}
}
"""`one` is left out: it is seldom a number."""

Kind = Literal["column", "synonym", "column_word", "value", "number"]
_MEANINGS: dict[Kind, str] = {
    "column": "is the column",
    "synonym": "means the same as the column",
    "column_word": "is a word of the column",
    "value": "is a value of the table, as in",
    "number": "is a number of the table, as in",
}


def _plain(text: str) -> str:
    """First 2,000 characters of a text, NFKC, without markup."""
    return normalise("NFKC", plain_words(text[:MAX_CELL]))


def is_telling(word: str) -> bool:
    """True unless a word is a stop word or a single Latin letter."""
    return word.casefold() not in _SILENT and not (len(word) == 1 and word.isascii())


def telling_words(text: str) -> list[str]:
    """The telling words of a text, as printed."""
    return [word for word in _WORD.findall(_plain(text)) if is_telling(word)]


def names_in(text: str) -> list[str]:
    """Words whose letters mark them as names: `ImageNet`, `COCO`, `F1`, `3D`, `ResNet50`.

    `GPT-4` gives `GPT4` and `GPT`.
    """
    plain = _plain(text)
    compounds = ("".join(_WORD.findall(compound)) for compound in _COMPOUND.findall(plain))
    words = (*compounds, *_WORD.findall(plain))
    return [word for word in words if is_telling(word) and _MARKED.search(word)]


@lru_cache(maxsize=65_536)
def stem_of(word: str) -> str:
    """Stem of a word, the same for British and American spelling."""
    word = word[:_MAX_WORD].casefold()
    if word.isdigit():
        return word
    if len(word) > _MIN_ROOT:
        word = word.replace("our", "or")
    return porter_stem(word.replace("yz", "ys").replace("iz", "is"))


def stems_of(words: Sequence[str]) -> list[str]:
    """The stem of each word."""
    return [stem_of(word) for word in words]


def topic_stems(titles: Sequence[str]) -> frozenset[str]:
    """Stems of words in at least half, and at least two, of the titles."""
    known = [title for title in titles if title.strip()]
    counts = Counter(stem for title in known for stem in set(stems_of(telling_words(title))))
    least = max(2, -(-len(known) // 2))
    return frozenset(stem for stem, count in counts.items() if count >= least)


def number_keys(text: str) -> Iterator[tuple[str, str]]:
    """Pairs (number as printed, key) for all forms of each number in a text.

    `5 min` is 300 s and also 5; `88.5%` is 0.885 and also 88.5; `three` is 3. Digits inside names
    such as `GPT-4` are not numbers.
    """
    plain = _plain(text)
    for match in _NUMBER.finditer(plain):
        digits, joined, apart = match[1].rstrip(","), match[2] or "", match[3] or ""
        unit = (joined or apart).lower()
        if joined and (unit == "d" or not is_unit(unit)):
            continue  # letters make it a name, such as 3D
        yield digits, cell_key(digits)
        if unit and is_unit(unit):
            yield match[0], cell_key(f"{digits} {unit}")
        value = read_number(digits)
        if unit == "%" and value is not None:
            yield match[0], cell_key(f"{value / 100:.10g}")
    for word in _WORD.findall(plain):
        if digits := _NUMBER_WORDS.get(word.casefold(), ""):
            yield word, cell_key(digits)


def windows(words: Sequence[str], longest: int) -> Iterator[list[str]]:
    """All runs of at most `longest` words, by start and end."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            yield list(words[start:end])


@dataclass(frozen=True, slots=True)
class Leak:
    """A leak of a demand."""

    kind: Kind
    words: str
    source: str
    """The column's name, or the cell."""

    def __str__(self) -> str:
        """Message for people, and for the model that rewrites the demand."""
        return f"'{self.words}' {_MEANINGS[self.kind]} '{self.source[:80]}'"


class _Families:
    """Stems that can be found by any member of their word family."""

    def __init__(self) -> None:
        self._by_root: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)

    def add(self, stem: str, source: str) -> None:
        """Add a stem with its source, such as the word or the column."""
        self._by_root[stem[:_MIN_ROOT]].append((stem, source))

    def find(self, stem: str) -> str:
        """Source of the first stem that is equal, or that extends the other: `accur`, `accuraci`.

        Empty if there is none.
        """
        for known, source in self._by_root.get(stem[:_MIN_ROOT], ()):
            shorter, longer = sorted((known, stem), key=len)
            extends = len(shorter) >= _MIN_ROOT and longer.startswith(shorter)
            if known == stem or (extends and len(longer) - len(shorter) <= _MAX_ENDING):
                return source
        return ""


class LeakIndex:
    """Index of a gold table for checking demands; `titles` are those of its works."""

    def __init__(self, table: GoldTable, titles: Sequence[str]) -> None:
        self._topic = _Families()
        for stem in sorted({*topic_stems(titles), *stems_of(telling_words(table.survey))}):
            self._topic.add(stem, stem)
        self._column_words = _Families()
        self._names: list[tuple[str, tuple[str, ...], list[str]]] = []
        self._values: dict[tuple[str, ...], str] = {}
        self._numbers: dict[str, str] = {}
        for column in table.columns:
            stems = stems_of(telling_words(column))
            self._names.append((column, column_key(column), stems))
            for stem in stems:
                if not stem.isdigit() and not self._topic.find(stem):
                    self._column_words.add(stem, column)
        for cell in (cell for row in table.rows for cell in row.cells):
            if cell is None or cell_key(cell) in ("", "yes", "no"):
                continue
            for part in _PARTS.split(cell[:MAX_DEMAND]):
                words = telling_words(part)
                if 0 < len(words) <= _MAX_VALUE and not cell_key(part).startswith("number "):
                    self._add_value(words, cell)
            self._add_marked(cell)
        for row in table.rows:
            self._add_marked(row.label)

    def _add_marked(self, text: str) -> None:
        """Add the names and numbers of a text."""
        for word in names_in(text):
            self._add_value([word], text)
        for _, key in number_keys(text):
            self._numbers.setdefault(key, text)

    def _add_value(self, words: Sequence[str], cell: str) -> None:
        stems = tuple(stems_of(words))
        if all(stem.isdigit() or self._topic.find(stem) for stem in stems):
            return
        self._values.setdefault(stems, cell)

    def leaks(self, demand: str) -> tuple[Leak, ...]:
        """Leaks of a demand, each word once per kind; empty if it is clean."""
        words = _WORD.findall(_plain(demand[:MAX_DEMAND]))
        telling = [word for word in words if is_telling(word)]
        names = list(self._find_names(words, telling))
        named = {leak.source for leak in names}
        columns = [(word, self._column_words.find(stem_of(word))) for word in telling]
        values = [
            (" ".join(window), cell)
            for window in windows(telling, _MAX_VALUE)
            if (cell := self._values.get(tuple(stems_of(window))))
        ]
        numbers = {
            cell: printed
            for printed, key in number_keys(demand[:MAX_DEMAND])
            if (cell := self._numbers.get(key)) is not None
        }
        leaks = [
            *names,
            *(
                Leak("column_word", word, name)
                for word, name in columns
                if name and name not in named
            ),
            *(Leak("value", words, cell) for words, cell in values),
            *(Leak("number", printed, cell) for cell, printed in numbers.items()),
        ]
        first = {(leak.kind, leak.words.casefold()): leak for leak in reversed(leaks)}
        return tuple(reversed(first.values()))

    def _find_names(self, words: Sequence[str], telling: Sequence[str]) -> Iterator[Leak]:
        spoken = _Families()
        for word in telling:
            spoken.add(stem_of(word), word)
        keys: dict[tuple[str, ...], list[str]] = {}
        for window in windows(words, _MAX_NAME):
            if any(map(is_telling, window)):
                keys.setdefault(column_key(" ".join(window)), window)
        for column, key, stems in self._names:
            spelled = [spoken.find(stem) for stem in stems]
            if spelled and all(spelled):
                yield Leak("column", " ".join(dict.fromkeys(spelled)), column)
            elif meant := keys.get(key):
                yield Leak("synonym", " ".join(meant), column)
