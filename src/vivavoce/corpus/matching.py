"""Comparison of records, for merging papers, resolving references, and finding works.

Titles, names and years are made comparable. Every comparison of evidence answers True (agrees),
False (contradicts) or None (not known).

A preprint and its printed version, or copies under other ids, are one work. Papers are compared by
sketches of their abstracts and texts. Two papers are one work if their titles hold the same numbers
(a second part or the next year's report is another work) and one of these holds:

- They share an author, and their abstracts or texts resemble each other by at least `LIKELY`, or
  by `ALIKE` if half of the words of the shorter title are in the other.
- They share an author, their titles are equal, and the abstract of one is not known.
- Whoever wrote them, their abstracts or texts resemble each other by at least `SAME`.

So a translated abstract or another title does not hide an equal text. The earliest paper dates it.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
from rapidfuzz.distance import Levenshtein

from vivavoce.corpus.schema import TABLES
from vivavoce.records import Author, Section
from vivavoce.store import Row
from vivavoce.text import read_data
from vivavoce.text.dates import period
from vivavoce.text.normalise import normalise_title
from vivavoce.text.shingles import Sketch, folded_words, holders, resemblance, sketch_of

YEAR_SLACK = 2
"""A preprint and its proceedings may be dated this many years apart."""
MIN_TELLING_WORDS = 3
"""Minimum words for a title that unrelated papers are unlikely to share."""
_WORDS = read_data(__file__, "matching.toml")
_GENERIC, _SUFFIXES = (frozenset(_WORDS[name]) for name in ("generic_titles", "name_suffixes"))
_FIRST_IDEOGRAPH = "\u2e80"
_SOFT_HYPHEN = 0x00AD
_COMBINING = re.compile("[\u0300-\u036f]")
_PLAIN = str.maketrans(_WORDS["plain"])
_NAME_WORD = re.compile(r"[^\W\d_]+")
_MAX_INITIALS = 3
_MIN_MISSPELT = 5


def fold(text: str) -> str:
    """Fold a text: NFKC, case-folded, without accents; punctuation stays."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", folded)).translate(_PLAIN)
    return unicodedata.normalize("NFKC", plain)


def title_words(title: str) -> list[str]:
    """The words of a title, folded; soft hyphens and other invisible characters are dropped."""
    return normalise_title(fold(title)).split()


@lru_cache(maxsize=1 << 14)  # a title is compared with many
def title_key(title: str) -> str:
    """Key that equal titles share, however they are spaced, hyphenated, accented or cased.

    Invisible characters count, except the soft hyphen: equal titles hide the same characters.
    The key is empty if the title holds neither letters nor digits.
    """
    key = "".join(title_words(title))
    if not key or title.isascii():
        return key
    invisible = (c for c in title if unicodedata.category(c) == "Cf" and ord(c) != _SOFT_HYPHEN)
    return key + "".join(invisible)


def is_telling(title: str) -> bool:
    """Return whether a title alone may join two documents: it is long enough and not generic."""
    return count_words(title) >= MIN_TELLING_WORDS and " ".join(title_words(title)) not in _GENERIC


def count_words(title: str) -> int:
    """Count the words of a title; in scripts without spaces, two characters count as one word."""
    return sum(
        (len(word) + 1) // 2 if word[0] >= _FIRST_IDEOGRAPH else 1 for word in title_words(title)
    )


def years_agree(one: Collection[int], other: Collection[int]) -> bool | None:
    """Return whether a year of one lies within `YEAR_SLACK` of a year of the other."""
    if not one or not other:
        return None
    return any(abs(a - b) <= YEAR_SLACK for a in one for b in other)


def names_agree(one: str, other: str) -> bool | None:
    """Return whether two spellings may name one person: same surname, no contradicting initial.

    `J. Müller`, `Muller, Jane` and `Muller` agree; `Jane Muller` and `K. Muller` do not. None if
    either spelling holds no name.
    """
    words, other_words = _words_of_name(one), _words_of_name(other)
    if not words or not other_words:
        return None
    return any(
        _initials_agree(_without(words, surname), _without(other_words, match))
        for surname in _surnames(one)
        for match in other_words
        if _same_word(surname, match)
    ) or any(
        _initials_agree(_without(words, match), _without(other_words, surname))
        for surname in _surnames(other)
        for match in words
        if _same_word(surname, match)
    )


def surname(name: str) -> str:
    """A person's surname, folded; empty if there is none."""
    return next(iter(_surnames(name)), "")


@lru_cache(maxsize=1 << 14)
def _surnames(name: str) -> tuple[str, ...]:
    """The possible surnames in a name, likeliest first: in `Smith JA` it may be either word."""
    before_comma, comma, _ = name.partition(",")
    if comma and (words := _words_of_name(before_comma)):
        return tuple(word for word in words if len(word) > 1)[-1:]
    written = _NAME_WORD.findall(_composed(name))
    words = [word for word in written if fold(word) not in _SUFFIXES and len(word) > 1]
    surnames = [fold(word) for word in words[-1:]]
    if len(words) > 1 and words[-1].isupper() and len(words[-1]) <= _MAX_INITIALS:
        surnames.insert(0, fold(words[-2]))
    return tuple(surnames)


def _words_of_name(name: str) -> list[str]:
    words = (fold(word) for word in _NAME_WORD.findall(_composed(name)))
    return [word for word in words if word not in _SUFFIXES]


def _composed(name: str) -> str:
    """A name with accents composed into its letters, so that they do not end a word."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _same_word(one: str, other: str) -> bool:
    """Return whether two words of names are equal, or differ by one misspelt letter."""
    if one == other:
        return True
    if min(len(one), len(other)) < _MIN_MISSPELT or one[0] != other[0]:
        return False
    return Levenshtein.distance(one, other, score_cutoff=1) <= 1


def _without(words: list[str], word: str) -> set[str]:
    rest = list(words)
    rest.remove(word)
    return {word[0] for word in rest}


def _initials_agree(one: set[str], other: set[str]) -> bool:
    return not one or not other or bool(one & other)


ALIKE, LIKELY = 0.4, 0.5
"""Minimum resemblance of texts by one author with similar titles, and with any titles."""
SAME = 0.6
"""Minimum resemblance of texts by any authors."""
_POINTING, _SHARED = 16, 3
"""Number of a sketch's smallest hashes used to find candidates, and minimum matches."""
_MAX_HOLDERS = 40
"""A hash shared by more papers than this counts as a common phrase."""
_TEXT_ROLES = frozenset({"introduction", "related_work", "method", "experiments", "results"})
_MAX_TEXT = 60_000
_MIN_SHINGLES = 20
"""Minimum shingles for a text to count as evidence."""
_NUMBER = re.compile(
    r"\d+|\b(?:[ivx]{1,4}|first|second|third|fourth|fifth|sixth|seventh"
    r"|eighth|ninth|tenth)\b"
)

SKETCH = pa.schema(
    [
        *((name, pa.string()) for name in ("paper_id", "title", "words", "numbers", "date")),
        ("is_fit", pa.bool_()),
        ("surnames", pa.list_(pa.string())),
        ("abstract", pa.list_(pa.uint64())),
        ("text", pa.list_(pa.uint64())),
    ]
)
"""Columns of a paper's sketch."""


def sketch_row(row: Row, authors: Sequence[Author], sections: Sequence[Section]) -> Row:
    """Make a paper's sketch from its row in `papers`, its authors and its text."""
    title = row["title"] or ""
    body = "\n".join(section.text for section in sections if section.role in _TEXT_ROLES)
    return {
        "paper_id": row["paper_id"],
        "title": title_key(title),
        "words": title,
        "numbers": " ".join(numbers_of(title)),
        "date": row["first_public"],
        "is_fit": not row["gates"],
        "surnames": sorted({name.name.split()[-1].casefold() for name in authors if name.name}),
        "abstract": sketch_of(row["abstract"] or ""),
        "text": sketch_of(body[:_MAX_TEXT]),
    }


def find_works(sketches: pa.Table) -> pa.Table:
    """Make the table `works` from all sketches: papers that share a work, with the evidence."""
    pairs = sorted(set(_candidates(sketches)))
    wanted = sorted({number for pair in pairs for number in pair})
    known = dict(zip(wanted, sketches.take(pa.array(wanted, pa.int64())).to_pylist(), strict=True))
    joined = {
        pair: evidence for pair in pairs if (evidence := _compare(known[pair[0]], known[pair[1]]))
    }
    rows = [row for work in _groups(joined) for row in _rows_of(work, known, joined)]
    rows.sort(key=lambda row: str(row["paper_id"]))
    return pa.Table.from_pylist(rows, schema=TABLES["works"])


def _candidates(sketches: pa.Table) -> Iterator[tuple[int, int]]:
    """Pairs of papers, by index, that share a title or some of their smallest hashes."""
    titles: dict[str, list[int]] = defaultdict(list)
    for place, title in enumerate(sketches["title"].to_pylist()):
        if title:
            titles[title].append(place)
    yield from _pairs(titles.values())
    for part in ("abstract", "text"):
        lists = sketches[part].combine_chunks()
        values, bounds = lists.values.to_numpy(), lists.offsets.to_numpy()
        smallest = [values[a : min(a + _POINTING, b)] for a, b in pairwise(bounds)]
        shared = Counter(_pairs(holders(smallest, _MAX_HOLDERS)))
        yield from (pair for pair, number in shared.items() if number >= _SHARED)


def _pairs(groups: Iterable[Sequence[int]]) -> Iterator[tuple[int, int]]:
    for group in groups:
        if len(group) <= _MAX_HOLDERS:
            yield from combinations(sorted(group), 2)


def _compare(one: Row, other: Row) -> tuple[str, float] | None:
    """Part that makes two papers one work, with its resemblance; None for different works."""
    if one["numbers"] != other["numbers"]:
        return None
    sketches = {part: (_array(one[part]), _array(other[part])) for part in ("abstract", "text")}
    alike = {part: resemblance(*pair) for part, pair in sketches.items()}
    part = max(alike, key=lambda name: alike[name])
    surnames, others = set(one["surnames"]), set(other["surnames"])
    least = ALIKE if titles_agree(one["words"], other["words"]) else LIKELY
    if alike[part] >= SAME or (alike[part] >= least and surnames & others):
        return part, alike[part]
    is_known = all(len(sketch) for sketch in sketches["abstract"])
    if one["title"] and one["title"] == other["title"] and surnames & others and not is_known:
        return "title", 1.0
    return None


def numbers_of(title: str) -> list[str]:
    """The numbers in a title (digits, Roman numerals or words), sorted."""
    return sorted(_NUMBER.findall(title.casefold()))


def titles_agree(one: str, other: str) -> bool:
    """Return whether half of the words of the shorter of two titles are in the other."""
    words, other_words = set(folded_words(one)), set(folded_words(other))
    return 2 * len(words & other_words) >= min(len(words), len(other_words)) > 0


def _array(values: Sequence[int]) -> Sketch:
    return np.array(values if len(values) >= _MIN_SHINGLES else (), np.uint64)


def _groups(pairs: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Papers that pairs connect, directly or through others."""
    group_of: dict[int, list[int]] = {}
    for pair in pairs:
        one, other = (group_of.setdefault(paper, [paper]) for paper in pair)
        if one is not other:
            one += other
            group_of.update(dict.fromkeys(other, one))
    return (group for paper, group in group_of.items() if group[0] == paper)


def _rows_of(
    work: Sequence[int],
    known: Mapping[int, Row],
    joined: Mapping[tuple[int, int], tuple[str, float]],
) -> Iterator[Row]:
    papers = sorted((known[place] for place in work), key=_order)
    dated = papers[0]
    names = {known[place]["paper_id"]: place for place in work}
    for paper in papers:
        name = names[paper["paper_id"]]
        links = {pair: evidence for pair, evidence in joined.items() if name in pair}
        pair = max(links, key=lambda one: (links[one][1], one))
        other = known[pair[0] if pair[1] == name else pair[1]]
        own = paper["date"]
        is_later = own is None or period(own)[1] > period(dated["date"])[1]
        is_dated = dated["date"] is not None and is_later
        yield {
            "paper_id": paper["paper_id"],
            "work": dated["paper_id"],
            "near_copy_of": other["paper_id"],
            "part": links[pair][0],
            "resemblance": links[pair][1],
            "first_public": dated["date"] if is_dated else None,
        }


def _order(row: Row) -> tuple[str, bool, str]:
    """Sort key: earliest first; on the same day, papers that pass all gates first."""
    ends = period(row["date"])[1].isoformat() if row["date"] else "9999"
    return ends, not row["is_fit"], row["paper_id"]
