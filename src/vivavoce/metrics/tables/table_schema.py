"""Equality of two column names, and the pairing of the columns of two tables.

Differences in case, number (singular or plural), punctuation, word order or synonyms (below) cost
nothing. A free paraphrase does cost: only a judge can credit it.

Schema recall of DIGESTables is another measure of the names:

recall = |{gold columns g : max over produced columns p of s(g, p) >= 0.7}| / |gold columns|

One produced column may serve several gold ones and there is no precision, so more columns never
hurt: read it together with `schema_p`. Undefined for a gold table without columns. The similarity s
is the share of word stems in common, without stop words; names of stop words alone must be equal
but for case.

Source: Newman et al. 2024, arXivDIGESTables, section 4 (schema alignment).
"""

import re
import unicodedata
from collections.abc import Callable, Hashable, Sequence

from vivavoce.metrics.tables.cell_matching import MAX_CELL, folded, is_unit
from vivavoce.text import read_data
from vivavoce.text.cell_text import plain_words
from vivavoce.text.terms import porter_stem

_WORDS = read_data(__file__, "columns.toml")
SYNONYMS = tuple(map(tuple, _WORDS["synonyms"]))
"""Names that mean the same; the first of each group stands for it."""

_IRREGULAR = _WORDS["irregular"]
_FILLERS = frozenset({"a", "an", "and", "of", "the", "used", "in"})
_BRACKETS = re.compile(r"[(\[]([^()\[\]]{0,60})[)\]]")
_WORD = re.compile(r"[^\W_]+|#")
_BRITISH = re.compile(r"(?<=\w{3}i)s(?=(?:e|ed|es|er|ers|ing|ation|ations)$)")
_OUR = re.compile(r"(?<=\w{3})our$")


def column_key(name: str) -> tuple[str, ...]:
    """Key that two names of one column share; empty only for a name without a letter."""
    words = tuple(sorted(_WORD_SYNONYMS.get(word, word) for word in _words(name)))
    return _PHRASES.get(words, words)


def column_unit(name: str) -> str:
    """The unit that a column's name gives in brackets: `Params (M)` -> `m`; else empty."""
    for inside in _BRACKETS.findall(name):
        if inside and is_unit(unit := folded(inside)):
            return unit
    return ""


def match_columns(gold: Sequence[str], system: Sequence[str]) -> dict[int, int]:
    """Pair columns one to one: positions in `gold` -> positions in `system`.

    Equal names go first, then names equal but for spaces and punctuation, then equal keys.
    Within a step the columns are paired in the order of their names, so that the order of columns
    costs nothing.
    """
    matched: dict[int, int] = {}
    order = sorted(range(len(system)), key=lambda column: (system[column], column))
    wanted = sorted(range(len(gold)), key=lambda column: gold[column])
    steps: tuple[Callable[[str], Hashable], ...] = (str.strip, folded, _letters, column_key)
    for key_of in steps:
        taken = set(matched.values())
        waiting: dict[Hashable, list[int]] = {}
        for column in reversed(order):  # the first of equal names is taken first
            key = key_of(system[column])
            if column not in taken and key:
                waiting.setdefault(key, []).append(column)
        for column in wanted:
            if column not in matched and (columns := waiting.get(key_of(gold[column]))):
                matched[column] = columns.pop()
    return matched


def _letters(name: str) -> str:
    return "".join(_WORD.findall(folded(name)))


def _words(name: str) -> list[str]:
    text = without_unit(plain_words(name[:MAX_CELL]))
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    singular = [_singular("number" if word == "#" else word) for word in words]
    return [word for word in singular if word not in _FILLERS] or singular


def without_unit(name: str) -> str:
    """A column's name with a space in place of each unit in brackets."""
    return _BRACKETS.sub(lambda match: " " if is_unit(folded(match[1])) else match[0], name)


def _singular(word: str) -> str:
    """A word without its plural ending, in American spelling."""
    word = _IRREGULAR.get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _OUR.sub("or", _BRITISH.sub("z", word))


_WORD_SYNONYMS = {
    _words(name)[0]: _words(group[0])[0]
    for group in SYNONYMS
    if len(_words(group[0])) == 1
    for name in group
    if len(_words(name)) == 1
}
_PHRASES: dict[tuple[str, ...], tuple[str, ...]] = {}
_PHRASES.update({column_key(name): column_key(group[0]) for group in SYNONYMS for name in group})


_MIN_SIMILARITY = 0.7
_PLAIN_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(_WORDS["stop_words"])


def schema_recall(gold: Sequence[str], produced: Sequence[str]) -> float | None:
    """Share of gold columns that some produced column resembles."""
    own = [_stems(name) for name in produced]
    resembled = sum(any(_are_similar(_stems(name), other) for other in own) for name in gold)
    return resembled / len(gold) if gold else None


def _are_similar(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) / len(one | other) >= _MIN_SIMILARITY


def _stems(name: str) -> frozenset[str]:
    """Stems of a name without stop words; the whole name if it has only these."""
    folded = name.strip().casefold()
    words = (word for word in _PLAIN_WORD.findall(folded) if word not in _STOP_WORDS)
    return frozenset(map(porter_stem, words)) or frozenset({folded})
