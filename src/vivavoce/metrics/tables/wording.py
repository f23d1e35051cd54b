"""Words of headers and cells in the form in which they are compared.

Markup, citations, footnotes, capitals, accents, hyphens, number (singular or plural), function
words and word order cost nothing; synonyms and usual abbreviations are those of `vocabulary.toml`.

The similarity of two headers or cells that no rule decides is a weighted sum of traits of the pair.
The weights of `likeness.toml` were fitted by `benchmarks/table_pairs.py` to labelled pairs and to
pairs of different columns and cells of one table, which are never the same. Lengths are not a
trait: they say more about who wrote the pairs than about what the texts mean.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rapidfuzz.distance import LCSseq

from vivavoce.text import read_data
from vivavoce.text.cell_text import plain_words
from vivavoce.text.normalise import PLAIN_MARKS
from vivavoce.text.terms import porter_stem

_DATA = read_data(__file__, "vocabulary.toml")
_FILLERS = frozenset(_DATA["fillers"])
NEGATIONS = frozenset(_DATA["negations"])
MAX_CELL = 2_000
_CITATION = re.compile(r"\s*\[\s*\d{1,3}(?:\s*[,;-]\s*\d{1,3})*\s*\]|(?<=\w)[†‡§¶*]+")
_WORD = re.compile(r"#|[^\W_]+")
_CAPITALS = re.compile(r"(?<![^\W_])[A-Z][A-Za-z]*[A-Z]s?(?![^\W_])")
_CUT = re.compile(r"(?<![^\W_])([^\W\d_]{3,8})\.(?=\s|$|/)")
_COUNTS = ("#", "num", "nr", "nb")
_MAX_PHRASE = 8
Terms = tuple[str, ...]


def clean(text: str) -> str:
    """Remove markup, citations and footnotes from a text, and unify its punctuation."""
    text = plain_words(text[:MAX_CELL])
    return _CITATION.sub("", unicodedata.normalize("NFKC", text).translate(PLAIN_MARKS)).strip()


@lru_cache(maxsize=200_000)
def raw_words(text: str) -> Terms:
    """Words of a clean text in lower case, in order."""
    folded = unicodedata.normalize("NFD", text.casefold())
    folded = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return tuple(_WORD.findall(folded))


def _stems(words: Sequence[str]) -> Terms:
    return tuple(
        (porter_stem(word).rstrip("i") if word.isalpha() and len(word) > 3 else word)
        for word in words
    )


def _header_stems(words: Sequence[str]) -> Terms:
    """Stems of a header without function words; `#` stands for `number`."""
    return _stems(["number" if word in _COUNTS else word for word in words if word not in _FILLERS])


def _cell_stems(words: Sequence[str]) -> Terms:
    """Stems of a cell without function words, if it has others."""
    return _stems([word for word in words if word not in _FILLERS] or words)


def _phrases(kind: str) -> dict[Terms, str]:
    """The sense of each phrase of a vocabulary, by its stems."""
    stems = _header_stems if kind == "headers" else _cell_stems
    senses: dict[Terms, str] = {}
    for group in _DATA[kind]:
        for phrase in group:
            senses.setdefault(stems(raw_words(phrase)), f"={group[0]}")
    return senses


_CELLS = _phrases("cells")
_HEADERS = _phrases("headers")


def compared(first: str, second: str) -> tuple[str, str]:
    """Clean and order two texts, and write out short forms if the other text has their words."""
    one, other = sorted((clean(first), clean(second)))
    return _write_out(one, other), _write_out(other, one)


def _write_out(text: str, other: str) -> str:
    words = raw_words(other)
    for cut in _CUT.finditer(text):
        letters = cut[1].casefold()
        whole = [word for word in words if word != letters and word.startswith(letters)]
        text = text.replace(cut[0], whole[0]) if whole else text
    for short in dict.fromkeys(match.group() for match in _CAPITALS.finditer(text)):
        letters = short.removesuffix("s").casefold()
        if letters in words:
            continue
        for kept in (words, [word for word in words if word not in _FILLERS]):
            # The first run of words with these initials.
            runs = (kept[start : start + len(letters)] for start in range(len(kept)))
            initialled = (run for run in runs if "".join(word[0] for word in run) == letters)
            if run := next(initialled, None):
                text = re.sub(rf"(?<![^\W_]){re.escape(short)}(?![^\W_])", " ".join(run), text)
                break
    return text


def terms_of(text: str, *, is_header: bool = False) -> Terms:
    """Senses of a clean text, sorted: known phrases as one sense, other words as their stems."""
    stems = _header_stems if is_header else _cell_stems
    return tuple(sorted({*_senses(stems(raw_words(text)), is_header=is_header)}))


def terms_in_order(text: str) -> Terms:
    """Senses of a clean text in the order of their words."""
    return tuple(_senses(_cell_stems(raw_words(text)), is_header=False))


def _senses(stems: Terms, *, is_header: bool) -> Iterator[str]:
    if is_header and stems in _HEADERS:
        yield _HEADERS[stems]
        return
    if sense := _CELLS.get(stems):
        yield sense
        return
    place = 0
    while place < len(stems):
        for size in range(min(_MAX_PHRASE, len(stems) - place), 0, -1):
            phrase = stems[place : place + size]
            sense = _CELLS.get(phrase) or (_HEADERS.get(phrase) if is_header else None)
            if sense:
                yield sense
                place += size
                break
        else:
            if stems[place] not in _FILLERS:
                yield stems[place]
            place += 1


def is_negated(text: str) -> bool:
    """Check whether a clean text has a negating word."""
    return not NEGATIONS.isdisjoint(raw_words(text))


LONG = 5
"""Minimum words of a cell that counts as a sentence, in which word order matters."""
_WEIGHTS: dict[str, float] = read_data(__file__, "likeness.toml")
_LETTERS = re.compile(r"[^\W_]+")


def are_like(one: str, other: str, header: str | None) -> bool:
    """Check whether two clean texts are more likely than not to mean the same.

    The header is the name of their column; None if the texts are headers themselves.
    """
    traits = traits_of(one, other, header)
    return _WEIGHTS["bias"] + sum(_WEIGHTS[name] * value for name, value in traits.items()) >= 0


def traits_of(one: str, other: str, header: str | None) -> dict[str, float]:
    """Traits of a pair of clean texts by name, the same in either order."""
    is_header = header is None
    terms, others = (set(terms_of(text, is_header=is_header)) for text in (one, other))
    steps = [terms_in_order(text) for text in (one, other)]
    words = raw_words(one), raw_words(other)
    names, other_names = _names(one), _names(other)
    overlap = len(terms & others) / max(len(terms | others), 1)
    is_long = float(max(map(len, words)) >= LONG)
    return {
        "overlap": overlap,
        "contained": len(terms & others) / max(min(len(terms), len(others)), 1),
        "nothing_left": float(terms <= others or others <= terms),
        "swapped": overlap - LCSseq.normalized_similarity(*steps),
        "other_names": float(bool(names - other_names) and bool(other_names - names)),
        "long": is_long,
    }


def _names(text: str) -> set[str]:
    """Words with a capital inside or a digit: names of data sets, models, tools."""
    words = _LETTERS.findall(text)
    return {w.casefold() for w in words if any(c.isupper() or c.isdigit() for c in w[1:])}
